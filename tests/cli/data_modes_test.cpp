// Data of a run: `--data off|deferred|eager`, verification of outputs and, with
// `--verify-data=ops`, of every operation, and how phase 2 is stopped (spec 9).
#include <boost/test/unit_test.hpp>
#include <csignal>

#include "tests/cli/program.h"
#include "tests/support/environment_variable.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(data_modes_test)

// --- Modes

BOOST_AUTO_TEST_CASE(statistics_are_the_same_with_data_off_deferred_and_eager) {
  for (const std::string bench : {"matmul-composite", "softmax-rows", "mlp-fused"}) {
    const TemporaryFolder folder;
    for (const std::string mode : {"off", "deferred", "eager"}) {
      const Json json =
          json_of(bench_on_tiny(bench, {"--data", mode, "--stats", folder.file(mode + ".json"),
                                        "--op-log", folder.file(mode + ".csv")}));
      BOOST_TEST(json.at("data") == mode);
      check_contains(folder.read(mode + ".json.config.yaml"), {"# data       " + mode});
    }
    BOOST_TEST(folder.read("off.json").size() > 1000U);
    BOOST_TEST((folder.read("off.json") == folder.read("deferred.json")), bench);
    BOOST_TEST((folder.read("off.json") == folder.read("eager.json")), bench);
    BOOST_TEST((folder.read("deferred.csv") == folder.read("eager.csv")), bench);
  }
}

BOOST_AUTO_TEST_CASE(the_default_is_what_verification_and_the_bench_need) {
  const auto mode = [](const std::string& bench, const Words& more = {}) {
    return json_of(bench_on_tiny(bench, more)).at("data").get<std::string>();
  };
  BOOST_TEST(mode("softmax-rows") == "off");
  BOOST_TEST(mode("softmax-rows", {"--verify-data"}) == "deferred");
  BOOST_TEST(mode("softmax-rows", {"--verify-data", "--data", "eager"}) == "eager");
  BOOST_TEST(mode("gather-walk") == "deferred");
  BOOST_TEST(mode("newton-until") == "eager");
  BOOST_TEST(mode("newton-until", {"--verify-data"}) == "eager");
}

BOOST_AUTO_TEST_CASE(a_bench_that_branches_on_results_is_verified_or_refused) {
  check_run(bench_on_tiny("newton-until", {"--verify-data"}),
            {0, {"tensor 'steps'", "verdict: PASS"}});
  for (const std::string mode : {"off", "deferred"})
    check_refused(bench_on_tiny("newton-until", {"--data", mode}),
                  {"bench 'newton-until' branches on values that its kernels compute; it runs with "
                   "--data eager only"});
  check_run(bench_on_tiny("newton-until", {"--param", "max_steps=1"}),
            {1, {}, {"no convergence within 1 steps"}});
  check_run(bench_on_tiny("newton-until", {"--data", "lazy"}), {2});
}

// --- Every operation against a reference of its own

namespace {

const Words by_steps{"--param", "compute=steps"}, of_ops{"--verify-data=ops"};

// Makes kernbench_faulty compute the first element of the operation of this number wrong.
struct FaultyOp : EnvironmentVariable {
  explicit FaultyOp(const std::string& op) : EnvironmentVariable("KERNBENCH_FAULTY_OP", op) {}
};

}  // namespace

// 8 PEs with 8 rows each, one block per PE: max, difference, exp, sum, quotient.
BOOST_AUTO_TEST_CASE(the_operations_of_a_run_are_counted_by_kind) {
  const Words words = bench_on_tiny("softmax-rows", joined(by_steps, of_ops));
  check_run(
      words,
      {0,
       {"  ok    operations: 24 element-wise, 16 reduction; all agree with their references\n",
        "verdict: PASS"}});
  check_members(json_of(words).at("operations"), {{"checked", 40}, {"failed", 0}});
  BOOST_TEST(json_of(bench_on_tiny("softmax-rows", {"--verify-data"})).at("operations").is_null());
}

BOOST_AUTO_TEST_CASE(the_operations_of_shipped_benches_agree_with_their_references) {
  for (const std::string bench : {"gemm-single-pe", "matmul-composite", "qkv-gemm", "mlp-fused",
                                  "layernorm", "newton-until", "gather-walk"}) {
    for (const std::string dtype : {"f16", "bf16", "f32"}) {
      const bool has_dtype = bench != "newton-until";
      if (!has_dtype && dtype != "f16") continue;
      check_run(bench_on_tiny(bench, joined(of_ops, has_dtype ? Words{"--param", "dtype=" + dtype}
                                                              : Words{})),
                {0, {"all agree with their references"}});
    }
  }
}

