// Diagrams as text, and their files: {system,sip,cube,pe}_view.{svg,mmd,dot} (ADR-0006, spec 11.4).
//
// SVG: nodes at their positions in the topology, in millimetres; the system's SIPs and the engines
// of a PE, which have no positions, in a fixed order. Mermaid and DOT: layers of equal distance
// from the anchor, left to right; within a layer by name. `heat` colours links and memories; null:
// none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platform/topology/diagram.h"
#include "platform/topology/utilisation.h"

namespace kernbench {

enum class DiagramFormat : std::uint8_t { svg, mermaid, dot };
std::string_view extension_of(DiagramFormat format);  // "svg", "mmd", "dot"

inline constexpr double phy_mm = 2;  // from the cubes to the PHYs of an IO chiplet

std::string diagram_svg(const Graph& graph, const Diagram& diagram,
                        const Utilisation* heat = nullptr);

std::string diagram_mermaid(const Diagram& diagram, const Utilisation* heat = nullptr);
std::string diagram_dot(const Diagram& diagram, const Utilisation* heat = nullptr);

std::string diagram_text(const Graph& graph, const Diagram& diagram, DiagramFormat format,
                         const Utilisation* heat = nullptr);
// "cube_view.svg"
std::string file_name_of(DiagramLevel level, DiagramFormat format);

// Writes the file unless it already holds this text. Returns true if it was written. Throws
// UsageError that names a file that cannot be written.
bool write_if_changed(const std::string& path, const std::string& text);

}  // namespace kernbench
