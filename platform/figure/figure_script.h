// Figure as a script of gnuplot.
#pragma once

#include <cstdint>
#include <string>

#include "platform/figure/figure.h"

namespace kernbench {

enum class FigureFormat : std::uint8_t { svg, png, pdf };

// Script with the data, which draws to standard output. Equal figures give equal scripts.
// UsageError: no finite value, a value that is not positive on a logarithmic axis, or a negative
// part of a stacked bar.
std::string figure_script(const Figure& figure, FigureFormat format);

}  // namespace kernbench
