// Request traces (spec 11.2): every hop of a transfer by hand, commands with their events, nothing
// lost and nothing empty.
#include "platform/export/request_trace.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "platform/observe/transfer_path.h"
#include "tests/support/forked.h"
#include "tests/support/observed_transfers.h"
#include "tests/support/whole_machine.h"

using namespace kernbench;
using namespace kernbench::test;
using Json = nlohmann::json;

BOOST_AUTO_TEST_SUITE(request_trace_test)

namespace {

// A machine with built-in engines, its requests traced.
struct Traced {
  explicit Traced(const std::string& topology = "topology.tiny.yaml",
                  const std::vector<Override>& overrides = {})
      : machine(topology, overrides, without_data()) {
    trace = std::make_unique<RequestTrace>(*machine.platform, text);
    breakdown = std::make_unique<ObservedTransfers>(*machine.platform);
  }
  std::uint64_t hbm(PeId pe, std::uint64_t offset = 0) const { return machine.hbm(pe, offset); }
  std::vector<Json> run(std::function<void(HostPort&)> body, const RunLimits& limits = {}) {
    const RunResult result = machine.run(std::move(body), limits);
    BOOST_TEST(result.error == "");
    trace->close();
    std::vector<Json> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
    return lines;
  }
  std::vector<Json> run_kernel(std::function<void(KernelContext&)> body,
                               std::vector<PeId> pes = {{0, 0, 0}}) {
    return run([&](HostPort& port) {
      const auto launch = kernel_launch(std::move(pes));
      launch->body = std::make_shared<FunctionKernel>(std::move(body));
      port.wait(*port.submit(launch));
    });
  }

  WholeMachine machine;
  std::stringstream text;
  std::unique_ptr<RequestTrace> trace;
  std::unique_ptr<ObservedTransfers> breakdown;
};

void transfer(KernelContext& pe, bool write, std::uint64_t address, std::uint64_t nbytes) {
  Command command;
  command.what = DmaCommand{write, address, nbytes};
  pe.wait(*pe.issue(command));
}

std::vector<Json> of_kind(const std::vector<Json>& lines, const std::string& kind) {
  std::vector<Json> found;
  for (const Json& line : lines) {
    if (line.at("kind") == kind) found.push_back(line);
  }
  return found;
}

using Times = std::vector<double>;
Times times_of(const Json& hop) {
  return {hop.at("arrival_ns"), hop.at("start_ns"), hop.at("departure_ns")};
}

}  // namespace

// tests/host derives the same read: 5 ns at the end point; the command pays 8 + 8 + 2 ns and
// 0.200006 ns of propagation, one burst takes 8 ns; the data come back over links of 1, 2, 2, 0.5,
// 2, 2, 1 ns and pay 2 + 8 + 8 ns.
KERNBENCH_SYSTEMC_TEST(a_host_read_is_followed_hop_by_hop_there_and_back) {
  Traced t;
  const std::vector<Json> lines = t.run([&](HostPort& port) {
    port.wait(*port.submit(memory_read({0, 0, 0}, t.hbm({0, 0, 0}), 256)));
  });
  BOOST_REQUIRE(lines.size() == 1U);
  const Json& read = lines.at(0);
  BOOST_TEST(read.at("kind") == "read");
  BOOST_TEST(read.at("initiator") == "sip0.io0.pcie_ep");
  BOOST_TEST(read.at("target") == "sip0.cube0.hbm_ctrl.pe0");
  BOOST_TEST(read.at("bytes") == 256);
  const Json& hops = read.at("hops");
  const std::vector<std::string> way{
      "sip0.io0.pcie_ep",  "sip0.io0.io_noc",         "sip0.io0.conn0",  "sip0.io0.io_ucie-P0",
      "sip0.cube0.ucie-N", "sip0.cube0.ucie-N.conn0", "sip0.cube0.r0c0", "sip0.cube0.hbm_ctrl.pe0"};
  BOOST_TEST(hops.size() == 2 * way.size() - 1);
  for (std::size_t i = 0; i < hops.size(); ++i) {
    const bool back = i >= way.size();
    BOOST_TEST(hops.at(i).at("node").get<std::string>() ==
               hops.at(back ? hops.size() - 1 - i : i).at("node").get<std::string>());
    const Times at = times_of(hops.at(i));
    BOOST_TEST((at[0] <= at[1] && at[1] <= at[2]), hops.at(i).dump());
    if (i > 0) BOOST_TEST(times_of(hops.at(i - 1))[2] <= at[0]);
  }
  BOOST_TEST(hops.front().at("node") == way.front());
  BOOST_TEST(hops.at(way.size() - 1).at("node") == way.back());
  BOOST_TEST(times_of(hops.front()) == (Times{0, 0, 5}), boost::test_tools::per_element());
  // At the memory the command is booked at once; the data leave when its burst has ended.
  BOOST_TEST(times_of(hops.at(way.size() - 1)) == (Times{23.200006, 23.200006, 31.200006}),
             boost::test_tools::per_element());
  BOOST_TEST(read.at("first_ns") == 0);
  BOOST_TEST(read.at("total_ns").get<double>() == 59.900012);
}

