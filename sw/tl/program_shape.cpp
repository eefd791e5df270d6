// Views: other shapes of the same bytes, which may be in flight. Blocks of known values.
#include <fmt/format.h>

#include <cmath>

#include "models/base/errors.h"
#include "models/data/elements.h"
#include "models/data/functional_model.h"
#include "models/data/shape_rules.h"
#include "sw/tl/index_block.h"
#include "sw/tl/program.h"

namespace kernbench::tl {

Program& ShapeCalls::program() { return static_cast<Program&>(*this); }

// `view` owns its captures: it is applied again when the value of a block in flight becomes
// available.
template <class View>
Handle Program::view_of(const char* call, const BlockArg& x, View view, std::uint64_t offset) {
  context_.calling(call + 3, x.site());  // skips "tl."
  const Handle::State& state = checked(call, x.handle());
  const NewBlock seen = new_block(view(state.value), state.block);
  seen->producer = state.producer;
  seen->offset = state.offset + offset;
  if (state.gathered || state.late_view)
    seen->late_view =
        std::make_shared<const Handle::LateView>(Handle::LateView{x.handle().state_, view});
  if (seen->value.dtype == state.value.dtype) {
    seen->mask = state.mask;
    seen->index = viewed(state.index, state.value.shape, view);
  }
  return Handle(seen);
}

Handle ShapeCalls::trans(const BlockArg& x) {
  return program().view_of("tl.trans", x,
                           [](const TensorValue& value) { return transposed(value); });
}

Handle ShapeCalls::permute(const BlockArg& x, const std::vector<int>& dims) {
  return program().view_of("tl.permute", x,
                           [dims](const TensorValue& value) { return permuted(value, dims); });
}

Handle ShapeCalls::reshape(const BlockArg& x, const Shape& shape) {
  return program().view_of("tl.reshape", x,
                           [shape](const TensorValue& value) { return reshaped(value, shape); });
}

Handle ShapeCalls::expand_dims(const BlockArg& x, int axis) {
  return program().view_of("tl.expand_dims", x,
                           [axis](const TensorValue& value) { return expanded(value, axis); });
}

Handle ShapeCalls::broadcast_to(const BlockArg& x, const Shape& shape) {
  check_block("tl.broadcast_to", shape);
  return program().view_of("tl.broadcast_to", x, [shape](const TensorValue& value) {
    return kernbench::broadcast_to(value, shape);
  });
}

std::pair<Handle, Handle> ShapeCalls::broadcast(const BlockArg& a, const BlockArg& b) {
  program().context_.calling("broadcast", a.site());
  const Shape shape = kernbench::broadcast(a.handle().shape(), b.handle().shape());
  return {broadcast_to(a, shape), broadcast_to(b, shape)};
}

Handle ShapeCalls::slice(const BlockArg& x, std::int64_t begin, std::int64_t end) {
  return slice(x, 0, begin, end);
}

Handle ShapeCalls::slice(const BlockArg& x, int axis, std::int64_t begin, std::int64_t end,
                         std::int64_t step) {
  program().context_.calling("slice", x.site());
  const auto part = [axis, begin, end, step](const TensorValue& value) {
    return sliced(value, axis, begin, end, step);
  };
  const TensorValue& whole = program().checked("tl.slice", x.handle()).value;
  part(whole);  // throws if the part does not fit
  const auto at = static_cast<std::size_t>(normalized_axis(whole.shape, axis));
  return program().view_of(
      "tl.slice", x, part,
      static_cast<std::uint64_t>(begin * strides_of(whole)[at]) * size_of(whole.dtype));
}

std::pair<Handle, Handle> ShapeCalls::split(const BlockArg& x) {
  program().context_.calling("split", x.site());
  const Shape& shape = x.handle().shape();
  if (shape.rank() == 0 || shape[shape.rank() - 1] != 2)
    throw UsageError(
        fmt::format("tl.split of {}: the last axis must have extent 2", x.handle().str()));
  const auto part = [&](std::int64_t i) {
    return without_axes({slice(x, -1, i, i + 1), x.site()}, -1);
  };
  return {part(0), part(1)};
}

Handle ShapeCalls::without_axes(const BlockArg& x, const Axes& axes) {
  const Shape& shape = x.handle().shape();
  MathParams params;
  std::vector<std::size_t> gone;
  if (axes.list().empty()) {
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) gone.push_back(axis);
  } else {
    params.axis = axes.list().front();
    params.more_axes.assign(axes.list().begin() + 1, axes.list().end());
    gone = reduced_axes(params, shape);
  }
  return program().view_of("tl.reshape", x, [gone](TensorValue value) {
    for (std::size_t i = gone.size(); i-- > 0;) value = dropped(value, static_cast<int>(gone[i]));
    return value;
  });
}

Handle ShapeCalls::bitcast(const BlockArg& x, DType dtype) {
  if (x.handle().dtype() == dtype) return x.handle();
  return program().view_of("tl.bitcast", x, [dtype](const TensorValue& value) {
    return kernbench::bitcast(value, dtype);
  });
}

// --- make ---

Handle ShapeCalls::arange(std::int64_t begin, std::int64_t end, DType dtype, CallSite site) {
  program().context_.calling("arange", site);
  if (end <= begin) throw UsageError(fmt::format("tl.arange({}, {}) is empty", begin, end));
  const std::int64_t limit = dtype == DType::i8 ? std::int64_t{1} << 7 : std::int64_t{1} << 31;
  if (begin < -limit || end > limit)
    throw UsageError(fmt::format("tl.arange({}, {}) of {}: allowed are {} to {}", begin, end,
                                 name_of(dtype), -limit, limit - 1));
  const Shape shape{end - begin};
  std::shared_ptr<ScratchBlock> block = program().allocate("tl.arange", shape, dtype);
  const std::uint64_t size = size_of(dtype);
  std::vector<std::byte> bytes(bytes_of(shape, dtype));
  for (std::int64_t i = begin; i < end; ++i) {
    write_element(bytes.data() + static_cast<std::uint64_t>(i - begin) * size, dtype,
                  static_cast<double>(i));
  }
  return program().make_handle(FunctionalModel::constant(bytes.data(), shape, dtype),
                               std::move(block), {}, 0, index_range(begin, end, dtype));
}

Handle ShapeCalls::indices(const std::vector<std::int64_t>& values, CallSite site) {
  program().context_.calling("indices", site);
  if (values.empty()) throw UsageError("tl.indices: no values");
  for (const std::int64_t value : values)
    element_number("tl.indices", static_cast<double>(value), DType::i32);  // throws
  const Shape shape{static_cast<std::int64_t>(values.size())};
  TensorValue value = tensor_of(values, shape);
  const IndexValues index = index_of(value);
  return program().make_handle(std::move(value),
                               program().allocate("tl.indices", shape, DType::i32), {}, 0, index);
}

Handle ShapeCalls::full(const Shape& shape, double value, DType dtype, CallSite site) {
  program().context_.calling("full", site);
  std::shared_ptr<ScratchBlock> block = program().allocate("tl.full", shape, dtype);
  value = element_number("tl.full", value, dtype);
  const bool is_zero = (value == 0 && !std::signbit(value)) || program().data_ == nullptr;
  return program().make_handle(
      is_zero ? FunctionalModel::zeros(shape, dtype) : FunctionalModel::full(shape, dtype, value),
      std::move(block), {}, 0, index_full(shape, value, dtype));
}

}  // namespace kernbench::tl
