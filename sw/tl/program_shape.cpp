// Views: other shapes of the same bytes, which may be under way.
#include <fmt/format.h>

#include "models/base/errors.h"
#include "models/data/functional_model.h"
#include "models/data/shape_rules.h"
#include "sw/tl/program.h"

namespace kernbench::tl {
template <class View>
Handle Program::view_of(const char* call, const Handle& x, View view, std::uint64_t offset) {
  context_.calling(call + 3);  // behind "tl."
  const Handle::State& state = viewed_block(call, x);
  Handle::State seen = block_state(view(state.value), state.block);
  seen.producer = state.producer;
  seen.offset = state.offset + offset;
  seen.mask = state.mask;
  seen.index = viewed(state.index, state.value.shape, view);
  return Handle(std::make_shared<const Handle::State>(std::move(seen)));
}

Handle Program::trans(const Handle& x) {
  return view_of("tl.trans", x, [](const TensorValue& value) { return transposed(value); });
}

Handle Program::permute(const Handle& x, const std::vector<int>& dims) {
  return view_of("tl.permute", x, [&](const TensorValue& value) { return permuted(value, dims); });
}

Handle Program::reshape(const Handle& x, const Shape& shape) {
  return view_of("tl.reshape", x, [&](const TensorValue& value) { return reshaped(value, shape); });
}

Handle Program::expand_dims(const Handle& x, int axis) {
  return view_of("tl.expand_dims", x,
                 [&](const TensorValue& value) { return expanded(value, axis); });
}

Handle Program::broadcast_to(const Handle& x, const Shape& shape) {
  return view_of("tl.broadcast_to", x,
                 [&](const TensorValue& value) { return kernbench::broadcast_to(value, shape); });
}

Handle Program::slice(const Handle& x, std::int64_t begin, std::int64_t end) {
  return slice(x, 0, begin, end);
}

Handle Program::slice(const Handle& x, int axis, std::int64_t begin, std::int64_t end,
                      std::int64_t step) {
  const auto part = [&](const TensorValue& value) { return sliced(value, axis, begin, end, step); };
  const TensorValue& whole = viewed_block("tl.slice", x).value;
  part(whole);  // throws where it does not fit
  const auto at = static_cast<std::size_t>(normalized_axis(x.shape(), axis));
  return view_of("tl.slice", x, part,
                 static_cast<std::uint64_t>(begin * strides_of(whole)[at]) * size_of(x.dtype()));
}

std::pair<Handle, Handle> Program::split(const Handle& x) {
  const Shape& shape = x.shape();
  if (shape.rank() == 0 || shape[shape.rank() - 1] != 2)
    throw UsageError(fmt::format("tl.split of {}: the last axis must have extent 2", x.str()));
  return {without_axes(slice(x, -1, 0, 1), -1), without_axes(slice(x, -1, 1, 2), -1)};
}

Handle Program::without_axes(const Handle& x, const Axes& axes) {
  MathParams params;
  std::vector<std::size_t> gone;
  if (axes.list().empty()) {
    for (std::size_t axis = 0; axis < x.shape().rank(); ++axis) gone.push_back(axis);
  } else {
    params.axis = axes.list().front();
    params.more_axes.assign(axes.list().begin() + 1, axes.list().end());
    gone = reduced_axes(params, x.shape());
  }
  return view_of("tl.reshape", x, [&](TensorValue value) {
    for (std::size_t i = gone.size(); i-- > 0;) value = dropped(value, static_cast<int>(gone[i]));
    return value;
  });
}

Handle Program::bitcast(const Handle& x, DType dtype) {
  context_.calling("bitcast");
  const Handle::State& state = viewed_block("tl.bitcast", x);
  return make_handle(kernbench::bitcast(state.value, dtype), state.block, state.producer,
                     state.offset);
}

}  // namespace kernbench::tl