KERNBENCH_SYSTEMC_TEST(a_posted_write_ends_at_its_commit) {
  Traced t;
  const std::vector<Json> lines = t.run([&](HostPort& port) {
    port.wait(
        *port.submit(memory_write({0, 0, 0}, t.hbm({0, 0, 0}), std::vector<std::uint8_t>(256, 1))));
  });
  BOOST_REQUIRE(lines.size() == 1U);
  BOOST_TEST(lines.at(0).at("kind") == "write");
  BOOST_TEST(lines.at(0).at("hops").back().at("node") == "sip0.cube0.hbm_ctrl.pe0");
  BOOST_TEST(lines.at(0).at("total_ns").get<double>() == 41.700006);
}

// A load of 256 bytes from the own partition: 1 + 2 + 8 + 1 + 2 + 1 ns and 4 fs (tests/traffic),
// from the grant on. It belongs to its command, whose events are those of spec 5.4 in their order.
KERNBENCH_SYSTEMC_TEST(a_command_has_its_events_and_its_transfers_name_it) {
  Traced t;
  const std::vector<Json> lines = t.run_kernel([&](KernelContext& pe) {
    transfer(pe, false, t.hbm({0, 0, 0}), 256);
  });
  const std::vector<Json> commands = of_kind(lines, "command"), reads = of_kind(lines, "read");
  BOOST_REQUIRE(commands.size() == 1U);
  BOOST_REQUIRE(reads.size() == 1U);
  BOOST_TEST(reads.at(0).at("pe") == "sip0.cube0.pe0");
  BOOST_TEST(reads.at(0).at("command") == commands.at(0).at("command"));
  BOOST_TEST(reads.at(0).at("total_ns").get<double>() == 15.000004);
  std::vector<std::string> events;
  for (const Json& event : commands.at(0).at("events")) {
    events.push_back(event.at("event").get<std::string>() + " " +
                     event.at("node").get<std::string>().substr(15));
  }
  BOOST_TEST(events == (std::vector<std::string>{
                           "command_submitted pe_scheduler", "sub_command_dispatched pe_scheduler",
                           "engine_start pe_dma", "engine_complete pe_dma",
                           "tile_ready pe_scheduler", "command_complete pe_scheduler"}),
             boost::test_tools::per_element());
  BOOST_TEST(commands.at(0).at("events").at(2).at("stage") == "DMA_READ");
  BOOST_TEST(commands.at(0).at("events").at(2).at("bytes") == 256);
  BOOST_TEST(commands.at(0).at("total_ns").get<double>() == 1 + 15.000004);  // pe_scheduler 1 ns
  // The launch on its way to the PE and back.
  std::multiset<std::string> control;
  for (const Json& line : of_kind(lines, "control"))
    control.insert(line.at("message").get<std::string>());
  BOOST_TEST(control.count("KernelLaunch 'r'") == 3U);  // host to io_cpu, to m_cpu, to pe_cpu
}

