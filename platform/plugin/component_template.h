// Templates of `kernbench new-component`: folders of files, one for each kind.
//
// templates/KIND/template.txt says what the kind is; every other file of the folder is copied,
// after those of templates/common/, with words replaced in its text and its name: @name@, @Class@,
// @kebab-name@, and the keys of template.txt, as @libraries@.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace kernbench {

struct ComponentTemplate {
  std::string kind;
  std::map<std::string, std::string> keys;  // of template.txt; "description" is one of them
  std::filesystem::path folder;
};

// Templates below a folder, sorted by kind.
std::vector<ComponentTemplate> component_templates(const std::filesystem::path& folder);
// UsageError that lists the kinds.
ComponentTemplate find_template(const std::filesystem::path& folder, const std::string& kind);

// Writes the files into `folder`, which must not exist, and returns their names. UsageError for a
// name that is no name, or a folder that exists or cannot be made.
std::vector<std::string> write_component(const ComponentTemplate& from, const std::string& name,
                                         const std::filesystem::path& folder);

}  // namespace kernbench
