// tl::record: records the commands that a kernel issues, in order, without a machine (spec 6).
// Values are not available; every command completes at once.
//
//   tl::record(matmul, {}, tl::TensorInfo::whole("a", 0x1000, {32, 64}, f16), ..., 32, 64, 32)
//       .at({0, 0, 0}).text()
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sw/tl/kernel.h"

namespace kernbench::tl {

// Machine assumed for the kernel; the launch covers all of it.
struct Grid {
  int pes = 1;    // per cube
  int cubes = 1;  // per SIP
  int sips = 1;
  std::uint64_t scratch_bytes = 1 << 20;
  TileShape tile;  // default tile of the scheduler
  // Directions of each PE, and the size of its slots. If empty, sends and receives may use any
  // direction.
  std::map<PeId, std::set<std::string>> directions;
  std::uint64_t slot_bytes = 4096;
};

struct Step {
  enum class Kind { command, wait, cycles, send, recv, recv_async, barrier };
  Kind kind = Kind::command;
  std::uint64_t id = 0;  // id of the command issued or waited for, counted from 0
  Command command;       // for kind command
  std::uint64_t cycles = 0;
  IpcqSend sent;         // for kind send
  IpcqReceive received;  // for kind recv; recv_async: direction and place
  // "dma_read 0x1000 4096", "dma_read 0x1000 4096 in 32 runs", "atomic_add 0x1000 4", "wait 3",
  // "gemm 32x64x32 a=tcm b=0x2000 out=0x3000[1024,2] f16" (byte strides of rows and columns, unless
  // dense), "send E f16{64}", "recv any f32{8} 0"
  std::string text() const;
};
std::string describe(const Command& command);

struct ProgramRecording {
  PeId where;
  std::vector<Step> steps;

  std::vector<Command> commands() const;
  std::vector<std::string> text() const;  // text of every step
};

// One recording per PE, in (sip, cube, pe) order.
struct Recording {
  std::vector<ProgramRecording> programs;
  const ProgramRecording& at(PeId where) const;
};

Recording record_call(const KernelCall& call, const Grid& grid);

// Throws the exceptions of the kernel.
template <class Kernel, class... Args>
Recording record(Kernel kernel, const Grid& grid, const Args&... args) {
  return record_call(bind_kernel(std::move(kernel), args...), grid);
}

}  // namespace kernbench::tl
