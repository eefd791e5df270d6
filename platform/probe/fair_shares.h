// Max-min fair shares of flows that share resources of limited rate, by progressive filling
// (Bertsekas and Gallager, Data Networks, 2nd ed., section 6.5.2): all flows grow together until a
// resource is saturated; its flows keep their share, the others grow on.
//
// The sum of the shares bounds the rate of work in which each flow moves an amount in proportion to
// its weight, from a common begin to the end of the last flow: the first saturated resource needs
// as long as its flows at the level of that moment, and no flow ends with less than this level.
#pragma once

#include <cstddef>
#include <vector>

namespace kernbench {

struct Flow {
  std::vector<std::size_t> resources;  // indices; those that it passes
  double weight = 1;                   // above 0; shares grow in proportion to it
};

// Share of each flow in the unit of the capacities; infinite for a flow without a limited resource.
// `capacities`: by resource, above 0; infinite: unlimited.
std::vector<double> max_min_shares(const std::vector<double>& capacities,
                                   const std::vector<Flow>& flows);

}  // namespace kernbench
