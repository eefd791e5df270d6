// `kernbench run --verify-data=ops`: every operation against a reference of its own (spec 9).
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(verify_ops_test)

namespace {

ProgramResult run(const std::string& bench, const Words& more,
                  const char* program = KERNBENCH_PROGRAM) {
  return kernbench_program(joined({"run", "--bench", bench, "--topology", "tiny"}, more), {},
                           nullptr, program);
}

// With the first element wrong that this op computes.
ProgramResult run_with_fault(const std::string& op, const std::string& bench, const Words& more) {
  ::setenv("KERNBENCH_FAULTY_OP", op.c_str(), 1);
  const ProgramResult result = run(bench, more, KERNBENCH_FAULTY_PROGRAM);
  ::unsetenv("KERNBENCH_FAULTY_OP");
  return result;
}

}  // namespace

// 8 PEs with 8 rows each, one block per PE: max, difference, exp, sum, quotient.
BOOST_AUTO_TEST_CASE(the_operations_of_a_run_are_counted_by_kind) {
  const ProgramResult result =
      run("softmax-rows", {"--param", "compute=steps", "--verify-data=ops"});
  BOOST_TEST(result.status == 0, result.err);
  BOOST_TEST(
      contains(
          result.out,
          "  ok    operations: 24 element-wise, 16 reduction; all agree with their references\n"),
      result.out);
  BOOST_TEST(contains(result.out, "verdict: PASS"), result.out);
  const ProgramResult json =
      run("softmax-rows", {"--param", "compute=steps", "--verify-data=ops", "--json"});
  const auto operations = nlohmann::json::parse(json.out).at("operations");
  BOOST_TEST(operations.at("checked") == 40);
  BOOST_TEST(operations.at("failed") == 0);
  BOOST_TEST(nlohmann::json::parse(run("softmax-rows", {"--verify-data", "--json"}).out)
                 .at("operations")
                 .is_null());
}

BOOST_AUTO_TEST_CASE(the_operations_of_shipped_benches_agree_with_their_references) {
  for (const std::string bench : {"gemm-single-pe", "matmul-composite", "qkv-gemm", "mlp-fused",
                                  "layernorm", "newton-until", "gather-walk"}) {
    for (const std::string dtype : {"f16", "bf16", "f32"}) {
      Words words{"--verify-data=ops"};
      if (bench != "newton-until") words.insert(words.end(), {"--param", "dtype=" + dtype});
      const ProgramResult result = run(bench, words);
      BOOST_TEST(result.status == 0, bench << " " << dtype << ": " << result.err << result.out);
      BOOST_TEST(contains(result.out, "all agree with their references"),
                 bench << ": " << result.out);
    }
  }
}

// Op 1 and 2 are loads, op 3 is the product, the only one.
BOOST_AUTO_TEST_CASE(a_wrong_value_is_told_with_operation_node_parameters_index_and_both_values) {
  const ProgramResult result =
      run_with_fault("3", "gemm-single-pe", {"--param", "compute=dot", "--verify-data=ops"});
  BOOST_TEST(result.status == 1, result.err);
  for (const std::string part : {"  FAIL  operation 3, gemm_f16 on sip0.cube0.pe0.pe_gemm at ",
                                 " ns, m=32 k=64 n=32 acc=f32", "in0=f16:32x64", "out=f16:32x32",
                                 ": 1 of 1024 elements differ; first at {0, 0}: got ",
                                 ", expected ", "  FAIL  1 of 1 operations (1 gemm) do not agree",
                                 "  FAIL  tensor 'out'", "verdict: FAIL"}) {
    BOOST_TEST(contains(result.out, part), "'" << part << "' is not in:\n" << result.out);
  }
  const ProgramResult json = run_with_fault(
      "3", "gemm-single-pe", {"--param", "compute=dot", "--verify-data=ops", "--json"});
  BOOST_TEST(json.status == 1);
  const auto parsed = nlohmann::json::parse(json.out);
  BOOST_TEST(parsed.at("operations").at("failed") == 1);
  BOOST_TEST(parsed.at("operations").at("failures").size() == 1U);
  BOOST_TEST(parsed.at("verdict") == "FAIL");
}

// Only the op that went wrong is told: what follows is right for what it got. Without =ops the
// output alone tells.
BOOST_AUTO_TEST_CASE(a_fault_counts_where_it_arises) {
  for (const std::string data : {"deferred", "eager"}) {
    const ProgramResult result = run_with_fault(
        "4", "softmax-rows",
        {"--param", "compute=steps", "--param", "pes=1", "--verify-data=ops", "--data", data});
    BOOST_TEST(result.status == 1, result.err);
    BOOST_TEST(contains(result.out, "FAIL  operation 4, exp on sip0.cube0.pe0.pe_math"),
               result.out);
    BOOST_TEST(contains(result.out, "FAIL  1 of 5 operations"), result.out);
  }
  const ProgramResult outputs = run_with_fault(
      "4", "softmax-rows", {"--param", "compute=steps", "--param", "pes=1", "--verify-data"});
  BOOST_TEST(outputs.status == 1);
  BOOST_TEST(!contains(outputs.out, "operation"), outputs.out);
}

BOOST_AUTO_TEST_CASE(what_else_is_to_be_verified_is_refused) {
  check_refusal(run("gemm-single-pe", {"--verify-data=everything"}),
                {"--verify-data=everything: allowed are"});
  BOOST_TEST(run("gemm-single-pe", {"--verify-data=ops", "--data", "off"}).status == 2);
}

BOOST_AUTO_TEST_SUITE_END()
