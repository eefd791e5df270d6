#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "platform/rtl_compare/time_comparison.h"
#include "platform/topology/drawing.h"

namespace kernbench {
namespace {

constexpr double axis_width = 620, text_size = 13, title_size = 17, mark = 9;
constexpr double near = 0.05;            // half width of the band
constexpr double widest_linear = 8;      // highest / lowest ratio of a linear axis
constexpr double least_ratio = 0x1p-20;  // for work that takes no time
constexpr const char* grey = "#5f6b7a";
constexpr std::array<const char*, 4> colours{"#d1495b", "#2a7f9e", "#e8a33d", "#5b8c5a"};

// Maps ratios to pixels.
class Axis {
 public:
  Axis(double low, double high, double left)
      : logarithmic_(high / low > widest_linear), left_(left), low_(scaled(low)),
        per_unit_(axis_width / (scaled(high) - low_)) {}

  double at(double ratio) const { return left_ + (scaled(ratio) - low_) * per_unit_; }
  bool logarithmic() const { return logarithmic_; }

 private:
  double scaled(double ratio) const {
    return logarithmic_ ? std::log2(std::max(ratio, least_ratio)) : ratio;
  }

  bool logarithmic_;
  double left_, low_, per_unit_;
};

class Figure {
 public:
  explicit Figure(const TimeComparison& comparison)
      : comparison_(comparison), step_(std::clamp(1200.0 / works(), 3.0, 22.0)),
        named_(step_ > text_size), together_(groups_are_together()), left_(label_width()),
        limits_(limits_of(comparison)), axis_(limits_.first, limits_.second, left_) {}

  std::string svg() {
    band();
    ticks();
    for (std::size_t i = 0; i < comparison_.works.size(); ++i) line_of(i);
    title();
    return drawing_.svg(heading(), "Ratios of simulated times", 24);
  }

 private:
  double works() const { return static_cast<double>(comparison_.works.size()); }
  double height() const { return step_ * works(); }
  // Name of the work; without room for names that of its group, at its first work.
  std::string label(std::size_t index) const {
    const std::vector<ComparedWork>& works = comparison_.works;
    if (named_) return works[index].name;
    const bool begins = index == 0 || works[index].group != works[index - 1].group;
    return begins && together_ ? works[index].group : "";
  }
  bool groups_are_together() const {
    const std::vector<ComparedWork>& works = comparison_.works;
    std::size_t changes = 0;
    for (std::size_t i = 1; i < works.size(); ++i)
      changes += works[i].group != works[i - 1].group ? 1 : 0;
    return changes < comparison_.groups().size();
  }
  double label_width() const {
    double width = 0;
    for (std::size_t i = 0; i < comparison_.works.size(); ++i)
      width = std::max(width, text_width(label(i), text_size));
    return width > 0 ? width + 12 : 0;
  }
  static std::pair<double, double> limits_of(const TimeComparison& comparison) {
    double low = 1 - 2 * near, high = 1 + 2 * near;
    for (std::size_t model = 0; model < comparison.models.size(); ++model) {
      const Distribution ratios = comparison.ratios(model);
      low = std::min(low, std::max(ratios.min, least_ratio));
      high = std::max(high, ratios.max);
    }
    return {low / 1.03, high * 1.03};
  }
  std::string heading() const {
    return fmt::format("Time of {} per {}, relative to transaction-level models",
                       comparison_.implementation, comparison_.kind);
  }

  void band() {
    const double low = axis_.at(1 - near), high = axis_.at(1 + near);
    drawing_.rect({low, 0, high - low, height()}, {"#e8eef4"});
    drawing_.line({{axis_.at(1), 0}, {axis_.at(1), height()}}, {"none", grey, 1.5});
    drawing_.line({{left_, height()}, {left_ + axis_width, height()}}, {"none", grey, 1});
  }
  // Steps of 1, 2 or 5, or powers of two.
  std::vector<double> tick_values() const {
    std::vector<double> values;
    const auto [low, high] = limits_;
    if (axis_.logarithmic()) {
      const double every = std::max(1.0, std::ceil(std::log2(high / low) / 12));
      for (double power = std::ceil(std::log2(low)); power <= std::log2(high); power += 1) {
        if (std::fmod(power, every) == 0) values.push_back(std::exp2(power));
      }
      return values;
    }
    double step = std::pow(10, std::floor(std::log10((high - low) / 5)));
    for (const double factor : {2.0, 2.5}) {
      if ((high - low) / step > 10) step *= factor;
    }
    for (double i = std::ceil(low / step); i * step <= high; i += 1) values.push_back(i * step);
    return values;
  }
  void ticks() {
    for (const double ratio : tick_values()) {
      const double x = axis_.at(ratio);
      drawing_.line({{x, 0}, {x, height()}}, {"none", "#d5dbe2", 0.75});
      drawing_.text({x, height() + 14}, fmt::format("{:.4g}", ratio), {text_size});
    }
    drawing_.text({left_ + axis_width / 2, height() + 36},
                  fmt::format("time of {} / time of the model", comparison_.implementation),
                  {text_size});
  }
  void line_of(std::size_t index) {
    const ComparedWork& work = comparison_.works[index];
    const double y = (static_cast<double>(index) + 0.5) * step_;
    if (const std::string text = label(index); !text.empty())
      drawing_.text({left_ - 8, y}, text, {text_size, "end"});
    drawing_.line({{left_, y}, {left_ + axis_width, y}}, {"none", "#eceff3", 0.75});
    const double size = std::min(mark, step_);
    for (std::size_t model = 0; model < work.models.size(); ++model) {
      drawing_.open(
          "ratio", "",
          fmt::format("{}, {}: {:.4f}", work.name, comparison_.models[model], work.ratio(model)));
      drawing_.rect({axis_.at(work.ratio(model)) - size / 2, y - size / 2, size, size},
                    {colours[model % colours.size()], "#ffffff", 0.5, "", size / 2});
      drawing_.close();
    }
  }
  void title() {
    drawing_.text({0, -58}, heading(), {title_size, "start", true});
    double x = 0;
    for (std::size_t model = 0; model < comparison_.models.size(); ++model) {
      const Distribution ratios = comparison_.ratios(model);
      const std::string words =
          fmt::format("{}: median {:.4g}, p95 {:.4g}, {:.4g} to {:.4g}", comparison_.models[model],
                      ratios.p50, ratios.p95, ratios.min, ratios.max);
      drawing_.rect({x, -34 - mark / 2, mark, mark},
                    {colours[model % colours.size()], "none", 1, "", mark / 2});
      drawing_.text({x + mark + 6, -34}, words, {text_size, "start"});
      x += mark + 30 + text_width(words, text_size);
    }
    drawing_.text({0, -14}, "shaded: within 5 % of equal times", {text_size, "start", false, grey});
  }

  const TimeComparison& comparison_;
  double step_;
  bool named_, together_;  // works have their names; each group is contiguous
  double left_;
  std::pair<double, double> limits_;
  Axis axis_;
  Drawing drawing_;
};

}  // namespace

std::string comparison_svg(const TimeComparison& comparison) { return Figure(comparison).svg(); }

}  // namespace kernbench
