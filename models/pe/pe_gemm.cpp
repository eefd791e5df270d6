#include "models/pe/pe_gemm.h"

#include "models/timing/engine_rules.h"

namespace kernbench {

ParameterSchema PeGemm::schema() {
  ParameterSchema schema = stage_schema("0");
  schema.push_back(
      Parameter::integer("macs_per_cycle", "multiply-accumulates per cycle", "", "spec 1.2")
          .default_val(4096)
          .range("1", "1000000000"));
  schema.push_back(Parameter::frequency_ghz("clock_ghz", "clock", "spec 1.2").default_val(1));
  return schema;
}

PeGemm::PeGemm(const ComponentInit& init)
    : StageEngine(init, {StageType::gemm}),
      macs_per_cycle_(static_cast<std::uint64_t>(init.attributes.integer("macs_per_cycle"))),
      clock_ghz_(init.attributes.decimal("clock_ghz")) {}

void PeGemm::start(Lane& lane) {
  Uses<AccelSlot>::provider().request_slot(*this, lane.index, lane.task->order());
}

void PeGemm::granted(std::uint32_t tag) {
  Lane& held = lane(tag);
  const Stage& stage = held.stage();
  begin(held);
  expire_at(held,
            now() + overhead() +
                cycles_to_fs(gemm_cycles(stage.m, stage.k, stage.n, macs_per_cycle_), clock_ghz_));
}

void PeGemm::release(Lane& lane) {
  Uses<AccelSlot>::provider().release_slot();
  if (lane.stage().register_bytes > 0)
    Uses<RegisterFile>::provider().release_registers(lane.stage().register_bytes);
}

}  // namespace kernbench
