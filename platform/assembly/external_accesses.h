// Accesses of the plain TLM-2.0 initiators of a machine, for the summary of a run.
#pragma once

#include <string>
#include <vector>

#include "models/tlm/tlm_bridge.h"

namespace kernbench {

class Platform;

struct ExternalAccesses {
  std::string node;    // "sip0.cube0.ext0"
  std::string module;  // "acme.dma"
  TlmBridge::Accesses accesses;
};

// Accesses per initiator, by ascending node.
std::vector<ExternalAccesses> initiator_accesses(const Platform& platform);
// "2 accesses of plain TLM-2.0 initiators have failed\n  sip0.cube0.ext0 (acme.dma): 2, first ...";
// empty: none has failed.
std::string failed_accesses(const std::vector<ExternalAccesses>& initiators);

// Bridges of a machine, by ascending node.
std::vector<const TlmBridge*> bridges_of(const Platform& platform);

}  // namespace kernbench
