#include "models/data/data_op.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>

#include "models/base/errors.h"

namespace kernbench {
namespace {

std::string text(const Shape& shape) {
  std::string extents;
  for (const std::int64_t extent : shape.extents())
    extents += (extents.empty() ? "" : "x") + std::to_string(extent);
  return extents.empty() ? "scalar" : extents;
}

std::string text(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.9g", value);
  return digits;
}

std::string text(const PhysRanges& ranges) {
  std::string list;
  for (const PhysRange& range : ranges) {
    char item[48];
    std::snprintf(item, sizeof item, "%s0x%llx+%llu", list.empty() ? "" : ";",
                  static_cast<unsigned long long>(range.pa),
                  static_cast<unsigned long long>(range.nbytes));
    list += item;
  }
  return list;
}

std::string epilogue_text(const std::vector<EpilogueOp>& epilogue) {
  std::string list;
  for (const EpilogueOp& op : epilogue) {
    list += fmt::format("{}{}@{}", list.empty() ? " epilogue=" : ";", name_of(op.kind),
                        name_of(op.scope));
    if (op.kind == EpilogueOp::Kind::clamp)
      list += fmt::format("[{}:{}]", text(op.low), text(op.high));
    if (op.input >= 0) list += fmt::format("[in{}]", op.input);
    if (op.input < 0 &&
        (op.kind == EpilogueOp::Kind::scale || op.kind == EpilogueOp::Kind::dequant))
      list += fmt::format("[{}]", text(op.factor));
  }
  return list;
}

struct ParamsText {
  std::string operator()(const MemoryParams&) const { return ""; }
  std::string operator()(const GemmParams& p) const {
    std::string line = fmt::format("m={} k={} n={}", p.m, p.k, p.n);
    if (p.batch > 1) line += fmt::format(" batch={}", p.batch);
    if (p.accumulates) line += " accumulates";
    if (p.transpose_a) line += " transpose_a";
    if (p.transpose_b) line += " transpose_b";
    if (p.acc_dtype) line += " acc=" + std::string(name_of(*p.acc_dtype));
    if (p.tile_k > 0) line += fmt::format(" tile_k={}", p.tile_k);
    return line + epilogue_text(p.epilogue);
  }
  std::string operator()(const MathParams& p) const {
    std::string line = "op=" + std::string(name_of(p.op));
    if (p.axis) line += fmt::format(" axis={}", *p.axis);
    for (std::size_t i = 0; i < p.operands.size(); ++i) {
      line += (i == 0 ? " operands=" : ";") + (p.operands[i].input >= 0
                                                   ? fmt::format("in{}", p.operands[i].input)
                                                   : text(p.operands[i].immediate));
    }
    return line + epilogue_text(p.epilogue);
  }
  std::string operator()(const ConvertParams&) const { return "op=convert"; }
};

}  // namespace

const char* name_of(EpilogueOp::Kind kind) {
  constexpr std::array<const char*, 10> names{"bias", "relu", "scale", "dequant", "gelu",
                                              "silu", "add",  "mul",   "clamp",   "exp"};
  return names.at(static_cast<std::size_t>(kind));
}

const char* gemm_name(DType in) {
  constexpr std::array<const char*, 5> names{"gemm_f16", "gemm_bf16", "gemm_f32", "gemm_i8",
                                             "gemm_i32"};
  return names.at(static_cast<std::size_t>(in));
}

std::string describe(const DataOp& op) {
  std::string line = std::visit(ParamsText{}, op.params);
  const auto add = [&line](const std::string& word) { line += (line.empty() ? "" : " ") + word; };
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const TensorValue& input = op.inputs[i];
    add(fmt::format("in{}={}:{}{}", i, name_of(input.dtype), text(input.shape),
                    input.dense() ? "" : ":strided"));
  }
  for (const OutputValue& output : op.outputs)
    add(fmt::format("out={}:{}", name_of(output.dtype), text(output.shape)));
  if (!op.places.from.empty()) add("from=" + text(op.places.from));
  if (!op.places.to.empty()) add("to=" + text(op.places.to));
  return line;
}

std::vector<ValueId> input_ids(const DataOp& op) {
  if (const auto* memory = std::get_if<MemoryParams>(&op.params)) {
    if (!memory->values)
      throw ModelError(
          fmt::format("op {} is looked at before the accesses of its instant are in order", op.id));
    return *memory->values;
  }
  ByteImage all;
  for (const TensorValue& input : op.inputs) all.append(input.image);
  return all.value_ids();
}

}  // namespace kernbench
