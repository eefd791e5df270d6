// System view: the switch as a bar, the SIPs below it as arranged by their topology, each with its
// cubes as one block and its IO chiplets. SIPs are to scale; the topology has no positions on the
// board.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "platform/topology/diagram_files.h"
#include "platform/topology/diagram_layout.h"
#include "platform/topology/diagram_painter.h"
#include "platform/topology/diagram_style.h"

namespace kernbench {
namespace {

constexpr double chiplet_mm = 7;   // depth of an IO chiplet
constexpr double rail_gap = 40;    // from the switch to the rail of the host
constexpr double board_gap = 110;  // from the switch to the SIPs
constexpr double row_gap = 56;     // between two rows of SIPs
constexpr double lane_gap = 12, pad = 8, whole_width = 1300, widest_sip = 620, least_px_per_mm = 4;
constexpr int most_in_a_row = 4;  // SIPs of a ring

class SystemPainter {
 public:
  SystemPainter(const Graph& graph, const Diagram& diagram, const Utilisation* heat)
      : graph_(graph), diagram_(diagram), painter_(graph, diagram, heat) {
    const MachineSpec& spec = graph.spec();
    const double seam = spec.sip.ucie_seam.distance_mm.to_double();
    width_ = spec.sip.mesh_w * (spec.cube.w_mm.to_double() + seam) - seam;
    height_ = spec.sip.mesh_h * (spec.cube.h_mm.to_double() + seam) - seam;
    for (const IoChipletSpec& io : spec.sip.io_chiplets) {
      margins_[io.side] = chiplet_mm + phy_mm;
      if (io.side == 'S') below_ = 2 * lane_gap + pad;
    }
    const SipsSpec& sips = spec.system.sips;
    const int fitting = std::max(1, static_cast<int>(whole_width / (least_px_per_mm * width_)));
    columns_ = sips.topology == SipTopology::ring_1d
                   ? std::min({sips.count, most_in_a_row, fitting})
                   : sips.w;
    const int rows = (sips.count + columns_ - 1) / columns_;
    gutter_ = 32 + lane_gap * 3 * rows * static_cast<double>(spec.sip.io_chiplets.size());
    measure();
    for (std::size_t i = 0; i < diagram.blocks.size(); ++i) place(i);
  }

  DiagramPicture paint() {
    draw_frames();
    draw_host();
    for (std::size_t i = 0; i < diagram_.links.size(); ++i) draw_link(i);
    for (const auto& [block, box] : boxes_) {
      const Node& node = node_of(block);
      const bool upright = node.at.io >= 0 && box.h > box.w;
      painter_.block(block, box, lines_of(block), {DiagramPainter::label_size, upright, 5});
    }
    return painter_.finish(
        scale_, {"dashed: requests of the host enter at the pcie_ep of their SIP, without a link "
                 "of their own; SIPs to scale, the board is not"});
  }

 private:
  const Node& node_of(std::size_t block) const {
    return graph_.node(diagram_.blocks[block].nodes.front());
  }
  const IoChipletSpec& chiplet_of(std::size_t block) const {
    return graph_.spec().sip.io_chiplets[static_cast<std::size_t>(node_of(block).at.io)];
  }
  bool is_sip(std::size_t block) const {
    return node_of(block).at.sip >= 0 && node_of(block).at.io < 0;
  }

  std::vector<std::string> lines_of(std::size_t block) const {
    const SipSpec& sip = graph_.spec().sip;
    std::vector<std::string> lines = painter_.lines_of(block);
    if (node_of(block).at.io >= 0 && lines.size() > 1) lines = {lines[0] + ", " + lines[1]};
    if (is_sip(block))
      lines.insert(lines.begin() + 1, sip.cubes() == 1
                                          ? std::string("1 cube")
                                          : fmt::format("{} × {} cubes", sip.mesh_w, sip.mesh_h));
    return lines;
  }

  double margin(char side) const {
    const auto found = margins_.find(side);
    return found == margins_.end() ? 0 : found->second;
  }
  double sip_width() const { return (margin('W') + width_ + margin('E')) * scale_; }

