#include "platform/topology/diagram_svg.h"

#include <array>

namespace kernbench {

std::string diagram_svg(const Graph& graph, const Diagram& diagram, const Utilisation* heat) {
  constexpr std::array draw{&system_svg, &sip_svg, &cube_svg, &pe_svg};
  return draw.at(static_cast<std::size_t>(diagram.level))(graph, diagram, heat);
}

}  // namespace kernbench
