// Cube view: routers at their places; blocks attached to a router above or below it, in one of the
// quadrants between its mesh links; UCIe ports along the edges of the die.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "platform/topology/diagram_layout.h"
#include "platform/topology/diagram_painter.h"

namespace kernbench {
namespace {

constexpr double router_size = 14;  // size of its label
constexpr double stub = 12;         // length of the line from a router to an attached block
constexpr double off_axis = 12;     // between a block and the mesh link next to it
constexpr double between_blocks = 5, bar_height = 28, bar_gap = 14, least_px_per_mm = 40,
                 least_gap_mm = 0.4;

enum Quadrant : std::uint8_t { north_west, north_east, south_east, south_west };
constexpr std::array all_quadrants{north_west, north_east, south_east, south_west};
bool is_north(Quadrant q) { return q == north_west || q == north_east; }
bool is_west(Quadrant q) { return q == north_west || q == south_west; }

// PEs are west of their router, all other blocks east of it, on the side with more room.
std::array<Quadrant, 4> preferences(BlockKind kind, bool north) {
  const bool west = kind == BlockKind::compute;
  const Quadrant near_west = north ? north_west : south_west;
  const Quadrant near_east = north ? north_east : south_east;
  const Quadrant far_west = north ? south_west : north_west;
  const Quadrant far_east = north ? south_east : north_east;
  if (west) return {near_west, near_east, far_west, far_east};
  return {near_east, near_west, far_east, far_west};
}

class CubePainter {
 public:
  CubePainter(const Graph& graph, const Diagram& diagram, const Utilisation* heat)
      : graph_(graph), diagram_(diagram), painter_(graph, diagram, heat) {
    for (const Rational& x : graph.mesh().col_x_mm) xs_.push_back(x.to_double());
    for (const Rational& y : graph.mesh().row_y_mm) ys_.push_back(y.to_double());
    separate(xs_);
    separate(ys_);
    width_mm_ = graph.spec().cube.w_mm.to_double();
    height_mm_ = graph.spec().cube.h_mm.to_double();
    for (std::size_t i = 0; i < diagram.blocks.size(); ++i) sort_block(i);
    for (std::size_t i = 0; i < diagram.links.size(); ++i) sort_link(i);
    measure();
  }

  DiagramPicture paint() {
    draw_die();
    for (const std::size_t link : mesh_links_) draw_mesh_link(link);
    for (const std::size_t link : ucie_links_) draw_ucie_link(link);
    for (const auto& [router, quadrants] : hanging_) {
      for (const Quadrant q : all_quadrants) {
        for (std::size_t i = 0; i < quadrants[q].size(); ++i)
          draw_hanging(router, q, i, quadrants[q][i]);
      }
    }
    for (const auto& [router, at] : routers_) {
      const Point p = px(at);
      painter_.block(router, {p.x - half_w_, p.y - half_h_, 2 * half_w_, 2 * half_h_},
                     painter_.lines_of(router), {router_size, false, 4});
    }
    for (const auto& [bar, side] : bars_) draw_bar(bar, side);
    return painter_.finish(scale_, {});
  }

 private:
  struct Hanging {
    std::size_t block, link;
  };
  using Quadrants = std::array<std::vector<Hanging>, 4>;

  // Separates routers that coincide, or nearly do.
  static void separate(std::vector<double>& places) {
    for (std::size_t i = 1; i < places.size(); ++i)
      places[i] = std::max(places[i], places[i - 1] + least_gap_mm);
  }

  const Node& node_of(std::size_t block) const {
    return graph_.node(diagram_.blocks[block].nodes.front());
  }
  bool is_router(std::size_t block) const { return routers_.count(block) != 0; }

  void sort_block(std::size_t block) {
    const Node& node = node_of(block);
    if (node.kind == Role::router) routers_[block] = {node.at.row, node.at.col};
    if (node.kind == Role::ucie_port || node.kind == Role::ucie_conn)
      bars_[block] = diagram_.blocks[block].id.back();
  }

  void sort_link(std::size_t index) {
    const DiagramLink& link = diagram_.links[index];
    if (bars_.count(link.a) != 0 || bars_.count(link.b) != 0) return ucie_links_.push_back(index);
    if (is_router(link.a) && is_router(link.b)) return mesh_links_.push_back(index);
    const bool a_is_router = is_router(link.a);
    const std::size_t router = a_is_router ? link.a : link.b, other = a_is_router ? link.b : link.a;
    Quadrants& quadrants = hanging_[router];
    const MeshPoint at = routers_.at(router);
    const bool north = room_y(at, north_west) > room_y(at, south_west);
    const auto choice = preferences(diagram_.blocks[other].kind, north);
    const auto fewest = std::min_element(choice.begin(), choice.end(), [&](Quadrant x, Quadrant y) {
      return quadrants[x].size() < quadrants[y].size();
    });
    quadrants[*fewest].push_back({other, index});
  }

  // --- Scale: everything attached to a router fits into its quadrant

