// Host -> pcie_ep -> io_cpu -> m_cpu -> PEs and back: time by hand, target_start, order of
// launches, metrics, messages that are rejected (spec 4).
#include "tests/host/control_path.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "models/protocol/pe_services.h"
#include "models/protocol/protocol_monitor.h"
#include "tests/support/forked.h"
#include "tests/support/signal_log.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(control_path_test)

KERNBENCH_SYSTEMC_TEST(a_launch_takes_the_control_path_and_back) {
  WholeMachine m("topology.tiny.yaml");
  plan(m, "sip0.cube0.pe0.pe_cpu").run = 100 * ns;
  const RunResult result = m.run([&](HostPort& port) {
    const auto request = port.submit(kernel_launch({pe0}));
    port.wait(*request);
    BOOST_TEST(request->response().completion.ok);
    BOOST_TEST(request->ended ==
               at_io_cpu + io_to_m + m_to_pe0 + 100 * ns + pe0_to_m + m_to_io + io_to_host);
  });
  BOOST_TEST(result.error == "");
  BOOST_TEST(launched(m, "sip0.cube0.pe0.pe_cpu").target_start ==
             at_io_cpu + io_to_m + m_to_pe0);  // 51.00001 ns
  BOOST_TEST(launched(m, "sip0.cube0.pe0.pe_cpu").ready == 51'000'010u);
}

KERNBENCH_SYSTEMC_TEST(processors_of_the_control_path_show_what_they_serve) {
  WholeMachine m("topology.tiny.yaml");
  const MachineDescription& machine = m.platform->machine();
  const SignalLog pcie_ep(m.platform->component(machine.pcie_ep(0)));
  const SignalLog io_cpu(m.platform->component(machine.io_cpu(0)));
  const SignalLog m_cpu(m.platform->component(machine.m_cpu(0, 0)));
  m.run([&](HostPort& port) { port.wait(*port.submit(kernel_launch({pe0}))); });
  // 5, 10 and 5 ns; the answers cost nothing.
  BOOST_TEST(pcie_ep.of("serving") == "1 at 0, 0 at 5000000");
  BOOST_TEST(io_cpu.of("serving") == "0 at 0, 1 at 5000002, 0 at 15000002");
  BOOST_TEST(m_cpu.of("serving") == "0 at 0, 1 at 37600008, 0 at 42600008");
  BOOST_TEST(m_cpu.of("source").substr(0, 36) == "x at 0, sip0.io0.io_cpu at 37600008,");
  BOOST_TEST(m_cpu.of("address") == "x at 0");
}

KERNBENCH_SYSTEMC_TEST(maps_and_unmaps_end_when_every_target_has_them) {
  WholeMachine m("topology.tiny.yaml");
  const RunResult result = m.run([&](HostPort& port) {
    // pe_mmu lies as pe_cpu does, without overhead; PE1 is the farther one.
    const Fs expected = at_io_cpu + io_to_m + (m_to_pe1 - 2 * ns) + pe1_to_m + m_to_io + io_to_host;
    const auto map = port.submit(mmu_message<MmuMap>({pe0, pe1}));
    port.wait(*map);
    BOOST_TEST(map->ended == expected);
    BOOST_TEST(map->response().completion.ok);
    BOOST_TEST(map->response().per_pe.empty());
    const auto unmap = port.submit(mmu_message<MmuUnmap>({pe0, pe1}));
    port.wait(*unmap);
    BOOST_TEST(unmap->ended - unmap->issued == expected);
  });
  BOOST_TEST(result.error == "");
  BOOST_TEST(m.engines.maps.size() == 4u);
  BOOST_TEST(m.engines.maps[0].type == "MmuMap");
  BOOST_TEST(m.engines.maps[3].type == "MmuUnmap");
}

