// IPCQ: ring buffers between PEs (spec 8.1): installation by the host, operations of a kernel,
// messages from PE to PE.
//
// A queue pair joins a direction of one PE with a direction of another. Each end has one receive
// ring of n_slots slots; it sends into the ring of the other. A direction is a name with the
// meaning given by the installed graph. Rings are identified by their addresses only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/address/phys_range.h"
#include "models/base/dtype.h"
#include "models/base/units.h"
#include "models/protocol/host_messages.h"

namespace kernbench {

class ByteImage;     // models/data
struct DataOp;       // models/data
class CommandState;  // command_state.h

// --- Installation

// Memory of a PE: its own TCM, its cube's SRAM, its HBM partition.
enum class MemorySpace : std::uint8_t { tcm, sram, hbm };
const char* name_of(MemorySpace space);                 // "tcm", ...
MemorySpace parse_memory_space(std::string_view name);  // UsageError that lists the names

// Wait mode of a send that needs a credit.
enum class Backpressure : std::uint8_t { sleep, poll };
const char* name_of(Backpressure mode);
Backpressure parse_backpressure(std::string_view name);  // UsageError that lists the names

// Settings common to the rings of an installation: parameters of torch.ipcq.install, and by
// ccl.yaml, whose keys these are, of a process group.
struct IpcqSettings {
  MemorySpace buffer_kind = MemorySpace::tcm;  // memory of the receiving PE
  std::uint32_t n_slots = 4;
  std::uint64_t slot_size = 4096;                   // bytes: the largest message
  Backpressure backpressure = Backpressure::sleep;  // back-pressure of sends into a full ring
  Rational poll_ns = 10;                            // between two checks of a polling send
  std::uint32_t ipcq_credit_size_bytes = 16;        // bytes of a credit on its side band
  std::optional<std::uint32_t> vc_chunk_size;       // bytes; default: the attribute of pe_dma
  // Off: the rings need not fit their memory. They get addresses that no memory has; times and data
  // are as if it had them.
  bool ring_capacity_check = true;

  std::uint64_t ring_bytes() const { return n_slots * slot_size; }
};

// One endpoint of a queue pair.
struct IpcqQueuePair {
  std::string direction;
  PeId peer;
  std::string peer_direction;      // for diagnosis
  std::uint64_t rx_base = 0;       // base of this PE's ring; physical
  std::uint64_t peer_rx_base = 0;  // base of the ring that this PE sends into
  std::uint32_t n_slots = 0;       // slots of both rings; 0: the number in the settings
};
using IpcqQueuePairs =
    std::vector<IpcqQueuePair>;  // queue pairs of a PE, by direction in byte order

// Installation of one PE.
struct IpcqSetup {
  IpcqSettings settings;
  // In installation order; empty if nothing is installed. Queue pairs without a direction are free
  // entries: operations in flight refer to queue pairs by index.
  IpcqQueuePairs queue_pairs;
  const IpcqQueuePair* find(std::string_view direction) const;  // null if there is none
  std::string directions() const;                               // "E, W"
};

// To the pe_cpu of every target, which passes it to its pe_ipcq. A PE refuses with code "ipcq_busy"
// while one of the queues to be removed holds a message or awaits a credit.
struct IpcqInstall : PeMessage {
  enum class Action : std::uint8_t {
    ask,
    install
  };  // ask: only answers whether it would be refused
  enum class Change : std::uint8_t {
    replace,  // all existing queue pairs
    add,      // to the existing queue pairs
    remove    // those in `queue_pairs`
  };
  Action action = Action::install;
  Change change = Change::replace;
  bool forced = false;  // the contents of the queues are lost: a launch that used them has failed
  std::uint64_t installation =
      0;  // its number; messages of other installations find no slot any more
  IpcqSettings settings;
  std::map<PeId, IpcqQueuePairs>
      queue_pairs;  // with Change::replace a target without an entry has no queue pairs afterwards
  PeEngine end() const override;
  const char* type_name() const override { return "IpcqInstall"; }
};

// Throws UsageError like the other validate() calls (host_messages.h).
void validate(const IpcqInstall& message);

// --- From PE to PE

struct IpcqCredit {
  std::uint64_t installation = 0;
  std::uint64_t consumer_seq = 0;  // messages consumed, in order
  std::uint64_t dst_rx_base = 0;   // base of the ring that has room again
  PeId source;                     // the receiver; for diagnosis
};

// Data and metadata of one message. Its route ends at the receiver's pe_dma.
struct IpcqMessage : Message {
  std::uint64_t installation = 0;
  std::uint64_t dst_addr = 0;  // address of the slot; physical
  std::uint64_t sender_seq = 0;
  std::uint64_t nbytes = 0;
  Shape shape;
  DType dtype = DType::f16;
  std::shared_ptr<const ByteImage> bytes;  // contents at issue; null with data off
  std::shared_ptr<const DataOp> sent;      // IpcqSend::data
  PeId destination;
  PeId source;
  std::string direction;     // the sender's; for diagnosis
  std::uint32_t stream = 0;  // of the sender's kernel
};

// --- Kernel and PE_IPCQ

struct IpcqSend {
  std::string direction;
  Shape shape;
  DType dtype = DType::f16;
  std::shared_ptr<const ByteImage> bytes;  // null with data off
  std::shared_ptr<const DataOp> data;      // for records
  std::uint32_t agent = 0;                 // agent of the race detector, if there is one

  std::uint64_t nbytes() const {
    return static_cast<std::uint64_t>(shape.elements()) * size_of(dtype);
  }
};

struct IpcqReceive {
  std::string direction;  // empty: the first one with data, round robin
  Shape shape;
  DType dtype = DType::f16;
  bool consume = true;        // false: no slot read, no wait for the credit (measurements)
  bool awaits_credit = true;  // false: ends with the slot read, concurrently with the credit
  std::optional<std::uint64_t> place;  // reserved before
  std::optional<MemorySpace> copy_to;  // the message is then also written there
  PhysRanges to;                       // for records
  std::uint32_t agent = 0;             // agent of the race detector, if there is one

  std::uint64_t nbytes() const {
    return static_cast<std::uint64_t>(shape.elements()) * size_of(dtype);
  }
};

struct IpcqReceived {
  std::string direction;
  std::shared_ptr<const ByteImage> bytes;  // null with data off
};

// A send or a receive that a kernel has left in flight.
struct IpcqOperation {
  std::shared_ptr<CommandState> state;
  std::string direction;
  IpcqReceived received;  // result of a receive that has ended
};

}  // namespace kernbench
