#include "sc_main/web_benches.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/config/nearest_name.h"
#include "platform/config/shipped_files.h"
#include "platform/topology/load_machine.h"
#include "platform/web/name_rank.h"
#include "sc_main/bench_catalogue.h"
#include "sc_main/ccl_file.h"
#include "sc_main/command.h"
#include "sc_main/known_keys.h"
#include "sc_main/parameter_text.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

const char* name_of(Parameter::Type type) {
  switch (type) {
    case Parameter::Type::integer:
      return "integer";
    case Parameter::Type::decimal:
      return "decimal";
    case Parameter::Type::boolean:
      return "boolean";
    case Parameter::Type::choice:
      return "choice";
    default:
      return "text";
  }
}

// Names for the form; that of the command line first.
std::vector<std::string> topologies(const MachineOptions& machine) {
  std::vector<std::string> names = shipped_files("topology");
  const std::string given = machine.topology.empty() ? "topology.yaml" : machine.topology;
  names.erase(std::remove(names.begin(), names.end(), given), names.end());
  names.insert(names.begin(), given);
  return names;
}

// The machine with that topology of topologies(); settings of the command line are of the first.
MachineOptions with_topology(const std::string& topology, const MachineOptions& machine) {
  const std::vector<std::string> known = topologies(machine);
  if (topology.empty() || topology == known.front()) return machine;
  if (std::find(known.begin(), known.end(), topology) == known.end())
    throw UsageError(
        fmt::format("topology: found {}, allowed are {}", quote(topology), fmt::join(known, ", ")));
  MachineOptions other = machine;
  other.topology = topology;
  other.set.clear();
  return other;
}

Json bound_json(const std::optional<Rational>& bound) {
  if (!bound) return nullptr;
  return bound->is_integer() ? Json(bound->to_int64()) : Json(bound->to_double());
}

std::string text_of(const Json& value, const std::string& key) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  throw UsageError(
      fmt::format("{}: found {}, allowed is a text or a number", key, quote(value.dump())));
}

void refuse_files(const std::string& key, const std::string& value) {
  std::error_code ignored;
  if (value.find('/') == std::string::npos &&
      (value.empty() || !std::filesystem::exists(value, ignored)))
    return;
  throw UsageError(
      fmt::format("{}: {} is a file; files are given on the command line only", key, quote(value)));
}

}  // namespace

Json bench_forms(const Catalogue& catalogue, const MachineOptions& machine) {
  Json benches = Json::array();
  for (const Bench& bench : catalogue.benches.benches()) {
    Json parameters = Json::array();
    for (const Parameter& parameter : bench.parameters) {
      Json json = parameter_json(parameter);
      json["type"] = name_of(parameter.type());
      json["choices"] = parameter.choices().empty() ? Json() : Json(parameter.choices());
      json["least"] = parameter.allows_unlimited() ? Json(0) : bound_json(parameter.lowest());
      if (json["least"].is_null() && parameter.is_positive()) json["least"] = 0;
      json["most"] = bound_json(parameter.highest());
      json["step"] = parameter.type() == Parameter::Type::integer ? Json(1) : Json();
      parameters.push_back(std::move(json));
    }
    benches.push_back({{"name", bench.name},
                       {"description", bench.description},
                       {"parameters", std::move(parameters)}});
  }
  return {{"benches", std::move(benches)}, {"topologies", topologies(machine)}};
}

