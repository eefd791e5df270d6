// Geometry of a view as its SVG shows it: DiagramPainter records it while it draws, so diagrams and
// interactive viewers have one layout.
#pragma once

#include <string>
#include <vector>

#include "platform/topology/diagram.h"
#include "platform/topology/drawing.h"
#include "platform/topology/utilisation.h"

namespace kernbench {

struct DiagramLayout {
  // Shape that is no block: the die, the HBM zone, the board's frame of a SIP, the host.
  struct Outline {
    Box box;
    std::string label;  // may be empty
  };

  Box bounds;  // around all shapes, without title and legend
  Box area;    // part that fills the block of this scope one level above: the cubes of a SIP
  std::vector<Box> blocks;                // by index of the block
  std::vector<std::vector<Point>> links;  // by index of the link, from its block `a` to `b`
  std::vector<Outline> outlines;
  std::vector<std::vector<Point>> guides;  // lines that are no links: requests of the host
};

struct DiagramPicture {
  std::string svg;
  DiagramLayout layout;
};

// `heat`: null: none.
DiagramPicture diagram_picture(const Graph& graph, const Diagram& diagram,
                               const Utilisation* heat = nullptr);
// One function per level.
DiagramPicture system_picture(const Graph& graph, const Diagram& diagram, const Utilisation* heat);
DiagramPicture sip_picture(const Graph& graph, const Diagram& diagram, const Utilisation* heat);
DiagramPicture cube_picture(const Graph& graph, const Diagram& diagram, const Utilisation* heat);
DiagramPicture pe_picture(const Graph& graph, const Diagram& diagram, const Utilisation* heat);

}  // namespace kernbench
