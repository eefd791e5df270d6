// Services of the engines of a PE for each other: one small interface each, with its users. The
// ends of the pe_internal edges are bound by these types alone, so that a replaced engine is bound
// as the built-in one is: an engine has a ServicePort<I> for what it needs, and derives from I, or
// has a ServiceExport<I>, for what it provides (models/protocol/service_port.h).
//
// Calls are functional and non-blocking. Time is given by the instant of the answer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "models/address/phys_range.h"
#include "models/base/units.h"
#include "models/protocol/command.h"
#include "models/protocol/command_state.h"
#include "models/protocol/host_messages.h"
#include "models/protocol/machine_description.h"
#include "models/protocol/service_port.h"
#include "models/protocol/tile_task.h"
#include "models/protocol/tile_task_socket.h"
#include "models/protocol/transaction.h"

namespace kernbench {

// --- Tile tasks (spec 5.2): one pair of sockets per edge between two engines

class TaskSender : public virtual sc_core::sc_interface {
 public:
  static constexpr const char* port_name = "task_sender";
  // Once per edge, before the end of elaboration.
  virtual TileTaskInitiatorSocket& add_task_output(PeEngine to) = 0;
};

class TaskReceiver : public virtual sc_core::sc_interface {
 public:
  static constexpr const char* port_name = "task_receiver";
  virtual TileTaskTargetSocket& add_task_input(PeEngine from) = 0;
};

// --- Services

// Grant of what was requested, at that instant. `tag` is the requester's own.
class GrantListener {
 public:
  virtual void granted(std::uint32_t tag) = 0;

 protected:
  ~GrantListener() = default;
};

// Usage of a PE's engines since the start of the run (spec 4.3).
struct PeUsage {
  Fs dma = 0;      // channels held, grant to completion
  Fs compute = 0;  // accel_slot held
};

// PE_CPU -> PE_SCHEDULER.
class CommandPort : public virtual sc_core::sc_interface {
 public:
  static constexpr PeEngine provider = PeEngine::pe_scheduler;
  static constexpr const char* port_name = "command_port";
  // Takes any number of commands. Throws UsageError for a command that can never run: a tile that
  // fits neither the register file nor the tile buffers.
  virtual void submit(std::shared_ptr<CommandState> state, Command command) = 0;
  // The commands under way fail with `why`: work not yet begun is dropped (spec 4.2).
  virtual void abandon(const std::string& why) = 0;
  // No command is under way. drained_event() is notified when that becomes true.
  virtual bool drained() const = 0;
  virtual const sc_core::sc_event& drained_event() const = 0;
  virtual PeUsage usage() const = 0;
};

// PE_GEMM, PE_MATH -> PE_SCHEDULER: one compute op at a time per PE.
class AccelSlot : public virtual sc_core::sc_interface {
 public:
  static constexpr PeEngine provider = PeEngine::pe_scheduler;
  static constexpr const char* port_name = "accel_slot";
  // Granted in order of the requests; requests of one instant by WorkOrder.
  virtual void request_slot(GrantListener& listener, std::uint32_t tag, const WorkOrder& order) = 0;
  virtual void release_slot() = 0;
};

// PE_DMA -> PE_SCHEDULER: buffers in the scheduler's reserve of the TCM. The scheduler frees them
// itself, when the stage that ends their use is reported to it.
class TileBuffers : public virtual sc_core::sc_interface {
 public:
  static constexpr PeEngine provider = PeEngine::pe_scheduler;
  static constexpr const char* port_name = "tile_buffers";
  // True: the tile has its buffer. False: it is granted later.
  virtual bool acquire_buffer(TileTask& task, GrantListener& listener, std::uint32_t tag) = 0;
};

// PE_GEMM, PE_MATH, PE_SCHEDULER -> PE_FETCH_STORE, which does the accounting: FETCH takes
// registers, later stages give them back.
class RegisterFile : public virtual sc_core::sc_interface {
 public:
  static constexpr PeEngine provider = PeEngine::pe_fetch_store;
  static constexpr const char* port_name = "register_file";
  virtual std::uint64_t register_file_bytes() const = 0;
  virtual void release_registers(std::uint64_t bytes) = 0;
};

class TcmListener {
 public:
  virtual void tcm_access_began(std::uint32_t tag) = 0;  // has its channel
  virtual void tcm_access_ended(std::uint32_t tag) = 0;

 protected:
  ~TcmListener() = default;
};

// PE_FETCH_STORE -> PE_TCM.
class TcmAccess : public virtual sc_core::sc_interface {
 public:
  static constexpr PeEngine provider = PeEngine::pe_tcm;
  static constexpr const char* port_name = "tcm_access";
  virtual void access_tcm(bool write, std::uint64_t bytes, TcmListener& listener, std::uint32_t tag,
                          const WorkOrder& order) = 0;
};

// PE_DMA, PE_CPU -> PE_MMU.
class AddressTranslation : public virtual sc_core::sc_interface {
 public:
  static constexpr PeEngine provider = PeEngine::pe_mmu;
  static constexpr const char* port_name = "translation";
  struct Result {
    PhysRanges ranges;  // in the order of the bytes; neighbours that continue each other are one
    Fs cost = 0;        // of a timed translation
  };
  // An address below va_base is physical. Throws AccessFault for one above without a mapping.
  virtual Result translate_address(std::uint64_t address, std::uint64_t nbytes) = 0;
  // The tensors of the launch that starts; the address model PA resolves by their shards.
  virtual void use_tensors(const std::vector<KernelArgument>& arguments) = 0;
};

// PE_MMU -> PE_DMA: look-up in its BAAW stage (address model LA). An implementation may omit it.
class SegmentLookup : public virtual sc_core::sc_interface {
 public:
  static constexpr PeEngine provider = PeEngine::pe_dma;
  static constexpr const char* port_name = "segments";
  // Physical ranges of the bytes, in their order, without time. Throws AccessFault naming the first
  // address without a segment.
  virtual PhysRanges look_up_segments(std::uint64_t address, std::uint64_t nbytes) const = 0;
};

class DmaListener {
 public:
  virtual void dma_granted(std::uint32_t tag) = 0;
  virtual void dma_ended(std::uint32_t tag) = 0;
  // Instead of dma_ended(): there is no route to the memory, or it has answered with an error.
  virtual void dma_failed(std::uint32_t tag, const std::string& /*fault*/) { dma_ended(tag); }

 protected:
  ~DmaListener() = default;
};

struct DmaRequest {
  bool write = false;
  MemoryTarget place;
  std::uint64_t bytes = 0;
  WorkOrder order;
  std::optional<TieKey> key;  // of the transaction; the pe_dma makes one if there is none
  DmaListener* listener = nullptr;
  std::uint32_t tag = 0;
  std::uint64_t physical = 0;  // address of its first byte, 0 if not known
};

// Any initiator -> PE_DMA: a transfer beside those of the tiles, on the same channels.
class DmaAccess : public virtual sc_core::sc_interface {
 public:
  static constexpr PeEngine provider = PeEngine::pe_dma;
  static constexpr const char* port_name = "dma_access";
  virtual void submit_dma(const DmaRequest& request) = 0;
  // Both channels together, grants to completions, up to now.
  virtual Fs dma_channel_held() const = 0;
};

}  // namespace kernbench
