#include "platform/figure/point_labels.h"

#include <algorithm>
#include <array>

#include "platform/figure/figure_layout.h"

namespace kernbench {
namespace {

struct Area {
  double left, right, top, bottom;
  bool meets(const Area& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
  bool holds(const Area& other) const {
    return left <= other.left && other.right <= right && top <= other.top && other.bottom <= bottom;
  }
};

constexpr double mark = 5, gap = 4;  // half the size of a mark; from it to the label

// Areas of a label around its point, the preferred one first.
std::array<std::pair<Area, LabelPlace>, 6> candidates(const LabelledPoint& point, double text_px) {
  const double width = figure_text_width(point.label, text_px), half = text_px / 2,
               aside = mark + gap, apart = mark + gap + half, x = point.x, y = point.y;
  const auto at = [&](double left, double middle, double anchor, const char* align) {
    return std::pair(Area{left, left + width, middle - half, middle + half},
                     LabelPlace{anchor, middle, align});
  };
  return {
      at(x + aside, y, x + aside, "left"),       at(x - aside - width, y, x - aside, "right"),
      at(x - width / 2, y - apart, x, "center"), at(x - width / 2, y + apart, x, "center"),
      at(x + gap, y - apart, x + gap, "left"),   at(x - gap - width, y + apart, x - gap, "right")};
}

}  // namespace

std::vector<std::optional<LabelPlace>> place_labels(const std::vector<LabelledPoint>& points,
                                                    double left, double right, double top,
                                                    double bottom, double text_px) {
  const Area axes{left, right, top, bottom};
  std::vector<Area> taken;
  for (const LabelledPoint& each : points)
    taken.push_back({each.x - mark, each.x + mark, each.y - mark, each.y + mark});
  std::vector<std::optional<LabelPlace>> places;
  for (const LabelledPoint& each : points) {
    places.emplace_back();
    if (each.label.empty()) continue;
    for (const auto& [area, place] : candidates(each, text_px)) {
      const bool is_free = std::none_of(taken.begin(), taken.end(),
                                        [&area = area](const Area& a) { return a.meets(area); });
      if (!is_free || !axes.holds(area)) continue;
      taken.push_back(area);
      places.back() = place;
      break;
    }
  }
  return places;
}

}  // namespace kernbench
