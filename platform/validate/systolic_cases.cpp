// MAC arrays compared with the cycles that SCALE-Sim counts for systolic ones.
#include <fmt/format.h>

#include "platform/validate/kernel_cases.h"

namespace kernbench {
namespace {

// A GEMM of m x k x n on an array of `side` x `side` at 1 GHz

struct Gemm {
  int side, m, k, n;
  bool tiled =
      false;  // true: tiled by the scheduler, from HBM; false: one operation on loaded operands
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

double gemm_ns(Platform& platform, const RunBench& run, const Gemm& gemm) {
  const auto text = [](int value) { return std::to_string(value); };
  std::vector<std::pair<std::string, std::string>> parameters{
      {"M", text(gemm.m)}, {"K", text(gemm.k)}, {"N", text(gemm.n)}};
  parameters.emplace_back(gemm.tiled ? "variant" : "compute", gemm.tiled ? "ref_ref" : "dot");
  return run(platform, {gemm.tiled ? "matmul-composite" : "gemm-single-pe", parameters}).compute_ns;
}

constexpr int folds(int extent, int side) { return (extent + side - 1) / side; }

// SCALE-Sim: weights are stationary, k x n of them at a time, and m rows stream; or outputs are
// stationary, m x n at a time, and k steps stream.
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

std::vector<ValidationCheck> play_bounds(Platform& platform, const RunBench& run,
                                         const Gemm& gemm) {
  const double simulated = gemm_ns(platform, run, gemm);
  std::vector<ValidationCheck> checks;
  for (const Dataflow& flow : {weight_stationary(gemm), output_stationary(gemm)}) {
    checks.push_back(array_check(gemm, flow, simulated));
    checks.back().relation = Relation::at_most;
    checks.back().remark =
        "the model counts MACs alone: the difference from the bound is fill, drain and idle parts "
        "of "
        "the array";
  }
  return checks;
}

// Results of a fold shifted out over one edge: `side` cycles more than until the last product.
std::vector<ValidationCheck> play_drained(Platform& platform, const RunBench& run,
                                          const Gemm& gemm) {
  Dataflow flow = output_stationary(gemm);
  flow.fold_cycles += gemm.side;
  ValidationCheck check = array_check(gemm, flow, gemm_ns(platform, run, gemm));
  check.tolerance = 1;
  check.allowance = "the wait for an edge of the clock of 1 ns";
  return {check};
}

std::vector<ValidationCheck> play_long_pass(Platform& platform, const RunBench& run,
                                            const Gemm& gemm) {
  ValidationCheck check = array_check(gemm, weight_stationary(gemm), gemm_ns(platform, run, gemm));
  check.tolerance = 3 * gemm.side - 2;
  check.allowance = "fill and drain of the one pass, which the model does not have";
  return {check};
}

ValidationCase bound_case(std::string name, const Gemm& gemm, std::string statement,
                          const std::string& source, const RunBench& run) {
  return {std::move(name),
          "systolic",
          std::move(statement),
          source,
          "tiny",
          array_machine(gemm.side),
          [gemm, run](Platform& platform) { return play_bounds(platform, run, gemm); }};
}

}  // namespace

std::vector<ValidationCase> systolic_cases(const RunBench& run) {
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
  return {
      bound_case("array-tile", {64, 64, 64, 64},
                 "A tile as large as the array: weights stationary 2R + C + T - 2 cycles, "
                 "outputs stationary R + C + T - 2",
                 source, run),
      bound_case("array-small-tile", {64, 32, 64, 32, true},
                 "The default tile on the default number of MACs: part of the array has no "
                 "work, and fill and drain are as long as before",
                 source, run),
      bound_case("array-folds", {64, 128, 128, 128},
                 "Four folds, each filled and drained on its own", source, run),
      {"array-long-pass", "systolic",
       "A pass that is long compared with the array: one row per cycle. Here the throughput of the "
       "model is that of the array",
       source, "tiny", array_machine(long_pass.side),
       [long_pass, run](Platform& platform) { return play_long_pass(platform, run, long_pass); }},
      {"array-drained", "systolic",
       "timing: systolic of PE_GEMM: every fold filled, streamed and drained, 2R + C + T - 2 "
       "cycles",
       "SCALE-Sim's analytical model (the paper of the cases above), (2R + C + T - 2) * "
       "ceil(S_R / R) * ceil(S_C / C), as quoted by others: its formulas were not at hand",
       "tiny", systolic_machine(many_folds.side),
       [many_folds, run](Platform& platform) { return play_drained(platform, run, many_folds); }}};
}

}  // namespace kernbench
