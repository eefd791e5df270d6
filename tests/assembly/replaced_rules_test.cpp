// A machine whose rules come from outside (tests/rules): a timing of the HBM controllers, a service
// of the routers, one of the SRAM. It changes times, never routes or data.
#include <boost/test/unit_test.hpp>

#include "models/cube/hbm_controller.h"
#include "models/cube/sram.h"
#include "models/noc/router.h"
#include "tests/rules/one_port.h"
#include "tests/rules/open_page.h"
#include "tests/rules/round_robin_outputs.h"
#include "tests/support/forked.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/whole_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(replaced_rules_test)

namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  BOOST_REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

// The tiny topology; an HBM controller of another implementation has no switch_penalty_ns.
struct Topology {
  explicit Topology(bool outside) {
    std::string text = source_text("configs/topology.yaml");
    if (outside) {
      text = replaced(text,
                      "{impl: builtin.hbm_ctrl, attrs: {overhead_ns: 0.0, burst_bytes: 256, "
                      "switch_penalty_ns: 0.0, efficiency: 1.0}}",
                      "{impl: test.open_page, attrs: {t_burst_ns: 8, row_bytes: 1024}}");
      text =
          replaced(text, "router: {impl: builtin.forwarding,", "router: {impl: test.round_robin,");
      text = replaced(text, "{impl: builtin.sram, attrs: {",
                      "{impl: test.one_port, attrs: {port_bw_gbs: 64, ");
    }
    folder.write("topology.yaml", text);
    path = folder.write("tiny.yaml", source_text("configs/topology.tiny.yaml"));
  }
  TemporaryFolder folder;
  std::string path;
};

struct Machine : private Topology, WholeMachine {
  explicit Machine(bool outside)
      : Topology(outside), WholeMachine(Topology::path, {}, with_rules()) {}

  static MachineOptions with_rules() {
    MachineOptions options;
    options.components = [](ComponentRegistry& registry) {
      registry.add(implementation_of<HbmController<OpenPage>>("test.open_page"));
      registry.add(implementation_of<RouterNode<RoundRobinOutputs>>("test.round_robin"));
      registry.add(implementation_of<MemoryNode<OnePort>>("test.one_port"));
    };
    return options;
  }

  // Writes to two partitions and to the SRAM, all in flight together, then reads of them.
  Fs write_and_read() {
    const std::vector<std::uint64_t> places{hbm({0, 0, 0}), hbm({0, 0, 7}),
                                            address(MemoryArea::cube_sram, {0, 0, 0}, 512)};
    const RunResult result = run([&](HostPort& port) {
      for (const bool read : {false, true}) {
        std::vector<std::shared_ptr<HostRequest>> requests;
        for (std::size_t i = 0; i < places.size(); ++i) {
          const PeId pe{0, 0, i == 1 ? 7 : 0};
          if (read) {
            requests.push_back(port.submit(memory_read(pe, places[i], 8192)));
          } else {
            requests.push_back(port.submit(memory_write(
                pe, places[i], std::vector<std::uint8_t>(8192, static_cast<std::uint8_t>(i + 1)))));
          }
        }
        for (const auto& request : requests) port.wait(*request);
      }
    });
    BOOST_TEST(result.error == "");
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::vector<std::byte> expected(8192, static_cast<std::byte>(i + 1));
      BOOST_TEST((data.memory().read_bytes(places[i], 8192) == expected));
    }
    return result.simulated;
  }
  // Of all routers of the cube.
  std::uint64_t flits() const {
    std::uint64_t sum = 0;
    for (const Node& node : platform->graph().nodes()) {
      if (node.kind == Role::router) sum += statistic(node.name, "flits");
    }
    return sum;
  }
};

}  // namespace

KERNBENCH_SYSTEMC_TEST(rules_from_outside_serve_a_machine_and_show_their_statistics) {
  Machine m(true);
  m.write_and_read();
  const std::string hbm = "sip0.cube0.hbm_ctrl.pe7";
  BOOST_TEST(m.statistic(hbm, "bytes_written") == 8192U);
  // 32 bursts written and 32 read, over 8 channels with rows of 4 bursts: 1 row of each.
  BOOST_TEST(m.statistic(hbm, "row_misses") == 8U);
  BOOST_TEST(m.statistic(hbm, "row_hits") == 56U);
  BOOST_TEST(m.statistic(hbm, "row_conflicts") == 0U);
  BOOST_TEST(m.statistic("sip0.cube0.sram", "port_busy") ==
             2 * (2 + 8192 / 64) * fs_per_ns);  // overhead_ns 2, 64 B per ns
}

BOOST_AUTO_TEST_CASE(rules_from_outside_change_times_and_not_what_passes_the_routers) {
  const auto measured = [](bool outside) {
    return forked_value([outside] {
      Machine m(outside);
      const Fs time = m.write_and_read();
      return std::to_string(time) + " " + std::to_string(m.flits());
    });
  };
  const std::string inside = measured(false), outside = measured(true);
  BOOST_TEST(inside != outside);
  BOOST_TEST(inside.substr(inside.find(' ')) == outside.substr(outside.find(' ')));
}

BOOST_AUTO_TEST_SUITE_END()
