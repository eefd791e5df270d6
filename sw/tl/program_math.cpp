// Operations of PE_MATH on blocks in TCM.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "models/base/errors.h"
#include "models/data/elements.h"
#include "models/data/functional_model.h"
#include "models/data/integer_math.h"
#include "models/data/new_op.h"
#include "models/data/shape_rules.h"
#include "sw/tl/index_block.h"
#include "sw/tl/program.h"

namespace kernbench::tl {
namespace {

constexpr std::size_t most_operands = 128;  // operands of cat

MathParams params_of(MathOp op, std::optional<int> axis = {}) {
  MathParams params;
  params.op = op;
  params.axis = axis;
  return params;
}

// Operations whose results are masks if their operands are: joins, selections, moves, sorts.
bool keeps_masks(const MathParams& params) {
  return (params.op >= MathOp::bitwise_and && params.op <= MathOp::bitwise_xor) ||
         params.op == MathOp::where || kind_of(params.op) == MathKind::move ||
         (kind_of(params.op) == MathKind::sort && !params.indices);
}

// Whether the operand is a value, not a condition or a position.
bool is_value(MathOp op, std::size_t operand) {
  return !(op == MathOp::where && operand == 0) && !(op == MathOp::gather && operand == 1);
}

TensorValue constant_of(const std::vector<std::int64_t>& values, const Shape& shape, DType dtype) {
  if (dtype == DType::i32) return tensor_of(values, shape);
  std::vector<std::byte> bytes(bytes_of(shape, dtype));
  for (std::size_t i = 0; i < values.size(); ++i)
    write_element(bytes.data() + i * size_of(dtype), dtype, static_cast<double>(values[i]));
  return FunctionalModel::constant(bytes.data(), shape, dtype);
}

// Values of an index block, or of loaded i32: addresses are computed from them.
IndexValues known_integers(const IndexValues& index, const TensorValue& value, bool has_data) {
  if (index != nullptr || !has_data || value.dtype != DType::i32 || !value.known()) return index;
  return index_of(value);
}

}  // namespace

// Operands of a call, as the results, the values and the command need them.
struct Program::MathInputs {
  MathOperands operands;
  Shapes shapes;  // shapes of the tensor operands
  DTypes dtypes;
  IndexOperands indices;
  CommandOperands tensors;
  std::vector<TensorValue> values;  // empty with data off, unless parameters are recorded
  PhysRanges from;
  std::int64_t elements = 1;  // elements of the largest operand
  bool masks = true;          // all value operands are masks, or scalars 0 and 1
  bool any_mask = false;      // at least one value operand is a mask block
};

Program::MathInputs Program::bind_math(MathOp op, const std::string& call,
                                       const std::vector<Operand>& operands) {
  MathInputs inputs;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Operand& each = operands[i];
    const bool value = is_value(op, i);
    if (!each.is_handle()) {
      inputs.operands.push_back(MathOperand::scalar(each.scalar(), each.is_floating()));
      const bool mask = !each.is_floating() && (each.scalar() == 0 || each.scalar() == 1);
      inputs.masks = inputs.masks && (!value || mask);
      continue;
    }
    const Handle& handle = each.handle();
    const Handle::State& state = operand(call.c_str(), handle);
    inputs.operands.push_back(MathOperand::tensor(static_cast<int>(inputs.shapes.size())));
    inputs.shapes.push_back(handle.shape());
    inputs.dtypes.push_back(handle.dtype());
    inputs.indices.push_back({known_integers(state.index, state.value, data_ != nullptr),
                              handle.shape(), handle.dtype()});
    inputs.tensors.push_back(operand_of(handle));
    inputs.elements = std::max(inputs.elements, handle.shape().elements());
    inputs.masks = inputs.masks && (!value || state.mask);
    inputs.any_mask = inputs.any_mask || (value && state.mask);
    if (data_ == nullptr && !records_without_data_) continue;
    inputs.values.push_back(state.value);
    inputs.from.push_back(place_of(handle).front());
  }
  return inputs;
}

