#include "sc_main/bench_catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/config/config_tree.h"
#include "platform/config/nearest_name.h"
#include "platform/output/json_text.h"
#include "platform/output/table.h"
#include "platform/output/text_layout.h"
#include "sc_main/command.h"
#include "sc_main/parameter_text.h"

namespace kernbench {

const Bench& find_bench(const BenchRegistry& benches, const std::string& name_or_index) {
  std::vector<std::string> names;
  for (const Bench& bench : benches.benches()) names.push_back(bench.name);
  const bool is_index =
      !name_or_index.empty() && name_or_index.find_first_not_of("0123456789") == std::string::npos;
  if (!is_index && std::find(names.begin(), names.end(), name_or_index) == names.end()) {
    throw UsageError(fmt::format("unknown bench {}{}\nRun 'kernbench list' for all of them.",
                                 quote(name_or_index), did_you_mean(name_or_index, names)));
  }
  return benches.find(name_or_index);
}

std::vector<GivenParameter> given_parameters(const std::vector<std::string>& texts) {
  std::vector<GivenParameter> given;
  for (const std::string& text : texts) {
    auto parameter = key_and_value(text);
    if (!parameter)
      throw UsageError(fmt::format("--param {} is not NAME=VALUE, e.g. --param M=64", quote(text)));
    given.push_back(std::move(*parameter));
  }
  return given;
}

Candidates bench_candidates(const Catalogue& catalogue) {
  Candidates candidates;
  for (const Bench& bench : catalogue.benches.benches())
    candidates.push_back({bench.name, bench.description});
  return candidates;
}

Candidates parameter_candidates(const Catalogue& catalogue, const std::string& bench,
                                const std::string& typed) {
  Candidates candidates;
  for (const Parameter& parameter : find_bench(catalogue.benches, bench).parameters) {
    const std::string start = parameter.name() + '=';
    if (typed.compare(0, start.size(), start) != 0) {
      candidates.push_back({start, parameter.description()});
    } else {
      for (const std::string& choice : parameter.choices()) candidates.push_back({start + choice});
    }
  }
  return candidates;
}

int list_benches(const Catalogue& catalogue, bool as_json) {
  auto json = nlohmann::ordered_json::array();
  int index = 0;
  for (const Bench& bench : catalogue.benches.benches()) {
    ++index;
    const std::string file = catalogue.file_of_bench(bench.name);
    if (as_json) {
      nlohmann::ordered_json entry;
      entry["index"] = index;
      entry["name"] = bench.name;
      entry["description"] = bench.description;
      entry["per_device"] = bench.per_device;
      entry["parameters"] = nlohmann::ordered_json::array();
      for (const Parameter& parameter : bench.parameters)
        entry["parameters"].push_back(parameter_json(parameter));
      if (!file.empty()) entry["plugin"] = file;
      json.push_back(std::move(entry));
      continue;
    }
    std::cout << fitted(
        fmt::format("{}  {}: {}{}\n", index, bench.name, bench.description, of_plugin(file)), 5);
    Table table({{"parameter"}, {"default", Table::Align::right}, {"allowed"}, {"meaning"}});
    for (const Parameter& parameter : bench.parameters) {
      table.add({parameter.name(), default_text(parameter), parameter.allowed(),
                 parameter.description()});
    }
    if (!table.empty()) std::cout << table.text("     ");
    std::cout << '\n';
  }
  if (as_json) std::cout << json_text(json, 2) << '\n';
  return exit_done;
}

}  // namespace kernbench
