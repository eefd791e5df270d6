// Launches on a machine with the built-in engines: kernels start together, failures end the others
// (spec 4, ADR-0009).
#include <boost/test/unit_test.hpp>
#include <map>

#include "tests/support/forked.h"
#include "tests/support/whole_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(launch_test)

namespace {

std::vector<PeId> all_pes_of_sip0() {
  std::vector<PeId> all;
  for (int cube = 0; cube < 16; ++cube) {
    for (int pe = 0; pe < 8; ++pe) all.push_back({0, cube, pe});
  }
  return all;
}

std::shared_ptr<KernelLaunch> launch_of(std::vector<PeId> targets,
                                        std::function<void(KernelContext&)> body) {
  auto message = kernel_launch(std::move(targets));
  message->body = std::make_shared<FunctionKernel>(std::move(body));
  return message;
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(every_kernel_of_a_launch_starts_at_target_start_without_skew) {
  WholeMachine m("topology.yaml", {}, WholeMachine::Engines::builtin);
  std::map<PeId, Fs> starts;
  const RunResult result = m.run([&](HostPort& port) {
    const auto message = launch_of(all_pes_of_sip0(), [&](KernelContext& pe) {
      starts[pe.where()] = pe.now();
      BOOST_CHECK_EQUAL(pe.now(), *pe.launch().target_start);
      pe.cycles(static_cast<std::uint64_t>(10 + pe.where().pe));
    });
    const auto request = port.submit(message);
    port.wait(*request);
    BOOST_TEST(request->response().completion.ok);
    BOOST_TEST(request->response().metrics.start_skew == 0u);
    BOOST_TEST(request->response().metrics.pe_exec == 17 * fs_per_ns);
    BOOST_TEST(request->response().per_pe.at({0, 9, 2}).pe_exec == 12 * fs_per_ns);
  });
  BOOST_TEST(result.error == "");
  BOOST_TEST(starts.size() == 128u);
  for (const auto& [pe, start] : starts) BOOST_REQUIRE_EQUAL(start, starts.begin()->second);
}

KERNBENCH_SYSTEMC_TEST(a_kernel_that_throws_ends_the_others_at_their_next_call) {
  WholeMachine m("topology.yaml", {}, WholeMachine::Engines::builtin);
  int ended = 0;
  const RunResult result = m.run([&](HostPort& port) {
    const auto message = launch_of(all_pes_of_sip0(), [&](KernelContext& pe) {
      struct Count {
        int& ended;
        ~Count() { ++ended; }
      } count{ended};
      pe.cycles(20);
      if (pe.where() == PeId{0, 5, 3}) throw std::runtime_error("enough");
      for (;;) pe.cycles(100);
    });
    const auto request = port.submit(message);
    port.wait(*request);
    const Completion& completion = request->response().completion;
    BOOST_TEST(completion.error_code == "kernel_exception");
    BOOST_TEST((completion.error_message.find("sip0.cube5.pe3.pe_cpu at ") == 0),
               completion.error_message);
    BOOST_TEST((completion.error_message.find("enough") != std::string::npos));
    BOOST_TEST(ended < 128);  // the failure came ahead of the others' ends
    // The PEs are fit for work again.
    const auto next = port.submit(launch_of(all_pes_of_sip0(), [](KernelContext&) {}));
    port.wait(*next);
    BOOST_TEST(next->response().completion.ok);
    BOOST_TEST(next->response().metrics.start_skew == 0u);
  });
  BOOST_TEST(result.error == "");
  BOOST_TEST(ended == 128);
}

KERNBENCH_SYSTEMC_TEST(kernels_that_are_running_when_the_host_fails_are_killed) {
  MachineOptions options(MachineOptions::Engines::builtin);
  options.tear_down = true;
  WholeMachine m("topology.tiny.yaml", {}, options);
  bool unwound = false;
  const RunResult result = m.run([&](HostPort& port) {
    port.submit(launch_of({{0, 0, 0}}, [&](KernelContext& pe) {
      struct Mark {
        bool& unwound;
        ~Mark() { unwound = true; }
      } mark{unwound};
      for (;;) pe.cycles(100);
    }));
    sc_core::wait(1, sc_core::SC_US);
    throw UsageError("the bench gave up");
  });
  BOOST_TEST(name_of(result.status) == "failed");
  BOOST_TEST(result.error == "the bench gave up");
  BOOST_TEST(unwound);
}

BOOST_AUTO_TEST_SUITE_END()
