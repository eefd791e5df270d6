#include "models/data/data_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "models/address/phys_addr.h"
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

// "from=registers+64;HBM:0x2000000000+4096"; nothing without either. With very many ranges, as in a
// scattered access, it shows the first ones.
std::string text(const char* side, const PhysRanges& ranges, std::uint64_t register_bytes) {
  constexpr std::size_t shown = 256;
  std::string list;
  if (register_bytes > 0) list = fmt::format("registers+{}", register_bytes);
  for (const PhysRange& range : ranges) {
    if (&range - ranges.data() == shown) {
      list += fmt::format(";and {} more", ranges.size() - shown);
      break;
    }
    list += fmt::format("{}{}:{:#x}+{}", list.empty() ? "" : ";", space_of(range.pa), range.pa,
                        range.nbytes);
  }
  return list.empty() ? list : fmt::format("{}={}", side, list);
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
  std::string operator()(const MemoryParams& p) const {
    return p.block ? fmt::format("block={}:{}", name_of(p.dtype), text(*p.block)) : "";
  }
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
    for (const int axis : p.more_axes) line += fmt::format(";{}", axis);
    if (p.reverse) line += kind_of(p.op) == MathKind::sort ? " descending" : " reverse";
    if (p.indices) line += " indices";
    if (p.op == MathOp::topk) line += fmt::format(" k={}", p.kept);
    for (std::size_t i = 0; i < p.starts.size(); ++i)
      line += fmt::format("{}{}", i == 0 ? " starts=" : ";", p.starts[i]);
    if (is_random(p.op)) line += fmt::format(" seed={} rounds={}", p.seed, p.rounds);
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

const char* space_of(std::uint64_t physical_address) {
  try {
    const PhysAddr address = PhysAddr::decode(physical_address);
    return address.kind() == AddressKind::pe_local ? name_of(address.pe_unit())
                                                   : name_of(address.kind());
  } catch (const AddressError&) {
    return "unknown";
  }
}

const char* gemm_name(DType in) {
  constexpr std::array<const char*, 5> names{"gemm_f16", "gemm_bf16", "gemm_f32", "gemm_i8",
                                             "gemm_i32"};
  return names.at(static_cast<std::size_t>(in));
}

std::string describe(const DataOp& op) {
  std::string line = std::visit(ParamsText{}, op.params);
  const auto add = [&line](const std::string& word) {
    if (!word.empty()) line += (line.empty() ? "" : " ") + word;
  };
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const TensorValue& input = op.inputs[i];
    add(fmt::format("in{}={}:{}{}", i, name_of(input.dtype), text(input.shape),
                    input.dense() ? "" : ":strided"));
  }
  for (const OutputValue& output : op.outputs)
    add(fmt::format("out={}:{}", name_of(output.dtype), text(output.shape)));
  add(text("from", op.places.from, op.places.from_registers));
  add(text("to", op.places.to, op.places.to_registers));
  return line;
}

std::vector<ValueId> input_ids(const DataOp& op) {
  if (const auto* memory = std::get_if<MemoryParams>(&op.params)) {
    if (!memory->values)
      throw ModelError(
          fmt::format("op {} is read before the accesses of its timestep are ordered", op.id));
    return *memory->values;
  }
  if (op.released) return *op.released;
  std::vector<ValueId> ids;
  for (const TensorValue& input : op.inputs) {
    const std::vector<ValueId> more = input.image.value_ids();
    ids.insert(ids.end(), more.begin(), more.end());
  }
  if (op.inputs.size() < 2) return ids;
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

std::uint64_t input_bytes(const DataOp& op) {
  std::uint64_t bytes = 0;
  for (const TensorValue& input : op.inputs) {
    const Segments& segments = input.image.segments();
    if (segments.size() > 1)
      bytes += segments.size() * sizeof(Segment);  // segments of a gathered block
    for (const Segment& segment : segments) {
      if (segment.kind == Segment::Kind::bytes) bytes += segment.nbytes;
    }
  }
  return bytes;
}

bool inputs_bound(const DataOp& op) {
  return std::all_of(op.inputs.begin(), op.inputs.end(),
                     [](const TensorValue& input) { return input.image.bound(); });
}

void release_inputs(DataOp& op) {
  if (op.released) return;
  op.released = input_ids(op);
  for (TensorValue& input : op.inputs) input.image = {};
}

}  // namespace kernbench
