#include "sw/collectives/ccl_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "models/base/errors.h"
#include "sw/collectives/algorithm_registry.h"

namespace kernbench {
namespace {

constexpr const char* source = "spec 8.2";

Parameter on_off(const char* name, const char* description) {
  return Parameter::choice(name, description, {"on", "off"}, source).default_val("on");
}

const Parameter* find(const ParameterSchema& schema, const std::string& name) {
  const auto found = std::find_if(schema.begin(), schema.end(),
                                  [&](const Parameter& each) { return each.name() == name; });
  return found == schema.end() ? nullptr : &*found;
}

ParameterSchema schema_of(const CollectiveAlgorithm& algorithm) {
  ParameterSchema schema = ccl_parameters();
  schema.insert(schema.end(), algorithm.parameters.begin(), algorithm.parameters.end());
  return schema;
}

void change(Attributes& values, const CollectiveAlgorithm& algorithm, const std::string& key,
            const std::string& text) {
  const ParameterSchema schema = schema_of(algorithm);
  const Parameter* parameter = find(schema, key);
  if (parameter == nullptr) {
    std::string known;
    for (const Parameter& each : schema) known += ", " + each.name();
    throw UsageError(fmt::format("algorithm '{}' knows no key '{}'; it knows algorithm{}",
                                 algorithm.name, key, known));
  }
  try {
    values.set(key, parameter->parse(text));
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("algorithm '{}': {}: {}", algorithm.name, key, error.what()));
  }
}

void merge(Attributes& values, const Attributes& over) {
  for (const auto& [key, value] : over.values()) values.set(key, value);
}

template <class Number>
std::optional<Number> optional_integer(const Attributes& values, const char* key) {
  if (!values.has(key)) return std::nullopt;
  return static_cast<Number>(values.integer(key));
}

}  // namespace

const char* name_of(RankUnit unit) { return unit == RankUnit::pe ? "pe" : "sip"; }

ParameterSchema ccl_parameters() {
  return {
      Parameter::choice("buffer_kind", "memory that holds the rings", {"tcm", "sram", "hbm"},
                        source)
          .default_val("tcm"),
      Parameter::choice("backpressure", "how a send into a full ring waits", {"sleep", "poll"},
                        source)
          .default_val("sleep"),
      Parameter::duration_ns("poll_ns", "between two looks of a polling send", source)
          .default_val("10")
          .positive(),
      Parameter::integer("n_slots", "slots of each ring", "", source)
          .default_val(4)
          .range("1", "4096"),
      Parameter::integer("slot_size", "size of a slot: the largest message", "B", source)
          .default_val(4096)
          .range("16", "1073741824"),
      Parameter::integer("vc_chunk_size",
                         "what messages send at once; default: the attribute of pe_dma", "B",
                         source)
          .range("1", "1048576"),
      Parameter::integer("ipcq_credit_size_bytes", "size of a credit on its side band", "B", source)
          .default_val(16)
          .range("1", "4096"),
      on_off("chunking",
             "data larger than a slot go in slot-sized messages; off: each block is one message"),
      on_off("ring_capacity_check", "the rings must fit their memory"),
      Parameter::integer("n_elem", "elements per shard, for benches that do not say", "", source)
          .default_val(8)
          .range("1", "16777216"),
      Parameter::integer(
          "world_size",
          "number of ranks; default: of SIPs, and nothing else unless rank_unit is pe", "", source)
          .range("1", "16384"),
      Parameter::choice("rank_unit", "what a rank is; pe is for diagnosis", {"sip", "pe"}, source)
          .default_val("sip"),
  };
}

CclSettings resolve(const CclFile& file, const AlgorithmRegistry& algorithms,
                    const CclChanges& changes) {
  CclSettings settings;
  settings.algorithm = file.algorithm;
  for (const auto& [key, text] : changes) {
    if (key == "algorithm") settings.algorithm = text;
  }
  const CollectiveAlgorithm& algorithm = algorithms.find(settings.algorithm);
  if (algorithm.op != CollectiveOp::all_reduce) {
    std::string known;
    for (const std::string& name : algorithms.names(CollectiveOp::all_reduce))
      known += (known.empty() ? "" : ", ") + name;
    throw UsageError(
        fmt::format("algorithm '{}' is one of {}; what is chosen is that of all_reduce: {}",
                    algorithm.name, name_of(algorithm.op), known));
  }

  Attributes values = defaults_of(schema_of(algorithm));
  merge(values, file.defaults);
  if (const auto own = file.algorithms.find(algorithm.name); own != file.algorithms.end())
    merge(values, own->second);
  for (const auto& [key, text] : changes) {
    if (key != "algorithm") change(values, algorithm, key, text);
  }

  settings.rings.buffer_kind = parse_memory_space(values.text("buffer_kind"));
  settings.rings.backpressure = parse_backpressure(values.text("backpressure"));
  settings.rings.poll_ns = values.decimal("poll_ns");
  settings.rings.n_slots = static_cast<std::uint32_t>(values.integer("n_slots"));
  settings.rings.slot_size = static_cast<std::uint64_t>(values.integer("slot_size"));
  settings.rings.vc_chunk_size = optional_integer<std::uint32_t>(values, "vc_chunk_size");
  settings.rings.ipcq_credit_size_bytes =
      static_cast<std::uint32_t>(values.integer("ipcq_credit_size_bytes"));
  settings.rings.ring_capacity_check = values.text("ring_capacity_check") == "on";
  settings.chunking = values.text("chunking") == "on";
  settings.n_elem = values.integer("n_elem");
  settings.world_size = optional_integer<int>(values, "world_size");
  settings.rank_unit = values.text("rank_unit") == "pe" ? RankUnit::pe : RankUnit::sip;
  for (const Parameter& parameter : algorithm.parameters) {
    const auto given = values.values().find(parameter.name());
    if (given != values.values().end()) settings.own.set(parameter.name(), given->second);
  }
  return settings;
}

std::vector<std::pair<std::string, std::string>> CclSettings::values() const {
  const auto on = [](bool value) { return value ? "on" : "off"; };
  std::vector<std::pair<std::string, std::string>> values{
      {"algorithm", algorithm},
      {"buffer_kind", name_of(rings.buffer_kind)},
      {"backpressure", name_of(rings.backpressure)},
      {"poll_ns", rings.poll_ns.str()},
      {"n_slots", std::to_string(rings.n_slots)},
      {"slot_size", std::to_string(rings.slot_size)}};
  if (rings.vc_chunk_size)
    values.emplace_back("vc_chunk_size", std::to_string(*rings.vc_chunk_size));
  values.emplace_back("ipcq_credit_size_bytes", std::to_string(rings.ipcq_credit_size_bytes));
  values.emplace_back("chunking", on(chunking));
  values.emplace_back("ring_capacity_check", on(rings.ring_capacity_check));
  values.emplace_back("n_elem", std::to_string(n_elem));
  if (world_size) values.emplace_back("world_size", std::to_string(*world_size));
  values.emplace_back("rank_unit", name_of(rank_unit));
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