KERNBENCH_SYSTEMC_TEST(a_failed_map_is_reported_after_all_have_answered) {
  WholeMachine m("topology.tiny.yaml");
  plan(m, "sip0.cube0.pe0.pe_mmu").result = Completion::failure("no_room", "pe0's table is full");
  const RunResult result = m.run([&](HostPort& port) {
    const auto map = port.submit(mmu_message<MmuMap>({pe0, pe1}));
    port.wait(*map);
    BOOST_TEST(map->response().completion.error_code == "no_room");
    BOOST_TEST(map->ended ==
               at_io_cpu + io_to_m + (m_to_pe1 - 2 * ns) + pe1_to_m + m_to_io + io_to_host);
  });
  BOOST_TEST(result.error == "");
}

KERNBENCH_SYSTEMC_TEST(all_pes_of_a_launch_start_together_and_the_farthest_is_ready_exactly_then) {
  WholeMachine m("topology.yaml");
  std::vector<PeId> all;
  for (int cube = 0; cube < 16; ++cube) {
    for (int pe = 0; pe < 8; ++pe) all.push_back({1, cube, pe});
  }
  const RunResult result = m.run([&](HostPort& port) {
    // Other messages at the same time do not make a PE late: requests do not wait for each other on
    // the control path.
    std::vector<std::shared_ptr<HostRequest>> requests{port.submit(mmu_message<MmuMap>(all)),
                                                       port.submit(kernel_launch(all)),
                                                       port.submit(mmu_message<MmuUnmap>(all))};
    for (int pe = 0; pe < 8; ++pe)
      requests.push_back(port.submit(
          memory_write({1, 0, pe}, m.hbm({1, 0, pe}), std::vector<std::uint8_t>(100000, 1))));
    for (const auto& request : requests) port.wait(*request);
  });
  BOOST_TEST(result.error == "");
  BOOST_TEST(m.engines.launches.size() == 128u);
  Fs farthest = 0;
  Fs nearest = never_fs;
  for (const auto& launch : m.engines.launches) {
    BOOST_REQUIRE_EQUAL(launch.target_start, m.engines.launches.front().target_start);
    BOOST_REQUIRE_LE(launch.ready, launch.target_start);
    farthest = std::max(farthest, launch.ready);
    nearest = std::min(nearest, launch.ready);
  }
  BOOST_TEST(farthest == m.engines.launches.front().target_start);
  BOOST_TEST(nearest < farthest);
}

KERNBENCH_SYSTEMC_TEST(a_launch_that_asks_for_a_later_start_gets_it) {
  WholeMachine m("topology.tiny.yaml");
  const auto message = kernel_launch({pe0});
  message->target_start = 500 * ns;
  m.run([&](HostPort& port) { port.wait(*port.submit(message)); });
  BOOST_TEST(launched(m, "sip0.cube0.pe0.pe_cpu").target_start == 500 * ns);
}

