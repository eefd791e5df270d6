// `--set KEY=VALUE` as overrides of the configuration files.
#pragma once

#include <string>
#include <vector>

#include "platform/config/config_tree.h"

namespace kernbench {

// The given settings of `family`, whose keys have it as a prefix: "components:KEY=VALUE".
// Without a prefix the key is topology.yaml's. `families`: what the command reads.
// UsageError for another prefix.
std::vector<Override> overrides_of(const std::vector<std::string>& settings,
                                   const std::string& family,
                                   const std::vector<std::string>& families);

}  // namespace kernbench
