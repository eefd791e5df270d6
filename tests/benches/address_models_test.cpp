// Kernels and benches run unchanged in every address model (spec 3.3): PA, VA, and LA in both
// modes.
#include "tests/benches/verified_runs.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(address_models)

namespace {

struct Model {
  const char* address_model;
  const char* hbm_mapping_mode;
};
constexpr Model virtual_addresses{"va", "n_to_one"};
constexpr Model logical_n_to_one{"la", "n_to_one"}, logical_one_to_one{"la", "one_to_one"};

BenchRunOptions in(const Model& model, BenchRunOptions options = {}) {
  options.overrides.push_back({"cube.memory_map.address_model", model.address_model});
  options.overrides.push_back({"cube.memory_map.hbm_mapping_mode", model.hbm_mapping_mode});
  return options;
}

BenchRunOptions on_16_cubes() {
  BenchRunOptions options;
  options.topology = "topology.yaml";
  return options;
}

struct Judged {
  Fs longest_launch = 0;
  std::string outputs;
};

// Completed and verified.
Judged judged(const Bench& bench, const Parameters& parameters, const BenchRunOptions& options,
              const std::string& label) {
  const auto [longest_launch, outputs] = forked_value([&] {
    const BenchOutcome outcome = run_bench(bench, parameters, options);
    BOOST_TEST(outcome.status == "completed", label << ": " << outcome.error);
    BOOST_TEST(outcome.failures == "", label << ": " << outcome.failures);
    BOOST_TEST(outcome.verified > 0U, label);
    return std::make_pair(outcome.longest_launch, outcome.outputs);
  });
  return {longest_launch, outputs};
}

// Right in every model, with the same bytes. Without TLB overhead PA, VA and LA in n_to_one issue
// the same requests, so that the kernels take the same time to the femtosecond; in one_to_one an
// access is several, which costs some time more.
void check_models(const Bench& bench, const Parameters& parameters, BenchRunOptions options = {}) {
  options.data = std::max(bench.needs_data, DataMode::deferred);
  const Judged by_page =
      judged(bench, parameters, in(virtual_addresses, options), bench.name + " in va");
  for (const Model& model : {Model{"pa", "n_to_one"}, logical_n_to_one, logical_one_to_one}) {
    const std::string label =
        bench.name + " in " + model.address_model + ", " + model.hbm_mapping_mode;
    const Judged found = judged(bench, parameters, in(model, options), label);
    BOOST_TEST((found.outputs == by_page.outputs), label << ": other values than in va");
    if (std::string(model.hbm_mapping_mode) == "n_to_one") {
      BOOST_TEST(found.longest_launch == by_page.longest_launch,
                 label << ": " << format_ns(found.longest_launch) << ", in va "
                       << format_ns(by_page.longest_launch));
    } else {
      BOOST_TEST(found.longest_launch > by_page.longest_launch, label);
    }
  }
}

Bench bench_named(const std::string& name) {
  BenchRegistry benches;
  register_benches(benches);
  return benches.find(name);
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_bench_of_one_device_is_right_in_every_address_model) {
  BenchRegistry benches;
  register_benches(benches);
  for (const Bench& bench : benches.benches()) {
    if (bench.per_device) check_models(bench, {});
  }
}

BOOST_AUTO_TEST_CASE(tensors_over_several_cubes_are_right_in_every_address_model) {
  check_models(bench_named("va-offset-verify"), {{"cubes", "3"}, {"dtype", "i8"}}, on_16_cubes());
}

// 2000 elements: a shard lies in several pseudo-channels.
BOOST_AUTO_TEST_CASE(messages_and_collectives_are_right_in_every_address_model) {
  BenchRunOptions four_sips;
  four_sips.overrides = {{"system.sips", "{count: 4, topology: torus_2d, w: 2, h: 2}"},
                         {"sip.cube_mesh", "{w: 2, h: 1}"}};
  check_models(bench_named("ipcq-pingpong"), {{"max_bytes", "8192"}});
  check_models(bench_named("ccl-allreduce"), {{"n_elem", "2000"}}, four_sips);
  check_models(bench_named("ccl-allreduce"), {{"n_elem", "2000"}, {"buffer_kind", "hbm"}},
               four_sips);
  check_models(bench_named("collectives"), {{"min_bytes", "4000"}, {"max_bytes", "4000"}},
               four_sips);
}

// Accesses at odd places: pieces of bursts at both ends, across shards, with flits smaller and
// larger than a burst.
BOOST_AUTO_TEST_CASE(odd_accesses_are_right_by_channels) {
  for (const char* flit_bytes : {"64", "256", "1024"}) {
    BenchRunOptions options = in(logical_one_to_one);
    options.overrides.push_back({"system.flit_bytes", flit_bytes});
    expect_right("va-offset-verify",
                 {{"dtype", "i8"}, {"elements", "70001"}, {"block", "70001"}, {"shift", "1"}},
                 70001, options);
    expect_right("va-offset-verify", {{"elements", "10007"}, {"block", "997"}, {"shift", "20011"}},
                 10007, options);
  }
}

BOOST_AUTO_TEST_CASE(a_run_by_channels_repeats_itself_to_the_byte) {
  const auto log = [] {
    return forked_value([] { return run_bench("mlp-fused", {}, in(logical_one_to_one)).op_log; });
  };
  const std::string first = log();
  BOOST_TEST(first.size() > 1000U);
  BOOST_TEST((log() == first));
}

BOOST_AUTO_TEST_SUITE_END()
