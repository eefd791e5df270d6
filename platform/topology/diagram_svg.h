// Views as SVG (spec 11.4): nodes where the topology has them, in millimetres; the system's SIPs
// and the engines of a PE, which have no places, in a fixed order.
#pragma once

#include <string>

#include "platform/topology/diagram.h"
#include "platform/topology/utilisation.h"

namespace kernbench {

inline constexpr double phy_mm = 2;  // from the cubes to the PHYs of an IO chiplet

// `heat` colours links and memories; null: none.
std::string diagram_svg(const Graph& graph, const Diagram& diagram,
                        const Utilisation* heat = nullptr);

// Of one level each.
std::string system_svg(const Graph& graph, const Diagram& diagram, const Utilisation* heat);
std::string sip_svg(const Graph& graph, const Diagram& diagram, const Utilisation* heat);
std::string cube_svg(const Graph& graph, const Diagram& diagram, const Utilisation* heat);
std::string pe_svg(const Graph& graph, const Diagram& diagram, const Utilisation* heat);

}  // namespace kernbench
