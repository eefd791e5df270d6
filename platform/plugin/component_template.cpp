#include "platform/plugin/component_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/config/nearest_name.h"

namespace kernbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* description_file = "template.txt";
constexpr const char* files_of_all_kinds = "common";
constexpr std::size_t longest_name = 40;

std::string text_of_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in) throw UsageError(fmt::format("{} cannot be read", quote(path.string())));
  return text;
}

// Lines of "key: value".
std::map<std::string, std::string> read_keys(const fs::path& path) {
  std::map<std::string, std::string> keys;
  const std::string text = text_of_file(path);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) keys[line.substr(0, colon)] = line.substr(colon + 2);
    begin = end + 1;
  }
  return keys;
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

using Substitutions = std::map<std::string, std::string>;

std::string replaced(std::string text, const Substitutions& words) {
  for (const auto& [word, value] : words) {
    const std::string mark = '@' + word + '@';
    for (std::size_t at = text.find(mark); at != std::string::npos;
         at = text.find(mark, at + value.size()))
      text.replace(at, mark.size(), value);
  }
  return text;
}

Substitutions substitutions_of(const ComponentTemplate& from, const std::string& name) {
  Substitutions words{
      {"name", name}, {"Class", camel_case(name)}, {"kebab-name", name}, {"kind", from.kind}};
  std::replace(words["kebab-name"].begin(), words["kebab-name"].end(), '_', '-');
  const Substitutions names = words;  // in the keys of template.txt, too
  for (const auto& [key, value] : from.keys) words[key] = replaced(value, names);
  return words;
}

// Name -> source; a file of the kind goes before one of the same name for all kinds.
std::map<std::string, fs::path> files_of(const ComponentTemplate& from) {
  std::map<std::string, fs::path> files;
  for (const fs::path& folder : {from.folder.parent_path() / files_of_all_kinds, from.folder}) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (name != description_file) files[name] = entry.path();
    }
  }
  return files;
}

}  // namespace

std::vector<ComponentTemplate> component_templates(const fs::path& folder) {
  std::vector<ComponentTemplate> all;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const fs::path file = entry.path() / description_file;
    if (fs::is_regular_file(file))
      all.push_back({entry.path().filename().string(), read_keys(file), entry.path()});
  }
  std::sort(all.begin(), all.end(),
            [](const ComponentTemplate& a, const ComponentTemplate& b) { return a.kind < b.kind; });
  return all;
}

ComponentTemplate find_template(const fs::path& folder, const std::string& kind) {
  std::vector<std::string> kinds;
  for (ComponentTemplate& each : component_templates(folder)) {
    if (each.kind == kind) return std::move(each);
    kinds.push_back(each.kind);
  }
  throw UsageError(fmt::format("unknown kind {}{}; there are {}", quote(kind),
                               did_you_mean(kind, kinds), fmt::join(kinds, ", ")));
}

std::vector<std::string> write_component(const ComponentTemplate& from, const std::string& name,
                                         const fs::path& folder) {
  check_name(name);
  std::error_code error;
  if (fs::exists(fs::symlink_status(folder, error)))
    throw UsageError(
        fmt::format("{} exists already; choose another NAME or --dir", quote(folder.string())));
  fs::create_directories(folder, error);
  if (error)
    throw UsageError(
        fmt::format("the folder {} cannot be made: {}", quote(folder.string()), error.message()));
  const Substitutions words = substitutions_of(from, name);
  std::vector<std::string> names;
  for (const auto& [file, source] : files_of(from)) {
    names.push_back(replaced(file, words));
    std::ofstream out(folder / names.back(), std::ios::binary);
    out << replaced(text_of_file(source), words);
    out.close();
    if (!out)
      throw Error(fmt::format("{} cannot be written", quote((folder / names.back()).string())));
  }
  return names;
}

}  // namespace kernbench
