// Heat maps of the links and HBM channels in the statistics of a run (`--stats F.json`).
#pragma once

#include <string>
#include <vector>

#include "platform/figure/figure.h"

namespace kernbench {

struct StatisticsMap {
  std::string name;  // file name without extension: "hbm", "links-sip0.cube3", "links-sip0"
  Figure figure;
};

// Utilisation of HBM channels, with a row per cube; of the links between the routers of a cube; of
// the UCIe links between the cubes of a SIP. A cell between two routers or cubes is the busier
// direction of their link. `scope`: a SIP or cube; "": HBM of all, links of the busiest cube and
// SIP. Idle channels and links have the value 0. UsageError: no statistics, an unknown scope, or
// nothing in use.
std::vector<StatisticsMap> statistics_maps(const std::string& path, const std::string& scope);

}  // namespace kernbench
