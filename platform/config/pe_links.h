// The links between the engines of a PE (models/protocol/pe_engine.h): the only table of them.
#pragma once

#include <string>
#include <vector>

#include "models/protocol/pe_engine.h"

namespace kernbench {

// The directed pe_internal edges of one PE: tasks, commands and PE memory accesses (spec 5).
struct EnginePair {
  PeEngine src, dst;
};
const std::vector<EnginePair>& pe_internal_pairs();
std::string link_name(EnginePair pair);  // "pe_dma_to_pe_tcm", a key of pe_template.links
// Whether the edge is a link of the fabric, which can have a length and a bandwidth: memory traffic
// to and from a TCM. Other communication between the engines of a PE has no transport time.
bool carries_flits(EnginePair pair);

}  // namespace kernbench