  // Half the distance to the next router, or the distance to the edge of the die, if larger.
  static double room(const std::vector<double>& places, int at, bool before, double end) {
    const auto i = static_cast<std::size_t>(at);
    const bool outermost = before ? at == 0 : i + 1 == places.size();
    const auto half_to = [&](std::size_t low) { return (places[low + 1] - places[low]) / 2; };
    if (!outermost) return half_to(before ? i - 1 : i);
    const double margin = before ? places[i] : end - places[i];
    if (places.size() == 1) return margin;
    return std::max(margin, half_to(before ? i : i - 1));
  }
  double room_x(MeshPoint at, Quadrant q) const { return room(xs_, at.col, is_west(q), width_mm_); }
  double room_y(MeshPoint at, Quadrant q) const {
    return room(ys_, at.row, is_north(q), height_mm_);
  }

  void measure() {
    for (const auto& [router, at] : routers_) {
      const auto lines = painter_.lines_of(router);
      half_w_ = std::max(half_w_, DiagramPainter::width_of(lines, router_size) / 2);
      half_h_ = std::max(half_h_, DiagramPainter::height_of(lines.size(), router_size) / 2);
    }
    for (const auto& [router, quadrants] : hanging_) {
      for (const auto& each : quadrants) {
        for (const Hanging& one : each) {
          const auto lines = painter_.lines_of(one.block);
          block_h_ = std::max(block_h_, DiagramPainter::height_of(lines.size()));
        }
      }
    }
    scale_ = least_px_per_mm;
    for (const auto& [router, quadrants] : hanging_) {
      for (const Quadrant q : all_quadrants) {
        const MeshPoint at = routers_.at(router);
        const auto count = static_cast<double>(quadrants[q].size());
        const double h = half_h_ + stub + count * (block_h_ + between_blocks);
        if (count > 0) scale_ = std::max(scale_, h / room_y(at, q));
        for (const Hanging& one : quadrants[q]) {
          const double w = off_axis + block_width(one.block) + between_blocks;
          scale_ = std::max(scale_, w / room_x(at, q));
        }
      }
    }
    for (std::size_t i = 1; i < xs_.size(); ++i)
      scale_ = std::max(scale_, (2 * half_w_ + stub) / (xs_[i] - xs_[i - 1]));
    for (std::size_t i = 1; i < ys_.size(); ++i)
      scale_ = std::max(scale_, (2 * half_h_ + stub) / (ys_[i] - ys_[i - 1]));
    scale_ = std::ceil(scale_);
  }

  Point px(MeshPoint at) const {
    return {xs_[static_cast<std::size_t>(at.col)] * scale_,
            ys_[static_cast<std::size_t>(at.row)] * scale_};
  }

  // --- Shapes

  void draw_die() {
    Drawing& drawing = painter_.drawing();
    painter_.outline({0, 0, width_mm_ * scale_, height_mm_ * scale_},
                     {"#fafbfc", "#8a949e", 1.6, "", 8}, "");
    const CubeMesh& mesh = graph_.mesh();
    const MeshPoint first = mesh.zone_first, last = mesh.zone_last;
    if (last.row < first.row || last.col < first.col) return;
    const auto middle = [](const std::vector<double>& places, int low, int high) {
      const auto n = static_cast<int>(places.size());
      const int a = std::clamp(low, 0, n - 1), b = std::clamp(high, 0, n - 1);
      return (places[static_cast<std::size_t>(a)] + places[static_cast<std::size_t>(b)]) / 2;
    };
    const double inset = 10;
    const double x = middle(xs_, first.col - 1, first.col) * scale_ + inset;
    const double y = middle(ys_, first.row - 1, first.row) * scale_ + inset;
    const Box zone{x, y, middle(xs_, last.col, last.col + 1) * scale_ - inset - x,
                   middle(ys_, last.row, last.row + 1) * scale_ - inset - y};
    painter_.outline(zone, {"#eef7f3", "#00694e", 1.4, "8 5", 8}, "HBM stack");
    const Point at = zone.middle();
    TextStyle style;
    style.fill = "#00513c";
    style.size = 20;
    const MemoryMapSpec& map = graph_.spec().cube.memory_map;
    drawing.text({at.x, at.y - 14}, "HBM stack", style);
    style.size = 15;
    drawing.text({at.x, at.y + 12},
                 fmt::format("{} GiB, {} channels of {} GB/s", map.hbm_total_gb_per_cube,
                             map.hbm_pseudo_channels, map.hbm_channel_bw_gbs.str()),
                 style);
  }

  void draw_mesh_link(std::size_t index) {
    const DiagramLink& link = diagram_.links[index];
    const Point a = px(routers_.at(link.a)), b = px(routers_.at(link.b));
    painter_.link(index, {edge_of(a, b), edge_of(b, a)});
  }
  // Exit point of the straight line from one router to another on its box.
  Point edge_of(const Point& from, const Point& to) const {
    if (from.y == to.y) return {from.x + (to.x > from.x ? half_w_ : -half_w_), from.y};
    return {from.x, from.y + (to.y > from.y ? half_h_ : -half_h_)};
  }

