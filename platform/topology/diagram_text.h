// Views as Mermaid and DOT (spec 11.4): layers of equal distance from the anchor, left to right;
// within a layer by name.
#pragma once

#include <string>

#include "platform/topology/diagram.h"
#include "platform/topology/utilisation.h"

namespace kernbench {

// `heat` colours links and memories; null: none.
std::string diagram_mermaid(const Diagram& diagram, const Utilisation* heat = nullptr);
std::string diagram_dot(const Diagram& diagram, const Utilisation* heat = nullptr);

}  // namespace kernbench
