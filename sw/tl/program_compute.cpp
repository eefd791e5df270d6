// Products of blocks in TCM.
#include "models/data/functional_model.h"
#include "models/data/shape_rules.h"
#include "sw/tl/program.h"

namespace kernbench::tl {

Handle Program::dot(const Handle& a, const Handle& b, std::optional<DType> out) {
  begin("dot");
  const Handle::State &left = operand("tl.dot", a), &right = operand("tl.dot", b);
  const GemmExtents extents = gemm_extents(a.shape(), b.shape());
  accumulator_dtype(a.dtype(), b.dtype());
  const DType out_dtype =
      out.value_or(is_float(a.dtype()) ? promote(a.dtype(), b.dtype()) : DType::i32);
  const Shape shape{extents.m, extents.n};
  std::shared_ptr<ScratchBlock> block = allocate("tl.dot", shape, out_dtype);
  Command command{DotCommand{extents.m,
                             extents.k,
                             extents.n,
                             a.dtype(),
                             {operand_of(a), operand_of(b), operand_of(*block, shape, out_dtype)}},
                  nullptr};
  TensorValue value{ByteImage::zeros(bytes_of(shape, out_dtype)), shape, out_dtype, {}};
  if (data_ != nullptr) {
    GemmParams params;
    params.out_dtype = out_dtype;
    params.engine = gemm_engine();
    PhysRanges from = place_of(a);
    from.push_back(place_of(b).front());
    IssuedOp issued = data_->gemm(std::move(params), {left.value, right.value},
                                  {std::move(from), place_of(*block)});
    command.data = std::move(issued.op);
    value = std::move(issued.value);
  }
  Handle handle = make_handle(std::move(value), std::move(block));
  run(std::move(command));
  return handle;
}

}  // namespace kernbench::tl
