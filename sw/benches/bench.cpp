#include "sw/benches/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {

Attributes resolve_parameters(const Bench& bench, const std::vector<GivenParameter>& given) {
  Attributes resolved = defaults_of(bench.parameters);
  std::set<std::string> seen;
  for (const auto& [name, text] : given) {
    const auto found = std::find_if(
        bench.parameters.begin(), bench.parameters.end(),
        [&name = name](const Parameter& parameter) { return parameter.name() == name; });
    if (found == bench.parameters.end()) {
      std::string known;
      for (const Parameter& parameter : bench.parameters)
        known += (known.empty() ? "" : ", ") + parameter.name();
      throw UsageError(fmt::format("bench '{}' has no parameter {}; it has {}", bench.name,
                                   quote(name), known.empty() ? "none" : known));
    }
    if (!seen.insert(name).second)
      throw UsageError(fmt::format("bench '{}': parameter '{}' is given twice", bench.name, name));
    try {
      resolved.set(name, found->parse(text));
    } catch (const std::invalid_argument& error) {
      throw UsageError(fmt::format("bench '{}': parameter {}: {}", bench.name, name, error.what()));
    }
  }
  return resolved;
}

std::vector<CubeId> first_cubes(const BenchSetting& setting) {
  std::vector<CubeId> cubes;
  for (const int sip : setting.devices) cubes.push_back({sip, 0});
  return cubes;
}

std::vector<CubeId> cubes_of_devices(const BenchSetting& setting) {
  std::vector<CubeId> cubes;
  for (const int sip : setting.devices) {
    for (int cube = 0; cube < setting.cubes; ++cube) cubes.push_back({sip, cube});
  }
  return cubes;
}

}  // namespace kernbench
