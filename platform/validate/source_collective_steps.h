// All-reduce of the Python system, lrab_hierarchical_allreduce on a 3 x 2 torus of SIPs, as sums of
// the steps on its critical path (ADR-0032, ADR-0043): hops to the root cube of a SIP, exchanges
// between the SIPs, hops back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kernbench {

struct SourceAllReduce {
  std::uint64_t bytes = 0;    // per rank
  std::string rings = "tcm";  // memory that holds them: tcm, hbm, sram
  bool corner = false;        // root: cube 15; else cube 10, the middle

  int hops() const { return corner ? 3 : 2; }  // in one direction: E and S, back N and W
  static constexpr int exchanges = 3;          // two along a row of SIPs, one along a column
};

// Step of a sum, and its number of occurrences on the critical path.
struct SourceStep {
  int times = 0;
  double ns = 0;
  std::string what;
};
using SourceSteps = std::vector<SourceStep>;

double sum_ns(const SourceSteps& steps);
std::string text_of(const SourceSteps& steps);  // "271 load + 2 * 556 message E + ..."

// Shipped machine, each block in one message.
SourceSteps one_message_steps(const SourceAllReduce& all_reduce);
// Same machine with messages of 4 KiB and rings in TCM: a lower bound, since messages partly stall
// each other on the path back.
SourceSteps chunk_steps(const SourceAllReduce& all_reduce);
// Cost model of the Python system: each node stores and forwards messages, and their bytes count
// once, on the narrowest link of a path. `bytes_loaded`: loaded bytes also take time.
SourceSteps source_steps(const SourceAllReduce& all_reduce, bool bytes_loaded);

}  // namespace kernbench
