// SIP view: cubes at their places, IO chiplets along the sides, links to the switch.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "platform/topology/diagram_files.h"
#include "platform/topology/diagram_layout.h"
#include "platform/topology/diagram_painter.h"

namespace kernbench {
namespace {

constexpr double depth_mm = 9;       // from the cubes to the end points of an IO chiplet (ADR-0016)
constexpr double switch_gap = 90;    // px, from the chiplets to the switch
constexpr double whole_size = 1000;  // px, about
constexpr double cube_size = 20;     // size of a cube's label

struct Span {
  double from = 0, to = 0;  // mm along a side
};

class SipPainter {
 public:
  SipPainter(const Graph& graph, const Diagram& diagram, const Utilisation* heat)
      : graph_(graph), diagram_(diagram), painter_(graph, diagram, heat),
        cube_w_(graph.spec().cube.w_mm.to_double()), cube_h_(graph.spec().cube.h_mm.to_double()),
        seam_(graph.spec().sip.ucie_seam.distance_mm.to_double()) {
    const SipSpec& sip = graph.spec().sip;
    width_ = sip.mesh_w * (cube_w_ + seam_) - seam_;
    height_ = sip.mesh_h * (cube_h_ + seam_) - seam_;
    measure();
    for (std::size_t i = 0; i < diagram.blocks.size(); ++i) place(i);
  }

  DiagramPicture paint() {
    for (std::size_t i = 0; i < diagram_.links.size(); ++i) draw_link(i);
    for (const auto& [block, box] : boxes_) {
      const bool cube = cubes_.count(block) != 0;
      painter_.block(block, box, lines_of(block),
                     {cube ? cube_size : DiagramPainter::label_size, is_upright(block), 6});
    }
    return painter_.finish(scale_, {}, px(0, 0, width_, height_));
  }

 private:
  const Node& node_of(std::size_t block) const {
    return graph_.node(diagram_.blocks[block].nodes.front());
  }
  const IoChipletSpec& chiplet_of(std::size_t block) const {
    return graph_.spec().sip.io_chiplets[static_cast<std::size_t>(node_of(block).at.io)];
  }
  bool is_upright(std::size_t block) const {
    const Node& node = node_of(block);
    if (node.at.sip < 0 || node.at.io < 0) return false;
    const char side = chiplet_of(block).side;
    return side == 'E' || side == 'W';
  }

  std::vector<std::string> lines_of(std::size_t block) const {
    std::vector<std::string> lines = painter_.lines_of(block);
    const Node& node = node_of(block);
    if (node.at.sip < 0 || node.at.io < 0) return lines;
    const IoChipletSpec& io = chiplet_of(block);
    const std::string parts = fmt::format("pcie_ep, {}io_cpu, io_noc, {} PHY{} of {} connections",
                                          io.ual_ep ? "ual_ep, " : "", io.cube_ports.size(),
                                          io.cube_ports.size() == 1 ? "" : "s", io.n_connections);
    const double room = (span_of(io).to - span_of(io).from) * scale_;
    if (DiagramPainter::width_of({parts}, DiagramPainter::detail_size) < room)
      lines.insert(lines.begin() + 1, parts);
    return lines;
  }

  // Computes a scale at which labels fit into their cubes and links between cubes have room.
  void measure() {
    scale_ =
        std::max(whole_size / std::max(width_, height_ + depth_mm), seam_ > 0 ? 6 / seam_ : 0.0);
    for (std::size_t i = 0; i < diagram_.blocks.size(); ++i) {
      if (node_of(i).at.cube < 0) continue;
      const auto lines = painter_.lines_of(i);
      scale_ = std::max({scale_, (DiagramPainter::width_of(lines, cube_size) + 10) / cube_w_,
                         (DiagramPainter::height_of(lines.size(), cube_size) + 10) / cube_h_});
    }
    for (const IoChipletSpec& io : graph_.spec().sip.io_chiplets) {
      const double along = span_of(io).to - span_of(io).from;
      const double needed =
          DiagramPainter::width_of({"IO chiplet " + io.id, ""}, DiagramPainter::label_size);
      scale_ = std::max(scale_, (needed + 10) / along);
    }
  }

  Span span_of(const IoChipletSpec& io) const {
    const bool horizontal = io.side == 'N' || io.side == 'S';
    const double size = horizontal ? cube_w_ : cube_h_;
    Span span{1e9, -1e9};
    for (const CubePortSpec& port : io.cube_ports) {
      const double from = (horizontal ? port.x : port.y) * (size + seam_);
      span.from = std::min(span.from, from);
      span.to = std::max(span.to, from + size);
    }
    return io.cube_ports.empty() ? Span{0, size} : span;
  }

  // Chiplets of one side with overlapping spans are stacked outwards.
  int row_of(std::size_t index) const {
    const std::vector<IoChipletSpec>& all = graph_.spec().sip.io_chiplets;
    int row = 0;
    for (std::size_t i = 0; i < index; ++i) {
      const Span a = span_of(all[i]), b = span_of(all[index]);
      if (all[i].side == all[index].side && a.from < b.to && b.from < a.to) ++row;
    }
    return row;
  }

