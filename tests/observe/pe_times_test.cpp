// Where the time of kernels goes (spec 11.3): by hand, and that nothing is left over.
#include "platform/report/pe_times.h"

#include <boost/test/unit_test.hpp>
#include <random>

#include "tests/observe/fake_machine.h"
#include "tests/support/forked.h"
#include "tests/support/whole_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(pe_times)

namespace {

constexpr Fs ns = fs_per_ns;

struct Timed {
  explicit Timed(const std::vector<Override>& overrides = {})
      : machine("topology.tiny.yaml", overrides, without_data()),
        times(machine.platform->observation()) {}

  using Body = std::function<void(KernelContext&)>;
  // A launch per body, on PE 0, all submitted at once, on one stream or on one each; kernels "k0",
  // "k1", ...
  void run(const std::vector<Body>& bodies, bool together = false) {
    const RunResult result = machine.run([&](HostPort& port) {
      for (std::size_t i = 0; i < bodies.size(); ++i) {
        const auto launch = kernel_launch({{0, 0, 0}}, "r" + std::to_string(i));
        launch->kernel.name = "k" + std::to_string(i);
        if (together) launch->stream = static_cast<std::uint32_t>(i);
        launch->body = std::make_shared<FunctionKernel>(bodies[i]);
        requests.push_back(port.submit(launch));
      }
      for (const auto& request : requests) port.wait(*request);
    });
    BOOST_TEST_REQUIRE(result.error == "");
    BOOST_TEST_REQUIRE(times.kernels().size() == bodies.size());
  }
  const PeTime& of(std::size_t kernel) const { return times.kernels().at(kernel).time; }
  const KernelMetrics& metrics(std::size_t kernel) const {
    return requests.at(kernel)->response().per_pe.at({0, 0, 0});
  }

  WholeMachine machine;
  PeTimes times;
  std::vector<std::shared_ptr<HostRequest>> requests;
};

template <class What>
std::shared_ptr<CommandState> issue(KernelContext& pe, What what) {
  Command command;
  command.what = std::move(what);
  return pe.issue(command);
}
template <class What>
void execute(KernelContext& pe, What what) {
  pe.wait(*issue(pe, std::move(what)));
}

const DotCommand product{32, 64, 32, DType::f16};  // 65536 / 4096 = 16 ns
const MathCommand sum{MathOp::add, 1024};          // 1024 / 128 = 8 ns

CompositeGemm tiles(std::uint64_t at) {
  CompositeGemm gemm;
  gemm.m = 64, gemm.k = 128, gemm.n = 64;
  gemm.a.address = at;
  gemm.b.address = at + 65536;
  gemm.out.address = at + 131072;
  return gemm;
}

void check_sum(const Timed& timed, std::size_t kernel) {
  BOOST_TEST(timed.of(kernel).runs() == 1U);
  BOOST_TEST(timed.of(kernel).total() == timed.metrics(kernel).pe_exec);
  BOOST_TEST(timed.of(kernel).of(PeTimePart::late_start) == timed.metrics(kernel).start_skew);
}

}  // namespace

// The scheduler takes 1 ns of each command; a read of 256 B 15 ns + 4 fs more (roofline tests).
KERNBENCH_SYSTEMC_TEST(a_wait_counts_to_what_executes_the_command) {
  Timed timed;
  const std::uint64_t memory = timed.machine.hbm({0, 0, 0});
  timed.run({[&](KernelContext& pe) {
    pe.cycles(10);
    execute(pe, DmaCommand{false, memory, 256});
    execute(pe, product);
    execute(pe, sum);
    pe.cycles(5);
  }});
  const PeTime& time = timed.of(0);
  BOOST_TEST(time.of(PeTimePart::running) == 15 * ns);
  BOOST_TEST(time.of(PeTimePart::dma) == 16 * ns + 4);
  BOOST_TEST(time.of(PeTimePart::gemm) == 17 * ns);
  BOOST_TEST(time.of(PeTimePart::math) == 9 * ns);
  BOOST_TEST(time.total() == 57 * ns + 4);
  BOOST_TEST(time.gemm_busy() == 16 * ns);
  BOOST_TEST(time.gemm_for_slot() + time.math_for_slot() == 0U);
  check_sum(timed, 0);
}

