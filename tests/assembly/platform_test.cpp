// The whole machine: names, links, ports, how a run ends.
#include <boost/test/unit_test.hpp>
#include <new>
#include <set>

#include "models/noc/link.h"
#include "platform/assembly/machine_modules.h"
#include "platform/assembly/machine_routes.h"
#include "platform/assembly/memory_guard.h"
#include "tests/support/error_text.h"
#include "tests/support/forked.h"
#include "tests/support/whole_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(platform_test)

namespace {

void nothing(HostPort&) {}

}  // namespace

// --- Names and structure (spec 1.1, 13)

KERNBENCH_SYSTEMC_TEST(the_default_machine_has_4335_nodes_each_named_as_its_module) {
  WholeMachine m("topology.yaml");
  const Graph& graph = m.platform->graph();
  BOOST_TEST(graph.nodes().size() == 4335u);
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    Component& component = m.platform->component(id);
    BOOST_REQUIRE_EQUAL(component.name(), graph.node(id).name);
    BOOST_REQUIRE(component.node() == id);
    BOOST_REQUIRE(sc_core::sc_find_object(graph.node(id).name.c_str()) == &component);
  }
  BOOST_TEST(m.run(nothing).error == "");
}

KERNBENCH_SYSTEMC_TEST(a_link_is_a_child_of_the_deepest_common_scope) {
  WholeMachine m("topology.yaml");
  for (const char* name :
       {"sip0.cube0.r0c0__to__r0c1", "sip0.cube0.pe0_pe_dma__to__r0c0",
        "sip0.cube3.r0c0__to__hbm_ctrl_pe0", "sip0.io0.io_ucie-P0_conn1__to__io_ucie-P0",
        "sip1.cube0_ucie-E__to__cube1_ucie-W", "sip1.io0_io_ucie-P0__to__cube0_ucie-N",
        "fabric_switch0__to__sip1_io0_pcie_ep"}) {
    BOOST_TEST(dynamic_cast<Link*>(sc_core::sc_find_object(name)) != nullptr, name);
  }
  std::set<std::string> names;
  for (const auto& entry : m.platform->links()) names.insert(entry.link->name());
  BOOST_TEST(names.size() == m.platform->links().size());
}

BOOST_AUTO_TEST_CASE(a_link_name_has_no_dots_and_leaves_out_what_both_ends_share) {
  BOOST_TEST(link_name("a.b.c", "a.b.d").scope == "a.b");
  BOOST_TEST(link_name("a.b.c", "a.b.d").leaf == "c__to__d");
  BOOST_TEST(link_name("a.bc.x", "a.bd.x").scope == "a");
  BOOST_TEST(link_name("a.b", "a.b.c").scope == "a");
  BOOST_TEST(link_name("a.b", "a.b.c").leaf == "b__to__b_c");
  BOOST_TEST(link_name("f.s", "g.t").scope == "");
  BOOST_TEST(link_name("f.s", "g.t").leaf == "f_s__to__g_t");
}

KERNBENCH_SYSTEMC_TEST(the_only_edges_without_a_link_lie_inside_a_pe) {
  WholeMachine m("topology.tiny.yaml");
  std::size_t internal = 0;
  for (const Edge& edge : m.platform->graph().edges())
    internal += edge.kind == EdgeKind::pe_internal ? 1 : 0;
  BOOST_TEST(m.platform->links().size() == m.platform->graph().edges().size() - internal);
}

KERNBENCH_SYSTEMC_TEST(pe_dma_and_pe_tcm_get_a_link_when_their_edge_has_a_length) {
  WholeMachine m("topology.tiny.yaml", {{"cube.pe_template.links.pe_dma_to_pe_tcm",
                                         "{bw_gbs: 512.0, distance_mm: 0.5}"}});
  BOOST_TEST((dynamic_cast<Link*>(sc_core::sc_find_object("sip0.cube0.pe0.pe_dma__to__pe_tcm")) !=
              nullptr));
  BOOST_TEST((sc_core::sc_find_object("sip0.cube0.pe0.pe_tcm__to__pe_dma") == nullptr));
}

// --- Routes (spec 2.7)

