// Benches by name, and their parameters (spec 7, 10.3).
#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "sw/benches/bench_registry.h"
#include "tests/support/error_text.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(registry_test)

namespace {

void nothing(Torch&) {}

Bench named(const std::string& name) { return {name, "does nothing", {}, &nothing}; }

const Bench& shipped(const std::string& name) {
  static BenchRegistry registry;
  if (registry.benches().empty()) register_benches(registry);
  return registry.find(name);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_bench_name_is_kebab_case) {
  for (const char* bad :
       {"", "Gemm", "gemm_single", "-gemm", "gemm-", "gemm--pe", "1gemm", "gemm pe"}) {
    BenchRegistry registry;
    BOOST_CHECK_EXCEPTION(registry.add(named(bad)), UsageError, with_text("kebab-case"));
  }
  BenchRegistry registry;
  BOOST_CHECK_NO_THROW(registry.add(named("gpt3-qkv")));
}

BOOST_AUTO_TEST_CASE(a_duplicate_or_undescribed_bench_is_an_error_at_start) {
  BenchRegistry registry;
  registry.add(named("a"));
  BOOST_CHECK_EXCEPTION(registry.add(named("a")), UsageError, with_text("'a' is registered twice"));
  Bench silent = named("b");
  silent.description = " ";
  BOOST_CHECK_EXCEPTION(registry.add(silent), UsageError, with_text("description"));
  Bench bare = named("c");
  bare.parameters = {Parameter::integer("n", "", "", "")};
  BOOST_CHECK_EXCEPTION(registry.add(bare), UsageError, with_text("'n' has no default"));
}

BOOST_AUTO_TEST_CASE(benches_are_listed_by_name_and_numbered_from_1) {
  BenchRegistry registry;
  for (const char* name : {"delta", "alpha", "charlie", "bravo"}) registry.add(named(name));
  BOOST_TEST(registry.benches().at(0).name == "alpha");
  BOOST_TEST(registry.find("1").name == "alpha");
  BOOST_TEST(registry.find("4").name == "delta");
  BOOST_TEST(registry.find("bravo").name == "bravo");
  BOOST_CHECK_EXCEPTION(registry.find("0"), UsageError, with_text("there are 4"));
  BOOST_CHECK_EXCEPTION(registry.find("echo"), UsageError,
                        with_text("alpha, bravo, charlie, delta"));
}

BOOST_AUTO_TEST_CASE(the_shipped_benches_have_their_parameters) {
  const Attributes defaults = resolve_parameters(shipped("matmul-composite"), {});
  BOOST_TEST(defaults.integer("M") == 32);
  BOOST_TEST(defaults.integer("K") == 64);
  BOOST_TEST(defaults.integer("N") == 32);
  BOOST_TEST(defaults.text("variant") == "load_ref");
  BOOST_TEST(defaults.text("dtype") == "f16");
  BOOST_TEST(resolve_parameters(shipped("gemm-single-pe"), {{"M", "7"}}).integer("M") == 7);
}

BOOST_AUTO_TEST_CASE(a_bad_parameter_is_an_error_that_names_the_value_and_what_is_allowed) {
  const Bench& bench = shipped("matmul-composite");
  BOOST_CHECK_EXCEPTION(resolve_parameters(bench, {{"M", "0"}}), UsageError,
                        with_text("parameter M: found 0, allowed is an integer, 1 to 1048576"));
  BOOST_CHECK_EXCEPTION(resolve_parameters(bench, {{"K", "-3"}}), UsageError,
                        with_text("found -3"));
  BOOST_CHECK_EXCEPTION(resolve_parameters(bench, {{"N", "1.5"}}), UsageError,
                        with_text("found 1.5"));
  BOOST_CHECK_EXCEPTION(resolve_parameters(bench, {{"dtype", "f64"}}), UsageError,
                        with_text("f16"));
  BOOST_CHECK_EXCEPTION(resolve_parameters(bench, {{"tile", "4"}}), UsageError,
                        with_text("it has M, K, N, dtype, variant, epilogue"));
  BOOST_CHECK_EXCEPTION(resolve_parameters(bench, {{"M", "4"}, {"M", "5"}}), UsageError,
                        with_text("given twice"));
}

BOOST_AUTO_TEST_SUITE_END()
