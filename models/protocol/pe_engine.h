// The engines of a PE and the stages of tile tasks that each of them serves (spec 1.1, 5): the only
// table of this assignment.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/base/role.h"

namespace kernbench {

// One of the nine roles of engines_of_pe; name_of() returns its name in node names and
// topology.yaml.
using PeEngine = Role;

enum class StageType : std::uint8_t { dma_read, fetch, gemm, math, store, dma_write };
inline constexpr int stage_type_count = 6;

// A set of stage types.
class StageSet {
 public:
  template <class... Types>
  explicit constexpr StageSet(Types... types) : bits_((0u | ... | bit(types))) {}
  constexpr bool has(StageType type) const { return (bits_ & bit(type)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }

 private:
  static constexpr unsigned bit(StageType type) { return 1u << static_cast<unsigned>(type); }
  unsigned bits_;
};

// In the order of spec 1.1, indexed by PeEngine. An engine that serves stages accepts tile tasks.
struct EngineOfPe {
  PeEngine engine;
  StageSet stages{};
};
inline constexpr std::array<EngineOfPe, 9> engines_of_pe{{
    {PeEngine::pe_cpu},
    {PeEngine::pe_scheduler},
    {PeEngine::pe_dma, StageSet(StageType::dma_read, StageType::dma_write)},
    {PeEngine::pe_fetch_store, StageSet(StageType::fetch, StageType::store)},
    {PeEngine::pe_gemm, StageSet(StageType::gemm)},
    {PeEngine::pe_math, StageSet(StageType::math)},
    {PeEngine::pe_tcm},
    {PeEngine::pe_mmu},
    {PeEngine::pe_ipcq},
}};

constexpr bool is_engine_of_pe(Role role) {
  return static_cast<std::size_t>(role) < engines_of_pe.size();
}
constexpr StageSet stages_of(PeEngine engine) {
  return is_engine_of_pe(engine) ? engines_of_pe[static_cast<std::size_t>(engine)].stages
                                 : StageSet();
}

// The engine of each stage type, found in the table above; pe_cpu, which serves none, if it lacks.
constexpr std::array<PeEngine, stage_type_count> engines_by_stage() {
  std::array<PeEngine, stage_type_count> engines{};
  for (const EngineOfPe& row : engines_of_pe) {
    for (int type = 0; type < stage_type_count; ++type) {
      if (row.stages.has(static_cast<StageType>(type)))
        engines[static_cast<std::size_t>(type)] = row.engine;
    }
  }
  return engines;
}
inline constexpr std::array<PeEngine, stage_type_count> engine_by_stage = engines_by_stage();
constexpr PeEngine engine_of(StageType stage) {
  return engine_by_stage[static_cast<std::size_t>(stage)];
}

constexpr bool engine_table_is_in_order() {
  for (std::size_t i = 0; i < engines_of_pe.size(); ++i) {
    if (static_cast<std::size_t>(engines_of_pe[i].engine) != i) return false;
  }
  for (const PeEngine engine : engine_by_stage) {
    if (stages_of(engine).empty()) return false;
  }
  return true;
}
static_assert(engine_table_is_in_order());

}  // namespace kernbench
