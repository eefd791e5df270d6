// --data off, deferred and eager (spec 9): the same times and records wherever no branch depends on
// data; what eager mode adds.
#include <sstream>

#include "models/address/phys_addr.h"
#include "models/base/errors.h"
#include "tests/benches/verified_runs.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(data_modes_test)

namespace {

BenchRunOptions with(DataMode data, unsigned threads = 2) {
  BenchRunOptions options;
  options.data = data;
  options.threads = threads;
  return options;
}

struct Seen {
  Fs ended = 0;
  std::string op_log, outputs;
};

Seen seen(const std::string& bench, const Parameters& parameters, const BenchRunOptions& options) {
  const auto [ended, texts] = forked_value([&] {
    const BenchOutcome outcome = run_bench(bench, parameters, options);
    BOOST_TEST(outcome.status == "completed", bench << ": " << outcome.error);
    BOOST_TEST(outcome.failures == "", bench << ": " << outcome.failures);
    return std::make_pair(outcome.ended, std::make_pair(outcome.op_log, outcome.outputs));
  });
  return {ended, texts.first, texts.second};
}

// Without the columns that only data fill: inputs, outputs.
std::string columns_without_values(const std::string& op_log) {
  std::string columns, line;
  for (std::istringstream lines(op_log); std::getline(lines, line);) {
    std::size_t end = 0;
    for (int comma = 0; comma < 10; ++comma) end = line.find(',', end) + 1;
    columns += line.substr(0, end) + '\n';
  }
  return columns;
}

// The first lines that differ, one below the other.
std::string difference(const std::string& a, const std::string& b) {
  std::istringstream lines_a(a), lines_b(b);
  std::string line_a, line_b;
  while (std::getline(lines_a, line_a) && std::getline(lines_b, line_b)) {
    if (line_a != line_b) return line_a + '\n' + line_b;
  }
  return "one is longer";
}

// An op that reads an undefined value, and whose result lies at this address.
constexpr std::uint64_t partition = std::uint64_t{6} << 30;
std::uint64_t broken_address() {
  return PhysAddr::pe_hbm_addr(0, 0, 0, partition - 4096, partition).encode();
}
void record_a_broken_op(FunctionalModel& functional_model) {
  MathParams params;
  params.op = MathOp::exp;
  const TensorValue nowhere{ByteImage::of(ValueRef{99, 0, 4}), {1}, DType::f32, {}};
  functional_model.store(functional_model.math(params, {nowhere}).value, {{broken_address(), 4}});
}

}  // namespace

// Every bench of the registry in all the modes that it runs in; a bench that branches on results
// runs in eager mode only.
BOOST_AUTO_TEST_CASE(times_and_records_are_the_same_with_data_off_deferred_and_eager) {
  std::vector<std::pair<std::string, Parameters>> runs{
      {"matmul-composite", {{"M", "100"}, {"epilogue", "gelu"}}},
      {"softmax-rows", {{"compute", "steps"}}},
      {"ccl-allreduce", {{"n_elem", "100"}}}};
  BenchRegistry registry;
  register_benches(registry);
  for (const Bench& bench : registry.benches()) {
    // ccl-allreduce has small outputs by default: above.
    if (bench.needs_data != DataMode::eager && bench.name != "ccl-allreduce")
      runs.push_back({bench.name, {}});
  }
  BOOST_TEST(runs.size() >= 13U);
  for (const auto& [name, parameters] : runs) {
    const Bench& bench = registry.find(name);
    const auto in_mode = [&, &bench_parameters = parameters](DataMode mode) {
      BenchRunOptions options = with(mode);
      if (!bench.per_device) options.overrides.push_back({std::string("system.sips.count"), "2"});
      return seen(bench.name, bench_parameters, options);
    };
    const Seen deferred = in_mode(DataMode::deferred), eager = in_mode(DataMode::eager);
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST(deferred.ended > 0U);
      BOOST_TEST(eager.ended == deferred.ended);
      BOOST_TEST((eager.op_log == deferred.op_log));
      BOOST_TEST((eager.outputs == deferred.outputs));
      BOOST_TEST(deferred.outputs.size() > 100U);
      if (bench.needs_data != DataMode::off) continue;
      const Seen off = in_mode(DataMode::off);
      BOOST_TEST(off.ended == deferred.ended);
      const std::string without_data = columns_without_values(off.op_log);
      const std::string with_data = columns_without_values(deferred.op_log);
      BOOST_TEST((without_data == with_data), difference(without_data, with_data));
      BOOST_TEST(count(without_data, ",,\n") == 0U);  // params of every operation
    }
  }
}

BOOST_AUTO_TEST_CASE(eager_runs_are_the_same_on_any_number_of_threads) {
  for (const char* bench : {"newton-until", "mlp-fused"}) {
    const Seen one = seen(bench, {}, with(DataMode::eager, 1));
    for (const unsigned threads : {1U, 2U, 8U}) {
      const Seen more = seen(bench, {}, with(DataMode::eager, threads));
      BOOST_TEST(more.ended == one.ended);
      BOOST_TEST((more.op_log == one.op_log), bench << " on " << threads << " threads");
      BOOST_TEST((more.outputs == one.outputs), bench << " on " << threads << " threads");
    }
  }
}

