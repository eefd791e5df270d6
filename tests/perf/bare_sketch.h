// The least that a machine of this size can be in SystemC: modules and links on raw sockets without
// function.
#pragma once

#include <cstdint>

namespace kernbench::bench {

struct SketchFigures {
  double seconds = 0;       // of the processor, to the end of elaboration
  double resident_mib = 0;  // all of the process, afterwards
};

// A ring of `modules` with a process and an event each, and `links` between them; a link is a
// module with a target and an initiator socket, and so has a socket at either end of it. In a
// process of its own.
SketchFigures elaborate_sketch(std::uint64_t modules, std::uint64_t links);

}  // namespace kernbench::bench