  double block_width(std::size_t block) const {
    return DiagramPainter::width_of(painter_.lines_of(block));
  }

  // Box above or below the router, next to its mesh link.
  Box box_of(std::size_t router, Quadrant q, std::size_t place) const {
    const Point p = px(routers_.at(router));
    const double w = block_width(hanging_.at(router)[q][place].block);
    const double away = half_h_ + stub + static_cast<double>(place) * (block_h_ + between_blocks);
    return {is_west(q) ? p.x - off_axis - w : p.x + off_axis,
            is_north(q) ? p.y - away - block_h_ : p.y + away, w, block_h_};
  }

  void draw_hanging(std::size_t router, Quadrant q, std::size_t place, const Hanging& one) {
    const Point p = px(routers_.at(router));
    const Box box = box_of(router, q, place);
    const double side = is_west(q) ? -1 : 1, from = p.y + (is_north(q) ? -half_h_ : half_h_);
    std::vector<Point> way;
    if (place == 0) {
      const double x = p.x + side * (off_axis + half_w_) / 2;
      way = {{x, from}, {x, is_north(q) ? box.bottom() : box.y}};
    } else {  // past the blocks before it
      const double x = p.x + side * off_axis * 0.6, y = box.middle().y;
      way = {{x, from}, {x, y}, {is_west(q) ? box.right() : box.x, y}};
    }
    if (diagram_.links[one.link].a != router) std::reverse(way.begin(), way.end());
    painter_.link(one.link, way);
    painter_.block(one.block, box);
  }

  // Outside the die and everything that overhangs it.
  Box bar_of(char side) const {
    const double w = width_mm_ * scale_, h = height_mm_ * scale_;
    switch (side) {
      case 'N':
        return {0, north_end() - bar_gap - bar_height, w, bar_height};
      case 'S':
        return {0, south_end() + bar_gap, w, bar_height};
      case 'E':
        return {east_end() + bar_gap, 0, bar_height, h};
      default:
        return {west_end() - bar_gap - bar_height, 0, bar_height, h};
    }
  }
  template <class Better>
  double extreme(double end, const Better& better) const {
    for (const auto& [router, quadrants] : hanging_) {
      for (const Quadrant q : all_quadrants) {
        for (std::size_t i = 0; i < quadrants[q].size(); ++i)
          end = better(end, box_of(router, q, i));
      }
    }
    return end;
  }
  double north_end() const {
    return extreme(0, [](double end, const Box& box) { return std::min(end, box.y); });
  }
  double south_end() const {
    return extreme(height_mm_ * scale_,
                   [](double end, const Box& box) { return std::max(end, box.bottom()); });
  }
  double east_end() const {
    return extreme(width_mm_ * scale_,
                   [](double end, const Box& box) { return std::max(end, box.right()); });
  }
  double west_end() const {
    return extreme(0, [](double end, const Box& box) { return std::min(end, box.x); });
  }

  void draw_ucie_link(std::size_t index) {
    const DiagramLink& link = diagram_.links[index];
    const bool a_is_bar = bars_.count(link.a) != 0;
    const char side = bars_.at(a_is_bar ? link.a : link.b);
    const std::size_t other = a_is_bar ? link.b : link.a;
    if (!is_router(other)) return;
    const Point p = px(routers_.at(other));
    const Box bar = bar_of(side);
    std::vector<Point> way;
    switch (side) {
      case 'N':
        way = {{p.x, p.y - half_h_}, {p.x, bar.bottom()}};
        break;
      case 'S':
        way = {{p.x, p.y + half_h_}, {p.x, bar.y}};
        break;
      case 'E':
        way = {{p.x + half_w_, p.y}, {bar.x, p.y}};
        break;
      default:
        way = {{p.x - half_w_, p.y}, {bar.right(), p.y}};
    }
    if (a_is_bar) std::reverse(way.begin(), way.end());
    painter_.link(index, way);
  }

  void draw_bar(std::size_t block, char side) {
    const bool upright = side == 'E' || side == 'W';
    std::string words;
    for (const std::string& line : painter_.lines_of(block))
      words += (words.empty() ? "" : ", ") + line;
    painter_.block(block, bar_of(side), {words}, {DiagramPainter::label_size, upright, 4});
  }

  const Graph& graph_;
  const Diagram& diagram_;
  DiagramPainter painter_;
  std::vector<double> xs_, ys_;
  double width_mm_ = 0, height_mm_ = 0, scale_ = 0;
  double half_w_ = 0, half_h_ = 0, block_h_ = 0;
  std::map<std::size_t, MeshPoint> routers_;  // by block
  std::map<std::size_t, char> bars_;          // side of UCIe ports
  std::vector<std::size_t> mesh_links_, ucie_links_;
  std::map<std::size_t, Quadrants> hanging_;  // by router
};

}  // namespace

DiagramPicture cube_picture(const Graph& graph, const Diagram& diagram, const Utilisation* heat) {
  return CubePainter(graph, diagram, heat).paint();
}

}  // namespace kernbench
