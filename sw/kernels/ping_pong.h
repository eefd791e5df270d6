// Two PEs that send a message to and fro, in pieces no larger than a slot; and the plain DMA to
// compare with.
#pragma once

#include <cstdint>
#include <string>

#include "sw/tl/program.h"
#include "sw/tl/ptr.h"

namespace kernbench::kernels {

struct PingPong {
  PeId ping, pong;
  std::string there,
      back;  // the direction of ping that leads to pong, and the one of pong that leads back
  std::int64_t elements = 1;
  DType dtype = DType::f16;
  int rounds = 2;
  bool consume = true;  // false: recv_no_consume
};

// Ping sends what is at x as often as there are rounds; pong sends back what it has received, but
// for the last message; ping stores what came back last to `out`. Pong's time is that of 2 * rounds
// - 1 messages: it ends when it has received the last one. A message stays in TCM, which must hold
// it. PEs that are neither do nothing.
void ping_pong(tl::Program& tl, const PingPong& game, tl::Ptr x, tl::Ptr out);

// Ping writes a block of `value` from its TCM to the physical address `to`. Its time is that of the
// store, acknowledged.
void write_to(tl::Program& tl, PeId ping, std::uint64_t to, const Shape& shape, DType dtype,
              double value);

}  // namespace kernbench::kernels
