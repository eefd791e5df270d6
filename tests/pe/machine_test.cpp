// PEs of real engines in a whole machine: topology.tiny.yaml, a kernel launched from the host.
#include <boost/test/unit_test.hpp>

#include "tests/support/forked.h"
#include "tests/support/whole_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(machine_test)

namespace {

constexpr Fs ns = fs_per_ns;

struct Machine : WholeMachine {
  Machine() : WholeMachine("topology.tiny.yaml", {}, without_data()) {}

  HostResponse launch(std::vector<PeId> targets, std::function<void(KernelContext&)> body) {
    HostResponse response;
    const RunResult result = run([&](HostPort& port) {
      auto message = host_message<KernelLaunch>();
      message->kernel.name = "k";
      message->body = std::make_shared<FunctionKernel>(std::move(body));
      message->targets = std::move(targets);
      const auto request = port.submit(std::shared_ptr<const KernelLaunch>(message));
      port.wait(*request);
      response = request->response();
    });
    if (result.cause) std::rethrow_exception(result.cause);
    return response;
  }
};

}  // namespace

// PE 0 reads 4096 B of its own partition: scheduler 1 ns, pe_dma 1 ns, then pe_dma -> r0c0 ->
// hbm_ctrl and back, 0 mm (1 fs) each. The command pays the router's 2 ns; 16 bursts on 8
// pseudo-channels of 32 GB/s, 8 ns each, book two rounds, so that flits 0..7 leave the HBM at 8 ns
// and 8..15 at 16 ns after. The flits take 1 ns each on the 256 GB/s links: the first burst of the
// second round waits neither for the link (free at 16) nor the other way round. Way back: 16 more
// ns from the first flit on the first link, 2 ns in the router, the last flit's 1 ns on the second
// link.
KERNBENCH_SYSTEMC_TEST(a_load_from_the_own_partition_takes_its_way_through_the_fabric) {
  Machine m;
  const std::uint64_t address = m.hbm({0, 0, 0});
  Fs taken = 0;
  const HostResponse response = m.launch({{0, 0, 0}}, [&](KernelContext& context) {
    Command load;
    load.what = DmaCommand{false, address, 4096};
    const Fs before = context.now();
    context.wait(*context.issue(load));
    taken = context.now() - before;
  });
  BOOST_REQUIRE_MESSAGE(response.completion.ok, response.completion.error_message);
  const Fs way = 1 * ns + 1 * ns + 2 * ns;  // to the HBM
  const Fs data = 8 * ns + 16 * ns + 2 * ns +
                  1 * ns;  // first bursts, 16 flits, router, last flit on the second link
  BOOST_TEST(taken - (way + data) <= 10u,
             "taken " << format_ns(taken));  // some femtoseconds of links
  BOOST_TEST(response.metrics.dma == taken - 1 * ns);
  BOOST_TEST(response.metrics.start_skew == 0u);
}

KERNBENCH_SYSTEMC_TEST(all_pes_of_a_launch_start_at_one_time_and_run_composites) {
  Machine m;
  std::vector<Fs> starts;
  std::vector<PeId> targets;
  for (int pe = 0; pe < 8; ++pe) targets.push_back({0, 0, pe});
  std::vector<std::uint64_t> base;
  for (int pe = 0; pe < 8; ++pe) base.push_back(m.hbm({0, 0, pe}));
  const HostResponse response = m.launch(targets, [&](KernelContext& context) {
    starts.push_back(context.now());
    const std::uint64_t here = base[static_cast<std::size_t>(context.where().pe)];
    CompositeGemm gemm;
    gemm.m = gemm.k = gemm.n = 128;
    gemm.a.address = here;
    gemm.b.address = here + 0x10000;
    gemm.out.address = here + 0x20000;
    Command command;
    command.what = gemm;
    context.wait(*context.issue(command));
  });
  BOOST_REQUIRE_MESSAGE(response.completion.ok, response.completion.error_message);
  BOOST_REQUIRE(starts.size() == 8u);
  for (const Fs start : starts) BOOST_TEST(start == starts.front());
  for (const auto& [pe, metrics] : response.per_pe) {
    BOOST_TEST(metrics.compute == 128 * 128 * 128 / 4096 * ns);
    BOOST_TEST(metrics.start_skew == 0u);
  }
}

KERNBENCH_SYSTEMC_TEST(a_failing_pe_ends_the_others_at_their_next_call) {
  Machine m;
  const HostResponse response = m.launch({{0, 0, 0}, {0, 0, 1}}, [&](KernelContext& context) {
    if (context.where().pe == 0) throw std::runtime_error("broken");
    for (int i = 0; i < 100000; ++i) context.cycles(10);
  });
  BOOST_TEST(!response.completion.ok);
  BOOST_TEST(
      response.completion.error_message.find("sip0.cube0.pe0.pe_cpu at ") != std::string::npos,
      response.completion.error_message);
}

namespace {

int deeper(int depth) {
  volatile char frame[1024];
  frame[0] = static_cast<char>(depth);
  if (depth == 1 << 30) return 0;
  return deeper(depth + 1) + frame[0];
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_kernel_that_overruns_its_stack_is_reported_by_name) {
  const ForkResult result = run_forked([] {
    Machine m;
    m.launch({{0, 0, 3}},
             [](KernelContext& context) { context.cycles(static_cast<std::uint64_t>(deeper(0))); });
    return std::string();
  });
  const std::string& text = result.output;
  BOOST_TEST(result.failure == "the child exited with status 1 before the end of its body");
  BOOST_TEST(text.find("kernbench: error: sip0.cube0.pe3.pe_cpu at ") != std::string::npos, text);
  BOOST_TEST(
      text.find(" ns: kernel 'k' has overrun its stack of 262144 bytes "
                "(stack overflow; kernel_stack_bytes); last call: none") != std::string::npos,
      text);
}

BOOST_AUTO_TEST_SUITE_END()