// 64 rows of 128 B at a pitch of 9 bursts: tests/pe/strided_machine_test.cpp derives 72.5 ns and
// 4 fs, 1 ns of them the scheduler's. No other request is in flight: nothing of it is contention.
KERNBENCH_SYSTEMC_TEST(a_strided_access_tells_its_runs_and_where_its_time_went) {
  Traced t;
  const std::vector<Json> lines = t.run_kernel([&](KernelContext& pe) {
    auto runs = std::make_shared<AddressRuns>();
    for (std::uint64_t row = 0; row < 64; ++row)
      runs->push_back({t.hbm({0, 0, 0}, row * 9 * 256), 128});
    Command command;
    command.what = DmaCommand{false, runs->front().address, 8192, runs};
    pe.wait(*pe.issue(std::move(command)));
  });
  const std::vector<Json> reads = of_kind(lines, "read");
  BOOST_REQUIRE(reads.size() == 1U);
  BOOST_TEST(reads.at(0).at("bytes") == 8192);
  BOOST_TEST(reads.at(0).at("runs") == 64);
  BOOST_TEST(reads.at(0).at("total_ns").get<double>() == 71.500004);
  const nlohmann::ordered_json broken_down = t.breakdown->sums.json();
  BOOST_REQUIRE(broken_down.size() == 1U);
  const auto& parts = broken_down.at(0).at("parts");
  BOOST_TEST(parts.at("contention_ns").get<double>() == 0);
  double sum = 0;
  for (const auto& part : parts) sum += part.get<double>();
  BOOST_TEST(sum == broken_down.at(0).at("latency_ns").get<double>(),
             boost::test_tools::tolerance(1e-9));
}

KERNBENCH_SYSTEMC_TEST(tiles_of_a_composite_name_command_and_tile_in_both_directions) {
  Traced t;
  const std::vector<Json> lines = t.run_kernel([&](KernelContext& pe) {
    CompositeGemm gemm;
    gemm.m = gemm.n = 64;
    gemm.k = 128;
    gemm.a.address = t.hbm(pe.where());
    gemm.b.address = t.hbm(pe.where(), 1 << 20);
    gemm.out.address = t.hbm(pe.where(), 2 << 20);
    pe.wait(*pe.issue({gemm, nullptr}));
  });
  // 2 x 2 outputs of 2 k tiles: a and b are read for each, the output is written with the last.
  const std::vector<Json> reads = of_kind(lines, "read"), writes = of_kind(lines, "write");
  BOOST_TEST(reads.size() == 16U);
  BOOST_TEST(writes.size() == 4U);
  std::map<std::int64_t, int> of_tile;
  for (const Json& read : reads) ++of_tile[read.at("tile").get<std::int64_t>()];
  BOOST_TEST(of_tile.size() == 8U);
  for (const auto& [tile, count] : of_tile) BOOST_TEST(count == 2);
  const Json command = of_kind(lines, "command").at(0);
  std::map<std::string, int> starts;
  for (const Json& event : command.at("events")) {
    if (event.at("event") == "engine_start") ++starts[event.at("stage").get<std::string>()];
  }
  BOOST_TEST(
      (starts == std::map<std::string, int>{
                     {"DMA_READ", 16}, {"FETCH", 8}, {"GEMM", 8}, {"STORE", 4}, {"DMA_WRITE", 4}}));
}

// So that a machine whose observers are gone pays nothing for them.
KERNBENCH_SYSTEMC_TEST(observers_that_go_leave_no_subscription_behind) {
  Traced t;
  const Observation& ports = t.machine.platform->observation();
  BOOST_TEST(ports.link_traversals.observed());
  BOOST_TEST(ports.hbm_bookings.observed());
  t.breakdown.reset();
  BOOST_TEST(ports.link_traversals.observed());  // by the trace
  BOOST_TEST(!ports.hbm_bookings.observed());
  t.trace.reset();
  BOOST_TEST(!ports.executed_ops.observed());
  BOOST_TEST(!ports.trace_events.observed());
  BOOST_TEST(!ports.link_traversals.observed());
  BOOST_TEST(!ports.node_traversals.observed());
  BOOST_TEST(!ports.transaction_ends.observed());
}

KERNBENCH_SYSTEMC_TEST(what_is_in_flight_when_a_run_is_stopped_is_marked) {
  Traced t;
  RunLimits limits;
  limits.until = 30 * fs_per_ns;
  const std::vector<Json> lines = t.run(
      [&](HostPort& port) {
        const auto read = port.submit(memory_read({0, 0, 0}, t.hbm({0, 0, 0}), 256));
        port.wait(*read);
      },
      limits);
  BOOST_REQUIRE(lines.size() == 1U);
  BOOST_TEST(lines.at(0).at("complete") == false);
  BOOST_TEST(lines.at(0).at("hops").size() == 8U);  // to the memory, not back
}

