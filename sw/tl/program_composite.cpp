// Composites: tl.composite(gemm | math).
#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "models/data/functional_model.h"
#include "models/data/new_op.h"
#include "models/data/shape_rules.h"
#include "sw/tl/block_access.h"
#include "sw/tl/program.h"

namespace kernbench::tl {
namespace {

// Operation of PE_MATH for an epilogue entry.
MathOp math_op_of(EpilogueOp::Kind kind) {
  switch (kind) {
    case EpilogueOp::Kind::bias:
    case EpilogueOp::Kind::add:
      return MathOp::add;
    case EpilogueOp::Kind::scale:
    case EpilogueOp::Kind::dequant:
    case EpilogueOp::Kind::mul:
      return MathOp::mul;
    case EpilogueOp::Kind::relu:
      return MathOp::relu;
    case EpilogueOp::Kind::gelu:
      return MathOp::gelu;
    case EpilogueOp::Kind::silu:
      return MathOp::silu;
    case EpilogueOp::Kind::clamp:
      return MathOp::clamp;
    case EpilogueOp::Kind::exp:
      return MathOp::exp;
  }
  throw ModelError("an epilogue entry of no kind");
}

void check_tile(const char* call, const std::optional<TileShape>& tile) {
  if (!tile || (tile->m >= 1 && tile->k >= 1 && tile->n >= 1)) return;
  throw UsageError(fmt::format("{}: tile {}x{}x{}: every extent must be at least 1", call, tile->m,
                               tile->k, tile->n));
}

// dtype of a destination in memory, if it has one.
std::optional<DType> dtype_of(const CompositeOutput& out) {
  if (const auto* block = std::get_if<BlockPtr>(&out)) return block->dtype();
  if (const auto* memory = std::get_if<Ptr>(&out)) return memory->dtype();
  return std::nullopt;
}

IssuedOp record(FunctionalModel& data, GemmParams params, std::vector<TensorValue> inputs,
                OpAddresses places) {
  return data.gemm(std::move(params), std::move(inputs), std::move(places));
}
IssuedOp record(FunctionalModel& data, MathParams params, std::vector<TensorValue> inputs,
                OpAddresses places) {
  return data.math(std::move(params), std::move(inputs), std::move(places));
}

}  // namespace

// Destination of the result: memory, or a new block of TCM.
struct Program::Target {
  CompositeOperand operand;
  std::shared_ptr<ScratchBlock> block;  // null: destination is memory
  std::optional<BlockAccess> access;    // memory with strides
  PhysRanges places;
  // Ranges written in memory.
  PhysRanges writes() const { return block == nullptr ? places : PhysRanges(); }