  Box px(double x, double y, double w, double h) const {
    return {x * scale_, y * scale_, w * scale_, h * scale_};
  }
  Box outside(char side, const Span& span, double depth, double thickness) const {
    const double along = span.to - span.from;
    switch (side) {
      case 'N':
        return px(span.from, -depth - thickness, along, thickness);
      case 'S':
        return px(span.from, height_ + depth, along, thickness);
      case 'E':
        return px(width_ + depth, span.from, thickness, along);
      default:
        return px(-depth - thickness, span.from, thickness, along);
    }
  }

  void place(std::size_t block) {
    const Node& node = node_of(block);
    if (node.at.sip < 0) return place_outside(block);
    if (node.at.io >= 0) {
      const IoChipletSpec& io = chiplet_of(block);
      const double row = row_of(static_cast<std::size_t>(node.at.io));
      boxes_[block] =
          outside(io.side, span_of(io), phy_mm + row * (depth_mm + 1), depth_mm - phy_mm);
      return;
    }
    const int w = graph_.spec().sip.mesh_w;
    cubes_[block] = node.at.cube;
    boxes_[block] = px(node.at.cube % w * (cube_w_ + seam_), node.at.cube / w * (cube_h_ + seam_),
                       cube_w_, cube_h_);
  }

  // Switch and its modules: above everything north of the cubes.
  void place_outside(std::size_t block) {
    const auto lines = painter_.lines_of(block);
    const double w = std::max(180.0, DiagramPainter::width_of(lines));
    const double h = DiagramPainter::height_of(lines.size());
    const double rows = static_cast<double>(graph_.spec().sip.io_chiplets.size());
    const bool has_north =
        std::any_of(graph_.spec().sip.io_chiplets.begin(), graph_.spec().sip.io_chiplets.end(),
                    [](const IoChipletSpec& io) { return io.side == 'N'; });
    const double depth = has_north ? depth_mm + (rows - 1) * (depth_mm + 1) : 0;
    const double y = -depth * scale_ - switch_gap;
    boxes_[block] = {width_ * scale_ / 2 - w / 2 + static_cast<double>(outside_++) * (w + 40),
                     y - h / 2, w, h};
  }

  // --- Links

  static bool overlap(double a, double a_size, double b, double b_size, double& middle) {
    const double low = std::max(a, b), high = std::min(a + a_size, b + b_size);
    middle = (low + high) / 2;
    return low < high;
  }

  void draw_link(std::size_t index) {
    const DiagramLink& link = diagram_.links[index];
    const Box& a = boxes_.at(link.a);
    const Box& b = boxes_.at(link.b);
    // UAL runs parallel to PCIe.
    const double shift = link.kind == LinkKind::ual ? 24 : 0;
    double middle = 0;
    if (cubes_.count(link.a) == 0 && cubes_.count(link.b) == 0)
      return painter_.link(index, way_out(a, b, shift));
    if (overlap(a.x, a.w, b.x, b.w, middle)) {
      const bool down = a.y < b.y;
      return painter_.link(index,
                           {{middle, down ? a.bottom() : a.y}, {middle, down ? b.y : b.bottom()}});
    }
    if (overlap(a.y, a.h, b.y, b.h, middle)) {
      const bool right = a.x < b.x;
      return painter_.link(index,
                           {{right ? a.right() : a.x, middle}, {right ? b.x : b.right(), middle}});
    }
    // Port of a chiplet whose cube is not opposite to it.
    painter_.link(index, {a.middle(), {b.middle().x, a.middle().y}, b.middle()});
  }

  // Line between a chiplet and the switch: straight if one is above the other, else around.
  std::vector<Point> way_out(const Box& a, const Box& b, double shift) {
    const bool a_is_above = a.y < b.y;
    const Box& above = a_is_above ? a : b;
    const Box& below = a_is_above ? b : a;
    std::vector<Point> way;
    double middle = 0;
    const bool clear = below.bottom() <= 0 || boxes_.size() == 2;
    if (clear && overlap(above.x, above.w, below.x, below.w, middle)) {
      way = {{middle + shift, above.bottom()}, {middle + shift, below.y}};
    } else {
      const bool right = below.middle().x > width_ * scale_ / 2 || below.y > height_ * scale_;
      const double lane = (right ? width_ + 11 + depth_mm : -11 - depth_mm) * scale_ +
                          (right ? 1 : -1) * (shift + 14 * lanes_++);
      const Point at = below.middle();
      const double side = right ? below.right() : below.x;
      way = {{right ? above.right() : above.x, above.middle().y + shift / 3},
             {lane, above.middle().y + shift / 3},
             {lane, at.y + shift},
             {side, at.y + shift}};
    }
    if (!a_is_above) std::reverse(way.begin(), way.end());
    return way;
  }

  const Graph& graph_;
  const Diagram& diagram_;
  DiagramPainter painter_;
  const double cube_w_, cube_h_, seam_;
  double width_ = 0, height_ = 0, scale_ = 0;  // mesh of cubes in mm; px per mm
  std::map<std::size_t, Box> boxes_;           // by block
  std::map<std::size_t, int> cubes_;
  int outside_ = 0, lanes_ = 0;
};

}  // namespace

DiagramPicture sip_picture(const Graph& graph, const Diagram& diagram, const Utilisation* heat) {
  return SipPainter(graph, diagram, heat).paint();
}

}  // namespace kernbench
