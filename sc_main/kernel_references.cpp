#include "sc_main/kernel_references.h"

#include <fmt/format.h>

#include <set>

#include "models/base/errors.h"
#include "sc_main/reference_bench.h"

namespace kernbench {
namespace {

// Collectives as they are without a ccl.yaml, but with slots of 16 KiB, so that latencies of
// messages count less.
BenchNumbers run_bench(Platform& platform, const std::string& name,
                       const std::vector<GivenParameter>& parameters) {
  CclFile ccl;
  ccl.defaults.set("slot_size", Rational(16384));
  return run_reference_bench(platform, name, parameters, ccl);
}

// --- MAC arrays: a GEMM of m x k x n on an array of `side` x `side` at 1 GHz

struct Gemm {
  int side, m, k, n;
  bool tiled = false;  // by the scheduler, from HBM; else one operation on loaded operands
};

std::vector<Override> array_machine(int side) {
  return {
      {"cube.pe_template.components.pe_gemm",
       fmt::format(
           "{{impl: builtin.pe_gemm, attrs: {{macs_per_cycle: {}, clock_ghz: 1, overhead_ns: 0}}}}",
           side * side)}};
}

std::vector<Override> systolic_machine(int side) {
  return {{"cube.pe_template.components.pe_gemm",
           fmt::format("{{impl: builtin.pe_gemm, attrs: {{timing: systolic, rows: {0}, columns: "
                       "{0}, task_cycles: 0, clock_ghz: 1, overhead_ns: 0}}}}",
                       side)}};
}

double gemm_ns(Platform& platform, const Gemm& gemm) {
  const auto text = [](int value) { return std::to_string(value); };
  std::vector<GivenParameter> parameters{
      {"M", text(gemm.m)}, {"K", text(gemm.k)}, {"N", text(gemm.n)}};
  parameters.emplace_back(gemm.tiled ? "variant" : "compute", gemm.tiled ? "ref_ref" : "dot");
  const BenchNumbers numbers =
      run_bench(platform, gemm.tiled ? "matmul-composite" : "gemm-single-pe", parameters);
  return to_ns(numbers.launches.at(0).metrics.merged.compute);
}

constexpr int folds(int extent, int side) { return (extent + side - 1) / side; }

// SCALE-Sim: weights stay, k x n of them at a time, and m rows stream; or outputs stay, m x n at a
// time, and k steps stream.
struct Dataflow {
  const char* name;
  int fold_cycles, folds;
};
Dataflow weight_stationary(const Gemm& g) {
  return {"weight", 3 * g.side + g.m - 2, folds(g.k, g.side) * folds(g.n, g.side)};
}
Dataflow output_stationary(const Gemm& g) {
  return {"output", 2 * g.side + g.k - 2, folds(g.m, g.side) * folds(g.n, g.side)};
}

ValidationCheck array_check(const Gemm& gemm, const Dataflow& flow, double simulated) {
  ValidationCheck check;
  check.quantity = fmt::format("{} x {} x {} on {} x {} MACs, {} stationary", gemm.m, gemm.k,
                               gemm.n, gemm.side, gemm.side, flow.name);
  check.formula = flow.folds == 1 ? fmt::format("{}", flow.fold_cycles)
                                  : fmt::format("{} * {}", flow.folds, flow.fold_cycles);
  check.unit = "ns";
  check.expected = flow.folds * flow.fold_cycles;
  check.simulated = simulated;
  return check;
}

std::vector<ValidationCheck> play_bounds(Platform& platform, const Gemm& gemm) {
  const double simulated = gemm_ns(platform, gemm);
  std::vector<ValidationCheck> checks;
  for (const Dataflow& flow : {weight_stationary(gemm), output_stationary(gemm)}) {
    checks.push_back(array_check(gemm, flow, simulated));
    checks.back().relation = Relation::at_most;
    checks.back().remark =
        "the model counts MACs alone: what it is below the bound are fill, drain and idle parts of "
        "the array";
  }
  return checks;
}

// The results of a fold, shifted out over one edge: `side` cycles more than until the last product.
std::vector<ValidationCheck> play_drained(Platform& platform, const Gemm& gemm) {
  Dataflow flow = output_stationary(gemm);
  flow.fold_cycles += gemm.side;
  ValidationCheck check = array_check(gemm, flow, gemm_ns(platform, gemm));
  check.tolerance = 1;
  check.allowance = "the wait for an edge of the clock of 1 ns";
  return {check};
}

std::vector<ValidationCheck> play_long_pass(Platform& platform, const Gemm& gemm) {
  ValidationCheck check = array_check(gemm, weight_stationary(gemm), gemm_ns(platform, gemm));
  check.tolerance = 3 * gemm.side - 2;
  check.allowance = "fill and drain of the one pass, which the model does not have";
  return {check};
}

// --- Collectives: SIPs at one switch over links of 64 GB/s each way

constexpr double link_gbs = 64;
constexpr std::uint64_t bytes_of_rank = 1 << 20;

std::vector<Override> machine_of_ranks(int ranks) {
  return {
      {"system.sips", fmt::format("{{count: {}, topology: ring_1d}}", ranks)},
      {"system.links.io_ep_to_switch", fmt::format("{{bw_gbs: {:g}, distance_mm: 50}}", link_gbs)}};
}

// Bytes over a rank's link per byte of the operation's size: part * (n - 1) / n, or whole.
struct Factor {
  const char* op;
  double parts;  // 0: 1 whatever the number of ranks
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
      "what is above the bound are latencies, additions, and links that the algorithm leaves idle";
  return check;
}

// Of a partial sum on each of the cubes.
std::vector<ValidationCheck> play_all_reduce(Platform& platform, const std::string& algorithm) {
  const std::uint64_t elements = bytes_of_rank / 2;
  const BenchNumbers numbers =
      run_bench(platform, "ccl-allreduce",
                {{"n_elem", std::to_string(elements)}, {"algorithm", algorithm}, {"dtype", "f16"}});
  return {bound_check(algorithm, factors[0], platform.machine().sips, bytes_of_rank,
                      longest_kernel_ns(numbers))};
}

// Each by one PE per SIP.
std::vector<ValidationCheck> play_collectives(Platform& platform) {
  const std::string size = std::to_string(bytes_of_rank);
  const BenchNumbers numbers =
      run_bench(platform, "collectives", {{"min_bytes", size}, {"max_bytes", size}});
  const ResultTable& table = numbers.results.at(0);
  const std::size_t op = table.column("op"), bytes = table.column("bytes"),
                    time = table.column("time_ns");
  std::vector<ValidationCheck> checks;
  std::set<std::string> seen;  // the first of each: sizes and forms are rows of their own
  for (const auto& row : table.rows()) {
    // A smaller one joins neighbours before the shift.
    if (std::get<std::int64_t>(row.at(bytes)) < static_cast<std::int64_t>(bytes_of_rank)) continue;
    for (const Factor& factor : factors) {
      if (std::get<std::string>(row.at(op)) != factor.op || !seen.insert(factor.op).second)
        continue;
      checks.push_back(bound_check(factor.op, factor, platform.machine().sips,
                                   static_cast<double>(std::get<std::int64_t>(row.at(bytes))),
                                   std::get<double>(row.at(time))));
    }
  }
  if (checks.size() != std::size(factors))
    throw ModelError("bench 'collectives' has not reported every operation");
  return checks;
}

ValidationCase bound_case(std::string name, const Gemm& gemm, std::string statement,
                          const std::string& source) {
  return {std::move(name),
          "systolic",
          std::move(statement),
          source,
          "tiny",
          array_machine(gemm.side),
          [gemm](Platform& platform) { return play_bounds(platform, gemm); }};
}

}  // namespace

std::vector<ValidationCase> systolic_cases() {
  const std::string source =
      "SCALE-Sim v2, scalesim/compute: systolic_compute_ws.py, create_filter_demand_mat: R rows of "
      "weights, then R + C + T - 2 "
      "cycles per "
      "fold; systolic_compute_os.py, create_ofmap_demand_mat: T - 1 + R + C - 1 cycles per fold. "
      "The paper (A. Samajdar et al., A "
      "Systematic "
      "Methodology for Characterizing Scalability of DNN Accelerators using SCALE-Sim, ISPASS "
      "2020) was at hand without its "
      "formulas";
  const Gemm long_pass{16, 262144, 16, 16, true};
  const Gemm many_folds{64, 256, 512, 256};
  return {bound_case("array-tile", {64, 64, 64, 64},
                     "A tile as large as the array: weights stationary 2R + C + T - 2 cycles, "
                     "outputs stationary R + C + T - 2",
                     source),
          bound_case("array-small-tile", {64, 32, 64, 32, true},
                     "The default tile on the default number of MACs: part of the array has no "
                     "work, and fill and drain are as long as before",
                     source),
          bound_case("array-folds", {64, 128, 128, 128},
                     "Four folds, each filled and drained on its own", source),
          {"array-long-pass", "systolic",
           "A pass that is long beside the array: one row per cycle. Here the throughput of the "
           "model is that of the array",
           source, "tiny", array_machine(long_pass.side),
           [long_pass](Platform& platform) { return play_long_pass(platform, long_pass); }},
          {"array-drained", "systolic",
           "timing: systolic of PE_GEMM: every fold filled, streamed and drained, 2R + C + T - 2 "
           "cycles",
           "SCALE-Sim's analytical model (the paper of the cases above), (2R + C + T - 2) * "
           "ceil(S_R / R) * ceil(S_C / C), as quoted by others: its formulas were not at hand",
           "tiny", systolic_machine(many_folds.side),
           [many_folds](Platform& platform) { return play_drained(platform, many_folds); }}};
}

std::vector<ValidationCase> collective_cases() {
  const std::string bound = "NCCL tests, doc/PERFORMANCE.md, ";
  std::vector<ValidationCase> cases;
  std::vector<Override> of_one_cube = machine_of_ranks(4);  // nothing to add within a rank
  of_one_cube.push_back({"sip.cube_mesh", "{w: 1, h: 1}"});
  for (const char* algorithm : {"ring_allreduce", "tree_allreduce"}) {
    cases.push_back({std::string("bound-of-") + algorithm, "collectives",
                     "No all-reduce of S bytes is faster than S/B * 2 (n - 1)/n, B the rate of a "
                     "rank's link; with the program's own kernel",
                     bound + "AllReduce: t = (S/B) * (2*(n-1)/n) at best, whatever the algorithm",
                     "tiny", of_one_cube, [algorithm](Platform& platform) {
                       return play_all_reduce(platform, algorithm);
                     }});
  }
  cases.push_back({"bounds-of-collectives", "collectives",
                   "The same for every collective, with the factor of each; one PE per rank",
                   bound + "Summary: correction factors of AllReduce, ReduceScatter, AllGather, "
                           "AlltoAll, Broadcast, Reduce; Algorithm "
                           "bandwidth: S/t for Send/Receive",
                   "tiny", machine_of_ranks(8), play_collectives});
  return cases;
}

std::vector<ValidationCase> all_references() {
  std::vector<ValidationCase> all = all_validation_cases();
  for (const auto& cases : {systolic_cases(), collective_cases(), source_cases(),
                            source_gemm_cases(), source_collective_cases()})
    all.insert(all.end(), cases.begin(), cases.end());
  return all;
}

}  // namespace kernbench
