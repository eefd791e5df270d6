// `kernbench run --data off|deferred|eager`: what changes, and what must not (spec 9).
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(data_modes_test)

namespace {

ProgramResult run(const std::string& bench, const Words& more = {}) {
  return kernbench_program(joined({"run", "--bench", bench, "--topology", "tiny"}, more));
}

}  // namespace

BOOST_AUTO_TEST_CASE(statistics_are_the_same_with_data_off_deferred_and_eager) {
  for (const std::string bench : {"matmul-composite", "softmax-rows", "mlp-fused"}) {
    const TemporaryFolder folder;
    for (const std::string mode : {"off", "deferred", "eager"}) {
      const ProgramResult result =
          run(bench, {"--data", mode, "--json", "--stats", folder.file(mode + ".json"), "--op-log",
                      folder.file(mode + ".csv")});
      BOOST_TEST_REQUIRE(result.status == 0, result.err);
      BOOST_TEST(nlohmann::json::parse(result.out).at("data") == mode);
      BOOST_TEST(contains(folder.read(mode + ".json.config.yaml"), "# data       " + mode));
    }
    BOOST_TEST(folder.read("off.json").size() > 1000U);
    BOOST_TEST((folder.read("off.json") == folder.read("deferred.json")), bench);
    BOOST_TEST((folder.read("off.json") == folder.read("eager.json")), bench);
    BOOST_TEST((folder.read("deferred.csv") == folder.read("eager.csv")), bench);
  }
}

BOOST_AUTO_TEST_CASE(the_default_is_what_verification_and_the_bench_need) {
  const auto mode = [](const std::string& bench, const Words& more = {}) {
    Words words{"--json"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run(bench, words);
    BOOST_TEST_REQUIRE(result.status == 0, result.err);
    return nlohmann::json::parse(result.out).at("data").get<std::string>();
  };
  BOOST_TEST(mode("softmax-rows") == "off");
  BOOST_TEST(mode("softmax-rows", {"--verify-data"}) == "deferred");
  BOOST_TEST(mode("softmax-rows", {"--verify-data", "--data", "eager"}) == "eager");
  BOOST_TEST(mode("gather-walk") == "deferred");
  BOOST_TEST(mode("newton-until") == "eager");
  BOOST_TEST(mode("newton-until", {"--verify-data"}) == "eager");
}

BOOST_AUTO_TEST_CASE(a_bench_that_branches_on_results_is_verified_or_refused) {
  const ProgramResult verified = run("newton-until", {"--verify-data"});
  BOOST_TEST(verified.status == 0, verified.err);
  BOOST_TEST(contains(verified.out, "tensor 'steps'"), verified.out);
  BOOST_TEST(contains(verified.out, "verdict: PASS"), verified.out);
  for (const std::string mode : {"off", "deferred"}) {
    check_refusal(run("newton-until", {"--data", mode}),
                  {"bench 'newton-until' branches on values that its kernels compute; it runs with "
                   "--data eager only"});
  }
  const ProgramResult stuck = run("newton-until", {"--param", "max_steps=1"});
  BOOST_TEST(stuck.status == 1);
  BOOST_TEST(contains(stuck.err, "no convergence within 1 steps"), stuck.err);
  BOOST_TEST(run("newton-until", {"--data", "lazy"}).status == 2);
}

BOOST_AUTO_TEST_SUITE_END()
