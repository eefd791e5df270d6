#include "platform/topology/diagram_style.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace kernbench {
namespace {

struct Colour {
  double r, g, b;
};

Colour parse(const std::string& text) {
  const auto part = [&](std::size_t at) {
    return static_cast<double>(std::stoi(text.substr(at, 2), nullptr, 16));
  };
  return {part(1), part(3), part(5)};
}

}  // namespace

BlockColours colours_of(BlockKind kind) {
  constexpr std::array<BlockColours, 8> colours{{
      {"#f8dfae", "#8a6000"},  // control: orange
      {"#c3e3f7", "#1f6fa5"},  // compute: sky blue
      {"#a8dcca", "#00694e"},  // memory: bluish green
      {"#e4e8ec", "#4f5963"},  // network: grey
      {"#eccfe0", "#96466f"},  // die to die: reddish purple
      {"#f7cfb8", "#9a4300"},  // input and output: vermilion
      {"#f7f1b0", "#7d7400"},  // translation: yellow
      {"#ffffff", "#4f5963"},  // module: white
  }};
  return colours[static_cast<std::size_t>(kind)];
}

const char* label_of(BlockKind kind) {
  constexpr std::array<const char*, 8> labels{"control",     "compute",       "memory",
                                              "network",     "UCIe",          "input and output",
                                              "translation", "TLM-2.0 module"};
  return labels[static_cast<std::size_t>(kind)];
}

const char* colour_of(LinkKind kind) {
  constexpr std::array<const char*, 10> colours{"#4f5963", "#1f6fa5", "#00694e", "#96466f",
                                                "#9a4300", "#9a4300", "#c26a1c", "#4f5963",
                                                "#4f5963", "#8a6000"};
  return colours[static_cast<std::size_t>(kind)];
}

bool is_dashed(LinkKind kind) { return kind == LinkKind::control || kind == LinkKind::ual; }

double width_of(const std::optional<Rational>& bw_gbs) {
  if (!bw_gbs || bw_gbs->is_zero()) return 1.8;
  return std::clamp(1.5 + std::log2(std::max(bw_gbs->to_double(), 1.0) / 32), 1.8, 7.0);
}

// Ends of "inferno" in reverse, without its palest part.
const std::vector<std::string>& heat_colours() {
  static const std::vector<std::string> colours{"#fbd08a", "#f9962b", "#e45a31",
                                                "#b63655", "#781c6d", "#2b0b57"};
  return colours;
}

std::string heat_colour(double share_of_scale) {
  if (share_of_scale <= 0) return idle_colour;
  const std::vector<std::string>& colours = heat_colours();
  const double at = std::min(share_of_scale, 1.0) * static_cast<double>(colours.size() - 1);
  const auto first = std::min(static_cast<std::size_t>(at), colours.size() - 2);
  const double part = at - static_cast<double>(first);
  const Colour a = parse(colours[first]), b = parse(colours[first + 1]);
  const auto mixed = [part](double x, double y) {
    return static_cast<int>(std::lround(x + part * (y - x)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mixed(a.r, b.r), mixed(a.g, b.g), mixed(a.b, b.b));
}

const char* text_colour_on(const std::string& fill) {
  const Colour c = parse(fill);
  return 0.299 * c.r + 0.587 * c.g + 0.114 * c.b < 130 ? "#ffffff" : "#1b1f24";
}

std::string percent_text(double utilisation) {
  const double value = 100 * utilisation;
  if (value == 0 || value >= 9.95) return fmt::format("{:.0f} %", value);
  return value < 0.1 ? "<0.1 %" : fmt::format("{:.1f} %", value);
}

std::string ns_number(Fs time) {
  std::string text = fmt::format("{:.2f}", to_ns(time));
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string text_of(const DiagramLink& link) {
  std::string text = link.bw_gbs && !link.bw_gbs->is_zero() ? link.bw_gbs->str() + " GB/s"
                                                            : std::string("unlimited");
  if (!link.distance_mm.is_zero()) text += fmt::format(", {} mm", link.distance_mm.str());
  return text;
}

}  // namespace kernbench
