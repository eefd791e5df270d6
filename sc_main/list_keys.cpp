// `kernbench list keys`: every key of the configuration files and every attribute of a component.
#include "sc_main/list_keys.h"

#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "platform/config/components_file.h"
#include "platform/config/key_texts.h"
#include "platform/config/machine_keys.h"
#include "platform/output/json_text.h"
#include "platform/output/table.h"
#include "sc_main/ccl_file.h"
#include "sc_main/command.h"
#include "sc_main/parameter_text.h"
#include "sw/collectives/algorithm_registry.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

struct KeysOfFile {
  const char* file;
  std::vector<KeyText> keys;
};

std::vector<KeysOfFile> all_keys(const AlgorithmRegistry& algorithms) {
  return {{"topology.yaml", key_texts(machine_schema())},
          {"ccl.yaml", key_texts(ccl_schema(algorithms))},
          {"a tuning table", key_texts(tuning_schema(algorithms))},
          {"components.yaml", key_texts(components_schema())}};
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