  // Common tail of composites: binds operands and result, records `params` with data on, and issues
  // `plan`.
  template <class Plan, class Params>
  static Composite issue(Program& tl, const char* call, const CompositeOutput& out,
                         const Shape& shape, const std::vector<Handle>& handles, Plan plan,
                         Params params);
};

Program::Target Program::make_target(const char* call, const CompositeOutput& out,
                                     const Shape& shape, DType dtype) {
  Target target;
  target.operand.dtype = dtype;
  if (std::holds_alternative<std::monostate>(out)) {
    target.block = allocate(call, shape, dtype);
    target.operand = operand_of(*target.block, shape, dtype);
    target.places = place_of(*target.block);
    return target;
  }
  if (const auto* block = std::get_if<BlockPtr>(&out)) {
    if (block->block_shape() != shape)
      throw UsageError(fmt::format("{}: the result {} goes to a block {}: the shapes differ", call,
                                   shape.str(), block->block_shape().str()));
    block->base().check_elements(call, dtype);
    target.access = strided_access(call, *block, {}, true);
    target.operand = operand_of(reference(call, *block));
    target.places = resolve(call, block->base(), target.access->runs);
    check_order(call, block->base(), target.places, true);
    return target;
  }
  const Ptr& memory = std::get<Ptr>(out);
  memory.check_elements(call, dtype);
  target.operand.address = memory.address();
  target.places =
      resolve(call, memory, static_cast<std::uint64_t>(shape.elements()) * size_of(dtype));
  check_order(call, memory, target.places, true);
  return target;
}

// Operands of a composite, with their values at the call.
struct Program::BoundOperands {
  std::vector<TensorValue> inputs;  // empty with data off, unless parameters are recorded
  States handles;
  PhysRanges from;   // in the order of inputs
  PhysRanges reads;  // ranges read in memory
};

TensorValue Program::view_of(const BlockAccess& access, const PhysRanges& from) const {
  if (data_ == nullptr) return access.loaded(ByteImage::zeros(access.nbytes()), 0);
  const auto elements = static_cast<std::int64_t>(access.nbytes() / size_of(access.dtype));
  return access.loaded(data_->view(accessor(), from, Shape{elements}, access.dtype).image, 0);
}

Program::BoundOperands Program::bind_operands(const char* call,
                                              const std::vector<Handle>& handles) {
  BoundOperands bound;
  for (const Handle& handle : handles) {
    const Handle::State& state = handle.state();
    bound.handles.push_back(handle.state_);
    const PhysRanges from = state.access ? resolve(call, *state.ptr, state.access->runs)
                            : state.ptr  ? resolve(call, *state.ptr, handle.nbytes())
                                         : place_of(handle);
    if (state.ptr) {
      check_order(call, *state.ptr, from, false);
      bound.reads.insert(bound.reads.end(), from.begin(), from.end());
    }
    if (data_ == nullptr && !records_without_data_) continue;
    bound.inputs.push_back(state.access ? view_of(*state.access, from)
                           : state.ptr && data_ != nullptr
                               ? data_->view(accessor(), from, handle.shape(), handle.dtype())
                               : state.value);
    bound.from.insert(bound.from.end(), from.begin(), from.end());
  }
  return bound;
}

template <class Plan, class Params>
Composite Program::Target::issue(Program& tl, const char* call, const CompositeOutput& out,
                                 const Shape& shape, const std::vector<Handle>& handles, Plan plan,
                                 Params params) {
  // The operands bind before the result becomes visible, also if it overwrites them.
  BoundOperands bound = tl.bind_operands(call, handles);
  const DType dtype = *params.out_dtype;
  Target target = tl.make_target(call, out, shape, dtype);
  plan.out = target.operand;
  Command command{std::move(plan), nullptr};
  TensorValue value = FunctionalModel::zeros(shape, dtype);
  if (tl.data_ != nullptr) {
    IssuedOp issued = record(*tl.data_, std::move(params), std::move(bound.inputs),
                             {std::move(bound.from), target.places});
    command.data = std::move(issued.op);
    value = std::move(issued.value);
  } else if (tl.records_without_data_) {
    command.data = record_of(std::move(params), std::move(bound.inputs),
                             {std::move(bound.from), target.places});
  }
  return tl.submit(call, std::move(command), value, std::move(target), std::move(bound.handles),
                   std::move(bound.reads));
}

// Effect of the entries on values, with their operands appended to `handles`, and their stages of
// the pipeline.
std::vector<EpilogueOp> Program::bind_epilogue(const std::vector<EpilogueEntry>& entries,
                                               const Shape& shape, std::vector<Handle>& handles,
                                               std::vector<EpilogueStage>& stages) {
  const std::int64_t rows = matrix_extents(shape).first;
  std::vector<EpilogueOp> ops;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const EpilogueEntry& entry = entries[i];
    EpilogueOp op{entry.kind, entry.scope, -1, entry.factor, entry.low, entry.high};
    EpilogueStage stage{math_op_of(entry.kind), entry.scope, 0, 0};
    if (entry.operand) {
      const std::string name = fmt::format("epilogue entry {} ({})", i, name_of(entry.kind));
      operand(name.c_str(), *entry.operand);
      op.input = static_cast<int>(handles.size());
      handles.push_back(*entry.operand);
      const std::uint64_t size = size_of(entry.operand->dtype());
      const bool whole = entry.operand->shape() == shape && rows > 1;
      stage.operand = operand_of(*entry.operand);
      if (entry.kind != EpilogueOp::Kind::dequant)
        (whole ? stage.operand_bytes_per_element : stage.operand_bytes_per_column) = size;
    }
    ops.push_back(op);
    stages.push_back(stage);
  }
  return ops;
}

// A reference to memory is dense, row by row, or has strides; a block in TCM may be a view.
CompositeOperand Program::operand_of(const Handle& handle) const {
  const Handle::State& state = handle.state();
  const TensorLayout layout = matrix_layout(state.value);
  if (state.access && !layout.regular())
    throw UsageError(
        fmt::format("{} at {}: the rows of a reference must lie at one pitch; make it "
                    "of rank 2, or load it",
                    handle.str(), state.ptr->str()));
  if (state.ptr)
    return {false, state.ptr->address(), handle.dtype(), layout, state.access != nullptr};
  return {true, place_of(handle).front().pa + state.offset, handle.dtype(), layout};
}

CompositeOperand Program::operand_of(const Handle& handle, const Shape& broadcast) const {
  CompositeOperand operand = operand_of(handle);
  if (handle.shape() != broadcast)
    operand.layout = matrix_layout(kernbench::broadcast_to(handle.state().value, broadcast));
  return operand;
}

CompositeOperand Program::operand_of(const ScratchBlock& block, const Shape& shape,
                                     DType dtype) const {
  const auto [rows, columns] = matrix_extents(shape);
  return {true, place_of(block).front().pa, dtype, TensorLayout::dense(rows, columns, dtype)};
}

TileShape Program::default_tile() const {
  const Attributes& scheduler = context_.machine().attributes(
      context_.machine().engine(context_.where(), PeEngine::pe_scheduler));
  return {scheduler.integer("tile_m"), scheduler.integer("tile_k"), scheduler.integer("tile_n")};
}

