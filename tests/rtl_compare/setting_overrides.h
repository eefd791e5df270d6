// Settings of a comparison as overrides of a shipped machine.
#pragma once

#include <string>
#include <vector>

#include "platform/config/config_tree.h"

namespace kernbench::test {

inline std::vector<Override> overrides_of(const std::vector<std::string>& settings) {
  std::vector<Override> overrides;
  for (const std::string& setting : settings) {
    const auto [key, value] = key_and_value(setting).value();
    overrides.push_back({key, value});
  }
  return overrides;
}

}  // namespace kernbench::test
