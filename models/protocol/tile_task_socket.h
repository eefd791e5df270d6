// The sockets between engines of a PE that pass tile tasks on (spec 5.2).
#pragma once

#include <tlm>

#include "models/protocol/tile_task.h"

namespace kernbench {

// TLM-2.0 with TileTask as payload and the base phases: BEGIN_REQ offers a task; TLM_UPDATED +
// END_REQ takes it at once, TLM_ACCEPTED means that END_REQ follows on the backward path when the
// receiver's queue for that stage has room. Until then the sender keeps it.
struct TileTaskProtocol {
  using tlm_payload_type = TileTask;
  using tlm_phase_type = tlm::tlm_phase;
};
using TileTaskForward = tlm::tlm_fw_transport_if<TileTaskProtocol>;
using TileTaskBackward = tlm::tlm_bw_transport_if<TileTaskProtocol>;
using TileTaskInitiatorSocket =
    tlm::tlm_base_initiator_socket<32, TileTaskForward, TileTaskBackward>;
using TileTaskTargetSocket = tlm::tlm_base_target_socket<32, TileTaskForward, TileTaskBackward>;

}  // namespace kernbench
