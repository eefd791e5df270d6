// `kernbench list keys`: every key of the configuration files and every attribute of a component.
#include "sc_main/list_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/config/components_file.h"
#include "platform/config/config_schema.h"
#include "platform/config/machine_keys.h"
#include "platform/energy/energy_table.h"
#include "platform/output/json_text.h"
#include "platform/output/table.h"
#include "sc_main/ccl_file.h"
#include "sc_main/command.h"
#include "sc_main/parameter_text.h"
#include "sw/collectives/algorithm_registry.h"

namespace kernbench {
namespace {

// Row of the list. `*` in a key matches any element of a list; capitals represent one of several
// names.
struct KeyText {
  std::string key, allowed, unit, default_value, meaning;
};

using Kind = ConfigKey::Kind;

std::string allowed(const ConfigKey& key) {
  switch (key.kind) {
    case Kind::value:
      return key.value->allowed();
    case Kind::component:
      return fmt::format("a component with the role {}", name_of(*key.role));
    case Kind::list:
      return key.least_items == key.most_items
                 ? fmt::format("a list of {}", key.least_items)
                 : fmt::format("a list of {} to {}", key.least_items, key.most_items);
    default:
      return key.allowed();
  }
}

std::string default_value(const ConfigKey& key) {
  if (key.kind == Kind::value && key.value->default_value())
    return format_value(*key.value->default_value());
  const bool element = key.path.back() == '*';
  return element ? "" : key.required ? "required" : "optional";
}

// Path with the names of families instead of their members.
std::string shown_path(const std::string& path,
                       const std::map<std::string, std::string>& families) {
  std::string shown, at;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string step = path.substr(begin, end - begin);
    at += (at.empty() ? "" : ".") + step;
    const auto family = families.find(at);
    shown += (shown.empty() ? "" : ".") + (family == families.end() ? step : family->second);
    begin = end + 1;
  }
  return shown;
}

// In the order of the file; keys of a family once.
std::vector<KeyText> key_texts(const ConfigSchema& schema) {
  std::vector<KeyText> texts;
  std::map<std::string, std::string> families;   // path of a member -> name of the family
  std::map<std::string, std::size_t> positions;  // index in `texts`, by displayed path
  for (const ConfigKey& key : schema.keys()) {
    if (!key.family.empty()) families[key.path] = key.family;
    const std::string path = shown_path(key.path, families);
    const auto [shown, is_new] = positions.emplace(path, texts.size());
    if (is_new)
      texts.push_back({path, allowed(key), key.value ? key.value->unit() : "", default_value(key),
                       key.family.empty() ? key.description : key.family + " is one of"});
    if (!key.family.empty())
      texts[shown->second].meaning +=
          (is_new ? " " : ", ") + key.path.substr(key.path.rfind('.') + 1);
  }
  return texts;
}

using Json = nlohmann::ordered_json;

struct KeysOfFile {
  const char* file;
  std::vector<KeyText> keys;
};

std::vector<KeysOfFile> all_keys(const AlgorithmRegistry& algorithms) {
  return {{"topology.yaml", key_texts(machine_schema())},
          {"ccl.yaml", key_texts(ccl_schema(algorithms))},
          {"a tuning table", key_texts(tuning_schema(algorithms))},
          {"components.yaml", key_texts(components_schema())},
          {"energy.yaml", key_texts(energy_schema())}};
}

const std::vector<const char*> columns{"key", "allowed", "unit", "default", "meaning"};

std::vector<std::string> cells(const KeyText& text) {
  return {text.key, text.allowed, text.unit, text.default_value, text.meaning};
}

void print_json(const AlgorithmRegistry& algorithms) {
  Json json;
  for (const KeysOfFile& file : all_keys(algorithms)) {
    Json& list = json[file.file] = Json::array();
    for (const KeyText& text : file.keys) {
      Json entry;
      const std::vector<std::string> values = cells(text);
      for (std::size_t i = 0; i < values.size(); ++i) entry[columns[i]] = values[i];
      list.push_back(std::move(entry));
    }
  }
  std::cout << json_text(json, 2) << '\n';
}

void print_text(const AlgorithmRegistry& algorithms) {
  for (const KeysOfFile& file : all_keys(algorithms)) {
    std::cout << "Keys of " << file.file << ":\n";
    Table table({{"key"}, {"default", Table::Align::right}, {"unit"}, {"allowed"}, {"meaning"}});
    for (const KeyText& text : file.keys)
      table.add({text.key, text.default_value, text.unit, text.allowed, text.meaning});
    std::cout << table.text("  ") << '\n';
  }
  std::cout << "Attributes of components: kernbench list components\n";
}

// --- Markdown

void print_row(const std::vector<std::string>& values) {
  std::cout << '|';
  for (const std::string& value : values) std::cout << (value.empty() ? "" : " ") << value << " |";
  std::cout << '\n';
}

void print_head(const std::vector<const char*>& names) {
  print_row({names.begin(), names.end()});
  std::cout << '|';
  for (std::size_t i = 0; i < names.size(); ++i) std::cout << "---|";
  std::cout << '\n';
}

void print_attributes(const ComponentRegistry& registry) {
  std::cout << "\n### Attributes of components\n\n";
  print_head({"implementation", "attribute", "allowed", "unit", "default", "meaning", "source"});
  for (const Implementation* implementation : registry.list()) {
    for (const Parameter& parameter : implementation->schema) {
      print_row({fmt::format("`{}`", implementation->name), fmt::format("`{}`", parameter.name()),
                 parameter.allowed(), parameter.unit(), default_text(parameter),
                 parameter.description(), parameter.source()});
    }
  }
}

void print_markdown(const Catalogue& catalogue) {
  for (const KeysOfFile& file : all_keys(*catalogue.algorithms)) {
    std::cout << "\n### Keys of " << file.file << "\n\n";
    print_head(columns);
    for (const KeyText& text : file.keys) {
      std::vector<std::string> row = cells(text);
      row[0] = fmt::format("`{}`", row[0]);
      print_row(row);
    }
  }
  print_attributes(catalogue.components);
}

}  // namespace

int list_keys(const Catalogue& catalogue, ListFormat format) {
  switch (format) {
    case ListFormat::text:
      print_text(*catalogue.algorithms);
      break;
    case ListFormat::json:
      print_json(*catalogue.algorithms);
      break;
    case ListFormat::markdown:
      print_markdown(catalogue);
      break;
  }
  return exit_done;
}

}  // namespace kernbench