Program::Handles Program::run_math(SmallVector<MathParams, 2>&& results,
                                   const std::vector<Operand>& operands) {
  const MathOp op = results.front().op;
  begin(name_of(op).data(), operands.front().site());  // location of the literals
  const std::string call = "tl." + std::string(name_of(op));
  MathInputs inputs = bind_math(op, call, operands);
  SmallVector<NewBlock, 2> made;
  for (MathParams& params : results) {
    params.operands = inputs.operands;
    const Shape shape = result_shape(params, inputs.shapes);
    const DType dtype = result_dtype(params, inputs.dtypes);
    std::shared_ptr<ScratchBlock> room = allocate(call.c_str(), shape, dtype);
    // With data its image is the result of the operation, below.
    TensorValue value =
        data_ == nullptr ? FunctionalModel::zeros(shape, dtype) : TensorValue{{}, shape, dtype, {}};
    made.push_back(new_block(std::move(value), std::move(room)));
    Handle::State& block = *made.back();
    block.index = index_result(params, inputs.indices, shape, dtype);
    block.mask = gives_mask(params.op) || (keeps_masks(params) && inputs.masks && inputs.any_mask);
  }
  const Shape& shape = made.front()->value.shape;
  MathCommand command{op, std::max(inputs.elements, shape.elements()), std::move(inputs.tensors)};
  command.operands.push_back(operand_of(*made.front()->block, shape, made.front()->value.dtype));
  if (kind_of(op) == MathKind::sort) {
    command.extent = inputs.shapes.front()[static_cast<std::size_t>(
        normalized_axis(inputs.shapes.front(), results.front().axis.value()))];
    command.kept = results.front().kept;
  }
  Command issued{std::move(command), nullptr};
  if (records_without_data_)
    issued.data = record_of(std::move(results.front()), std::move(inputs.values),
                            {inputs.from, place_of(*made.front()->block)});
  for (std::size_t i = 0; i < made.size() && data_ != nullptr; ++i) {
    std::vector<TensorValue> values =
        i + 1 < made.size() ? inputs.values : std::move(inputs.values);
    IssuedOp defined = data_->math(std::move(results[i]), std::move(values),
                                   {inputs.from, place_of(*made[i]->block)});
    if (i == 0) issued.data = std::move(defined.op);
    Handle::State& block = *made[i];
    block.value = block.index ? constant_of(*block.index, block.value.shape, block.value.dtype)
                              : std::move(defined.value);
  }
  return compute(call, std::move(issued), made, operands);
}

// --- calls ---

Program& MathCalls::program() { return static_cast<Program&>(*this); }

Handle MathCalls::math(MathOp op, const std::vector<Operand>& operands, std::optional<int> axis,
                       std::optional<DType> out) {
  if (operands.empty()) throw UsageError(fmt::format("tl.math({}) without operands", name_of(op)));
  program().context_.calling("math", operands.front().site());
  if (is_random(op))
    throw UsageError(fmt::format("tl.math({0}) has no seed argument: use tl.{0}", name_of(op)));
  MathParams params = params_of(op, axis);
  params.out_dtype = out;
  return program().run_math({std::move(params)}, operands).front();
}

// --- element-wise ---

Handle MathCalls::element_wise(MathOp op, const std::vector<Operand>& operands) {
  const bool negates = op == MathOp::bitwise_not && operands.front().handle().is_mask();
  return math(negates ? MathOp::logical_not : op, operands);
}

Handle MathCalls::cdiv(const BlockArg& a, const Operand& b) {
  if (b.is_handle()) return idiv({add(a, sub(b, 1)), a.site()}, b);
  if (b.is_floating() || !has_32_bits(b.scalar()))
    throw UsageError(fmt::format("tl.cdiv by {}: takes integers only, of 32 bits", b.scalar()));
  return idiv({add(a, static_cast<std::int64_t>(b.scalar()) - 1), a.site()}, b);
}

std::int64_t MathCalls::cdiv(std::int64_t a, std::int64_t b, CallSite site) {
  if (a < 0 || b < 1)
    throw UsageError(
        fmt::format("tl.cdiv({}, {}){}: needs a >= 0 and b >= 1", a, b, site.in_brackets()));
  return a / b + (a % b != 0 ? 1 : 0);
}

Handle MathCalls::random(MathOp op, std::uint64_t seed, const BlockArg& offsets, int rounds) {
  program().context_.calling(name_of(op).data(), offsets.site());
  if (rounds < 1)
    throw UsageError(fmt::format("tl.{}: {} rounds; at least 1", name_of(op), rounds));
  MathParams params = params_of(op);
  params.seed = seed;
  params.rounds = rounds;
  return program().run_math({std::move(params)}, {offsets}).front();
}

// --- along axes ---

