#include "sw/collectives/ccl_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "models/base/errors.h"
#include "models/base/parameter_member.h"
#include "sw/collectives/algorithm_registry.h"

namespace kernbench {
namespace {

constexpr const char* source = "spec 8.2";

// Row of a key: allowed values, and the member of the settings that holds its value.
struct Key {
  Parameter parameter;
  ParameterMember member;
};

template <class T>
Key key(Parameter parameter, T& member) {
  return {std::move(parameter), ParameterMember(member)};
}

std::vector<Key> keys_of(CclSettings& settings) {
  IpcqSettings& rings = settings.rings;
  return {
      key(Parameter::choice("buffer_kind", "memory that holds the rings", {"tcm", "sram", "hbm"},
                            source)
              .default_val("tcm"),
          rings.buffer_kind),
      key(Parameter::choice("backpressure", "wait mode of a send into a full ring",
                            {"sleep", "poll"}, source)
              .default_val("sleep"),
          rings.backpressure),
      key(Parameter::duration_ns("poll_ns", "period of a polling send", source)
              .default_val("10")
              .positive(),
          rings.poll_ns),
      key(Parameter::integer("n_slots", "slots of each ring", "", source)
              .default_val(4)
              .range("1", "4096"),
          rings.n_slots),
      key(Parameter::integer("pipelined_n_slots",
                             "slots of the rings of algorithms whose kernels are pipelined; "
                             "default: n_slots",
                             "", source)
              .range("1", "4096"),
          settings.pipelined_n_slots),
      key(Parameter::integer("slot_size", "size of a slot: the largest message", "B", source)
              .default_val(4096)
              .range("16", "1073741824"),
          rings.slot_size),
      key(Parameter::integer("vc_chunk_size",
                             "bytes of messages served before arbitration returns to vc_compute; "
                             "default: the attribute of pe_dma",
                             "B", source)
              .range("1", "1048576"),
          rings.vc_chunk_size),
      key(Parameter::integer("ipcq_credit_size_bytes", "size of a credit on its side band", "B",
                             source)
              .default_val(16)
              .range("1", "4096"),
          rings.ipcq_credit_size_bytes),
      key(Parameter::boolean(
              "chunking",
              "data larger than a slot go in slot-sized messages; false: each block is one "
              "message",
              source)
              .default_val(true),
          settings.chunking),
      key(Parameter::boolean("ring_capacity_check", "the rings must fit their memory", source)
              .default_val(true),
          rings.ring_capacity_check),
      key(Parameter::integer("n_elem", "elements per shard, default of benches", "", source)
              .default_val(8)
              .range("1", "16777216"),
          settings.n_elem),
      key(Parameter::integer(
              "world_size",
              "number of ranks; default: number of SIPs; other values require rank_unit pe", "",
              source)
              .range("1", "16384"),
          settings.world_size),
      key(Parameter::choice("rank_unit", "unit of a rank; pe is for diagnosis", {"sip", "pe"},
                            source)
              .default_val("sip"),
          settings.rank_unit),
  };
}

const Parameter* find(const ParameterSchema& schema, const std::string& name) {
  const auto found = std::find_if(schema.begin(), schema.end(),
                                  [&](const Parameter& each) { return each.name() == name; });
  return found == schema.end() ? nullptr : &*found;
}

void change(Attributes& values, const std::string& algorithm, const ParameterSchema& schema,
            const std::string& key, const std::string& text) {
  const Parameter* parameter = find(schema, key);
  if (parameter == nullptr) {
    std::string known;
    for (const Parameter& each : schema) known += ", " + each.name();
    throw UsageError(fmt::format("algorithm '{}' knows no key '{}'; it knows algorithm{}",
                                 algorithm, key, known));
  }
  try {
    values.set(key, parameter->parse(text));
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("algorithm '{}': {}: {}", algorithm, key, error.what()));
  }
}

void merge(Attributes& values, const Attributes& over) {
  for (const auto& [key, value] : over.values()) values.set(key, value);
}

// Parameters of the configured algorithm; none if the settings leave the choice open.
ParameterSchema own_parameters(const CclSettings& settings, const CclFile& file,
                               const AlgorithmRegistry& algorithms) {
  if (settings.chooses()) {
    if (file.tuning != nullptr) return {};
    throw UsageError(
        "algorithm 'auto' chooses by a tuning table, and ccl.yaml names none: its key is "
        "tuning_table, and kernbench tune-collectives writes one");
  }
  const CollectiveAlgorithm& algorithm = algorithms.find(settings.algorithm);
  if (algorithm.op == CollectiveOp::all_reduce) return algorithm.parameters;
  std::string known = automatic;
  for (const std::string& name : algorithms.names(CollectiveOp::all_reduce)) known += ", " + name;
  throw UsageError(
      fmt::format("algorithm '{}' carries out {}; the choice is that of all_reduce: {}",
                  algorithm.name, name_of(algorithm.op), known));
}

}  // namespace