  // Computes a scale at which labels fit into the mesh of cubes and into the chiplets.
  void measure() {
    double w = 0, h = 0, thick = 0;
    for (std::size_t i = 0; i < diagram_.blocks.size(); ++i) {
      const auto lines = lines_of(i);
      if (is_sip(i)) {
        w = std::max(w, DiagramPainter::width_of(lines));
        h = std::max(h, DiagramPainter::height_of(lines.size()));
      } else if (node_of(i).at.sip >= 0) {
        w = std::max(w, DiagramPainter::width_of(lines));
        thick = std::max(thick, DiagramPainter::height_of(lines.size()));
      }
    }
    scale_ = (whole_width / columns_ - gutter_) / (margin('W') + width_ + margin('E'));
    scale_ = std::min(scale_, widest_sip / (margin('W') + width_ + margin('E')));
    const double least = std::min(width_, height_);
    scale_ = std::max({scale_, w / least, h / height_, thick / chiplet_mm});
  }

  // --- Places

  double sip_height() const { return (margin('N') + height_ + margin('S')) * scale_; }
  double sip_x(int sip) const { return sip % columns_ * (sip_width() + gutter_) + gutter_; }
  double sip_y(int sip) const {
    return board_gap + sip / columns_ * (sip_height() + row_gap + below_);
  }
  Point origin(int sip) const {  // origin of its mesh of cubes
    return {sip_x(sip) + margin('W') * scale_, sip_y(sip) + margin('N') * scale_};
  }

