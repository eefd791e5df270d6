#include "models/pe/pe_math.h"

#include <algorithm>
#include <string>

namespace kernbench {
namespace {

// Every op with a parameter of its own.
template <class Visit>
void for_each_op(Visit visit) {
  for (int i = 0; i < math_op_count; ++i) {
    const auto op = static_cast<MathOp>(i);
    if (op != MathOp::softmax) visit(op, "cycles_" + std::string(name_of(op)));
  }
}

}  // namespace

ParameterSchema PeMath::schema() {
  ParameterSchema schema = stage_schema("0");
  schema.push_back(Parameter::integer("lanes", "elements per cycle", "", "spec 1.2")
                       .default_val(128)
                       .range("1", "1000000"));
  schema.push_back(Parameter::frequency_ghz("clock_ghz", "clock", "spec 1.2").default_val(1));
  const MathCycles defaults = MathCycles::defaults();
  for_each_op([&](MathOp op, const std::string& name) {
    schema.push_back(Parameter::integer(name, "cycles per row of lanes", "", "spec 5")
                         .default_val(static_cast<std::int64_t>(defaults.of(op)))
                         .range("0", "1000000"));
  });
  return schema;
}

PeMath::PeMath(const ComponentInit& init)
    : StageEngine(init, {StageType::math}),
      lanes_per_cycle_(static_cast<std::uint64_t>(init.attributes.integer("lanes"))),
      clock_ghz_(init.attributes.decimal("clock_ghz")) {
  for_each_op([&](MathOp op, const std::string& name) {
    cycles_.set(op, static_cast<std::uint64_t>(init.attributes.integer(name)));
  });
}

void PeMath::start(Lane& lane) {
  Uses<AccelSlot>::provider().request_slot(*this, lane.index, lane.task->order());
}

void PeMath::granted(std::uint32_t tag) {
  Lane& held = lane(tag);
  const Stage& stage = held.stage();
  begin(held);
  const Fs work =
      cycles_to_fs(cycles_.cycles(stage.math_op, stage.elements, lanes_per_cycle_), clock_ghz_);
  expire_at(held, now() + std::max(overhead(), work));
}

void PeMath::release(Lane& lane) {
  Uses<AccelSlot>::provider().release_slot();
  if (lane.stage().register_bytes > 0)
    Uses<RegisterFile>::provider().release_registers(lane.stage().register_bytes);
}

}  // namespace kernbench
