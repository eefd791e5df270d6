// torch.verify notices outputs that are scaled, shifted, zeroed or permuted (spec 9): of every
// shipped bench, in every dtype that it has.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/data/elements.h"
#include "tests/benches/verified_runs.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(wrong_outputs_test)

namespace {

using Values = std::vector<double>;

struct Mutation {
  const char* name;
  Values (*of)(Values);
};

// Every mutation changes more than roundings can.
const std::vector<Mutation> mutations{{"zeroed", [](Values x) { return Values(x.size(), 0.0); }},
                                      {"scaled",
                                       [](Values x) {
                                         for (double& each : x) each *= 1.5;
                                         return x;
                                       }},
                                      {"shifted",
                                       [](Values x) {
                                         std::rotate(x.begin(), x.begin() + 1, x.end());
                                         return x;
                                       }},
                                      {"permuted", [](Values x) {
                                         std::reverse(x.begin(), x.end());
                                         return x;
                                       }}};

bool accepted(const Expectation& expectation, const Values& reference, const Values& got) {
  const std::uint64_t size = size_of(expectation.dtype);
  std::vector<std::byte> bytes(got.size() * size);
  for (std::size_t i = 0; i < got.size(); ++i)
    write_element(bytes.data() + i * size, expectation.dtype, got[i]);
  return compare(bytes, expectation.dtype, expectation.shape, reference,
                 expectation.accuracy.roundings, expectation.accuracy.magnitude)
      .ok;
}

void check_expectations(const std::vector<Expectation>& expectations, const std::string& what) {
  BOOST_TEST(!expectations.empty(), what);
  for (const Expectation& expectation : expectations) {
    const Values reference = expectation.reference();
    BOOST_TEST(accepted(expectation, reference, reference), what << ", " << expectation.name);
    for (const Mutation& mutation : mutations) {
      const Values wrong = mutation.of(reference);
      if (wrong == reference) continue;  // all elements alike, or zeros
      BOOST_TEST(!accepted(expectation, reference, wrong),
                 what << ", " << expectation.name << ": " << mutation.name << " is accepted");
    }
  }
}

// The values of a parameter `dtype`; one empty text where there is none.
std::vector<std::string> dtypes_of(const Bench& bench) {
  for (const Parameter& parameter : bench.parameters) {
    if (parameter.name() == "dtype") return parameter.choices();
  }
  return {""};
}

}  // namespace

BOOST_AUTO_TEST_CASE(wrong_outputs_of_every_bench_fail_in_every_dtype) {
  BenchRegistry registry;
  register_benches(registry);
  for (const Bench& bench : registry.benches()) {
    for (const std::string& dtype : dtypes_of(bench)) {
      Parameters parameters;
      if (!dtype.empty()) parameters.push_back({"dtype", dtype});
      BenchRunOptions options;
      options.data = std::max(bench.needs_data, DataMode::deferred);
      options.judge = [&](const std::vector<Expectation>& expectations) {
        check_expectations(expectations, bench.name + " " + dtype);
      };
      forked([&] {
        const BenchOutcome outcome = run_bench(bench, parameters, options);
        BOOST_TEST(outcome.status == "completed",
                   bench.name << " " << dtype << ": " << outcome.error);
      });
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