Handle MathCalls::over_axes(MathOp op, const BlockArg& x, const Axes& axes, bool keep_dims) {
  program().context_.calling(name_of(op).data(), x.site());
  std::vector<int> list = axes.list();
  for (int axis = 0; axes.list().empty() && axis < static_cast<int>(x.handle().shape().rank());
       ++axis)
    list.push_back(axis);
  MathParams params = params_of(op);
  if (!list.empty()) {
    params.axis = list.front();
    params.more_axes.assign(list.begin() + 1, list.end());
  }
  const Handle result = program().run_math({std::move(params)}, {x}).front();
  return keep_dims ? result : program().without_axes({result, x.site()}, axes);
}

ValuesAndIndices MathCalls::best(MathOp place, MathOp value, const BlockArg& x, int axis,
                                 bool keep_dims) {
  const auto made = program().run_math({params_of(place, axis), params_of(value, axis)}, {x});
  if (keep_dims) return {made[1], made[0]};
  return {program().without_axes({made[1], x.site()}, axis),
          program().without_axes({made[0], x.site()}, axis)};
}

Handle MathCalls::scan(MathOp op, const BlockArg& x, int axis, bool reverse) {
  MathParams params = params_of(op, axis);
  params.reverse = reverse;
  return program().run_math({std::move(params)}, {x}).front();
}

namespace {

MathParams sorting(MathOp op, int dim, bool descending, std::int64_t kept, bool indices) {
  MathParams params = params_of(op, dim);
  params.reverse = descending;
  params.kept = kept;
  params.indices = indices;
  return params;
}

}  // namespace

Handle MathCalls::sort(const BlockArg& x, int dim, bool descending) {
  return program().run_math({sorting(MathOp::sort, dim, descending, 1, false)}, {x}).front();
}

ValuesAndIndices MathCalls::sort_with_indices(const BlockArg& x, int dim, bool descending) {
  const auto made = program().run_math({sorting(MathOp::sort, dim, descending, 1, false),
                                        sorting(MathOp::sort, dim, descending, 1, true)},
                                       {x});
  return {made[0], made[1]};
}

Handle MathCalls::topk(const BlockArg& x, std::int64_t k, int dim) {
  return program().run_math({sorting(MathOp::topk, dim, true, k, false)}, {x}).front();
}

ValuesAndIndices MathCalls::topk_with_indices(const BlockArg& x, std::int64_t k, int dim) {
  const auto made = program().run_math(
      {sorting(MathOp::topk, dim, true, k, false), sorting(MathOp::topk, dim, true, k, true)}, {x});
  return {made[0], made[1]};
}

// --- moves ---

Handle MathCalls::cat(const std::vector<Handle>& blocks, int dim, CallSite site) {
  program().context_.calling("cat", site);
  if (blocks.empty() || blocks.size() > most_operands)
    throw UsageError(
        fmt::format("tl.cat of {} blocks: 1 to {} are allowed", blocks.size(), most_operands));
  std::vector<Operand> operands;
  for (const Handle& block : blocks) operands.emplace_back(block, site);
  return program().run_math({params_of(MathOp::cat, dim)}, operands).front();
}

Handle MathCalls::join(const BlockArg& a, const Handle& b) {
  const auto [left, right] = program().broadcast(a, {b, a.site()});
  return cat(
      {program().expand_dims({left, a.site()}, -1), program().expand_dims({right, a.site()}, -1)},
      -1, a.site());
}

Handle MathCalls::interleave(const BlockArg& a, const Handle& b) {
  const Handle pairs = join(a, b);  // {.., n, 2}
  std::vector<std::int64_t> extents = pairs.shape().extents();
  extents.pop_back();
  if (extents.empty()) extents.push_back(1);
  extents.back() *= 2;
  return program().reshape({pairs, a.site()}, Shape(extents));
}

Handle MathCalls::flip(const BlockArg& x, int dim) { return math(MathOp::flip, {x}, dim); }

Handle MathCalls::gather(const BlockArg& source, const Handle& index, int axis) {
  return math(MathOp::gather, {source, index}, axis);
}

Handle MathCalls::update(const BlockArg& x, const Handle& part,
                         const std::vector<std::int64_t>& starts) {
  MathParams params = params_of(MathOp::update);
  params.starts = starts;
  return program().run_math({std::move(params)}, {x, part}).front();
}

}  // namespace kernbench::tl
