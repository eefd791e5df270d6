#include "platform/topology/diagram_legend.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "platform/topology/diagram_style.h"

namespace kernbench {
namespace {

constexpr double text_size = 15, row_height = 27, gap = 30, swatch = 26, least_width = 760;
constexpr std::size_t most_hot = 5;

double width(const std::string& text) { return text_width(text, text_size); }

// Length of the scale bar in mm: 1, 2 or 5 times a power of ten, at most 200 px.
double round_length(double px_per_mm) {
  double best = 1;
  for (const double ten : {0.01, 0.1, 1.0, 10.0, 100.0}) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      if (digit * ten * px_per_mm <= 200) best = digit * ten;
    }
  }
  return best;
}

struct LinkRange {
  std::set<std::string> bandwidths;
  Rational shortest, longest;
  std::optional<Rational> bw_gbs;  // bandwidth of the first link
};

std::string text_of(LinkKind kind, const LinkRange& range) {
  std::string text(label_of(kind));
  std::string bandwidths;
  for (const std::string& each : range.bandwidths)
    bandwidths += (bandwidths.empty() ? "" : ", ") + each;
  text += ": " + bandwidths;
  if (range.longest.is_zero()) return text;
  if (range.shortest == range.longest) return text + fmt::format(", {} mm", range.longest.str());
  return text + fmt::format(", {} to {} mm", range.shortest.str(), range.longest.str());
}

}  // namespace

DiagramLegend::DiagramLegend(const Diagram& diagram, Drawing& drawing, const Box& content)
    : diagram_(diagram), drawing_(drawing),
      content_(content), next_{content.x, content.bottom() + 40} {
  content_.w = std::max(content.w, least_width);
}

void DiagramLegend::new_row() {
  if (next_.x > content_.x) next_ = {content_.x, next_.y + row_height};
}

Point DiagramLegend::place(double width) {
  if (next_.x + width > content_.right()) new_row();
  const Point at = next_;
  next_.x += width + gap;
  return at;
}

void DiagramLegend::words(Point at, const std::string& text) {
  TextStyle style;
  style.size = text_size;
  style.anchor = "start";
  drawing_.text(at, text, style);
}

void DiagramLegend::scale_bar(double px_per_mm) {
  const double mm = round_length(px_per_mm), length = mm * px_per_mm;
  const std::string text = fmt::format("{} mm", mm);
  const Point at = place(length + 8 + width(text));
  const Paint paint{"none", "#1b1f24", 2, "", 0};
  drawing_.open("scale", fmt::format("data-px-per-mm=\"{:.4f}\"", px_per_mm), "");
  drawing_.line({{at.x, at.y - 6}, {at.x, at.y + 6}}, paint);
  drawing_.line({at, {at.x + length, at.y}}, paint);
  drawing_.line({{at.x + length, at.y - 6}, {at.x + length, at.y + 6}}, paint);
  drawing_.close();
  words({at.x + length + 8, at.y}, text);
}

void DiagramLegend::blocks() {
  std::set<BlockKind> kinds;
  for (const DiagramBlock& block : diagram_.blocks) kinds.insert(block.kind);
  for (const BlockKind kind : kinds) {
    const std::string text = label_of(kind);
    const Point at = place(swatch + 8 + width(text));
    const auto [fill, stroke] = colours_of(kind);
    drawing_.rect({at.x, at.y - 9, swatch, 18}, {fill, stroke, 1.4, "", 3});
    words({at.x + swatch + 8, at.y}, text);
  }
  const std::string text = "anchor of the latencies";
  const Point at = place(swatch + 8 + width(text));
  drawing_.rect({at.x, at.y - 9, swatch, 18}, {"#ffffff", "#1b1f24", 3, "", 3});
  words({at.x + swatch + 8, at.y}, text);
}

void DiagramLegend::links() {
  std::map<LinkKind, LinkRange> kinds;
  for (const DiagramLink& link : diagram_.links) {
    const auto [found, is_new] = kinds.try_emplace(link.kind);
    LinkRange& range = found->second;
    const bool unlimited = !link.bw_gbs || link.bw_gbs->is_zero();
    range.bandwidths.insert(unlimited ? "unlimited" : link.bw_gbs->str() + " GB/s");
    if (is_new || link.distance_mm < range.shortest) range.shortest = link.distance_mm;
    if (is_new || link.distance_mm > range.longest) range.longest = link.distance_mm;
    if (is_new) range.bw_gbs = link.bw_gbs;
  }
  new_row();
  for (const auto& [kind, range] : kinds) {
    const std::string text = text_of(kind, range);
    const Point at = place(swatch + 8 + width(text));
    drawing_.line({at, {at.x + swatch, at.y}}, {"none", colour_of(kind), width_of(range.bw_gbs),
                                                is_dashed(kind) ? "6 4" : "", 0});
    words({at.x + swatch + 8, at.y}, text);
  }
}

void DiagramLegend::colour_scale(double top_of_scale) {
  new_row();
  next_.y += 6;
  const double length = 300;
  const std::string text = "utilisation: ", idle = "idle";
  const Point at = place(width(text) + length);
  words(at, text);
  const Box bar{at.x + width(text) + 12, at.y - 10, length, 20};
  drawing_.gradient(bar, heat_colours());
  for (int quarter = 0; quarter <= 4; ++quarter) {
    TextStyle style;
    style.size = 13;
    drawing_.text({bar.x + bar.w * quarter / 4, bar.bottom() + 11},
                  fmt::format("{:g} %", 100 * top_of_scale * quarter / 4), style);
  }
  const Point idle_at = place(swatch + 8 + width(idle));
  drawing_.rect({idle_at.x + 20, idle_at.y - 9, swatch, 18}, {idle_colour, "#4f5963", 1, "", 3});
  words({idle_at.x + 20 + swatch + 8, idle_at.y}, idle);
  new_row();
  next_.y += 18;
  note(
      "links: each direction on its right-hand side; blocks: their busiest server; of "
      "several instances the highest");
}

void DiagramLegend::busiest(const Utilisation& utilisation) {
  const auto hottest = utilisation.hottest(diagram_, most_hot);
  note(hottest.empty() ? "no link of this view was used" : "busiest links:");
  for (const Utilisation::Hot& hot : hottest)
    note(fmt::format("{}  {}", percent_text(hot.utilisation), hot.name));
}

void DiagramLegend::note(const std::string& text) {
  new_row();
  words(place(width(text)), text);
  new_row();
}

}  // namespace kernbench
