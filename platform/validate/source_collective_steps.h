// All-reduce of the Python system, lrab_hierarchical_allreduce on a 3 x 2 torus of SIPs, as sums of
// the steps on its critical path (ADR-0032, ADR-0043): hops to the root cube of a SIP, exchanges
// between the SIPs, hops back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kernbench {

struct SourceAllReduce {
  std::uint64_t bytes = 0;    // of a rank
  std::string rings = "tcm";  // memory that holds them: tcm, hbm, sram
  bool corner = false;        // root: cube 15; else cube 10, the middle

  int hops() const { return corner ? 3 : 2; }  // in one direction: E and S, back N and W
  static constexpr int exchanges = 3;          // two along a row of SIPs, one along a column
};

// A step of a sum and how often it is on the critical path.
struct SourceStep {
  int times = 0;
  double ns = 0;
  std::string what;
};
using SourceSteps = std::vector<SourceStep>;

double sum_ns(const SourceSteps& steps);
std::string text_of(const SourceSteps& steps);  // "271 load + 2 * 556 message E + ..."

// The machine that ships, each block one message.
SourceSteps one_message_steps(const SourceAllReduce& all_reduce);
// The same with messages of 4 KiB and rings in TCM: a lower bound, since on the way back messages
// wait for one another in places.
SourceSteps chunk_steps(const SourceAllReduce& all_reduce);
// Charges of the Python system: messages that pass each node whole, their bytes once, on the
// narrowest link of a path. `bytes_loaded`: the time of the bytes that are loaded is charged, too.
SourceSteps source_steps(const SourceAllReduce& all_reduce, bool bytes_loaded);

}  // namespace kernbench