// Four output tiles of two products of 16 ns each: 8 * 16 = 128 ns of the MAC array.
KERNBENCH_SYSTEMC_TEST(a_wait_for_a_composite_is_one_whatever_its_tiles_wait_for) {
  Timed timed;
  const std::uint64_t memory = timed.machine.hbm({0, 0, 0});
  timed.run({[&](KernelContext& pe) {
    execute(pe, tiles(memory));
    execute(pe, product);
  }});
  const PeTime& time = timed.of(0);
  BOOST_TEST(time.of(PeTimePart::composite) == time.total() - 17 * ns);
  BOOST_TEST(time.of(PeTimePart::gemm) == 17 * ns);
  BOOST_TEST(time.gemm_busy() == (128 + 16) * ns);
  check_sum(timed, 0);
}

// The product leaves 10 ns of cycles and is waited for until 17 ns.
KERNBENCH_SYSTEMC_TEST(cycles_of_a_kernel_concurrent_with_a_command_are_running_time) {
  Timed timed;
  timed.run({[](KernelContext& pe) {
    const auto in_flight = issue(pe, product);
    pe.cycles(10);
    pe.wait(*in_flight);
  }});
  BOOST_TEST(timed.of(0).of(PeTimePart::running) == 10 * ns);
  BOOST_TEST(timed.of(0).of(PeTimePart::gemm) == 7 * ns);
  check_sum(timed, 0);
}

// The product is in service from 1 to 17 ns; the sum, dispatched at 2 ns, is queued behind it until
// 17 ns and ends at 25 ns.
KERNBENCH_SYSTEMC_TEST(stall_time_for_the_other_engine_is_reported_separately) {
  const auto both = [](KernelContext& pe) {
    const auto first = issue(pe, product);
    execute(pe, sum);
    pe.wait(*first);
  };
  Timed shared;
  shared.run({both});
  BOOST_TEST(shared.of(0).of(PeTimePart::math) == 25 * ns);
  BOOST_TEST(shared.of(0).total() == 25 * ns);
  BOOST_TEST(shared.of(0).math_for_slot() == 15 * ns);
  BOOST_TEST(shared.of(0).gemm_for_slot() == 0U);
  check_sum(shared, 0);
}

// From 5 ns on the product is in service, until 22 ns.
KERNBENCH_SYSTEMC_TEST(engines_drain_behind_the_return_of_a_kernel) {
  Timed timed;
  timed.run({[](KernelContext& pe) {
    pe.cycles(5);
    issue(pe, product);
  }});
  BOOST_TEST(timed.of(0).of(PeTimePart::running) == 5 * ns);
  BOOST_TEST(timed.of(0).of(PeTimePart::draining) == 17 * ns);
  check_sum(timed, 0);
}

// Parts add up for each of two kernels that run together, and stay apart.
KERNBENCH_SYSTEMC_TEST(kernels_that_run_together_have_a_time_each) {
  Timed timed;
  const auto products = [](KernelContext& pe) {
    for (int i = 0; i < 20; ++i) execute(pe, product);
  };
  const auto sums = [](KernelContext& pe) {
    pe.cycles(100);
    for (int i = 0; i < 5; ++i) execute(pe, sum);
  };
  timed.run({products, sums}, true);
  // In the order of their answers: the sums end first.
  const PeTime &first = timed.times.kernels().at(0).time, &last = timed.times.kernels().at(1).time;
  BOOST_TEST(timed.times.kernels().at(0).kernel == "k1");
  BOOST_TEST(first.of(PeTimePart::running) == 100 * ns);
  BOOST_TEST(first.of(PeTimePart::gemm) == 0U);
  BOOST_TEST(first.gemm_busy() == 0U);
  BOOST_TEST(first.math_for_slot() > 0U);
  BOOST_TEST(first.total() == timed.metrics(1).pe_exec);
  BOOST_TEST(last.of(PeTimePart::math) == 0U);
  BOOST_TEST(last.gemm_busy() == 20 * 16 * ns);
  BOOST_TEST(last.total() == timed.metrics(0).pe_exec);
}