BOOST_AUTO_TEST_CASE(newton_until_converges_as_the_reference_says) {
  expect_right("newton-until", {}, 64 * 64 + 8, with(DataMode::eager));
  expect_right("newton-until", {{"rows", "13"}, {"columns", "101"}}, 13 * 101 + 8,
               with(DataMode::eager));
  expect_right("newton-until", {{"rows", "1"}, {"columns", "1"}}, 2, with(DataMode::eager));
  expect_right("newton-until", {{"pes", "3"}, {"tolerance", "0.01"}}, 64 * 64 + 3,
               with(DataMode::eager));
}

// The norm is 6 operations (two products, a difference, abs, two max), a step 3 more; behind the
// last norm there is no step.
BOOST_AUTO_TEST_CASE(the_number_of_steps_depends_on_the_data_and_shows_in_time) {
  const auto steps = [](const char* tolerance) {
    const Seen run =
        seen("newton-until", {{"tolerance", tolerance}, {"pes", "1"}}, with(DataMode::eager));
    const std::size_t operations = count(run.op_log, ",math,");
    BOOST_TEST(operations % 9 == 6U, operations);
    return std::make_pair(operations / 9, run.ended);
  };
  const auto coarse = steps("0.5"), fine = steps("0.000001");
  BOOST_TEST(fine.first > coarse.first);
  BOOST_TEST(fine.second > coarse.second);
}

BOOST_AUTO_TEST_CASE(a_bench_that_branches_on_results_runs_in_eager_mode_only) {
  for (const DataMode mode : {DataMode::off, DataMode::deferred}) {
    check_contains(failure_of("newton-until", {}, with(mode)),
                   {"usage: bench 'newton-until' branches on values that its kernels compute; "
                    "it runs with --data eager only"});
  }
}

BOOST_AUTO_TEST_CASE(an_iteration_that_does_not_converge_fails_its_launch) {
  check_contains(failure_of("newton-until", {{"max_steps", "2"}}, with(DataMode::eager)),
                 {"failed: KernelLaunch 'newton_until': sip0.cube0.pe",
                  "no convergence within 2 steps: the largest residual is "});
}

// The host reads at the same simulated times whether it reads what was copied or what was computed.
KERNBENCH_SYSTEMC_TEST(to_host_gets_computed_values_in_eager_mode) {
  const auto run = [](Torch& torch) {
    const HostArray x = torch.random({8, 8}, f16);
    const Tensor t = torch.from_host(x, DPPolicy::on_one_pe(), "t");
    torch.launch(
        LaunchSpec("double").on_pe(0),
        [](tl::Program& tl, tl::Ptr t) {
          tl.store(t, tl.load(t, {8, 8}, f16) * 2.0);
        },
        t);
    const Fs before = torch.now();
    const HostArray computed = t.to_host();
    for (std::size_t i = 0; i < 64; ++i) BOOST_TEST(computed.values()[i] == 2 * x.values()[i]);
    const Fs first = torch.now() - before;
    t.to_host();
    BOOST_TEST(torch.now() - before == 2 * first);
  };
  complete_function(run, with(DataMode::eager));
}

// Reading the values of a composite's result is for after a wait; it takes no simulated time.
KERNBENCH_SYSTEMC_TEST(values_of_a_composite_are_there_when_it_has_been_waited_for) {
  const auto run = [](Torch& torch) {
    const Tensor x = torch.full({64, 64}, 1, f16, DPPolicy::on_one_pe(), "x");
    const auto pe_exec = [&](bool reads) {
      const LaunchHandle launch = torch.launch(
          LaunchSpec("product").on_pe(0),
          [](tl::Program& tl, tl::Ptr x, bool reads) {
            const tl::Handle a = tl.load(x, {64, 64}, f16);
            const tl::Composite product = tl.composite(tl::gemm(a, a));
            if (reads) BOOST_CHECK_THROW(product.result().data(), UsageError);
            tl.wait(product);
            if (!reads) return;
            for (const double value : product.result().data()) BOOST_TEST_REQUIRE(value == 64);
          },
          x, reads);
      return launch.metrics().merged.pe_exec;
    };
    BOOST_TEST(pe_exec(true) == pe_exec(false));
    BOOST_TEST(pe_exec(true) > 64 * fs_per_ns);  // 64^3 / 4096 cycles of the MAC array alone
  };
  complete_function(run, with(DataMode::eager));
}

BOOST_AUTO_TEST_CASE(an_error_inside_an_operation_fails_the_kernel_that_reads_its_value) {
  forked([] {
    BenchRunOptions options = with(DataMode::eager);
    options.prepare = &record_a_broken_op;
    const auto run = [](Torch& torch) {
      const Tensor out = torch.empty({1}, f32, DPPolicy::on_one_pe(), "out");
      torch.launch(
          LaunchSpec("reader").on_pe(0),
          [](tl::Program& tl, tl::Ptr out) {
            const tl::Handle value = tl.load(tl::Ptr(broken_address()), {1}, f32) + 1.0;
            tl.store(out, value);
            if (value.item() > 0) tl.store(out, value);
          },
          out);
    };
    const BenchOutcome outcome = run_function(run, options);
    BOOST_TEST(outcome.status == "failed");
    BOOST_TEST(contains(outcome.error, "kernel 'reader': value 99 has not been computed"),
               outcome.error);
  });
}

BOOST_AUTO_TEST_CASE(an_error_inside_an_operation_whose_result_is_unread_ends_phase_2) {
  for (const DataMode mode : {DataMode::deferred, DataMode::eager}) {
    forked([mode] {
      BenchRunOptions options = with(mode);
      options.prepare = &record_a_broken_op;
      BOOST_CHECK_THROW(run_bench("gemm-single-pe", {}, options), ModelError);
    });
  }
}

BOOST_AUTO_TEST_SUITE_END()
