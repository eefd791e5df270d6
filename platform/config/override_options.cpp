#include "platform/config/override_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/config/key_value.h"

namespace kernbench {

std::vector<Override> overrides_of(const std::vector<std::string>& settings,
                                   const std::string& family,
                                   const std::vector<std::string>& families) {
  std::vector<Override> overrides;
  for (const std::string& setting : settings) {
    auto given = key_and_value(setting);
    if (!given) {
      throw UsageError(
          fmt::format("--set {} is not KEY=VALUE, e.g. --set system.sips.count=1", quote(setting)));
    }
    auto& [key, value] = *given;
    std::string of = "topology";
    if (const std::size_t colon = key.find(':'); colon != std::string::npos) {
      of = key.substr(0, colon);
      key.erase(0, colon + 1);
    }
    if (std::find(families.begin(), families.end(), of) == families.end()) {
      std::string prefixes;
      for (const std::string& each : families)
        prefixes += fmt::format("{}{}:",
                                prefixes.empty()          ? ""
                                : each == families.back() ? " and "
                                                          : ", ",
                                each);
      throw UsageError(
          fmt::format("--set {}: this command reads no {} file; {}{}", quote(setting), quote(of),
                      families.size() == 1 ? "the prefix is " : "prefixes are ", prefixes));
    }
    if (of == family)
      overrides.push_back({std::move(key), std::move(value), of == "topology" ? "" : of + ":"});
  }
  return overrides;
}

}  // namespace kernbench
