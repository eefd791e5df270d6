// The nine engines of a PE and the links between them: the only table of which is which.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/protocol/machine_description.h"
#include "platform/topology/node_kind.h"

namespace kernbench {

// In the order of spec 1.1.
struct EngineOfPe {
  PeEngine engine;
  NodeKind kind;
};
inline constexpr std::array<EngineOfPe, 9> engines_of_pe{
    {{PeEngine::pe_cpu, NodeKind::pe_cpu},
     {PeEngine::pe_scheduler, NodeKind::pe_scheduler},
     {PeEngine::pe_dma, NodeKind::pe_dma},
     {PeEngine::pe_fetch_store, NodeKind::pe_fetch_store},
     {PeEngine::pe_gemm, NodeKind::pe_gemm},
     {PeEngine::pe_math, NodeKind::pe_math},
     {PeEngine::pe_tcm, NodeKind::pe_tcm},
     {PeEngine::pe_mmu, NodeKind::pe_mmu},
     {PeEngine::pe_ipcq, NodeKind::pe_ipcq}}};

std::optional<PeEngine> engine_of(NodeKind kind);  // of other kinds none
std::string_view name_of(PeEngine engine);         // in node names and in topology.yaml

// The directed pe_internal edges of one PE: tasks, commands and PE memory accesses (spec 5).
struct EnginePair {
  PeEngine src, dst;
};
const std::vector<EnginePair>& pe_internal_pairs();
std::string link_name(EnginePair pair);  // "pe_dma_to_pe_tcm", a key of pe_template.links
// Whether the edge is a link of the fabric, which can have a length and a bandwidth: memory traffic
// to and from a TCM. What else the engines of a PE tell each other takes no time on the way.
bool carries_flits(EnginePair pair);

}  // namespace kernbench
