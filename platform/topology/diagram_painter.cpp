#include "platform/topology/diagram_painter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platform/topology/diagram_legend.h"
#include "platform/topology/diagram_style.h"

namespace kernbench {
namespace {

Point between(const Point& a, const Point& b, double length) {
  const double d = std::hypot(b.x - a.x, b.y - a.y);
  return d == 0 ? Point{0, 0} : Point{(b.x - a.x) / d * length, (b.y - a.y) / d * length};
}

// Offset to the right of the direction of travel, by `distance`.
std::vector<Point> parallel_to(const std::vector<Point>& points, double distance) {
  std::vector<Point> moved = points;
  const auto normal = [&](std::size_t i) {  // normal of the segment that begins at i
    const Point along = between(points[i], points[i + 1], distance);
    return Point{-along.y, along.x};
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool first = i == 0, last = i + 1 == points.size();
    const Point before = normal(first ? 0 : i - 1), after = normal(last ? i - 1 : i);
    const bool corner = !first && !last && (before.x != after.x || before.y != after.y);
    moved[i].x += corner ? before.x + after.x : after.x;
    moved[i].y += corner ? before.y + after.y : after.y;
  }
  return moved;
}

std::string names_of(const Graph& graph, const std::vector<NodeId>& nodes) {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(nodes.size(), most); ++i)
    text += (i == 0 ? "" : ", ") + graph.node(nodes[i]).name;
  return nodes.size() <= most ? text : fmt::format("{}, ... ({} nodes)", text, nodes.size());
}

}  // namespace

std::vector<std::string> DiagramPainter::lines_of(std::size_t index) const {
  const DiagramBlock& block = diagram_.blocks[index];
  std::vector<std::string> lines{block.label};
  const auto used = heat_ == nullptr ? std::nullopt : heat_->of_nodes(block.nodes);
  if (used) {
    lines.push_back(percent_text(*used));
  } else if (block.distance && heat_ == nullptr) {
    lines.push_back(ns_number(*block.distance));
  }
  return lines;
}

double DiagramPainter::width_of(const std::vector<std::string>& lines, double size) {
  double width = 0;
  for (std::size_t i = 0; i < lines.size(); ++i)
    width = std::max(width, text_width(lines[i], i == 0 ? size : std::min(size, detail_size)));
  return width + 10;
}

std::string DiagramPainter::tooltip_of(const DiagramBlock& block) const {
  std::string text = names_of(graph_, block.nodes);
  if (block.distance) text += "; latency " + ns_text(*block.distance);
  const auto used = heat_ == nullptr ? std::nullopt : heat_->of_nodes(block.nodes);
  return used ? text + "; utilisation " + percent_text(*used) : text;
}

std::string DiagramPainter::tooltip_of(const DiagramLink& link) const {
  const std::string& a = diagram_.blocks[link.a].id;
  const std::string& b = diagram_.blocks[link.b].id;
  std::string text = fmt::format("{} - {}: {}, {}", a, b, label_of(link.kind), text_of(link));
  if (heat_ != nullptr)
    text +=
        fmt::format("; {} > {} {}, {} > {} {}", a, b, percent_text(heat_->of_edges(link.forward)),
                    b, a, percent_text(heat_->of_edges(link.backward)));
  return text;
}

void DiagramPainter::block(std::size_t index, const Box& box, const std::vector<std::string>& lines,
                           const BlockStyle& style) {
  layout_.blocks[index] = box;
  const DiagramBlock& block = diagram_.blocks[index];
  const auto [fill, stroke] = colours_of(block.kind);
  const auto used = heat_ == nullptr ? std::nullopt : heat_->of_nodes(block.nodes);
  const std::string colour = heat_ == nullptr ? fill
                             : used           ? heat_colour(*used / top_of_scale_)
                                              : std::string("#ffffff");
  drawing_.open("block", fmt::format("data-id=\"{}\"", block.id), tooltip_of(block));
  const bool anchor = index == diagram_.anchor && heat_ == nullptr;
  drawing_.rect(box, {colour, stroke, anchor ? 3.0 : 1.4, "", style.radius});
  const double detail = std::min(style.size, detail_size);
  const auto more = static_cast<double>(lines.size() - 1);
  const double height = style.size + more * (detail + line_gap);
  double at = -height / 2 + style.size / 2;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    TextStyle text;
    text.size = i == 0 ? style.size : detail;
    text.fill = text_colour_on(colour);
    text.upwards = style.upwards;
    const Point middle = box.middle();
    drawing_.text(style.upwards ? Point{middle.x + at, middle.y} : Point{middle.x, middle.y + at},
                  lines[i], text);
    at += text.size / 2 + line_gap + detail / 2;
  }
  drawing_.close();
}

void DiagramPainter::direction(const std::vector<std::size_t>& edges,
                               const std::vector<Point>& points, double width) {
  const double used = heat_->of_edges(edges);
  drawing_.line(parallel_to(points, width / 2 + 0.6),
                {"none", heat_colour(used / top_of_scale_), width, "", 0});
}

void DiagramPainter::link(std::size_t index, const std::vector<Point>& points) {
  layout_.links[index] = points;
  const DiagramLink& link = diagram_.links[index];
  const std::string ends = fmt::format("data-a=\"{}\" data-b=\"{}\"", diagram_.blocks[link.a].id,
                                       diagram_.blocks[link.b].id);
  drawing_.open("link", ends, tooltip_of(link));
  const double width = kernbench::width_of(link.bw_gbs);
  if (heat_ == nullptr) {
    drawing_.line(points,
                  {"none", colour_of(link.kind), width, is_dashed(link.kind) ? "6 4" : "", 0});
  } else {
    direction(link.forward, points, 0.8 * width);
    direction(link.backward, {points.rbegin(), points.rend()}, 0.8 * width);
  }
  drawing_.close();
}

void DiagramPainter::outline(const Box& box, const Paint& paint, const std::string& label) {
  layout_.outlines.push_back({box, label});
  drawing_.rect(box, paint);
}

void DiagramPainter::guide(const std::vector<Point>& points, const Paint& paint) {
  layout_.guides.push_back(points);
  drawing_.line(points, paint);
}

DiagramPicture DiagramPainter::finish(double px_per_mm, const std::vector<std::string>& notes,
                                      const std::optional<Box>& area) {
  const Box content = drawing_.bounds();
  layout_.bounds = content;
  layout_.area = area.value_or(content);
  TextStyle title, subtitle;
  title.size = 24;
  title.bold = true;
  subtitle.size = 16;
  title.anchor = subtitle.anchor = "start";
  DiagramLegend legend(diagram_, drawing_, content);
  if (px_per_mm > 0) legend.scale_bar(px_per_mm);
  if (heat_ == nullptr) {
    legend.blocks();
    legend.links();
  } else {
    legend.colour_scale(top_of_scale_);
  }
  for (const std::string& note : notes) legend.note(note);
  if (heat_ != nullptr) legend.busiest(*heat_);
  drawing_.text({content.x, content.y - 62}, diagram_.title, title);
  const std::string numbers = heat_ == nullptr
                                  ? "numbers: latency from " + diagram_.anchor_name + " in ns"
                                  : std::string("colours and numbers: utilisation");
  drawing_.text({content.x, content.y - 34}, diagram_.subtitle + "; " + numbers, subtitle);
  return {drawing_.svg(diagram_.title, diagram_.subtitle, 20), std::move(layout_)};
}

}  // namespace kernbench