// To start at 10 ns, started at 12, returned at 30, answered at 33; what is reported behind that is
// of the next kernel.
KERNBENCH_SYSTEMC_TEST(a_kernel_that_starts_late_has_lost_the_time_since_the_common_start) {
  FakeMachine machine;
  Observation observation;
  const PeTimes times(observation);
  const std::string request = "r", kernel = "k";
  KernelWait wait;
  wait.node = machine.gemm.get();
  wait.reason = KernelWait::Reason::receive;
  wait.start = 14 * ns, wait.end = 18 * ns;
  observation.kernel_waits.write(wait);
  observation.kernel_runs.write(
      {machine.gemm.get(), request, kernel, 12 * ns, 30 * ns, 33 * ns, "", 10 * ns});
  observation.kernel_waits.write(wait);
  BOOST_TEST_REQUIRE(times.kernels().size() == 1U);
  const PeTime& time = times.kernels().front().time;
  BOOST_TEST(time.of(PeTimePart::late_start) == 2 * ns);
  BOOST_TEST(time.of(PeTimePart::running) == 14 * ns);
  BOOST_TEST(time.of(PeTimePart::receive) == 4 * ns);
  BOOST_TEST(time.of(PeTimePart::draining) == 3 * ns);
  BOOST_TEST(time.total() == 23 * ns);
}

// Parts add up to the time reported to the host, and a kernel runs for the cycles that it asks for,
// whatever it issues and whatever it waits for.
KERNBENCH_SYSTEMC_TEST(parts_of_any_kernel_add_up_to_its_time) {
  constexpr std::size_t kernels = 30;
  Timed timed;
  const std::uint64_t memory = timed.machine.hbm({0, 0, 0});
  std::vector<std::uint64_t> cycles(kernels, 0);
  std::vector<Timed::Body> bodies;
  for (std::size_t i = 0; i < kernels; ++i) {
    bodies.emplace_back([&, i](KernelContext& pe) {
      std::mt19937 random(static_cast<unsigned>(i));
      std::vector<std::shared_ptr<CommandState>> in_flight;
      for (int call = 0; call < 12; ++call) {
        switch (random() % 7) {
          case 0:
            in_flight.push_back(
                issue(pe, DmaCommand{random() % 2 == 0, memory, 1 + random() % 9999}));
            break;
          case 1:
            in_flight.push_back(issue(pe, product));
            break;
          case 2:
            in_flight.push_back(issue(pe, sum));
            break;
          case 3:
            in_flight.push_back(issue(pe, tiles(memory)));
            break;
          case 4: {
            const std::uint64_t n = random() % 50;
            cycles[i] += n;
            pe.cycles(n);
            break;
          }
          default:
            if (!in_flight.empty()) pe.wait(*in_flight[random() % in_flight.size()]);
        }
      }
    });
  }
  timed.run(bodies);
  for (std::size_t i = 0; i < kernels; ++i) {
    check_sum(timed, i);
    BOOST_TEST(timed.of(i).of(PeTimePart::running) == cycles[i] * ns, "kernel " << i);
    BOOST_TEST(timed.of(i).gemm_for_slot() <= timed.of(i).total());
  }
}

namespace {

PeTime half_running() {
  PeTime time;
  time.add_run(0, 0, 2 * ns, 2 * ns);
  time.add_wait(PeTimePart::dma, 1 * ns);
  time.add_gemm(ns / 2);
  return time;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_table_has_the_columns_in_which_there_is_something) {
  PeTime twice = half_running();
  twice += half_running();
  BOOST_TEST(pe_time_text({{"k", twice}}) ==
             "time on PEs  runs       sum      mean  running  wait DMA  | MAC busy\n"
             "k               2  4.000 ns  2.000 ns   50.0 %    50.0 %      25.0 %\n");
  BOOST_TEST(pe_time_text({}) == "");
}

BOOST_AUTO_TEST_CASE(json_has_all_parts) {
  const auto json = pe_time_json({{"k", half_running()}});
  BOOST_TEST(json.at(0).at("kernel") == "k");
  BOOST_TEST(json.at(0).at("runs") == 1);
  BOOST_TEST(json.at(0).at("total_ns") == 2.0);
  BOOST_TEST(json.at(0).at("running_ns") == 1.0);
  BOOST_TEST(json.at(0).at("waiting_dma_ns") == 1.0);
  BOOST_TEST(json.at(0).at("receiving_ns") == 0.0);
  BOOST_TEST(json.at(0).at("mac_busy_ns") == 0.5);
}

BOOST_AUTO_TEST_SUITE_END()
