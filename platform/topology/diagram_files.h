// Files of diagrams: {system,sip,cube,pe}_view.{svg,mmd,dot} (ADR-0006).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platform/topology/diagram.h"
#include "platform/topology/utilisation.h"

namespace kernbench {

enum class DiagramFormat : std::uint8_t { svg, mermaid, dot };
std::string_view extension_of(DiagramFormat format);  // "svg", "mmd", "dot"

std::string diagram_text(const Graph& graph, const Diagram& diagram, DiagramFormat format,
                         const Utilisation* heat = nullptr);
// "cube_view.svg"
std::string file_name_of(DiagramLevel level, DiagramFormat format);

// Writes the file unless it holds this text already; true: it was written. Throws UsageError that
// names a file that cannot be.
bool write_if_changed(const std::string& path, const std::string& text);

}  // namespace kernbench