// Of every line: hops are there, in order of time, and total = last - first. Of the same run twice:
// the same bytes. All PEs of four cubes go at once to the next cube, the other SIP and their own
// partition.
BOOST_AUTO_TEST_CASE(no_trace_is_empty_and_repetitions_are_identical) {
  const auto trace = [] {
    return forked_value([] {
      Traced t("topology.tiny.yaml",
               {{"system.sips.count", "2"}, {"sip.cube_mesh", "{w: 2, h: 2}"}});
      std::vector<PeId> pes;
      for (int cube = 0; cube < 4; ++cube) {
        for (int pe = 0; pe < 8; ++pe) pes.push_back({0, cube, pe});
      }
      const std::vector<Json> lines = t.run_kernel(
          [&](KernelContext& pe) {
            const PeId here = pe.where();
            transfer(pe, false, t.hbm({0, (here.cube + 1) % 4, here.pe}), 3000);
            transfer(pe, true,
                     t.hbm({1, here.cube, 7 - here.pe},
                           64 * 1024 * static_cast<std::uint64_t>(here.pe) + 100),
                     1000);
            transfer(pe, true, t.hbm(here), 1);
          },
          pes);
      BOOST_TEST(of_kind(lines, "command").size() == 3 * 32U);
      BOOST_TEST(of_kind(lines, "read").size() == 32U);
      BOOST_TEST(of_kind(lines, "write").size() == 2 * 32U);
      for (const Json& line : lines) {
        const double total = line.at("total_ns");
        BOOST_REQUIRE(total > 0);
        BOOST_REQUIRE_CLOSE(
            total, line.at("last_ns").get<double>() - line.at("first_ns").get<double>(), 1e-6);
        BOOST_REQUIRE(!line.at(line.at("kind") == "command" ? "events" : "hops").empty());
        if (line.at("kind") == "command") continue;
        double before = 0;
        for (const Json& hop : line.at("hops")) {
          const Times at = times_of(hop);
          BOOST_REQUIRE((before <= at[0] && at[0] <= at[1] && at[1] <= at[2]));
          before = at[0];
        }
      }
      return t.text.str();
    });
  };
  const std::string first = trace();
  BOOST_TEST(first.size() > 100'000U);
  BOOST_TEST((trace() == first));
}

// The parts of all transfers of a class add up to their latencies as the trace has them.
KERNBENCH_SYSTEMC_TEST(the_breakdown_of_a_run_adds_up_to_the_traced_latencies) {
  Traced t("topology.yaml");
  const std::vector<PeId> pes{{0, 0, 0}, {0, 0, 1}, {0, 3, 2}, {0, 15, 7}};
  const std::vector<Json> lines = t.run([&](HostPort& port) {
    port.wait(*port.submit(
        memory_write({0, 3, 2}, t.hbm({0, 3, 2}), std::vector<std::uint8_t>(5000, 1))));
    const auto launch = kernel_launch(pes);
    launch->body = std::make_shared<FunctionKernel>([&](KernelContext& pe) {
      transfer(pe, false, t.hbm({0, 0, 0}), 4096);  // all PEs at once
      transfer(pe, true, t.hbm({1, 2, 3}, 8192), 2000);
    });
    port.wait(*port.submit(launch));
    port.wait(*port.submit(memory_read({0, 3, 2}, t.hbm({0, 3, 2}), 5000)));
  });
  std::map<std::string, std::pair<int, double>> traced;
  for (const Json& line : lines) {
    if (line.at("kind") != "read" && line.at("kind") != "write") continue;
    const NodeId from = t.machine.platform->graph().at(line.at("initiator").get<std::string>()),
                 to = t.machine.platform->graph().at(line.at("target").get<std::string>());
    auto& sum = traced[line.at("kind").get<std::string>() + " " +
                       name_of(distance_of(t.machine.platform->graph(), from, to))];
    ++sum.first;
    sum.second += line.at("total_ns").get<double>();
  }
  const nlohmann::ordered_json broken_down = t.breakdown->sums.json();
  BOOST_TEST(broken_down.size() == traced.size());
  BOOST_TEST(
      traced.size() ==
      6U);  // read and write by the host, reads local, same cube, same SIP; writes to another SIP
  for (const auto& row : broken_down) {
    const std::string name =
        row.at("op").get<std::string>() + " " + row.at("distance").get<std::string>();
    BOOST_TEST_CONTEXT(name) {
      double parts = 0;
      for (const auto& part : row.at("parts")) parts += part.get<double>();
      BOOST_TEST(row.at("transfers") == traced[name].first);
      BOOST_CHECK_CLOSE(row.at("latency_ns").get<double>(), traced[name].second, 1e-6);
      BOOST_CHECK_CLOSE(parts, row.at("latency_ns").get<double>(), 1e-6);
    }
  }
  BOOST_TEST(t.breakdown->sums.by_distance().text().find("contention") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
