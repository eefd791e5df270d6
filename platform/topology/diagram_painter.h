// DiagramPainter: blocks and links of a view as shapes, with title, scale bar, legend, and colour
// scale of the utilisation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/topology/diagram.h"
#include "platform/topology/diagram_layout.h"
#include "platform/topology/drawing.h"
#include "platform/topology/utilisation.h"

namespace kernbench {

class DiagramPainter {
 public:
  static constexpr double label_size = 17, detail_size = 13.5;
  static constexpr double line_gap = 4;  // between two lines of a block

  // `heat`: null: none. Both references outlive the painter.
  DiagramPainter(const Graph& graph, const Diagram& diagram, const Utilisation* heat)
      : graph_(graph), diagram_(diagram), heat_(heat),
        top_of_scale_(heat == nullptr ? 1 : heat->scale_of(diagram)) {
    layout_.blocks.resize(diagram.blocks.size());
    layout_.links.resize(diagram.links.size());
  }

  Drawing& drawing() { return drawing_; }

  // Label, and below it the latency, or with heat the utilisation of the block's memories.
  std::vector<std::string> lines_of(std::size_t block) const;
  static double width_of(const std::vector<std::string>& lines, double size = label_size);
  static double height_of(std::size_t lines, double size = label_size) {
    return size + static_cast<double>(lines - 1) * (detail_size + line_gap) + 10;
  }

  struct BlockStyle {
    double size = label_size;
    bool upwards = false;
    double radius = 4;
  };
  void block(std::size_t index, const Box& box, const std::vector<std::string>& lines,
             const BlockStyle& style);
  void block(std::size_t index, const Box& box) { block(index, box, lines_of(index), {}); }
  // From the link's block `a` to `b`; corners are right angles.
  void link(std::size_t index, const std::vector<Point>& points);

  // Shapes that represent no block or link; `label`: for the layout alone.
  void outline(const Box& box, const Paint& paint, const std::string& label);
  void guide(const std::vector<Point>& points, const Paint& paint);

  // Complete drawing. `px_per_mm` for the scale bar, 0: not to scale. `notes`: lines below the
  // legend. `area`: of the layout; none: everything.
  DiagramPicture finish(double px_per_mm, const std::vector<std::string>& notes,
                        const std::optional<Box>& area = std::nullopt);

 private:
  void direction(const std::vector<std::size_t>& edges, const std::vector<Point>& points,
                 double width);
  std::string tooltip_of(const DiagramBlock& block) const;
  std::string tooltip_of(const DiagramLink& link) const;

  const Graph& graph_;
  const Diagram& diagram_;
  const Utilisation* heat_;
  double top_of_scale_;
  Drawing drawing_;
  DiagramLayout layout_;
};

}  // namespace kernbench