// Op 1 and 2 are loads, op 3 is the product, the only one.
BOOST_AUTO_TEST_CASE(a_wrong_value_is_reported_with_operation_node_parameters_index_and_values) {
  const FaultyOp fault("3");
  const Words words =
      bench_on_tiny("gemm-single-pe", {"--param", "compute=dot", "--verify-data=ops"});
  check_run(words,
            {1,
             {"  FAIL  operation 3, gemm_f16 on sip0.cube0.pe0.pe_gemm at ",
              " ns, m=32 k=64 n=32 acc=f32", "in0=f16:32x64", "out=f16:32x32",
              ": 1 of 1024 elements differ; first at {0, 0}: got ", ", expected ",
              "  FAIL  1 of 1 operations (1 gemm) do not agree", "  FAIL  tensor 'out'",
              "verdict: FAIL"}},
            KERNBENCH_FAULTY_PROGRAM);
  const Json json =
      Json::parse(check_run(joined(words, {"--json"}), {1}, KERNBENCH_FAULTY_PROGRAM).out);
  BOOST_TEST(json.at("operations").at("failed") == 1);
  BOOST_TEST(json.at("operations").at("failures").size() == 1U);
  BOOST_TEST(json.at("verdict") == "FAIL");
}

// Only the op that went wrong is reported: what follows is right for its inputs. Without =ops the
// output alone is.
BOOST_AUTO_TEST_CASE(a_fault_counts_where_it_arises) {
  const FaultyOp fault("4");
  const Words one_pe = bench_on_tiny("softmax-rows", joined(by_steps, {"--param", "pes=1"}));
  for (const std::string data : {"deferred", "eager"})
    check_run(joined(one_pe, {"--verify-data=ops", "--data", data}),
              {1, {"FAIL  operation 4, exp on sip0.cube0.pe0.pe_math", "FAIL  1 of 5 operations"}},
              KERNBENCH_FAULTY_PROGRAM);
  const ProgramResult outputs =
      check_run(joined(one_pe, {"--verify-data"}), {1}, KERNBENCH_FAULTY_PROGRAM);
  BOOST_TEST(!contains(outputs.out, "operation"), outputs.out);
}

BOOST_AUTO_TEST_CASE(other_levels_of_verification_are_refused) {
  check_refused(bench_on_tiny("gemm-single-pe", {"--verify-data=everything"}),
                {"--verify-data=everything: allowed are"});
  check_run(bench_on_tiny("gemm-single-pe", {"--verify-data=ops", "--data", "off"}), {2});
}

// --- Signals and --max-wall in phase 2

namespace {

// Large tiles: phase 2 takes several times as long as the simulation, most of it in the reference
// GEMM or in --verify-data=ops.
Words long_phase_2(const std::string& verify, const Words& more) {
  Words words = bench_on_tiny("matmul-composite", {verify});
  for (const char* parameter : {"variant=ref_ref", "M=2048", "K=2048", "N=8192"})
    words = joined(words, {"--param", parameter});
  for (const char* setting : {"pe_fetch_store.attrs.register_file_bytes=1048576",
                              "pe_scheduler.attrs={tile_m: 256, tile_k: 256, tile_n: 256}"})
    words = joined(words, {"--set", std::string("cube.pe_template.components.") + setting});
  return joined(words, more);
}

void check_stopped(const ProgramResult& result, const std::string& how,
                   const TemporaryFolder& folder) {
  BOOST_TEST(result.status == 1, result.status << ": " << result.err);
  check_contains(result.err, {"kernbench: " + how + " in phase 2: ", "; nothing is verified"});
  BOOST_TEST(!contains(result.out, "verdict"), result.out);
  BOOST_TEST(Json::parse(folder.read("s.json")).at("components").size() > 50U);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_signal_ends_phase_2) {
  for (const auto& [signal, verify] :
       {std::pair(SIGINT, "--verify-data"), std::pair(SIGTERM, "--verify-data=ops")}) {
    const TemporaryFolder folder;
    const ProgramResult result = kernbench_program(
        long_phase_2(verify, {"--stats", folder.file("s.json")}), {signal, folder.file("s.json")});
    check_stopped(result, "interrupted", folder);
  }
}

BOOST_AUTO_TEST_CASE(max_wall_holds_in_phase_2) {
  const TemporaryFolder folder;
  // The simulation alone takes less: the rest is left for phase 2.
  const ProgramResult alone =
      completed(long_phase_2("--data=deferred", {"--stats", folder.file("alone.json")}));
  // A limit that ends the simulation, on a machine that has become busier, is raised; one that the
  // whole run keeps, on a quicker one, is lowered.
  double limit = alone.wall_s * 2.5;
  for (int attempt = 0; attempt < 20; ++attempt) {
    const ProgramResult result = kernbench_program(long_phase_2(
        "--verify-data", {"--max-wall", std::to_string(limit), "--stats", folder.file("s.json")}));
    const bool in_simulation = contains(result.err, "of simulated time by --max-wall");
    if (!in_simulation && result.status != 0)
      return check_stopped(result, "stopped by --max-wall", folder);
    limit *= in_simulation ? 2 : 0.7;
  }
  BOOST_ERROR("no limit of 20 ended phase 2");
}

BOOST_AUTO_TEST_SUITE_END()
