#include "platform/observe/op_params_json.h"

#include "models/address/phys_addr.h"
#include "models/base/errors.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

// "HBM", "PE_TCM", "CUBE_SRAM", ...
std::string space_of(std::uint64_t pa) {
  try {
    const PhysAddr address = PhysAddr::decode(pa);
    return address.kind() == AddressKind::pe_local ? name_of(address.pe_unit())
                                                   : name_of(address.kind());
  } catch (const AddressError&) {
    return "unknown";
  }
}

Json ranges_json(const PhysRanges& ranges) {
  Json list = Json::array();
  for (const PhysRange& range : ranges)
    list.push_back({{"address", range.pa}, {"bytes", range.nbytes}, {"space", space_of(range.pa)}});
  return list;
}

Json epilogue_json(const std::vector<EpilogueOp>& epilogue) {
  Json list = Json::array();
  for (const EpilogueOp& op : epilogue) {
    Json entry{{"op", name_of(op.kind)}, {"scope", name_of(op.scope)}};
    if (op.input >= 0) {
      entry["input"] = op.input;
    } else if (op.kind == EpilogueOp::Kind::scale || op.kind == EpilogueOp::Kind::dequant) {
      entry["factor"] = op.factor;
    } else if (op.kind == EpilogueOp::Kind::clamp) {
      entry["min"] = op.low;
      entry["max"] = op.high;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

struct ParamsJson {
  Json operator()(const MemoryParams& p) const {
    constexpr std::array<const char*, 3> names{"load", "store", "copy"};
    return {{"op", names.at(static_cast<std::size_t>(p.kind))}};
  }
  Json operator()(const GemmParams& p) const {
    return {{"op", "gemm"},
            {"m", p.m},
            {"k", p.k},
            {"n", p.n},
            {"transpose_a", p.transpose_a},
            {"transpose_b", p.transpose_b},
            {"acc_dtype", name_of(p.acc_dtype.value_or(DType::f32))},
            {"tile_k", p.tile_k},
            {"epilogue", epilogue_json(p.epilogue)}};
  }
  Json operator()(const MathParams& p) const {
    Json json{{"op", name_of(p.op)},
              {"axis", p.axis ? Json(*p.axis) : Json()},
              {"operands", Json::array()}};
    for (const MathOperand& operand : p.operands) {
      json["operands"].push_back(operand.input >= 0 ? Json{{"input", operand.input}}
                                                    : Json{{"immediate", operand.immediate}});
    }
    json["epilogue"] = epilogue_json(p.epilogue);
    return json;
  }
  Json operator()(const ConvertParams&) const { return {{"op", "convert"}}; }
};

}  // namespace

Json op_params_json(const DataOp& op) {
  Json json = std::visit(ParamsJson{}, op.params);
  json["inputs"] = Json::array();
  for (const TensorValue& input : op.inputs) {
    json["inputs"].push_back({{"dtype", name_of(input.dtype)},
                              {"shape", input.shape.extents()},
                              {"strides", input.dense() ? Json() : Json(input.strides)}});
  }
  json["outputs"] = Json::array();
  for (const OutputValue& output : op.outputs)
    json["outputs"].push_back(
        {{"dtype", name_of(output.dtype)}, {"shape", output.shape.extents()}});
  json["from"] = ranges_json(op.places.from);
  json["to"] = ranges_json(op.places.to);
  return json;
}

}  // namespace kernbench
