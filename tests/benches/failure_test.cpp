// Failures as a bench sees them (spec 4.2): errors that it may catch, launches afterwards, and what
// ends the run.
#include "tests/benches/verified_runs.h"
#include "tests/support/error_text.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(failure_test)

namespace {

const BenchRunOptions two_sips() {
  BenchRunOptions options;
  options.topology = "topology.yaml";
  return options;
}

const DPPolicy on_four_pes{Placement::replicate, Placement::row_wise, 1, 4};

void throw_on_pe(tl::Program& tl, tl::Tensor t, int pe) {
  tl.cycles(10);
  if (tl.program_id(0) == pe) throw std::runtime_error("thrown on purpose");
  tl.store(t.local(), tl.full(t.local_shape(), 1, t.dtype()));
}

// What remains of `text` when the error has been caught; fails the test if there is none.
template <class Call>
std::string launch_error_of(Call call) {
  try {
    call();
  } catch (const LaunchError& error) {
    return error.code() + ": " + error.what();
  }
  BOOST_TEST(false, "no LaunchError");
  return "";
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(a_failed_launch_names_kernel_pe_and_time_and_the_bench_may_go_on) {
  complete_function([](Torch& torch) {
    for (const FailurePolicy policy : {FailurePolicy::fail_fast, FailurePolicy::collect_all}) {
      const Tensor t = torch.zeros({4, 8}, f16, on_four_pes, "t");
      const LaunchSpec spec = LaunchSpec("thrower").on_pes({0, 1, 2, 3}).failure_policy(policy);
      const std::string error = launch_error_of([&] { torch.launch(spec, throw_on_pe, t, 2); });
      BOOST_TEST(contains(error, "kernel_exception: KernelLaunch 'thrower': "), error);
      BOOST_TEST(contains(error, "sip0.cube0.pe2.pe_cpu at "), error);
      BOOST_TEST(contains(error, " ns: kernel 'thrower': thrown on purpose"), error);
      torch.launch(spec, throw_on_pe, t, -1);  // on the same PEs
      BOOST_TEST(t.to_host().values() == std::vector<double>(32, 1));
    }
  });
}

KERNBENCH_SYSTEMC_TEST(a_launch_that_is_joined_answers_instead_of_throwing) {
  complete_function([](Torch& torch) {
    const Tensor t = torch.zeros({4, 8}, f16, on_four_pes, "t");
    const LaunchHandle bad =
        torch.launch_async(LaunchSpec("thrower").on_pes({0, 1, 2, 3}), throw_on_pe, t, 0);
    BOOST_CHECK_THROW(bad.completion(), UsageError);
    BOOST_TEST(!torch.join(bad).ok);
    BOOST_TEST(bad.completion().error_code == "kernel_exception");
    const LaunchHandle good =
        torch.launch_async(LaunchSpec("thrower").on_pes({0, 1, 2, 3}), throw_on_pe, t, -1);
    BOOST_TEST(torch.join(good).ok);
    BOOST_TEST(good.completion().error_code == "");
    BOOST_TEST(good.completion().error_message == "");
  });
}

BOOST_AUTO_TEST_CASE(an_unhandled_failure_ends_the_run) {
  const std::string error = forked_value([] {
    const BenchOutcome outcome = run_function([](Torch& torch) {
      const Tensor t = torch.zeros({4, 8}, f16, on_four_pes, "t");
      torch.launch_async(LaunchSpec("first").on_pe(0), throw_on_pe, t, 0);
      torch.launch_async(LaunchSpec("second").on_pe(1), throw_on_pe, t, 1);
    });
    return outcome.status + ": " + outcome.error;
  });
  BOOST_TEST(contains(error, "failed: KernelLaunch 'first': sip0.cube0.pe0.pe_cpu at "), error);
}

BOOST_AUTO_TEST_CASE(an_exception_in_the_bench_ends_the_run_also_while_launches_are_pending) {
  forked([] {
    const BenchOutcome outcome = run_function([](Torch& torch) {
      const Tensor t = torch.zeros({4, 8}, f16, on_four_pes, "t");
      const auto forever = [](tl::Program& tl, tl::Tensor) {
        for (;;) tl.cycles(1000);
      };
      torch.launch_async(LaunchSpec("forever").on_pes({0, 1, 2, 3}), forever, t);
      torch.launch_async(LaunchSpec("behind").on_pe(1), throw_on_pe, t, 1);
      sc_core::wait(1, sc_core::SC_US);
      throw std::runtime_error("the bench gave up");
    });
    BOOST_TEST(outcome.status == "failed");
    check_contains(outcome.error, {"host.program at ", " ns: bench 'test-bench': the bench gave up",
                                   "; last call: torch."});
    BOOST_TEST(!outcome.usage_error);
  });
}

// Not by the bench's own hand: an error of the host API.
BOOST_AUTO_TEST_CASE(wrong_usage_in_a_bench_ends_the_run_as_such) {
  forked([] {
    const BenchOutcome outcome = run_function([](Torch& torch) {
      const Tensor t = torch.zeros({4, 8}, f16, on_four_pes, "t");
      torch.launch_async(LaunchSpec("k").on_pe(0), throw_on_pe, t, -1);
      t[{{0, 4}, {0, 3}}].fill_(1);
    });
    BOOST_TEST(outcome.usage_error, outcome.error);
    BOOST_TEST(contains(outcome.error, "cuts the shard [0:1, 0:8]"), outcome.error);
  });
}

// --- Several SIPs

BOOST_AUTO_TEST_CASE(one_device_of_several_that_fails_ends_the_run_with_its_name) {
  const std::string error = forked_value([] {
    BenchRunOptions options = two_sips();
    options.devices = {0, 1};
    const BenchOutcome outcome = run_function(
        [](Torch& torch) {
          const Tensor t = torch.zeros({4, 8}, f16, on_four_pes, "t");
          torch.launch(
              LaunchSpec("k").on_pe(0),
              [](tl::Program& tl, tl::Tensor) {
                tl.cycles(100);
                if (tl.pe_id().sip == 1) throw std::runtime_error("thrown on purpose");
                for (;;) tl.cycles(1000);
              },
              t);
        },
        options);
    return outcome.status + ": " + outcome.error;
  });
  BOOST_TEST(contains(error, "failed: KernelLaunch 'k': sip1.cube0.pe0.pe_cpu at "), error);
}

// The kernel on SIP 0 waits for what only SIP 1 could bring: without an end from outside it would
// wait for ever.
BOOST_AUTO_TEST_CASE(a_launch_on_two_sips_fails_as_one) {
  for (const FailurePolicy policy : {FailurePolicy::fail_fast, FailurePolicy::collect_all}) {
    forked([policy] {
      static FailurePolicy chosen;
      chosen = policy;
      const BenchOutcome outcome = run_function(
          [](Torch& torch) {
            std::vector<Tensor> t;
            for (int sip = 0; sip < 2; ++sip) {
              torch.ahbm.set_device(sip);
              t.push_back(torch.zeros({4, 8}, f16, on_four_pes, "t" + std::to_string(sip)));
            }
            const auto kernel = [](tl::Program& tl, tl::Tensor, tl::Tensor) {
              tl.cycles(10);
              if (tl.pe_id().sip == 1) throw std::runtime_error("thrown on purpose");
              if (chosen == FailurePolicy::fail_fast) {
                for (;;) tl.cycles(1000);
              }
            };
            const LaunchSpec spec = LaunchSpec("pair").on_pe(3).failure_policy(chosen);
            const std::string error =
                launch_error_of([&] { torch.launch(spec, kernel, t[0], t[1]); });
            BOOST_TEST(contains(error, "sip1.cube0.pe3.pe_cpu at "), error);
            const auto nothing = [](tl::Program&, tl::Tensor, tl::Tensor) {};
            torch.launch(spec, nothing, t[0], t[1]);
          },
          two_sips());
      BOOST_TEST(outcome.status == "completed", outcome.error);
    });
  }
}

BOOST_AUTO_TEST_SUITE_END()