KERNBENCH_SYSTEMC_TEST(a_path_knows_ports_delays_and_its_reverse) {
  WholeMachine m("topology.tiny.yaml");
  const MachineDescription& machine = m.platform->machine();
  MachineRoutes& routes = m.platform->machine_routes();
  const Path& path = routes.memory_path(machine.pcie_ep(0), machine.hbm({0, 0, 0}));
  BOOST_TEST(&routes.memory_path(machine.pcie_ep(0), machine.hbm({0, 0, 0})) == &path);
  BOOST_TEST(&path.reverse().reverse() == &path);
  BOOST_TEST(path.reverse().source() == path.target());
  // pcie_ep, io_noc, conn0, io_ucie-P0, ucie-N, ucie-N.conn0, r0c0, hbm_ctrl.pe0
  BOOST_TEST(path.hops().size() == 8u);
  BOOST_TEST(path.hop(0).out_port == 1u);              // peers: fabric.switch0, sip0.io0.io_noc
  BOOST_TEST(path.hop(3).propagation_fs == 200'000u);  // 2 mm at 0.1 ns/mm
  BOOST_TEST(path.hop(1).propagation_fs == 1u);        // 0 mm: the shortest delay there is
  BOOST_TEST(path.hop(3).overhead_fs == 8 * fs_per_ns);
  BOOST_TEST((path.hop(3).bw_gbs == Rational(512)));
  // A PE's DMA charges nothing for what passes through to its TCM.
  const Path& to_tcm =
      routes.memory_path(machine.pcie_ep(0), machine.engine({0, 0, 0}, PeEngine::pe_tcm));
  const PathHop& dma = to_tcm.hop(to_tcm.target_position() - 1);
  BOOST_TEST(dma.node == machine.engine({0, 0, 0}, PeEngine::pe_dma));
  BOOST_TEST(dma.overhead_fs == 0u);
  BOOST_TEST(dma.propagation_fs == 0u);
}

KERNBENCH_SYSTEMC_TEST(places_and_coordinates_outside_the_machine_are_routing_errors) {
  WholeMachine m("topology.tiny.yaml");
  const MachineDescription& machine = m.platform->machine();
  BOOST_CHECK_THROW(machine.pcie_ep(1), RoutingError);
  BOOST_CHECK_THROW(machine.engine({0, 0, 8}, PeEngine::pe_cpu), RoutingError);
  BOOST_CHECK_THROW(machine.place_of(PhysAddr::ual_addr(0, 16, PhysAddr::ual_begin).encode()),
                    RoutingError);
  BOOST_TEST(machine.place_of(m.hbm({0, 0, 3}, 77)).node == machine.hbm({0, 0, 3}));
  BOOST_TEST(machine.place_of(m.hbm({0, 0, 3}, 77)).offset == 77u);
  BOOST_TEST(machine.place_of(m.tcm({0, 0, 2}, 5)).node ==
             machine.engine({0, 0, 2}, PeEngine::pe_tcm));
  BOOST_TEST(machine.place_of(m.address(MemoryArea::mcpu_sram, {0, 0, 0}, 0)).node ==
             machine.m_cpu(0, 0));
  BOOST_TEST(machine.place_of(m.address(MemoryArea::io_sram, {0, 0, 0}, 0)).node ==
             machine.io_cpu(0));
}

KERNBENCH_SYSTEMC_TEST(an_implementation_that_cannot_stand_where_it_is_used_is_refused) {
  ComponentRegistry registry;
  StubEngines engines;
  register_fabric_components(registry);
  register_stub_engines(registry, engines);
  MachineSpec spec = shipped_spec("topology.tiny.yaml", {}, registry);
  spec.cube.router.impl = "builtin.pe_gemm";  // no fabric node
  BOOST_CHECK_THROW(Platform(build_graph(std::move(spec)), registry, {}), UsageError);
}

// --- How a run ends (spec 4.2, 4.4)

KERNBENCH_SYSTEMC_TEST(a_run_ends_when_the_program_has_returned_and_nothing_is_in_flight) {
  WholeMachine m("topology.tiny.yaml");
  const std::uint64_t pa = m.hbm({0, 0, 0});
  const RunResult result = m.run([&](HostPort& port) {
    port.submit(memory_write({0, 0, 0}, pa, {1, 2, 3}));
  });  // no thread waits
  BOOST_TEST(name_of(result.status) == "completed");
  BOOST_TEST(result.simulated == 0u);  // when the program returned
  BOOST_TEST(sc_core::sc_time_stamp().value() > 0u);
  BOOST_TEST((m.data.memory().read_bytes(pa, 3) ==
              std::vector<std::byte>{std::byte{1}, std::byte{2}, std::byte{3}}));
  BOOST_TEST(m.platform->pool().outstanding() == 0u);
}

KERNBENCH_SYSTEMC_TEST(the_run_waits_for_workers) {
  WholeMachine m("topology.tiny.yaml");
  std::vector<std::string> names;
  const RunResult result = m.run([&](HostPort& port) {
    for (int i = 0; i < 3; ++i) {
      port.spawn("rank", [&] {
        names.emplace_back(sc_core::sc_get_current_process_handle().name());
        sc_core::wait(7, sc_core::SC_NS);
      });
    }
  });
  BOOST_TEST(result.error == "");
  BOOST_TEST(result.simulated == 7 * fs_per_ns);
  BOOST_TEST((names == std::vector<std::string>{"host.rank", "host.rank_1", "host.rank_2"}));
}

KERNBENCH_SYSTEMC_TEST(the_first_exception_that_leaves_a_host_thread_is_the_cause) {
  MachineOptions options;
  options.tear_down = true;
  WholeMachine m("topology.tiny.yaml", {}, options);
  bool unwound = false;
  const RunResult result = m.run([&](HostPort& port) {
    struct Mark {
      bool& unwound;
      ~Mark() { unwound = true; }
    } mark{unwound};
    port.spawn("bad", [] {
      sc_core::wait(3, sc_core::SC_NS);
      throw LaunchError("code", "the worker gave up");
    });
    sc_core::wait(1, sc_core::SC_US);
    BOOST_ERROR("killed before");
  });
  BOOST_TEST(name_of(result.status) == "failed");
  BOOST_TEST(result.error == "the worker gave up");
  BOOST_CHECK_THROW(std::rethrow_exception(result.cause), LaunchError);
  BOOST_TEST(result.simulated == 3 * fs_per_ns);
  BOOST_TEST(unwound);  // what was left has been killed, its stack unwound
}

KERNBENCH_SYSTEMC_TEST(a_broken_model_rule_stops_the_run_with_instance_and_time) {
  WholeMachine m("topology.tiny.yaml");
  const RunResult result = m.run([&](HostPort&) {
    sc_core::wait(2, sc_core::SC_NS);
    m.platform->services().fatal(m.platform->component(0), "a rule");
    sc_core::wait(1, sc_core::SC_NS);
    BOOST_ERROR("stopped before");
  });
  BOOST_TEST(name_of(result.status) == "failed");
  BOOST_TEST(result.error == "fabric.switch0 at 2 ns: a rule");
  BOOST_CHECK_THROW(std::rethrow_exception(result.cause), ModelError);
}

KERNBENCH_SYSTEMC_TEST(starvation_with_a_blocked_thread_is_a_deadlock_that_lists_the_waiters) {
  WholeMachine m("topology.tiny.yaml");
  m.engines.plans["sip0.cube0.pe1.pe_cpu"].answers = false;
  const RunResult result = m.run([&](HostPort& port) {
    port.wait(*port.submit(kernel_launch({{0, 0, 0}, {0, 0, 1}}, "stuck")));
  });
  BOOST_TEST(name_of(result.status) == "deadlock");
  BOOST_CHECK_THROW(std::rethrow_exception(result.cause), DeadlockError);
  // Sorted by who: host, m_cpu, io_cpu. io_cpu sent the launch on at 15.000002 ns, m_cpu 27.600006
  // ns later (see tests/host).
  const auto host =
      result.error.find("host.program waits for the end of KernelLaunch 'stuck' since 0 ns");
  const auto m_cpu = result.error.find(
      "sip0.cube0.m_cpu waits for answers to KernelLaunch 'stuck' since 42.600008 ns");
  const auto io_cpu = result.error.find(
      "sip0.io0.io_cpu waits for answers to KernelLaunch 'stuck' since 15.000002 ns");
  BOOST_TEST(host != std::string::npos, result.error);
  BOOST_TEST(m_cpu != std::string::npos, result.error);
  BOOST_TEST(io_cpu != std::string::npos, result.error);
  BOOST_TEST((host < m_cpu && m_cpu < io_cpu));
}

KERNBENCH_SYSTEMC_TEST(a_program_that_blocks_for_ever_is_a_deadlock) {
  WholeMachine m("topology.tiny.yaml");
  const RunResult result = m.run([](HostPort&) {
    sc_core::sc_event never("never_event");
    sc_core::wait(never);
  });
  BOOST_TEST(name_of(result.status) == "deadlock");
  BOOST_TEST(contains(result.error, "host runs bench 'unnamed'; last call: none"), result.error);
}

KERNBENCH_SYSTEMC_TEST(a_transaction_that_is_not_given_back_fails_the_run) {
  WholeMachine m("topology.tiny.yaml");
  std::vector<TransactionHandle> kept;
  const RunResult result = m.run([&](HostPort&) {
    kept.push_back(m.platform->pool().make());
    kept.push_back(m.platform->pool().make());
  });
  BOOST_TEST(name_of(result.status) == "failed");
  BOOST_TEST(contains(result.error, "2 transactions have not been released"), result.error);
  BOOST_CHECK_THROW(std::rethrow_exception(result.cause), ModelError);
}

KERNBENCH_SYSTEMC_TEST(until_ends_the_run_and_what_is_due_then_still_happens) {
  WholeMachine m("topology.tiny.yaml");
  RunLimits limits;
  limits.until = 10 * fs_per_ns;
  std::vector<Fs> ticks;
  const RunResult result = m.run(
      [&](HostPort& port) {
        for (;;) {
          sc_core::wait(5, sc_core::SC_NS);
          ticks.push_back(port.now());
        }
      },
      limits);
  BOOST_TEST(name_of(result.status) == "until_reached");
  BOOST_TEST(result.error == "");
  BOOST_TEST((ticks == std::vector<Fs>{5 * fs_per_ns, 10 * fs_per_ns}));
}

KERNBENCH_SYSTEMC_TEST(wall_time_and_interrupts_end_the_run_between_slices) {
  WholeMachine m("topology.tiny.yaml");
  int reports = 0;
  RunLimits limits;
  limits.interrupted = [&] { return reports == 2; };
  limits.progress = [&](const RunProgress&) { ++reports; };
  const RunResult result = m.run(
      [](HostPort&) {
        for (;;) sc_core::wait(100, sc_core::SC_NS);
      },
      limits);
  BOOST_TEST(name_of(result.status) == "interrupted");
  BOOST_TEST(reports == 2);
}

// As by operator new, in the first of three delta cycles of an instant.
KERNBENCH_SYSTEMC_TEST(a_refused_allocation_ends_the_run_after_its_instant) {
  guard_memory(std::uint64_t{1} << 50U);
  WholeMachine m("topology.tiny.yaml");
  RunLimits limits;
  limits.interrupted = &memory_limit_reached;
  int deltas = 0;
  const RunResult result = m.run(
      [&](HostPort&) {
        for (;;) {
          sc_core::wait(5, sc_core::SC_NS);
          if (Component::now() == 15 * fs_per_ns) std::get_new_handler()();
          for (int i = 0; i < 3; ++i, ++deltas) sc_core::wait(sc_core::SC_ZERO_TIME);
        }
      },
      limits);
  BOOST_TEST(name_of(result.status) == "interrupted");
  BOOST_TEST(allocation_refused());
  BOOST_TEST(result.simulated == 15 * fs_per_ns);
  BOOST_TEST(deltas == 9);
  // The reserve is free: one that can be had again is not why an allocation fails.
  BOOST_CHECK_THROW(std::get_new_handler()(), std::bad_alloc);
  BOOST_TEST(!memory_limit_reached());
}

KERNBENCH_SYSTEMC_TEST(max_wall_ends_the_run) {
  WholeMachine m("topology.tiny.yaml");
  RunLimits limits;
  limits.max_wall_s = 0.0;
  const RunResult result = m.run(
      [](HostPort&) {
        for (;;) sc_core::wait(100, sc_core::SC_NS);
      },
      limits);
  BOOST_TEST(name_of(result.status) == "wall_limit");
}

KERNBENCH_SYSTEMC_TEST(without_a_program_a_run_ends_when_nothing_is_pending) {
  WholeMachine m("topology.tiny.yaml");
  const RunResult result = m.platform->run();
  BOOST_TEST(name_of(result.status) == "completed");
  BOOST_TEST(result.simulated == 0u);
}

// --- Determinism

BOOST_AUTO_TEST_CASE(two_runs_are_equal_to_the_femtosecond_and_the_delta) {
  const auto run = [] {
    return forked_value([] {
      WholeMachine m("topology.yaml");
      std::vector<std::uint64_t> times;
      const RunResult result = m.run([&](HostPort& port) {
        std::vector<std::shared_ptr<HostRequest>> requests;
        for (int cube = 0; cube < 16; ++cube) {
          for (int pe = 0; pe < 8; ++pe) {
            const PeId where{cube % 2, cube, pe};
            requests.push_back(port.submit(
                memory_write(where, m.hbm(where, 64), std::vector<std::uint8_t>(3000, 1))));
            requests.push_back(port.submit(memory_read(where, m.hbm(where, 8192), 5000)));
          }
        }
        requests.push_back(port.submit(kernel_launch({{0, 0, 0}, {0, 15, 7}})));
        for (const auto& request : requests) {
          port.wait(*request);
          times.push_back(request->ended);
        }
      });
      times.push_back(result.simulated);
      times.push_back(result.deltas);
      return times;
    });
  };
  const auto first = run();
  BOOST_TEST(first == run(), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
