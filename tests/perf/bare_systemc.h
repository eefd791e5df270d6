// What SystemC alone takes, to compare with: for one timed event, and for a machine of as many
// modules and links without function. Each in a process of its own.
#pragma once

#include <cstdint>

namespace kernbench::perf {

// `processes` SC_METHODs, each of which notifies its own event for a later instant whenever it
// runs, like servers with nothing to do; no two at the same instant as a rule. Returns processor
// seconds per event, over `events` of them.
double raw_event_seconds(std::uint64_t processes, std::uint64_t events);

struct SketchFigures {
  double seconds = 0;       // of the processor, to the end of elaboration
  double resident_mib = 0;  // all of the process, afterwards
};

// A ring of `modules` with a process and an event each, and `links` between them; a link is a
// module with a target and an initiator socket, and so has a socket at either end of it.
SketchFigures elaborate_sketch(std::uint64_t modules, std::uint64_t links);

}  // namespace kernbench::perf