const char* name_of(RankUnit unit) { return unit == RankUnit::pe ? "pe" : "sip"; }

ParameterSchema ccl_parameters() {
  CclSettings any;
  ParameterSchema schema;
  for (Key& each : keys_of(any)) schema.push_back(std::move(each.parameter));
  return schema;
}

CclSettings resolve(const CclFile& file, const AlgorithmRegistry& algorithms,
                    const CclChanges& changes) {
  CclSettings settings;
  settings.algorithm = file.algorithm;
  for (const auto& [key, text] : changes) {
    if (key == "algorithm") settings.algorithm = text;
  }
  const ParameterSchema own = own_parameters(settings, file, algorithms);
  ParameterSchema schema = ccl_parameters();
  schema.insert(schema.end(), own.begin(), own.end());

  Attributes values = defaults_of(schema);
  merge(values, file.defaults);
  if (const auto entry = file.algorithms.find(settings.algorithm); entry != file.algorithms.end())
    merge(values, entry->second);
  for (const auto& [key, text] : changes) {
    if (key != "algorithm") change(values, settings.algorithm, schema, key, text);
  }

  for (const Key& each : keys_of(settings)) {
    const auto given = values.values().find(each.parameter.name());
    if (given != values.values().end()) each.member.assign(given->second);
  }
  for (const Parameter& parameter : own) {
    const auto given = values.values().find(parameter.name());
    if (given != values.values().end()) settings.own.set(parameter.name(), given->second);
  }
  return settings;
}

std::vector<std::pair<std::string, std::string>> CclSettings::values() const {
  std::vector<std::pair<std::string, std::string>> values{{"algorithm", algorithm}};
  CclSettings settings = *this;
  for (const Key& each : keys_of(settings)) {
    if (const auto value = each.member.value())
      values.emplace_back(each.parameter.name(), format_value(*value));
  }
  for (const auto& [key, value] : own.values()) values.emplace_back(key, format_value(value));
  return values;
}

std::string CclSettings::str() const {
  std::string text;
  for (const auto& [key, value] : values())
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, value);
  return text;
}

std::string differing_values(const CclSettings& settings, const CclSettings& others) {
  const auto mine = settings.values(), theirs = others.values();
  const auto has = [](const auto& list, const std::string& key) {
    return std::any_of(list.begin(), list.end(),
                       [&](const auto& each) { return each.first == key; });
  };
  std::string text;
  const auto add = [&text](const std::string& what) { text += (text.empty() ? "" : ", ") + what; };
  for (const auto& each : mine) {
    if (std::find(theirs.begin(), theirs.end(), each) == theirs.end())
      add(fmt::format("{}={}", each.first, each.second));
  }
  for (const auto& each : theirs) {
    if (!has(mine, each.first)) add("no " + each.first);
  }
  return text;
}

}  // namespace kernbench
