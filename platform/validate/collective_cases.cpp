// Collectives compared with the bounds of NCCL tests.
#include <fmt/format.h>

#include <set>

#include "models/base/errors.h"
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

ValidationCheck bound_check(const std::string& what, const Factor& factor, int ranks, double bytes,
                            double simulated) {
  ValidationCheck check;
  check.quantity = fmt::format("{} of {:g} KiB among {} SIPs", what, bytes / 1024, ranks);
  check.formula = fmt::format("{:g} / {:g}", bytes, link_gbs);
  check.expected = bytes / link_gbs;
  if (factor.parts > 0) {
    check.formula += fmt::format(" * {:g} * {} / {}", factor.parts, ranks - 1, ranks);
    check.expected *= factor.parts * (ranks - 1) / ranks;
  }
  check.unit = "ns";
  check.simulated = simulated;
  check.relation = Relation::at_least;
  check.remark =
      "the excess over the bound is latencies, additions, and links that the algorithm leaves idle";
  return check;
}

// All-reduce of a partial sum on each of the cubes.
std::vector<ValidationCheck> play_all_reduce(Platform& platform, const RunBench& run,
                                             const std::string& algorithm) {
  const std::uint64_t elements = bytes_of_rank / 2;
  const ReferenceTimes times =
      run(platform, in_large_slots("ccl-allreduce", {{"n_elem", std::to_string(elements)},
                                                     {"algorithm", algorithm},
                                                     {"dtype", "f16"}}));
  return {bound_check(algorithm, factors[0], platform.machine().sips, bytes_of_rank,
                      times.longest_kernel_ns)};
}

// Collectives, each by one PE per SIP.
std::vector<ValidationCheck> play_collectives(Platform& platform, const RunBench& run) {
  const std::string size = std::to_string(bytes_of_rank);
  const ReferenceTimes times =
      run(platform, in_large_slots("collectives", {{"min_bytes", size}, {"max_bytes", size}}));
  std::vector<ValidationCheck> checks;
  std::set<std::string> seen;  // first of each: sizes and forms are separate rows
  for (const CollectiveTime& row : times.collectives) {
    // a smaller one is merged with neighbours before the shift
    if (row.bytes < bytes_of_rank) continue;
    for (const Factor& factor : factors) {
      if (row.op != factor.op || !seen.insert(factor.op).second) continue;
      checks.push_back(bound_check(factor.op, factor, platform.machine().sips,
                                   static_cast<double>(row.bytes), row.time_ns));
    }
  }
  if (checks.size() != std::size(factors))
    throw ModelError("bench 'collectives' has not reported every operation");
  return checks;
}

}  // namespace

std::vector<ValidationCase> collective_cases(const RunBench& run) {
  const std::string bound = "NCCL tests, doc/PERFORMANCE.md, ";
  std::vector<ValidationCase> cases;
  std::vector<Override> of_one_cube = machine_of_ranks(4);  // nothing to add within a rank
  of_one_cube.push_back({"sip.cube_mesh", "{w: 1, h: 1}"});
  for (const char* algorithm : {"ring_allreduce", "tree_allreduce"}) {
    cases.push_back({std::string("bound-of-") + algorithm, "collectives",
                     "No all-reduce of S bytes is faster than S/B * 2 (n - 1)/n, B the rate of a "
                     "rank's link; with the program's own kernel",
                     bound + "AllReduce: t = (S/B) * (2*(n-1)/n) at best, whatever the algorithm",
                     "tiny", of_one_cube, [algorithm, run](Platform& platform) {
                       return play_all_reduce(platform, run, algorithm);
                     }});
  }
  cases.push_back({"bounds-of-collectives", "collectives",
                   "The same for every collective, with the factor of each; one PE per rank",
                   bound + "Summary: correction factors of AllReduce, ReduceScatter, AllGather, "
                           "AlltoAll, Broadcast, Reduce; Algorithm "
                           "bandwidth: S/t for Send/Receive",
                   "tiny", machine_of_ranks(8),
                   [run](Platform& platform) { return play_collectives(platform, run); }});
  return cases;
}

}  // namespace kernbench
