// Links between the engines of a PE (models/protocol/pe_engine.h): their only table.
#pragma once

#include <string>
#include <vector>

#include "models/protocol/pe_engine.h"

namespace kernbench {

// Directed pe_internal edge of one PE: tasks, commands and PE memory accesses (spec 5).
struct EnginePair {
  PeEngine src, dst;
};
const std::vector<EnginePair>& pe_internal_pairs();
std::string link_name(EnginePair pair);  // "pe_dma_to_pe_tcm", a key of pe_template.links
// True if the edge is a fabric link, which can have a length and a bandwidth: memory traffic to and
// from a TCM. Other communication between the engines of a PE has no transport time.
bool carries_flits(EnginePair pair);

}  // namespace kernbench
