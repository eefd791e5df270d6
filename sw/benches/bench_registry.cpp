#include "sw/benches/bench_registry.h"

#include <algorithm>

#include "models/base/errors.h"
#include "models/base/quote.h"

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
    throw UsageError("bench name '" + bench.name +
                     "' is not kebab-case: lower-case letters and digits joined by single dashes, "
                     "a letter first");
  }
  if (bench.description.find_first_not_of(' ') == std::string::npos ||
      bench.description.find('\n') != std::string::npos) {
    throw UsageError("bench '" + bench.name + "' needs a description of one line");
  }
  if (bench.run == nullptr) throw UsageError("bench '" + bench.name + "' has nothing to run");
  for (const Parameter& parameter : bench.parameters) {
    if (!parameter.default_value())
      throw UsageError("bench '" + bench.name + "': parameter '" + parameter.name() +
                       "' has no default");
  }
  const auto place = std::lower_bound(benches_.begin(), benches_.end(), bench, by_name);
  if (place != benches_.end() && place->name == bench.name)
    throw UsageError("bench '" + bench.name + "' is registered twice");
  benches_.insert(place, std::move(bench));
}

const Bench& BenchRegistry::find(const std::string& name_or_index) const {
  if (!name_or_index.empty() && std::all_of(name_or_index.begin(), name_or_index.end(), is_digit)) {
    const std::size_t index = name_or_index.size() > 6 ? 0 : std::stoul(name_or_index);
    if (index >= 1 && index <= benches_.size()) return benches_[index - 1];
    throw UsageError("no bench with index " + name_or_index + "; there are " +
                     std::to_string(benches_.size()));
  }
  std::string known;
  for (const Bench& bench : benches_) {
    if (bench.name == name_or_index) return bench;
    known += (known.empty() ? "" : ", ") + bench.name;
  }
  throw UsageError("unknown bench " + quote(name_or_index) + "; there are " + known);
}

}  // namespace kernbench
