// `kernbench new-component`: creates a folder with a plug-in template.
//
// templates/kinds.txt has a record of keys for each kind; the files of templates/common/ and of the
// folder of the kind are copied, with words between '@' replaced in their texts and names: @name@,
// @Class@, @kebab-name@, and the keys of the record.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/config/nearest_name.h"
#include "platform/config/shipped_files.h"
#include "platform/output/text_layout.h"
#include "sc_main/command.h"
#include "sc_main/completion.h"

namespace kernbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_name = 40;

using TemplateWords = std::map<std::string, std::string>;

std::string text_of_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in) throw UsageError(fmt::format("{} cannot be read", quote(path.string())));
  return text;
}

// Keys of each kind, with the default values of the other keys.
std::map<std::string, TemplateWords> template_kinds() {
  std::vector<TemplateWords> records(1);
  std::istringstream lines(text_of_file(shipped_templates() / "kinds.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) records.emplace_back();
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos && line.front() != '#')
      records.back()[line.substr(0, colon)] = line.substr(colon + 2);
  }
  std::map<std::string, TemplateWords> kinds;
  for (TemplateWords& record : records) {
    if (record.count("kind") == 0) continue;  // default values, or a comment
    record.insert(records.front().begin(), records.front().end());
    kinds[record["kind"]] = std::move(record);
  }
  return kinds;
}

TemplateWords find_kind(const std::string& kind) {
  const std::map<std::string, TemplateWords> kinds = template_kinds();
  const auto found = kinds.find(kind);
  if (found != kinds.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [name, keys] : kinds) names.push_back(name);
  throw UsageError(fmt::format("unknown kind {}{}; there are {}", quote(kind),
                               did_you_mean(kind, names), fmt::join(names, ", ")));
}

void check_name(const std::string& name) {
  const bool allowed = !name.empty() && name.size() <= longest_name && name.front() >= 'a' &&
                       name.front() <= 'z' && std::all_of(name.begin(), name.end(), [](char c) {
                         return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
                       });
  const std::array<std::string_view, 8> targets{"all",     "clean", "depend",        "edit_cache",
                                                "install", "list",  "rebuild_cache", "test"};
  if (std::find(targets.begin(), targets.end(), name) != targets.end())
    throw UsageError(
        fmt::format("found the name {}, which CMake has for a target of its own", quote(name)));
  if (!allowed || name.back() == '_' || name.find("__") != std::string::npos)
    throw UsageError(fmt::format(
        "found the name {}, allowed are at most {} lower-case letters, digits and single '_' "
        "between them, a letter first",
        quote(name), longest_name));
}

// row_hbm -> RowHbm
std::string camel_case(const std::string& name) {
  std::string camel;
  bool upper = true;
  for (const char c : name) {
    if (c != '_') camel += upper ? static_cast<char>(std::toupper(c)) : c;
    upper = c == '_';
  }
  return camel;
}

// Replaces @word@ by its value, whose words are replaced recursively.
std::string replaced(std::string text, const TemplateWords& words) {
  for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at)) {
    const std::size_t end = text.find('@', at + 1);
    if (end == std::string::npos) break;
    const auto word = words.find(text.substr(at + 1, end - at - 1));
    if (word == words.end()) {
      at = end;
    } else {
      text.replace(at, end + 1 - at, word->second);
    }
  }
  return text;
}

// Writes the files of a kind into `folder` and prints their paths.
void write_component(TemplateWords words, const std::string& name, const fs::path& folder) {
  check_name(name);
  std::error_code error;
  if (fs::exists(fs::symlink_status(folder, error)))
    throw UsageError(
        fmt::format("{} exists already; choose another NAME or --dir", quote(folder.string())));
  fs::create_directories(folder, error);
  if (error)
    throw UsageError(
        fmt::format("the folder {} cannot be made: {}", quote(folder.string()), error.message()));
  words["name"] = words["kebab-name"] = name;
  words["Class"] = camel_case(name);
  std::replace(words["kebab-name"].begin(), words["kebab-name"].end(), '_', '-');
  words.emplace("folder", words["kind"]);

  std::map<std::string, fs::path> sources;  // by name of the written file
  for (const fs::path& from : {fs::path("common"), fs::path(words["folder"])}) {
    for (const auto& entry : fs::directory_iterator(shipped_templates() / from))
      sources[replaced(entry.path().filename().string(), words)] = entry.path();
  }
  for (const auto& [file, source] : sources) {
    const std::string path = (folder / file).string();
    std::ofstream out(path, std::ios::binary);
    out << replaced(text_of_file(source), words);
    out.close();
    if (!out) throw Error(fmt::format("{} cannot be written", quote(path)));
    std::cout << path << '\n';
  }
}

struct NewComponentOptions {
  std::string name, kind, folder;
  bool list = false;
};

int list_kinds() {
  for (const auto& [kind, keys] : template_kinds())
    std::cout << fitted(fmt::format("{:<14}  {}\n", kind, keys.at("description")));
  return exit_done;
}

int new_component(const NewComponentOptions& options) {
  if (options.list) {
    if (!options.name.empty() || !options.kind.empty() || !options.folder.empty())
      throw UsageError("new-component --list-kinds takes nothing else");
    return list_kinds();
  }
  if (options.name.empty()) throw UsageError("new-component: NAME is missing");
  if (options.kind.empty())
    throw UsageError("new-component: --kind is missing; --list-kinds shows them");
  const fs::path folder = options.folder.empty() ? options.name : options.folder;
  write_component(find_kind(options.kind), options.name, folder);
  std::cout << fmt::format(
      "\nBuild and test it:\n  cmake -S {0} -B {0}/build && cmake --build {0}/build && ctest "
      "--test-dir {0}/build\n",
      folder.string());
  return exit_done;
}

Candidates kind_candidates() {
  Candidates candidates;
  for (const auto& [kind, keys] : template_kinds())
    candidates.push_back({kind, keys.at("description")});
  return candidates;
}

void declare_new_component(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<NewComponentOptions>();
  command.add_option("NAME", options->name, "Name of the plug-in and its files, e.g. row_hbm")
      ->type_name("");
  completes(command
                .add_option("--kind", options->kind,
                            "A component, a TLM-2.0 module, a bench or an algorithm")
                ->type_name("KIND"),
            [](const std::string&) { return kind_candidates(); });
  command.add_option("--dir", options->folder, "Folder to create (default: NAME)")
      ->type_name("DIR");
  command.add_flag("--list-kinds", options->list, "List the kinds");
  command.footer(
      "The folder is built against the installed package (cmake --install) by find_package; if the "
      "package is not on CMake's search path, with -DCMAKE_PREFIX_PATH=PREFIX. Guide: "
      "docs/write-a-plugin.md.\n\n"
      "Examples:\n"
      "  kernbench new-component --list-kinds\n"
      "  kernbench new-component row_hbm --kind hbm\n"
      "  kernbench new-component dsp --kind tlm-target --dir ~/models/dsp\n");
  invocation.on(command, [options] { return new_component(*options); });
}
const CommandRegistration new_component_registration(
    120, "new-component",
    "Create a plug-in from a template: source, CMakeLists.txt, a passing test, README.md",
    declare_new_component);

}  // namespace
}  // namespace kernbench