KERNBENCH_SYSTEMC_TEST(m_cpu_stamps_a_launch_that_comes_without_target_start) {
  // Straight from pcie_ep to m_cpu: 5 + 0.600006 ns of propagation + 16 (UCIe) + 6 (routers) + 5
  // (m_cpu) = 32.600006 ns.
  WholeMachine m("topology.tiny.yaml");
  struct Owner final : TransactionListener {
    void completed(Transaction& transaction) override { answer = transaction.route().message; }
    std::shared_ptr<const Message> answer;
  } owner;
  struct Client final : sc_core::sc_module {
    explicit Client(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
    ServiceInitiator<Transaction> to_pcie_ep;
  } client("client");
  Platform& platform = *m.platform;
  client.to_pcie_ep.bind_to(platform.component(platform.machine().pcie_ep(0)), Role::pcie_ep,
                            "client", platform.monitors());
  TransactionHandle handle;
  const RunResult result = m.run([&](HostPort&) {
    const MachineDescription& machine = platform.machine();
    handle = platform.pool().make();
    handle->set_command(tlm::TLM_IGNORE_COMMAND);
    RouteExtension& route = handle->route();
    route.path = &platform.routes().control_path(machine.pcie_ep(0), machine.m_cpu(0, 0));
    route.host_control = true;
    route.listener = &owner;
    route.message = kernel_launch({pe0, pe1});
    client.to_pcie_ep.nb_transport_fw(*handle);
    sc_core::wait(1, sc_core::SC_US);
    handle = {};
  });
  BOOST_TEST(result.error == "");
  BOOST_TEST((owner.answer != nullptr));
  BOOST_TEST(launched(m, "sip0.cube0.pe0.pe_cpu").target_start == 32'600'006 + m_to_pe1);
  BOOST_TEST(launched(m, "sip0.cube0.pe1.pe_cpu").target_start == 32'600'006 + m_to_pe1);
}

// --- Order of launches

KERNBENCH_SYSTEMC_TEST(launches_with_disjoint_pes_run_side_by_side) {
  WholeMachine m("topology.tiny.yaml");
  plan(m, "sip0.cube0.pe0.pe_cpu").run = 1000 * ns;
  m.run([&](HostPort& port) {
    const auto first = port.submit(kernel_launch({pe0}));
    const auto second = port.submit(kernel_launch({pe1}));
    port.wait(*second);
    BOOST_TEST(!first->done());
    port.wait(*first);
  });
  BOOST_TEST(launched(m, "sip0.cube0.pe1.pe_cpu").target_start == at_io_cpu + io_to_m + m_to_pe1);
}

KERNBENCH_SYSTEMC_TEST(a_launch_that_overlaps_is_stamped_when_the_earlier_one_has_been_answered) {
  WholeMachine m("topology.tiny.yaml");
  plan(m, "sip0.cube0.pe0.pe_cpu").run = 100 * ns;
  const RunResult result = m.run([&](HostPort& port) {
    const auto first = port.submit(kernel_launch({pe0}));
    const auto second = port.submit(kernel_launch({pe0}));
    port.wait(*second);
    BOOST_TEST(first->done());
  });
  BOOST_TEST(result.error == "");
  const Fs answered = at_io_cpu + io_to_m + m_to_pe0 + 100 * ns + pe0_to_m + m_to_io;  // at io_cpu
  BOOST_TEST(launched(m, "sip0.cube0.pe0.pe_cpu", 1).target_start == answered + io_to_m + m_to_pe0);
  BOOST_TEST(launched(m, "sip0.cube0.pe0.pe_cpu", 1).ready ==
             launched(m, "sip0.cube0.pe0.pe_cpu", 1).target_start);
}

KERNBENCH_SYSTEMC_TEST(overlapping_launches_keep_their_order_of_issue) {
  WholeMachine m("topology.tiny.yaml");
  plan(m, "sip0.cube0.pe0.pe_cpu").run = 100 * ns;
  m.run([&](HostPort& port) {
    const auto a = port.submit(kernel_launch({pe0}, "a"));
    const auto b = port.submit(kernel_launch({pe0, pe1}, "b"));
    const auto c = port.submit(kernel_launch({pe1}, "c"));  // PE1 is idle, but b came first
    port.wait(*c);
    BOOST_TEST(b->done());
    BOOST_TEST((a->ended < b->ended && b->ended < c->ended));
  });
  BOOST_TEST(launched(m, "sip0.cube0.pe1.pe_cpu", 1).target_start >
             launched(m, "sip0.cube0.pe0.pe_cpu", 1).target_start);
}

// --- Metrics (spec 4.3)

KERNBENCH_SYSTEMC_TEST(metrics_are_merged_by_max_and_kept_per_pe) {
  WholeMachine m("topology.yaml");
  plan(m, "sip0.cube0.pe0.pe_cpu").metrics = {100, 10, 7, 0};
  plan(m, "sip0.cube0.pe1.pe_cpu").metrics = {90, 20, 3, 0};
  plan(m, "sip0.cube5.pe3.pe_cpu").metrics = {80, 5, 9, 1};
  const RunResult result = m.run([&](HostPort& port) {
    const auto request = port.submit(kernel_launch({pe0, pe1, {0, 5, 3}}));
    port.wait(*request);
    const HostResponse& response = request->response();
    BOOST_TEST(response.metrics.pe_exec == 100u);
    BOOST_TEST(response.metrics.dma == 20u);
    BOOST_TEST(response.metrics.compute == 9u);
    BOOST_TEST(response.metrics.start_skew == 1u);
    BOOST_TEST(response.per_pe.size() == 3u);
    BOOST_TEST(response.per_pe.at(pe1).dma == 20u);
    BOOST_TEST(response.per_pe.at({0, 5, 3}).pe_exec == 80u);
  });
  BOOST_TEST(result.error == "");
}

// --- Rejected messages (spec 4.1)

KERNBENCH_SYSTEMC_TEST(
    a_pe_message_with_a_missing_or_contradictory_tag_is_rejected_before_it_enters_the_fabric) {
  WholeMachine m("topology.yaml");
  const RunResult result = m.run([&](HostPort& port) {
    const auto rejected = [&](auto message, const std::string& part) {
      BOOST_CHECK_EXCEPTION(
          port.submit(std::shared_ptr<const typename decltype(message)::element_type>(message)),
          UsageError, [&](const UsageError& error) {
            return std::string(error.what()).find(part) != std::string::npos;
          });
    };
    auto launch = kernel_launch({});
    rejected(launch, "KernelLaunch: no target PE");
    rejected(kernel_launch({pe1, pe0}), "targets must ascend without duplicates");
    rejected(kernel_launch({pe0, pe0}), "targets must ascend without duplicates");
    rejected(kernel_launch({pe0, {1, 0, 0}}), "targets on sip0 and sip1");
    rejected(kernel_launch({{0, 16, 0}}), "KernelLaunch: cube is 16, allowed is 0..15");
    rejected(kernel_launch({{2, 0, 0}}), "sip is 2");
    launch = kernel_launch({pe0});
    launch->body = nullptr;
    rejected(launch, "the kernel 'k' has no body");
    launch = kernel_launch({pe0});
    launch->kernel.kind = KernelRef::Kind::deployed;
    rejected(launch, "nbytes_code 0");
    launch = kernel_launch({pe0});
    launch->request_id.clear();
    launch->debug_label = "mine";
    rejected(launch, "KernelLaunch 'mine': request_id is missing");
    launch = kernel_launch({pe0});
    launch->timestamp_tag = "";
    rejected(launch, "KernelLaunch: timestamp_tag is empty, allowed is a text or none");
    launch = kernel_launch({pe0});
    launch->meta = {{"", "x"}};
    rejected(launch, "KernelLaunch: meta has the empty key, allowed is a name");
    auto map = mmu_message<MmuMap>({pe0});
    map->entries.clear();
    rejected(map, "MmuMap: no entries");
    map = mmu_message<MmuMap>({pe0});
    map->entries[0].size = 0;
    rejected(map, "size 0");
    BOOST_TEST(m.platform->pool().allocated() == 0u);
  });
  BOOST_TEST(result.error == "");
}

// The tag follows the label and is nowhere else: the same launch takes the same time.
KERNBENCH_SYSTEMC_TEST(a_timestamp_tag_is_shown_after_the_label_and_changes_nothing) {
  WholeMachine m("topology.tiny.yaml");
  const RunResult result = m.run([&](HostPort& port) {
    const auto plain = port.submit(kernel_launch({{0, 0, 0}}));
    port.wait(*plain);
    auto launch = kernel_launch({{0, 0, 0}});
    launch->debug_label = "mine";
    launch->timestamp_tag = "step 3";
    const auto tagged = port.submit(launch);
    port.wait(*tagged);
    BOOST_TEST(plain->what() == "KernelLaunch 'r'");
    BOOST_TEST(tagged->what() == "KernelLaunch 'mine' [step 3]");
    BOOST_TEST(tagged->ended - tagged->issued == plain->ended - plain->issued);
  });
  BOOST_TEST(result.error == "");
}

BOOST_AUTO_TEST_SUITE_END()