Json key_list(const std::string& topology, const std::string& text, std::size_t most,
              const Catalogue& catalogue, const MachineOptions& machine) {
  const MachineOptions chosen = with_topology(topology, machine);
  const auto settings = [&chosen](const char* family) {
    return overrides_of(chosen.set, family, {"topology", "components", "ccl"});
  };
  MachineSpec spec =
      load_machine(chosen.topology_path(), settings("topology"), catalogue.components);
  std::vector<KnownKey> keys = topology_keys(spec, catalogue.components);
  const CclFile ccl =
      load_ccl_file(find_config(chosen.ccl, "ccl"), settings("ccl"), *catalogue.algorithms);
  for (KnownKey& key : ccl_keys(ccl, *catalogue.algorithms)) keys.push_back(std::move(key));
  std::vector<std::vector<const KnownKey*>> ranks(no_rank + 1);
  std::vector<std::string> names;
  for (const KnownKey& key : keys) {
    ranks[static_cast<std::size_t>(search_rank(key.key, text))].push_back(&key);
    names.push_back(key.key);
  }
  std::vector<const KnownKey*> found;
  for (int rank = 0; rank < no_rank; ++rank)
    found.insert(found.end(), ranks[static_cast<std::size_t>(rank)].begin(),
                 ranks[static_cast<std::size_t>(rank)].end());
  if (const std::string nearest = nearest_name(text, names); found.empty() && !nearest.empty())
    found.push_back(&keys[static_cast<std::size_t>(std::find(names.begin(), names.end(), nearest) -
                                                   names.begin())]);
  Json list = Json::array();
  for (const KnownKey* key : found) {
    if (list.size() == most) break;
    const Parameter& parameter = key->parameter;
    const bool is_boolean = parameter.type() == Parameter::Type::boolean;
    list.push_back({{"key", key->key},
                    {"value", format_value(key->value)},
                    {"unit", parameter.unit()},
                    {"allowed", parameter.allowed()},
                    {"choices", is_boolean ? Json({"false", "true"}) : Json(parameter.choices())},
                    {"description", parameter.description()}});
  }
  return {{"keys", std::move(list)}, {"key_count", found.size()}};
}

std::string RunRequest::field_of(const std::string& fault) const {
  for (const std::string& parameter : parameters) {
    const std::string name = parameter.substr(0, parameter.find('='));
    if (fault.find(fmt::format("parameter {}: ", name)) != std::string::npos) return name;
  }
  return fault.find("--set ") != std::string::npos ? "set" : "";
}

RunRequest run_request(const std::string& body, const Catalogue& catalogue,
                       const MachineOptions& machine) {
  const Json json = Json::parse(body, nullptr, false);
  if (json.is_discarded() || !json.is_object())
    throw UsageError("the request is not a JSON object");
  RunRequest request;
  std::string topology;
  std::vector<std::string>&parameters = request.parameters, &settings = request.settings;
  for (const auto& [key, value] : json.items()) {
    if (key == "bench" && value.is_string()) {
      request.title = value;
    } else if (key == "topology" && value.is_string()) {
      topology = value;
    } else if (key == "parameters" && value.is_object()) {
      for (const auto& [name, given] : value.items()) {
        const std::string text = text_of(given, name);
        refuse_files(name, text);
        parameters.push_back(name + '=' + text);
      }
    } else if (key == "set" && value.is_array()) {
      for (const Json& given : value) settings.push_back(text_of(given, "set"));
    } else {
      throw UsageError(
          fmt::format("{}: not a member of a request, or of another type: bench, "
                      "parameters, set, topology",
                      quote(key)));
    }
  }
  const Bench& bench = find_bench(catalogue.benches, request.title);
  request.title = bench.name;
  request.words = {"run", "--bench", bench.name};
  const auto add = [&request](const char* option, const std::string& value) {
    // One word: a value that begins with '-' is no option.
    request.words.push_back(fmt::format("{}={}", option, value));
  };
  const MachineOptions chosen = with_topology(topology, machine);
  if (!chosen.topology.empty()) add("--topology", chosen.topology);
  if (!chosen.components.empty()) add("--components", chosen.components);
  for (const std::string& plugin : chosen.plugins) add("--plugin", plugin);
  for (const std::string& setting : chosen.set) add("--set", setting);
  for (const std::string& parameter : parameters) {
    add("--param", parameter);
    request.title += ' ' + parameter;
  }
  for (const std::string& setting : settings) {
    const std::string key = setting.substr(0, setting.find('='));
    const std::size_t colon = key.find(':');
    if (colon != std::string::npos && key.substr(0, colon) != "ccl")
      throw UsageError(
          fmt::format("set: {} is of a file of the command line; allowed are keys of "
                      "the topology and ccl:KEY",
                      quote(key)));
    if (key.size() < setting.size()) refuse_files("set", setting.substr(key.size() + 1));
    add("--set", setting);
    request.title += ' ' + setting;
  }
  Invocation line;
  line.words = request.words;
  line.words.insert(line.words.begin(), "kernbench");
  line.words.insert(line.words.end(), {"--op-log", "run.sqlite"});
  request.command = line.line();
  return request;
}

}  // namespace kernbench
