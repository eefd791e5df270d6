// Services of the engines of a PE for each other: a payload each, its users, and the meaning of its
// phases (models/protocol/service_socket.h).
//
// Calls take no time. The instant of the answer determines the time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/address/phys_range.h"
#include "models/base/units.h"
#include "models/protocol/command.h"
#include "models/protocol/command_state.h"
#include "models/protocol/host_messages.h"
#include "models/protocol/machine_description.h"
#include "models/protocol/service_socket.h"
#include "models/protocol/tile_task.h"
#include "models/protocol/transaction.h"

namespace kernbench {

// Scheduler and engines with stages -> engine of the next stage (spec 5.2): a tile task.
//   BEGIN_REQ   TLM_UPDATED + END_REQ: the receiver's. TLM_ACCEPTED: the sender keeps it.
//   END_REQ     the receiver's: its queue for that stage has room.
struct TaskOffer : ServicePayload<TaskOffer> {
  static constexpr const char* service = "tasks";
  static constexpr ServicePhases phases{true, false, false};

  TileTask* task = nullptr;
};

// PE_CPU -> PE_SCHEDULER: a command.
//   BEGIN_REQ   TLM_UPDATED + END_REQ: accepted, without a limit. UsageError for one that can never
//               run: a tile that fits neither the register file nor the tile buffers.
//   BEGIN_RESP  the command is complete.
//   b_transport with `abandon`: the commands of `stream` in flight fail with that text; work not
//               yet begun is dropped (spec 4.2).
//   transport_dbg fills in `usage`, since the start of the run.
struct CommandRequest : ServicePayload<CommandRequest> {
  static constexpr Role provider = Role::pe_scheduler;
  static constexpr const char* service = "commands";
  static constexpr ServicePhases phases{true, true, false};

  std::shared_ptr<CommandState> state;
  Command command;           // moved from when it has been taken
  std::uint32_t stream = 0;  // stream of the launch
  std::string abandon;
  PeUsage usage;
};

// PE_GEMM, PE_MATH -> PE_SCHEDULER: one compute op at a time per PE.
//   BEGIN_REQ   TLM_ACCEPTED; granted in order of the requests, those of one instant by `order`.
//               TLM_UPDATED + BEGIN_RESP: granted; only for a request that is `alone`.
//   BEGIN_RESP  granted: held until END_RESP.
//   END_RESP    released.
struct SlotRequest : ServicePayload<SlotRequest> {
  static constexpr Role provider = Role::pe_scheduler;
  static constexpr const char* service = "accel_slot";
  static constexpr ServicePhases phases{false, true, true};

  StageType stage = StageType::gemm;  // gemm or math
  WorkOrder order;
  bool alone = false;        // no other one can ask at this instant (TileTask::alone)
  std::uint32_t stream = 0;  // stream of the launch
  std::uint32_t tag = 0;     // the initiator's own, also below
};

// PE_DMA -> PE_SCHEDULER: a buffer in the scheduler's reserve of the TCM. The scheduler frees it
// itself, when the stage that ends its use is reported to it.
//   BEGIN_REQ   TLM_COMPLETED: the tile has its buffer. TLM_ACCEPTED: it waits for room.
//   BEGIN_RESP  the tile has its buffer.
struct BufferRequest : ServicePayload<BufferRequest> {
  static constexpr Role provider = Role::pe_scheduler;
  static constexpr const char* service = "tile_buffers";
  static constexpr ServicePhases phases{false, true, false, true};

  TileTask* task = nullptr;
  std::uint32_t tag = 0;
};

// PE_GEMM, PE_MATH, PE_SCHEDULER -> PE_FETCH_STORE, which does the accounting: FETCH takes
// registers, later stages release them.
//   BEGIN_REQ   TLM_COMPLETED: `bytes` have been released.
//   transport_dbg fills in `capacity`.
struct RegisterRequest : ServicePayload<RegisterRequest> {
  static constexpr Role provider = Role::pe_fetch_store;
  static constexpr const char* service = "registers";
  static constexpr ServicePhases phases{};

  std::uint64_t bytes = 0;
  std::uint64_t capacity = 0;  // capacity of the register file, in bytes
};

// PE_FETCH_STORE, PE_DMA -> PE_TCM: an access by the engines of the PE. Values are not here: the
// memory store holds them.
//   BEGIN_REQ   TLM_ACCEPTED; requests of one instant by `order`.
//   END_REQ     it has its channel.
//   BEGIN_RESP  it has ended.
struct TcmRequest : ServicePayload<TcmRequest> {
  static constexpr Role provider = Role::pe_tcm;
  static constexpr const char* service = "access";
  static constexpr ServicePhases phases{true, true, false};

  bool write = false;
  std::uint64_t bytes = 0;
  WorkOrder order;
  std::uint32_t tag = 0;
};

// PE_DMA, PE_CPU -> PE_MMU.
//   b_transport  `ranges` of the bytes; the delay is the cost of a timed look-up. An address below
//                va_base is physical. AccessFault for one above without a mapping.
//   transport_dbg `ranges` without time; with `launch`: the tensors of the launch that starts,
//                which the address model PA resolves by their shards.
struct TranslationRequest : ServicePayload<TranslationRequest> {
  static constexpr Role provider = Role::pe_mmu;
  static constexpr const char* service = "translation";
  static constexpr ServicePhases phases{};

  std::uint64_t address = 0;
  std::uint64_t nbytes = 0;
  PhysRanges ranges;  // in the order of the bytes; neighbours that continue each other are one
  const std::vector<KernelArgument>* launch = nullptr;
};

// PE_MMU -> PE_DMA: look-up in its BAAW stage (address model LA). An implementation may omit it.
//   transport_dbg fills in `ranges`, in the order of the bytes; AccessFault naming the first
//                 address without a segment.
struct SegmentRequest : ServicePayload<SegmentRequest> {
  static constexpr Role provider = Role::pe_dma;
  static constexpr const char* service = "segments";
  static constexpr ServicePhases phases{};
  static constexpr bool optional = true;

  std::uint64_t address = 0;
  std::uint64_t nbytes = 0;
  PhysRanges ranges;
};

// Any initiator -> PE_DMA: a transfer in addition to those of the tiles, on the same channels.
//   BEGIN_REQ   TLM_ACCEPTED.
//   END_REQ     granted: it has its channel.
//   BEGIN_RESP  it has ended; with a `fault` there is no route to the memory, or it has answered
//               with an error.
//   transport_dbg fills in `held`.
struct DmaRequest : ServicePayload<DmaRequest> {
  static constexpr Role provider = Role::pe_dma;
  static constexpr const char* service = "transfers";
  static constexpr ServicePhases phases{true, true, false};

  bool write = false;
  MemoryTarget place;
  std::uint64_t bytes = 0;
  WorkOrder order;
  std::optional<TieKey> key;  // key of the transaction; the pe_dma creates one if there is none
  std::uint32_t tag = 0;
  std::uint64_t physical = 0;  // address of its first byte, 0 if not known
  std::string fault;
  Fs held = 0;  // both channels together, grants to completions, up to now
};

// Host, traffic -> PCIE_EP: a transaction that starts there. It pays the endpoint's overhead from
// now on; any number may start in an instant. Its TransactionListener reports its end.
//   BEGIN_REQ   TLM_COMPLETED: taken.
template <>
struct ServiceOf<Transaction> {
  static constexpr Role provider = Role::pcie_ep;
  static constexpr const char* name = "requests";
  static constexpr ServicePhases phases{};
  static constexpr bool optional = false;
};

}  // namespace kernbench