Composite Program::composite(const GemmSpec& spec, CallSite site) {
  static constexpr const char* call = "tl.composite(gemm)";
  begin("composite", site);
  check_tile(call, spec.tile_);
  std::vector<Handle> handles{spec.a_, spec.b_};
  operand(call, spec.a_, true);
  operand(call, spec.b_, true);
  const DType a = spec.a_.dtype(), b = spec.b_.dtype();
  const GemmExtents extents = gemm_extents(spec.a_.shape(), spec.b_.shape());
  const Shape shape{extents.m, extents.n};

  CompositeGemm gemm;
  gemm.m = extents.m;
  gemm.k = extents.k;
  gemm.n = extents.n;
  gemm.tile = spec.tile_;
  gemm.acc_dtype = accumulator_dtype(a, b);
  if (spec.acc_.value_or(gemm.acc_dtype) != gemm.acc_dtype) {
    throw UsageError(fmt::format("{}: acc {} of {} x {}: must be {}", call, name_of(*spec.acc_),
                                 spec.a_.str(), spec.b_.str(), name_of(gemm.acc_dtype)));
  }
  gemm.a = operand_of(spec.a_);
  gemm.b = operand_of(spec.b_);

  GemmParams params;
  params.engine = gemm_engine();
  const std::optional<DType> target_dtype = dtype_of(spec.out_);
  params.out_dtype = spec.dtype_    ? spec.dtype_
                     : target_dtype ? target_dtype
                     : is_float(a)  ? promote(a, b)
                                    : DType::i32;
  params.epilogue = bind_epilogue(spec.epilogue_, shape, handles, gemm.epilogue);
  for (const EpilogueEntry& entry : spec.epilogue_) {
    if (entry.scope == EpilogueScope::k_tile)
      params.tile_k = (spec.tile_ ? *spec.tile_ : default_tile()).k;
  }
  Shapes shapes;
  for (const Handle& handle : handles) shapes.push_back(handle.shape());
  check_epilogue(params.epilogue, shapes, shape,
                 params.tile_k > 0 ? cdiv(extents.k, params.tile_k) : 1);

  return Target::issue(*this, call, spec.out_, shape, handles, std::move(gemm), std::move(params));
}

Composite Program::composite(const MathSpec& spec, CallSite site) {
  const std::string name = fmt::format("tl.composite({})", name_of(spec.op_));
  const char* call = name.c_str();
  begin("composite", site);
  check_tile(call, spec.tile_);
  if (kind_of(spec.op_) != MathKind::element_wise || is_random(spec.op_))
    throw UsageError(fmt::format("{}: only element-wise operations are tiled", name));

  MathParams params;
  params.op = spec.op_;
  std::vector<Handle> handles;
  Shapes shapes;
  DTypes dtypes;
  for (const Operand& each : spec.operands_) {
    if (!each.is_handle()) {
      params.operands.push_back(MathOperand::scalar(each.scalar(), each.is_floating()));
      continue;
    }
    operand(call, each.handle(), true);
    params.operands.push_back(MathOperand::tensor(static_cast<int>(handles.size())));
    handles.push_back(each.handle());
    shapes.push_back(each.handle().shape());
    dtypes.push_back(each.handle().dtype());
  }
  const Shape shape = result_shape(params, shapes);
  const std::optional<DType> target_dtype = dtype_of(spec.out_);
  params.out_dtype = spec.dtype_    ? spec.dtype_
                     : target_dtype ? target_dtype
                                    : result_dtype(params, dtypes);

  CompositeMath math;
  math.op = spec.op_;
  std::tie(math.m, math.n) = matrix_extents(shape);
  math.tile = spec.tile_;
  for (const Handle& handle : handles) {
    if (handle.state().ptr && handle.shape() != shape) {
      throw UsageError(fmt::format(
          "{}: the reference {} does not have the result's shape {}; only blocks in TCM broadcast",
          name, handle.str(), shape.str()));
    }
    math.inputs.push_back(operand_of(handle, shape));
  }
  params.epilogue = bind_epilogue(spec.epilogue_, shape, handles, math.epilogue);
  for (std::size_t i = shapes.size(); i < handles.size(); ++i) shapes.push_back(handles[i].shape());
  check_epilogue(params.epilogue, shapes, shape, 0);
  return Target::issue(*this, call, spec.out_, shape, handles, std::move(math), std::move(params));
}

Composite Program::submit(const char* call, Command&& command, const TensorValue& value,
                          Target target, States operands, PhysRanges reads) {
  if (data_ != nullptr && !target.block)
    data_->write(accessor(), target.access ? target.access->stored(value) : value, target.places);
  InFlight entry;
  entry.reads = std::move(reads);
  entry.writes = target.writes();
  entry.call = call;
  Composite composite;
  composite.command_ = context_.issue(std::move(command));
  if (target.block) {
    composite.result_ =
        make_handle(TensorValue(value), std::move(target.block), composite.command_);
    operands.push_back(composite.result_->state_);
  }
  entry.command = composite.command_;
  entry.operands = std::move(operands);
  put_in_flight(std::move(entry));
  return composite;
}

}  // namespace kernbench::tl
