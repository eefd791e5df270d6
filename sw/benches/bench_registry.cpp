#include "sw/benches/bench_registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "sw/collectives/algorithm_registry.h"

namespace kernbench {
namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Words of lower-case letters and digits, joined by single dashes; a letter first.
bool is_kebab_case(const std::string& name) {
  if (name.empty() || !is_lower(name.front()) || name.back() == '-') return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool dash = name[i] == '-' && name[i - 1] != '-';
    if (!is_lower(name[i]) && !is_digit(name[i]) && !dash) return false;
  }
  return true;
}

bool by_name(const Bench& a, const Bench& b) { return a.name < b.name; }

}  // namespace

void BenchRegistry::add(Bench bench) {
  if (!is_kebab_case(bench.name)) {
    throw UsageError(
        fmt::format("bench name '{}' is not kebab-case: lower-case letters and digits joined by "
                    "single dashes, a letter first",
                    bench.name));
  }
  if (bench.description.find_first_not_of(' ') == std::string::npos ||
      bench.description.find('\n') != std::string::npos) {
    throw UsageError(fmt::format("bench '{}' needs a description of one line", bench.name));
  }
  if (bench.run == nullptr)
    throw UsageError(fmt::format("bench '{}' has nothing to run", bench.name));
  for (const Parameter& parameter : bench.parameters) {
    if (!parameter.default_value())
      throw UsageError(
          fmt::format("bench '{}': parameter '{}' has no default", bench.name, parameter.name()));
  }
  const auto place = std::lower_bound(benches_.begin(), benches_.end(), bench, by_name);
  if (place != benches_.end() && place->name == bench.name)
    throw UsageError(fmt::format("bench '{}' is registered twice", bench.name));
  benches_.insert(place, std::move(bench));
}

const Bench& BenchRegistry::find(const std::string& name_or_index) const {
  if (!name_or_index.empty() && std::all_of(name_or_index.begin(), name_or_index.end(), is_digit)) {
    const std::size_t index = name_or_index.size() > 6 ? 0 : std::stoul(name_or_index);
    if (index >= 1 && index <= benches_.size()) return benches_[index - 1];
    throw UsageError(
        fmt::format("no bench with index {}; there are {}", name_or_index, benches_.size()));
  }
  std::string known;
  for (const Bench& bench : benches_) {
    if (bench.name == name_or_index) return bench;
    known += (known.empty() ? "" : ", ") + bench.name;
  }
  throw UsageError(fmt::format("unknown bench {}; there are {}", quote(name_or_index), known));
}

void BenchRegistry::set_algorithms(std::shared_ptr<const AlgorithmRegistry> algorithms) {
  algorithms_ = std::move(algorithms);
}

const AlgorithmRegistry& BenchRegistry::algorithms() const {
  if (algorithms_ == nullptr)
    algorithms_ = std::make_shared<const AlgorithmRegistry>(shipped_algorithms());
  return *algorithms_;
}

}  // namespace kernbench
