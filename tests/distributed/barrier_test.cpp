// tl.barrier (spec 4.5): its time, its order, and PEs that do not come.
#include "platform/assembly/machine_routes.h"
#include "tests/distributed/ranks.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(barrier)

namespace {

constexpr Fs ns = 1'000'000;

// One row for each PE.
DPPolicy rows(int cubes, int pes) { return {Placement::row_wise, Placement::row_wise, cubes, pes}; }

// Each PE stores its number in its own row and, after the barrier, loads that of the next PE.
void pass_to_the_next(tl::Program& tl, tl::Tensor x, tl::Tensor out, int rounds, bool waits) {
  const std::int64_t pes = x.shape()[0];
  const std::int64_t own = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0);
  for (int round = 0; round < rounds; ++round) {
    const std::int64_t next = (own + 1) % pes;
    tl.store(x.ptr() + own * 32, tl.full({8}, static_cast<double>(round * 100 + own), f32));
    if (waits) tl.barrier();
    tl.store(out.ptr() + own * 32, tl.load(x.ptr() + next * 32, {8}, f32));
    if (waits) tl.barrier();
  }
}

std::string failures_of_passing(int cubes, int pes, bool waits) {
  return forked_value([=] {
    TorchMachine m("topology.tiny.yaml", sips("ring_1d", 1, 1, cubes));
    m.run([&](Torch& torch) {
      const std::int64_t all = cubes * pes;
      const Tensor x = torch.zeros({all, 8}, f32, rows(cubes, pes), "x"),
                   out = torch.zeros({all, 8}, f32, rows(cubes, pes), "out");
      std::vector<int> on;
      for (int pe = 0; pe < pes; ++pe) on.push_back(pe);
      torch.launch(LaunchSpec("pass").on_pes(on), pass_to_the_next, x, out, 3, waits);
      torch.verify(out, [all] {
        Values values;
        for (std::int64_t pe = 0; pe < all; ++pe)
          values.insert(values.end(), 8, static_cast<double>(200 + (pe + 1) % all));
        return values;
      });
    });
    return m.failures();
  });
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_stored_before_a_barrier_is_loaded_behind_it) {
  BOOST_TEST(failures_of_passing(1, 4, true) == "");
  BOOST_TEST(failures_of_passing(2, 4, true) == "");
  BOOST_TEST(failures_of_passing(2, 1, true) == "");
  BOOST_TEST(contains(failures_of_passing(2, 4, false), "data race"));
}

// The last PE arrives after 1000 cycles of 1 ns. Its notice goes up, without the overhead of
// m_cpu; the answer comes down with that of pe_cpu.
KERNBENCH_SYSTEMC_TEST(a_barrier_takes_the_time_of_its_messages) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 1));
  m.run([&](Torch& torch) {
    const Tensor x = torch.empty({8}, f32, {Placement::replicate, Placement::replicate, 1, 4});
    const LaunchHandle handle = torch.launch(
        LaunchSpec("wait"),
        [](tl::Program& tl, tl::Tensor) {
          if (tl.program_id(0) == 3) tl.cycles(1000);
          tl.barrier();
        },
        x);
    const MachineDescription& machine = torch.spec();
    const NodeId m_cpu = machine.m_cpu(0, 0);
    const auto path = [&](NodeId from, NodeId to) {
      return m.platform->machine_routes().control_path(from, to).control_latency_fs();
    };
    const auto pe_cpu = [&](int pe) { return machine.engine({0, 0, pe}, PeEngine::pe_cpu); };
    for (const auto& [pe, metrics] : handle.metrics().per_pe)
      BOOST_TEST(metrics.pe_exec ==
                 1000 * ns + path(pe_cpu(3), m_cpu) - 5 * ns + path(m_cpu, pe_cpu(pe.pe)));
  });
}

// Tensors on two SIPs: the launch is on both, and so is its barrier.
KERNBENCH_SYSTEMC_TEST(a_barrier_is_of_all_sips_of_the_launch) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2));
  m.run([&](Torch& torch) {
    const Tensor a = torch.zeros({8}, f32, one_pe, "a");
    torch.ahbm.set_device(1);
    const Tensor b = torch.zeros({8}, f32, one_pe, "b");
    const LaunchHandle handle = torch.launch(
        LaunchSpec("wait").on_pe(0),
        [](tl::Program& tl, tl::Tensor, tl::Tensor) {
          for (int round = 0; round < 3; ++round) {
            if (tl.program_id(2) == round % 2) tl.cycles(5000);
            tl.barrier();
          }
        },
        a, b);
    for (const auto& [pe, metrics] : handle.metrics().per_pe)
      BOOST_TEST((metrics.pe_exec > 15000 * ns && metrics.pe_exec < 20000 * ns));
  });
}

KERNBENCH_SYSTEMC_TEST(a_barrier_of_one_pe_takes_no_time) {
  TorchMachine m;
  m.run([&](Torch& torch) {
    const LaunchHandle handle = torch.launch(
        LaunchSpec("wait").on_pe(0), [](tl::Program& tl, tl::Tensor) { tl.barrier(); },
        torch.empty({8}, f32, one_pe));
    BOOST_TEST(handle.metrics().merged.pe_exec == 0U);
  });
}

namespace {

RunResult end_of_kernel(const std::function<void(tl::Program&)>& body) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 1));
  return m.try_run([&](Torch& torch) {
    torch.launch(
        LaunchSpec("wait"), [body](tl::Program& tl, tl::Tensor) { body(tl); },
        torch.empty({8}, f32, {Placement::replicate, Placement::replicate, 1, 4}));
  });
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(a_failure_ends_those_who_wait_in_a_barrier) {
  const RunResult result = end_of_kernel([](tl::Program& tl) {
    if (tl.program_id(0) == 2) tl.load(tl::Ptr(1 << 30), {8}, f32);
    tl.barrier();
  });
  BOOST_TEST(name_of(result.status) == "failed");
  check_contains(result.error, {"sip0.cube0.pe2", "tl.load"});
}

KERNBENCH_SYSTEMC_TEST(a_pe_that_ends_without_the_barrier_leaves_the_others_waiting) {
  const RunResult result = end_of_kernel([](tl::Program& tl) {
    if (tl.program_id(0) != 2) tl.barrier();
  });
  BOOST_TEST(name_of(result.status) == "deadlock");
  check_contains(result.error, {"tl.barrier, which other PEs of the launch have not reached",
                                "tl.barrier has not been reached by "});
}

BOOST_AUTO_TEST_SUITE_END()
