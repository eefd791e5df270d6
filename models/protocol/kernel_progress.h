// Progress of kernels, of the messages between them, and of commands and tiles, for observers (spec
// 5.4, 11.6).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "models/base/executed_op.h"
#include "models/base/units.h"

namespace sc_core {
class sc_object;
}

namespace kernbench {

struct IpcqMessage;  // models/protocol/ipcq.h

// A kernel on a PE that starts now.
struct KernelStart {
  const sc_core::sc_object* node = nullptr;  // pe_cpu
  const std::string& request;                // request_id of the launch message
  const std::string& kernel;
  Fs start = 0;
  Fs target = 0;             // the common start
  std::uint32_t stream = 0;  // stream of its launch
};

// A kernel on a PE that has ended and answers its launch now.
struct KernelRun {
  const sc_core::sc_object* node = nullptr;  // pe_cpu
  const std::string& request;                // request_id of the launch message
  const std::string& kernel;
  Fs start = 0;     // start of the kernel: the common start, or later
  Fs returned = 0;  // return of the kernel; from here the engines drain
  Fs answered = 0;
  // Commands that have never been waited for: "2 commands, the first of tl.composite(gemm)
  // (k.cpp:39)". Empty: none.
  const char* unwaited = "";
  Fs target = 0;             // the common start; pe_exec is `answered` less this
  std::uint32_t stream = 0;  // stream of its launch: one kernel of a stream runs on a PE at a time
};

// A kernel's thread was blocked in [start, end), start < end.
struct KernelWait {
  enum class Reason : std::uint8_t { command, send, receive, barrier };
  enum class CommandKind : std::uint8_t { none, dma, gemm, math, composite };
  const sc_core::sc_object* node = nullptr;  // pe_cpu
  Reason reason = Reason::command;
  std::uint64_t command = 0;  // awaited command
  Fs start = 0;
  Fs end = 0;
  CommandKind command_kind = CommandKind::none;  // kind of that command; else none
  std::uint32_t stream = 0;                      // stream of the kernel's launch
};

// Stall of a compute op of one engine while the other engine held the accel_slot, in [start, end),
// start < end.
struct SlotWait {
  const sc_core::sc_object* node = nullptr;  // pe_scheduler
  OpKind waiting = OpKind::gemm;             // gemm or math
  Fs start = 0;
  Fs end = 0;
  std::uint32_t stream = 0;  // stream of the stalled op's launch
};

// A step of an IPCQ message (spec 8.1) that ends now.
struct MessageProgress {
  enum class Step : std::uint8_t {
    sent,     // handed to the sender's PE_DMA
    written,  // in its slot: data and head are visible
    consumed  // the slot is free; its credit is in flight
  };
  Step step = Step::sent;
  const sc_core::sc_object* node =
      nullptr;  // sent: the sender's pe_ipcq; else of the receiver's PE
  // Together the message's identity.
  std::uint64_t installation = 0, slot = 0, number = 0;  // slot: address; number: in its ring
  std::uint64_t ring = 0;                                // address of the ring; 0 with `written`
  std::uint64_t bytes = 0;
  const IpcqMessage* message = nullptr;  // sent
  Fs arrived = 0;                        // written: its last flit was at the receiver's PE_DMA
  Fs start = 0;  // written: of the slot write; consumed: the receive found the message
  Fs end = 0;
  Fs credit = 0;             // consumed: delivery of the credit
  std::uint32_t stream = 0;  // sent, consumed: of the kernel's launch
};

// --- Progress of commands and tiles in a PE (spec 5.4), in an order that is the same in every run.

enum class TraceKind : std::uint8_t {
  command_submitted,
  sub_command_dispatched,
  engine_start,
  engine_complete,
  tile_ready,
  command_complete
};
inline const char* name_of(TraceKind kind) {  // "command_submitted", ...
  constexpr std::array<const char*, 6> names{"command_submitted", "sub_command_dispatched",
                                             "engine_start",      "engine_complete",
                                             "tile_ready",        "command_complete"};
  return names.at(static_cast<std::size_t>(kind));
}

struct TraceEvent {
  TraceKind kind = TraceKind::command_submitted;
  Fs time = 0;
  const sc_core::sc_object* node = nullptr;
  std::uint64_t command_id = 0;
  std::int64_t tile_id = -1;  // -1: the command as a whole
  std::uint64_t bytes = 0;
  const char* stage = "";    // static: "DMA_READ", ...; "": the command or tile as a whole
  std::uint32_t stream = 0;  // command_submitted of a machine: stream of the kernel's launch
};

}  // namespace kernbench
