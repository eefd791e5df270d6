// Collectives compared with the bounds of NCCL tests, of which rings reach those of the goal.
#include <fmt/format.h>

#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/base/errors.h"
#include "platform/validate/case_machines.h"
#include "platform/validate/kernel_cases.h"

namespace kernbench {
namespace {

// SIPs at one switch over links of 64 GB/s each way

constexpr double link_gbs = 64;
constexpr std::uint64_t bytes_of_rank = 1 << 20;

// Settings as without a ccl.yaml, but with slots of 16 KiB, which reduce the share of message
// latencies.
ReferenceRun in_large_slots(const char* bench,
                            std::vector<std::pair<std::string, std::string>> parameters) {
  ReferenceRun run{bench, std::move(parameters)};
  run.ccl_defaults.set("slot_size", Rational(16384));
  return run;
}

std::vector<Override> machine_of_ranks(int ranks) {
  return {
      {"system.sips", fmt::format("{{count: {}, topology: ring_1d}}", ranks)},
      {"system.links.io_ep_to_switch", fmt::format("{{bw_gbs: {:g}, distance_mm: 50}}", link_gbs)}};
}

// Bytes over a rank's link per byte of the operation's size: part * (n - 1) / n, or whole.
struct Factor {
  const char* op;
  double parts;  // 0: 1 for any number of ranks
};
constexpr Factor factors[] = {{"all_reduce", 2}, {"reduce_scatter", 1}, {"all_gather", 1},
                              {"all_to_all", 1}, {"broadcast", 0},      {"reduce", 0},
                              {"send_recv", 0}};

// Bytes over the link of a rank, at its rate.
double least_ns(const Factor& factor, int ranks, double bytes) {
  const double share = factor.parts > 0 ? factor.parts * (ranks - 1) / ranks : 1;
  return bytes / link_gbs * share;
}
std::string formula_of(const Factor& factor, int ranks, double bytes) {
  std::string formula = fmt::format("{:g} / {:g}", bytes, link_gbs);
  if (factor.parts > 0) formula += fmt::format(" * {:g} * {} / {}", factor.parts, ranks - 1, ranks);
  return formula;
}

using MakeCheck =
    std::function<ValidationCheck(std::string quantity, double least_ns, double simulated_ns)>;

ValidationCheck check_of(const MakeCheck& make, const std::string& what, const Factor& factor,
                         int ranks, double bytes, double simulated) {
  ValidationCheck check =
      make(fmt::format("{} of {:g} KiB among {} SIPs", what, bytes / 1024, ranks),
           least_ns(factor, ranks, bytes), simulated);
  check.formula = formula_of(factor, ranks, bytes);
  return check;
}

ValidationCheck as_bound(std::string quantity, double least_ns, double simulated_ns) {
  ValidationCheck check;
  check.quantity = std::move(quantity);
  check.expected = least_ns;
  check.unit = "ns";
  check.simulated = simulated_ns;
  check.relation = Relation::at_least;
  check.remark =
      "the excess over the bound is latencies, additions, and links that the algorithm leaves idle";
  return check;
}

ValidationCheck as_goal(std::string quantity, double least_ns, double simulated_ns) {
  return goal_check(std::move(quantity), "ns", least_ns, simulated_ns, 10, 6);
}

// All-reduce of a partial sum on each of the cubes.
std::vector<ValidationCheck> play_all_reduce(Platform& platform, const RunBench& run,
                                             const std::string& algorithm, const MakeCheck& make) {
  const std::uint64_t elements = bytes_of_rank / 2;
  const ReferenceTimes times =
      run(platform, in_large_slots("ccl-allreduce", {{"n_elem", std::to_string(elements)},
                                                     {"algorithm", algorithm},
                                                     {"dtype", "f16"}}));
  return {check_of(make, algorithm, factors[0], platform.machine().sips, bytes_of_rank,
                   times.longest_kernel_ns)};
}

// Collectives, each by one PE per SIP.
std::vector<ValidationCheck> play_collectives(Platform& platform, const RunBench& run,
                                              const std::vector<Factor>& of,
                                              const MakeCheck& make) {
  const std::string size = std::to_string(bytes_of_rank);
  std::vector<std::pair<std::string, std::string>> parameters{{"min_bytes", size},
                                                              {"max_bytes", size}};
  const ReferenceTimes times = run(platform, in_large_slots("collectives", std::move(parameters)));
  std::vector<ValidationCheck> checks;
  std::set<std::string> seen;  // first of each: sizes and forms are separate rows
  for (const CollectiveTime& row : times.collectives) {
    // a smaller one is merged with neighbours before the shift
    if (row.bytes < bytes_of_rank) continue;
    for (const Factor& factor : of) {
      if (row.op != factor.op || !seen.insert(factor.op).second) continue;
      checks.push_back(check_of(make, factor.op, factor, platform.machine().sips,
                                static_cast<double>(row.bytes), row.time_ns));
    }
  }
  if (checks.size() != of.size())
    throw ModelError("bench 'collectives' has not reported every operation");
  return checks;
}

std::vector<Override> four_ranks_of_one_cube() {  // nothing to add within a rank
  std::vector<Override> machine = machine_of_ranks(4);
  machine.push_back({"sip.cube_mesh", "{w: 1, h: 1}"});
  return machine;
}

// SIPs of one cube, with all numbers of the default machine.
std::vector<Override> correlated_ranks(int ranks) {
  return with(our_machine(fmt::format("{{count: {}, topology: ring_1d}}", ranks)),
              {{"sip.cube_mesh", "{w: 1, h: 1}"}});
}

}  // namespace

std::vector<ValidationCase> collective_cases(const RunBench& run) {
  const std::string bound = "NCCL tests, doc/PERFORMANCE.md, ";
  std::vector<ValidationCase> cases;
  for (const char* algorithm : {"ring_allreduce", "tree_allreduce"}) {
    cases.push_back({std::string("bound-of-") + algorithm, "collectives",
                     "No all-reduce of S bytes is faster than S/B * 2 (n - 1)/n, B the rate of a "
                     "rank's link; with the program's own kernel",
                     bound + "AllReduce: t = (S/B) * (2*(n-1)/n) at best, whatever the algorithm",
                     "tiny", four_ranks_of_one_cube(), [algorithm, run](Platform& platform) {
                       return play_all_reduce(platform, run, algorithm, as_bound);
                     }});
  }
  cases.push_back(
      {"bounds-of-collectives", "collectives",
       "The same for every collective, with the factor of each; one PE per rank",
       bound + "Summary: correction factors of AllReduce, ReduceScatter, AllGather, "
               "AlltoAll, Broadcast, Reduce; Algorithm "
               "bandwidth: S/t for Send/Receive",
       "tiny", machine_of_ranks(8), [run](Platform& platform) {
         return play_collectives(platform, run, {std::begin(factors), std::end(factors)}, as_bound);
       }});
  return cases;
}

// Operations of which the ring leaves no link idle and adds little: as fast as the bound.
std::vector<ValidationCase> collective_correlation_cases(const RunBench& run) {
  const char* const source =
      "NCCL tests 2.19.6, commit a0b82b2, doc/PERFORMANCE.md: bus bandwidth (docs/correlation.md)";
  return {{"nccl-ring-all-reduce", "correlation",
           "The ring all-reduce takes S/B * 2 (n - 1)/n, B the rate of a rank's link; with the "
           "program's own kernel",
           source, "tiny", correlated_ranks(4),
           [run](Platform& platform) {
             return play_all_reduce(platform, run, "ring_allreduce", as_goal);
           }},
          {"nccl-rings", "correlation",
           "Reduce-scatter and all-gather take S/B * (n - 1)/n; one PE per rank", source, "tiny",
           correlated_ranks(8), [run](Platform& platform) {
             return play_collectives(platform, run, {factors[1], factors[2]}, as_goal);
           }}};
}

}  // namespace kernbench
