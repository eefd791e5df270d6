// Colours and line widths of diagrams. All colours are distinguishable without hues: tints of the
// palette of Okabe and Ito, and for utilisation a scale of descending lightness.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/topology/diagram.h"
#include "platform/topology/utilisation.h"

namespace kernbench {

struct BlockColours {
  const char* fill;
  const char* stroke;
};
BlockColours colours_of(BlockKind kind);
const char* label_of(BlockKind kind);  // "memory"

const char* colour_of(LinkKind kind);
bool is_dashed(LinkKind kind);
// Grows with the bandwidth; unlimited links are thin.
double width_of(const std::optional<Rational>& bw_gbs);

// Colours from 0 to the top of the scale.
const std::vector<std::string>& heat_colours();
inline constexpr const char* idle_colour = "#c4c9cf";
std::string heat_colour(double share_of_scale);
// Black or white, whichever is legible on it.
const char* text_colour_on(const std::string& fill);

std::string percent_text(double utilisation);  // "37 %", "0.4 %"
std::string ns_number(Fs time);                // "14.4", at most two decimals
inline std::string ns_text(Fs time) { return ns_number(time) + " ns"; }
// "256 GB/s, 2.5 mm"
std::string text_of(const DiagramLink& link);

}  // namespace kernbench