  Box chiplet_box(const Node& node, const IoChipletSpec& io) const {
    const std::vector<IoChipletSpec>& all = graph_.spec().sip.io_chiplets;
    int before = 0, count = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].side != io.side) continue;
      if (static_cast<int>(i) < node.at.io) ++before;
      ++count;
    }
    const Point at = origin(node.at.sip);
    const bool horizontal = io.side == 'N' || io.side == 'S';
    const double apart = 4;  // chiplets of one side
    const double length = ((horizontal ? width_ : height_) * scale_ + apart) / count - apart;
    const double along = before * (length + apart), depth = chiplet_mm * scale_;
    const double gap = phy_mm * scale_;
    switch (io.side) {
      case 'N':
        return {at.x + along, at.y - gap - depth, length, depth};
      case 'S':
        return {at.x + along, at.y + height_ * scale_ + gap, length, depth};
      case 'E':
        return {at.x + width_ * scale_ + gap, at.y + along, depth, length};
      default:
        return {at.x - gap - depth, at.y + along, depth, length};
    }
  }

  void place(std::size_t block) {
    const Node& node = node_of(block);
    if (is_sip(block)) {
      const Point at = origin(node.at.sip);
      boxes_[block] = {at.x, at.y, width_ * scale_, height_ * scale_};
    } else if (node.at.sip >= 0) {
      boxes_[block] = chiplet_box(node, chiplet_of(block));
    } else if (node.kind == Role::fabric_switch) {
      switch_ = block;
      boxes_[block] = {10, -48, end_x() - 10, 48};
    } else {
      const auto lines = painter_.lines_of(block);
      const double w = DiagramPainter::width_of(lines) + 20;
      boxes_[block] = {module_x_, -170, w, DiagramPainter::height_of(lines.size())};
      module_x_ += w + 30;
    }
  }
  double end_x() const { return std::max(columns_ * (sip_width() + gutter_) + gutter_, 420.0); }

  // --- Shapes

  void draw_frames() {
    for (int sip = 0; sip < graph_.spec().system.sips.count; ++sip) {
      painter_.outline(
          {sip_x(sip) - pad, sip_y(sip) - pad, sip_width() + 2 * pad, sip_height() + 2 * pad},
          {"#fafbfc", "#8a949e", 1.4, "", 8}, "");
    }
  }

  // Host requests enter at the first IO chiplet of each SIP.
  void draw_host() {
    const Paint dashed{"none", "#4f5963", 1.6, "7 5", 0};
    const Box host{26, -134, 150, 44};
    double last = 0;
    for (std::size_t i = 0; i < diagram_.blocks.size(); ++i) {
      if (node_of(i).at.sip < 0 || node_of(i).at.io != 0) continue;
      const std::vector<Point> way = way_from(rail_gap, i, 0.3);
      painter_.guide(way, dashed);
      last = std::max(last, way.front().x);
    }
    painter_.guide(
        {{host.x, host.middle().y}, {0, host.middle().y}, {0, rail_gap}, {last, rail_gap}}, dashed);
    const auto [fill, stroke] = colours_of(BlockKind::control);
    painter_.outline(host, {fill, stroke, 1.4, "", 5}, "host CPU");
    TextStyle style;
    style.size = DiagramPainter::label_size;
    painter_.drawing().text(host.middle(), "host CPU", style);
  }

  void draw_link(std::size_t index) {
    const DiagramLink& link = diagram_.links[index];
    const bool a_is_switch = link.a == switch_, b_is_switch = link.b == switch_;
    const Box& a = boxes_.at(link.a);
    const Box& b = boxes_.at(link.b);
    std::vector<Point> way;
    if (a_is_switch || b_is_switch) {
      way = from_switch(a_is_switch ? link.b : link.a, link.kind == LinkKind::ual);
      if (!a_is_switch) std::reverse(way.begin(), way.end());
    } else {
      way = next_to(a, b);
    }
    painter_.link(index, way);
  }

  // Line between a chiplet and its cubes.
  static std::vector<Point> next_to(const Box& a, const Box& b) {
    const double x = std::max(a.x, b.x) / 2 + std::min(a.right(), b.right()) / 2;
    const double y = std::max(a.y, b.y) / 2 + std::min(a.bottom(), b.bottom()) / 2;
    if (a.bottom() <= b.y) return {{x, a.bottom()}, {x, b.y}};
    if (b.bottom() <= a.y) return {{x, a.y}, {x, b.bottom()}};
    if (a.right() <= b.x) return {{a.right(), y}, {b.x, y}};
    return {{a.x, y}, {b.right(), y}};
  }

  std::vector<Point> from_switch(std::size_t other, bool ual) {
    const Box& bar = boxes_.at(switch_);
    const Box& box = boxes_.at(other);
    const Node& node = node_of(other);
    if (node.at.sip < 0) return {{box.middle().x, bar.y}, {box.middle().x, box.bottom()}};
    return way_from(bar.bottom(), other, ual ? 0.85 : 0.7);
  }

  // Line from a height below the switch to a chiplet, at a part of its length: straight if
  // unobstructed, else in a lane of its own next to the SIP.
  std::vector<Point> way_from(double y, std::size_t chiplet, double part) {
    const Box& box = boxes_.at(chiplet);
    const int sip = node_of(chiplet).at.sip;
    const char side = chiplet_of(chiplet).side;
    const double along_x = box.x + box.w * part, along_y = box.y + box.h * part;
    if (side == 'N' && sip < columns_) return {{along_x, y}, {along_x, box.y}};
    const bool east = side == 'E';
    const int lane = lanes_[east ? sip % columns_ + 1 : sip % columns_]++;
    const double gutter = east ? sip_x(sip) + sip_width() : sip_x(sip) - gutter_;
    const double x = gutter + pad + 10 + lane * lane_gap;
    if (side == 'E' || side == 'W')
      return {{x, y}, {x, along_y}, {east ? box.right() : box.x, along_y}};
    const double beyond = pad + 8 + (part > 0.5 ? lane_gap : 0) + (part > 0.8 ? lane_gap : 0);
    const double turn = side == 'N' ? box.y - beyond : box.bottom() + beyond;
    return {{x, y}, {x, turn}, {along_x, turn}, {along_x, side == 'N' ? box.y : box.bottom()}};
  }

  const Graph& graph_;
  const Diagram& diagram_;
  DiagramPainter painter_;
  double width_ = 0, height_ = 0, scale_ = 0;  // mesh of cubes in mm; px per mm
  double gutter_ = 0, module_x_ = 260;
  double below_ = 0;                // room for lines to the southern chiplets
  std::map<char, double> margins_;  // room of the IO chiplets in mm, by side
  std::map<std::size_t, Box> boxes_;
  std::map<int, int> lanes_;  // in use, by column of the gutter
  int columns_ = 1;           // columns of SIPs
  std::size_t switch_ = 0;
};

}  // namespace

DiagramPicture system_picture(const Graph& graph, const Diagram& diagram, const Utilisation* heat) {
  return SystemPainter(graph, diagram, heat).paint();
}

}  // namespace kernbench
