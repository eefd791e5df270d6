// Waiting times (spec 11.3): by hand, at a channel and at a pseudo-channel.
#include "platform/observe/waiting_times.h"

#include <boost/test/unit_test.hpp>

#include "models/noc/link.h"
#include "platform/assembly/machine_modules.h"
#include "platform/output/json_text.h"
#include "tests/support/forked.h"
#include "tests/support/whole_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(waiting_times_test)

namespace {

// Reads of the same 256 B of the partition of PE 0, by each of the PEs, all issued before any is
// waited for.
struct Read {
  Read(const std::vector<PeId>& pes, int reads)
      : machine("topology.tiny.yaml", {}, without_data()), waiting(*machine.platform) {
    const std::uint64_t address = machine.hbm({0, 0, 0});
    const RunResult result = machine.run([&](HostPort& port) {
      const auto launch = kernel_launch(pes);
      launch->body = std::make_shared<FunctionKernel>([&](KernelContext& pe) {
        std::vector<std::shared_ptr<CommandState>> states;
        for (int i = 0; i < reads; ++i) {
          Command command;
          command.what = DmaCommand{false, address, 256};
          states.push_back(pe.issue(command));
        }
        for (const auto& state : states) pe.wait(*state);
      });
      port.wait(*port.submit(launch));
    });
    BOOST_TEST(result.error == "");
  }
  nlohmann::ordered_json of(PeId pe, PeEngine kind) const {
    return waiting.json(machine.engine(pe, kind));
  }

  WholeMachine machine;
  WaitingTimes waiting;
};

}  // namespace

// Dispatched at 1 and 2 ns; the first read holds the channel from 1 ns to 16 ns + 4 fs.
KERNBENCH_SYSTEMC_TEST(a_stage_waits_from_its_dispatch_to_the_grant_of_its_channel) {
  const Read read({{0, 0, 0}}, 2);
  const auto waits = read.of({0, 0, 0}, PeEngine::pe_dma).at("dma_read");
  BOOST_TEST(waits.at("count") == 2);
  BOOST_TEST(to_double(waits.at("min_ns")) == 0.0);
  BOOST_TEST(to_double(waits.at("max_ns")) == 14.000004);
  BOOST_TEST(to_double(waits.at("total_ns")) == 14.000004);
  BOOST_TEST(waits.at("mean_ns").get<double>() == 7.000002);
  BOOST_TEST(waits.at("buckets").size() == 2U);
  BOOST_TEST(read.of({0, 0, 0}, PeEngine::pe_gemm).is_null());
}

// The command of PE 1 comes over one router and 2.5 mm more, 2.25 ns later; the burst of PE 0 takes
// 8 ns.
KERNBENCH_SYSTEMC_TEST(bursts_of_one_pseudo_channel_wait_for_one_another) {
  const Read read({{0, 0, 0}, {0, 0, 1}}, 1);
  const auto channels = read.waiting.hbm_json(1'000'000'000);
  BOOST_TEST_REQUIRE(channels.size() == 1U);
  const auto& channel = channels.at(0);
  BOOST_TEST(channel.at("name") == "sip0.cube0.hbm_ctrl.pe0");
  BOOST_TEST(channel.at("channel") == 0);
  BOOST_TEST(channel.at("bursts_read") == 2);
  BOOST_TEST(channel.at("bursts_written") == 0);
  BOOST_TEST(to_double(channel.at("busy_ns")) == 16.0);
  BOOST_TEST(to_double(channel.at("idle_ns")) == 1000 - 16.0);
  BOOST_TEST(channel.at("waiting").at("count") == 2);
  BOOST_TEST(to_double(channel.at("waiting").at("min_ns")) == 0.0);
  BOOST_TEST(to_double(channel.at("waiting").at("max_ns")) == 5.75);
}

// All 16 flits of 4 KiB are queued at the link of the PE_DMA at once, 1 ns each: they wait for 0 to
// 15 ns.
KERNBENCH_SYSTEMC_TEST(flits_wait_at_a_link_for_those_before_them) {
  WholeMachine machine("topology.tiny.yaml", {}, without_data());
  const WaitingTimes waiting(*machine.platform);
  const RunResult result = machine.run([&](HostPort& port) {
    const auto launch = kernel_launch({{0, 0, 0}});
    launch->body = std::make_shared<FunctionKernel>([&](KernelContext& pe) {
      Command command;
      command.what = DmaCommand{true, machine.hbm({0, 0, 0}), 4096};
      pe.wait(*pe.issue(command));
    });
    port.wait(*port.submit(launch));
  });
  BOOST_TEST(result.error == "");
  const Graph& graph = machine.platform->graph();
  int used = 0;
  for (const auto& [edge, link] : machine.platform->links()) {
    const auto waits = waiting.json(*link);
    if (graph.node(graph.edges()[edge].src).name != "sip0.cube0.pe0.pe_dma" || waits.is_null())
      continue;
    ++used;
    BOOST_TEST(waits.at("count") == 16);
    BOOST_TEST(to_double(waits.at("total_ns")) == 120.0);
    BOOST_TEST(to_double(waits.at("max_ns")) == 15.0);
  }
  BOOST_TEST(used == 1);
}

BOOST_AUTO_TEST_SUITE_END()
