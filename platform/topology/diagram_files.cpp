#include "platform/topology/diagram_files.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/topology/diagram_layout.h"

namespace kernbench {

std::string_view extension_of(DiagramFormat format) {
  constexpr std::array<std::string_view, 3> extensions{"svg", "mmd", "dot"};
  return extensions[static_cast<std::size_t>(format)];
}

DiagramPicture diagram_picture(const Graph& graph, const Diagram& diagram,
                               const Utilisation* heat) {
  constexpr std::array draw{&system_picture, &sip_picture, &cube_picture, &pe_picture};
  return draw.at(static_cast<std::size_t>(diagram.level))(graph, diagram, heat);
}

std::string diagram_svg(const Graph& graph, const Diagram& diagram, const Utilisation* heat) {
  return diagram_picture(graph, diagram, heat).svg;
}

std::string diagram_text(const Graph& graph, const Diagram& diagram, DiagramFormat format,
                         const Utilisation* heat) {
  switch (format) {
    case DiagramFormat::mermaid:
      return diagram_mermaid(diagram, heat);
    case DiagramFormat::dot:
      return diagram_dot(diagram, heat);
    default:
      return diagram_svg(graph, diagram, heat);
  }
}

std::string file_name_of(DiagramLevel level, DiagramFormat format) {
  return fmt::format("{}_view.{}", name_of(level), extension_of(format));
}

bool write_if_changed(const std::string& path, const std::string& text) {
  std::ifstream old(path, std::ios::binary);
  if (old && std::string(std::istreambuf_iterator<char>(old), {}) == text) return false;
  old.close();
  std::ofstream file(path, std::ios::binary);
  if (file) file << text << std::flush;
  if (!file)
    throw UsageError(
        fmt::format("{} cannot be written: {}", printable(path), std::strerror(errno)));
  return true;
}

}  // namespace kernbench
