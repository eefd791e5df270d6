// Operations along an axis that are composed of several commands: by a function of two blocks, by
// comparisons.
#include <fmt/format.h>

#include "models/base/errors.h"
#include "models/data/shape_rules.h"
#include "sw/tl/program.h"

namespace kernbench::tl {
namespace {

using Blocks = std::vector<Handle>;

MathCalls::CombineAll as_tuple(const MathCalls::Combine& combine) {
  return [&combine](const Blocks& a, const Blocks& b) {
    return Blocks{combine(a.front(), b.front())};
  };
}

// Blocks of one shape that are combined along one axis.
class Line {
 public:
  Line(Program& tl, const char* call, const Blocks& blocks, int axis,
       const MathCalls::CombineAll& combine, CallSite site)
      : tl_(tl), call_(call), combine_(combine), site_(site) {
    if (blocks.empty()) throw UsageError(fmt::format("{} of no blocks", call));
    axis_ = normalized_axis(blocks.front().shape(), axis);
    check(blocks, blocks.front().shape());
  }

  std::int64_t extent(const Blocks& blocks) const {
    return blocks.front().shape()[static_cast<std::size_t>(axis_)];
  }
  Blocks slice(const Blocks& blocks, std::int64_t begin, std::int64_t end,
               std::int64_t step = 1) const {
    Blocks parts;
    for (const Handle& block : blocks)
      parts.push_back(tl_.slice({block, site_}, axis_, begin, end, step));
    return parts;
  }
  Blocks cat(const Blocks& a, const Blocks& b) const {
    Blocks whole;
    for (std::size_t i = 0; i < a.size(); ++i) whole.push_back(tl_.cat({a[i], b[i]}, axis_, site_));
    return whole;
  }
  Blocks combined(const Blocks& a, const Blocks& b) const {
    Blocks made = combine_(a, b);
    if (made.size() != a.size())
      throw UsageError(
          fmt::format("{}: the function gives {} blocks for {}", call_, made.size(), a.size()));
    check(made, a.front().shape());
    return made;
  }

 private:
  void check(const Blocks& blocks, const Shape& shape) const {
    for (const Handle& block : blocks) {
      if (block.shape() != shape)
        throw UsageError(fmt::format("{}{}: {} where {} is expected", call_, site_.in_brackets(),
                                     block.str(), shape.str()));
    }
  }

  Program& tl_;
  const char* call_;
  const MathCalls::CombineAll& combine_;
  CallSite site_;
  int axis_ = 0;
};

}  // namespace

Handle MathCalls::reduce(const BlockArg& x, int axis, const Combine& combine, bool keep_dims) {
  return reduce({x.handle()}, axis, as_tuple(combine), keep_dims, x.site()).front();
}

// Neighbours keep their order. An unpaired last element is kept in `rest`, which follows all
// others.
std::vector<Handle> MathCalls::reduce(const std::vector<Handle>& blocks, int axis,
                                      const CombineAll& combine, bool keep_dims, CallSite site) {
  program().context_.calling("reduce", site);
  const Line line(program(), "tl.reduce", blocks, axis, combine, site);
  Blocks values = blocks, rest;
  while (line.extent(values) > 1) {
    const std::int64_t extent = line.extent(values), pairs = extent / 2 * 2;
    if (pairs < extent) {
      const Blocks last = line.slice(values, pairs, extent);
      rest = rest.empty() ? last : line.combined(last, rest);
    }
    values = line.combined(line.slice(values, 0, pairs, 2), line.slice(values, 1, pairs, 2));
  }
  if (!rest.empty()) values = line.combined(values, rest);
  if (keep_dims) return values;
  for (Handle& value : values) value = program().without_axes({value, site}, axis);
  return values;
}

Handle MathCalls::associative_scan(const BlockArg& x, int axis, const Combine& combine,
                                   bool reverse) {
  return associative_scan({x.handle()}, axis, as_tuple(combine), reverse, x.site()).front();
}

// After a round with `distance` each position combines the 2 * distance elements up to it (Hillis,
// Steele).
std::vector<Handle> MathCalls::associative_scan(const std::vector<Handle>& blocks, int axis,
                                                const CombineAll& combine, bool reverse,
                                                CallSite site) {
  program().context_.calling("associative_scan", site);
  const Line line(program(), "tl.associative_scan", blocks, axis, combine, site);
  const std::int64_t extent = line.extent(blocks);
  Blocks values = blocks;
  for (std::int64_t distance = 1; distance < extent; distance *= 2) {
    const Blocks low = line.slice(values, 0, extent - distance),
                 high = line.slice(values, distance, extent);
    values = reverse
                 ? line.cat(line.combined(high, low), line.slice(values, extent - distance, extent))
                 : line.cat(line.slice(values, 0, distance), line.combined(low, high));
  }
  return values;
}

Handle MathCalls::histogram(const BlockArg& x, std::int64_t num_bins,
                            const std::optional<Handle>& mask) {
  Program& tl = program();
  tl.context_.calling("histogram", x.site());
  if (x.handle().shape().rank() != 1 || is_float(x.handle().dtype()) || num_bins < 1)
    throw UsageError(
        fmt::format("tl.histogram of {} in {} bins: integers of one axis, and at least "
                    "1 bin",
                    x.handle().str(), num_bins));
  const Handle bins = tl.arange(0, num_bins, DType::i32, x.site());
  Handle found = eq({tl.expand_dims(x, 1), x.site()}, bins);  // {n, num_bins}
  if (mask) found = logical_and({found, x.site()}, tl.expand_dims({*mask, x.site()}, 1));
  return sum({found, x.site()}, 0, false);
}

}  // namespace kernbench::tl
