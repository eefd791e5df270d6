// What the SystemC kernel alone takes for one timed event of an SC_METHOD.
#pragma once

#include <cstdint>

namespace kernbench::bench {

// `processes` SC_METHODs, each of which notifies its own event for a later instant whenever it
// runs, like servers with nothing to do; no two at the same instant as a rule. Returns processor
// seconds per event, over `events` of them. In a process of its own.
double raw_event_seconds(std::uint64_t processes, std::uint64_t events);

}  // namespace kernbench::bench
