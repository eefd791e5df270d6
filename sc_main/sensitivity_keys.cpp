#include "sc_main/sensitivity_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/config/glob.h"
#include "platform/config/shipped_files.h"
#include "platform/topology/load_machine.h"
#include "sc_main/bench_catalogue.h"
#include "sc_main/ccl_file.h"
#include "sc_main/known_keys.h"
#include "sc_main/run_command_line.h"

namespace kernbench {
namespace {

// The point whose keys are varied.
class BasePoint {
 public:
  explicit BasePoint(const std::vector<std::string>& words) {
    run_.parse(words);
    catalogue_ = std::make_unique<Catalogue>(machine().load_catalogue());
    add_parameters();
    MachineSpec spec =
        load_machine(machine().topology_path(), topology_with({}), catalogue_->components);
    add(topology_keys(spec, catalogue_->components));
    add(ccl_keys(ccl_with({}), *catalogue_->algorithms));
  }

  const std::vector<KnownKey>& keys() const { return keys_; }
  PlanKeyKind kind(std::size_t key) const {
    return key < parameters_ ? PlanKeyKind::parameter : PlanKeyKind::setting;
  }

  // Faults of the configuration with these values; "": none.
  std::string faults(const std::vector<std::size_t>& keys,
                     const std::vector<std::string>& values) const try {
    std::vector<std::string> topology, ccl;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const KnownKey& key = keys_[keys[i]];
      if (kind(keys[i]) == PlanKeyKind::setting)
        (is_ccl(key.key) ? ccl : topology).push_back(fmt::format("{}={}", key.key, values[i]));
    }
    if (!ccl.empty()) ccl_with(ccl);
    if (!topology.empty())
      load_machine(machine().topology_path(), topology_with(topology), catalogue_->components);
    return "";
  } catch (const ConfigError& error) {
    const ConfigIssue& issue = error.issues().front();
    return fmt::format("{}: {}", issue.key, issue.message);
  } catch (const Error& error) {
    return error.what();
  }

 private:
  static constexpr const char* ccl_prefix = "ccl:";
  static bool is_ccl(const std::string& key) { return key.compare(0, 4, ccl_prefix) == 0; }
  const MachineOptions& machine() const { return run_.options.machine; }

  std::vector<std::string> settings_with(const std::vector<std::string>& more) const {
    std::vector<std::string> settings = machine().set;
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
  }
  std::vector<Override> topology_with(const std::vector<std::string>& more) const {
    return overrides_of(settings_with(more), "topology", machine().families);
  }
  CclFile ccl_with(const std::vector<std::string>& more) const {
    return load_ccl_file(find_config(machine().ccl, "ccl"),
                         overrides_of(settings_with(more), "ccl", machine().families),
                         *catalogue_->algorithms);
  }

  void add_parameters() {
    const Bench& bench = find_bench(catalogue_->benches, run_.options.bench);
    const Attributes values = resolve_parameters(bench, given_parameters(run_.options.params));
    for (const Parameter& parameter : bench.parameters) {
      const auto value = values.values().find(parameter.name());
      if (value != values.values().end())
        keys_.push_back({parameter.name(), parameter, value->second});
    }
    parameters_ = keys_.size();
  }
  void add(std::vector<KnownKey> keys) {
    for (KnownKey& key : keys) keys_.push_back(std::move(key));
  }

  RunCommandLine run_;
  std::unique_ptr<Catalogue> catalogue_;
  std::vector<KnownKey> keys_;  // parameters of the bench first
  std::size_t parameters_ = 0;
};

std::vector<std::string> split_at_plus(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, '+');) parts.push_back(part);
  return parts;
}

// Choice of keys: each one that matches a pattern, and those of KEY+KEY together.
class KeyChoice {
 public:
  explicit KeyChoice(const std::vector<KnownKey>& keys) : keys_(keys) {}

  // Indices of keys, in the order of the patterns; each choice once. UsageError.
  std::vector<std::vector<std::size_t>> chosen(const std::vector<std::string>& patterns) const {
    std::vector<std::vector<std::size_t>> all;
    const auto add = [&all](std::vector<std::size_t> keys) {
      if (std::find(all.begin(), all.end(), keys) == all.end()) all.push_back(std::move(keys));
    };
    for (const std::string& pattern : patterns) {
      if (pattern.find('+') != std::string::npos) {
        add(together(pattern));
      } else {
        for (const std::size_t i : matching(pattern)) add({i});
      }
    }
    return all;
  }

 private:
  std::vector<std::size_t> matching(const std::string& pattern) const {
    std::vector<std::size_t> found;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (glob_matches(pattern, keys_[i].key)) found.push_back(i);
      names.push_back(keys_[i].key);
    }
    if (!found.empty()) return found;
    throw UsageError(
        fmt::format("sensitivity: {} is no parameter of the bench and no key of the topology or of "
                    "ccl.yaml{}",
                    quote(pattern), did_you_mean_of_glob(pattern, names)));
  }

  std::vector<std::size_t> together(const std::string& text) const {
    std::vector<std::size_t> keys;
    for (const std::string& name : split_at_plus(text)) {
      const std::vector<std::size_t> found = matching(name);
      const bool is_repeated = std::find(keys.begin(), keys.end(), found.front()) != keys.end();
      if (found.size() > 1 || is_repeated ||
          !std::holds_alternative<Rational>(keys_[found.front()].value))
        throw UsageError(fmt::format(
            "sensitivity: {}: found {}{}, allowed are different names of numbers that change "
            "together",
            quote(text), quote(name), is_repeated ? " twice" : ""));
      keys.push_back(found.front());
    }
    return keys;
  }

  const std::vector<KnownKey>& keys_;
};

}  // namespace

std::vector<VariedKey> keys_around(const std::vector<std::string>& words,
                                   const std::vector<std::string>& patterns, double step) {
  const BasePoint base(words);
  std::vector<VariedKey> varied;
  for (const std::vector<std::size_t>& chosen : KeyChoice(base.keys()).chosen(patterns)) {
    VariedKey& key = varied.emplace_back();
    std::vector<KeyValue> values;
    for (const std::size_t i : chosen) {
      const KnownKey& known = base.keys()[i];
      key.keys.push_back({base.kind(i), known.key, format_value(known.value), {}});
      values.push_back({known.parameter, known.value});
    }
    key.unit = values.front().parameter.unit();
    key.variations = variations_of(
        values, step,
        [&](const std::vector<std::string>& texts) { return base.faults(chosen, texts); },
        key.fault);
  }
  return varied;
}

}  // namespace kernbench
