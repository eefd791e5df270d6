// Rows of an operation log beside its operations: what kernels, commands and messages waited for
// (docs/op-log.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/units.h"

namespace kernbench {

using OptionalFs = std::optional<Fs>;  // none: it has not come to that

// A kernel on a PE. `request`: id of the launch message.
struct RunRow {
  std::string request, pe, kernel;
  Fs start = 0, returned = 0, end = 0;
  Fs target = 0;             // the common start
  std::uint32_t stream = 0;  // of the launch
};

// The thread of a kernel, blocked.
struct WaitRow {
  std::string pe;
  const char* reason = "";
  std::optional<std::uint64_t> command;
  Fs start = 0, end = 0;
  const char* command_kind = "";  // empty: no command is waited for
  std::uint32_t stream = 0;       // of the kernel's launch
};

// A compute op of an engine, behind one of the other for the accel_slot.
struct SlotWaitRow {
  std::string pe;
  const char* waiting = "";
  Fs start = 0, end = 0;
  std::uint32_t stream = 0;  // of the launch of the one that waited
};

struct CommandRow {
  std::string pe;
  std::uint64_t command = 0;
  Fs submitted = 0;
  OptionalFs dispatched, completed;
};

struct MessageRow {
  std::uint64_t id = 0;  // in the order of sending
  std::uint64_t ring = 0, number = 0, slot = 0, bytes = 0;
  std::string sender, receiver;  // PEs; no receiver: it has not been written
  Fs sent = 0;
  OptionalFs arrived, write, visible, taken, consumed, credit;
};

// A launch that has ended, of the host program. `requests`: its messages, one per SIP.
struct LaunchRow {
  std::string kernel, device;
  Fs issued = 0, ended = 0;
  std::vector<std::string> requests;
};

struct ProgressRows {
  std::vector<RunRow> runs;
  std::vector<WaitRow> waits;
  std::vector<SlotWaitRow> slot_waits;
  std::vector<CommandRow> commands;
  std::vector<MessageRow> messages;

  std::size_t size() const {
    return runs.size() + waits.size() + slot_waits.size() + commands.size() + messages.size();
  }
};

}  // namespace kernbench
