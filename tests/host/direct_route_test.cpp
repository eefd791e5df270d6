// Direct routes of host control messages (spec 2.3): the same times and statistics as through every
// node, and none past a node that may do more with a message than delay it.
#include <boost/test/unit_test.hpp>

#include "models/noc/link.h"
#include "models/noc/router.h"
#include "platform/assembly/machine_modules.h"
#include "tests/host/control_path.h"
#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(direct_route_test)

namespace {

enum class Observers { none, monitors, links, nodes };

// A routing policy of a plug-in, equal to the built-in one.
class OwnService : public SerialService {
 public:
  using SerialService::SerialService;
};

struct Outcome {
  std::vector<Fs> times;                            // of requests and kernels
  std::map<std::string, std::uint64_t> statistics;  // "component.name", "link.control_messages"
  std::uint64_t handled = 0;  // control messages that routers of cubes have passed on themselves
};
using Encoded = std::pair<std::vector<Fs>, std::map<std::string, std::uint64_t>>;

struct Traversals final : tlm::tlm_analysis_if<LinkTraversal>, tlm::tlm_analysis_if<NodeTraversal> {
  void write(const LinkTraversal& /*traversal*/) override {}
  void write(const NodeTraversal& /*traversal*/) override {}
};

struct Runs final : tlm::tlm_analysis_if<KernelRun> {
  void write(const KernelRun& run) override {
    for (const Fs time : {run.target, run.start, run.returned, run.answered}) times.push_back(time);
  }
  std::vector<Fs> times;
};

// Maps on two PEs, then two launches on three cubes, then one that fails on one PE and is ended on
// the others.
void play(HostPort& port, std::vector<Fs>& times) {
  const std::vector<PeId> pes{pe0, pe1, {0, 5, 3}, {0, 15, 7}};
  const auto map = port.submit(mmu_message<MmuMap>({pe0, pe1}));
  port.wait(*map);
  const auto first = port.submit(kernel_launch(pes, "first"));
  const auto second = port.submit(kernel_launch({pe1}, "second"));
  for (const auto& request : {map, first, second}) {
    port.wait(*request);
    BOOST_TEST(request->response().completion.ok);
    times.push_back(request->issued);
    times.push_back(request->ended);
  }
  const auto failing = kernel_launch(pes, "failing");
  failing->body = std::make_shared<FunctionKernel>([](KernelContext& context) {
    if (context.where() == pe1) throw std::runtime_error("pe1");
    for (int i = 0; i < 100; ++i) context.cycles(1000);
  });
  const auto failed = port.submit(failing);
  port.wait(*failed);
  BOOST_TEST(failed->response().completion.error_code == "kernel_exception");
  times.push_back(failed->ended);
}

Outcome outcome_of(Observers observers, const std::vector<Override>& overrides = {}) {
  const Encoded encoded = forked_value([&] {
    MachineOptions options = without_data();
    options.check_protocol = observers == Observers::monitors;
    options.components = [](ComponentRegistry& registry) {
      registry.add(implementation_of<RouterNode<OwnService>>("test.own_router"));
    };
    WholeMachine m("topology.yaml", overrides, options);
    Observation& observation = m.platform->observation();
    Traversals traversals;
    Runs runs;
    if (observers == Observers::links) observation.link_traversals.bind(traversals);
    if (observers == Observers::nodes) observation.node_traversals.bind(traversals);
    observation.kernel_runs.bind(runs);
    std::vector<Fs> times;
    const RunResult result = m.run([&](HostPort& port) { play(port, times); });
    BOOST_TEST(result.error == "");
    times.insert(times.end(), runs.times.begin(), runs.times.end());
    Encoded outcome{times, {}};
    std::uint64_t handled = 0;
    for (NodeId node = 0; node < m.platform->graph().nodes().size(); ++node) {
      const Component& component = m.platform->component(node);
      for (const Statistic& statistic : component.statistics()) {
        outcome.second[component.name() + ("." + statistic.name)] = statistic.at(Component::now());
        if (m.platform->graph().node(node).kind == Role::router &&
            statistic.name == "control_messages")
          handled += *statistic.value;
      }
    }
    for (const auto& each : m.platform->links())
      outcome.second[each.link->name() + std::string(".control_messages")] =
          each.link->statistics().control_messages;
    outcome.second["handled"] = handled;
    return outcome;
  });
  Outcome outcome{encoded.first, encoded.second, encoded.second.at("handled")};
  outcome.statistics.erase("handled");
  return outcome;
}

void check_same(const Outcome& a, const Outcome& b) {
  BOOST_TEST(a.times == b.times, boost::test_tools::per_element());
  BOOST_TEST((a.statistics == b.statistics));
  for (const auto& [name, value] : a.statistics)
    BOOST_TEST_CONTEXT(name) BOOST_TEST(value == b.statistics.at(name));
}

}  // namespace

BOOST_AUTO_TEST_CASE(they_change_no_time_and_no_statistic) {
  const Outcome direct = outcome_of(Observers::none);
  BOOST_TEST(direct.times.size() == 3 * 2 + 1 + (5 + 4) * 4U);
  BOOST_TEST(direct.handled == 0U);
  for (const Observers observers : {Observers::monitors, Observers::links, Observers::nodes}) {
    const Outcome through_nodes = outcome_of(observers);
    BOOST_TEST(through_nodes.handled > 0U);
    check_same(direct, through_nodes);
  }
}

BOOST_AUTO_TEST_CASE(routers_of_other_rules_see_every_message) {
  const std::vector<Override> own{{"cube.components.router.impl", "test.own_router"}};
  const Outcome seen = outcome_of(Observers::none, own);
  check_same(seen, outcome_of(Observers::monitors, own));
  BOOST_TEST(seen.handled == outcome_of(Observers::monitors).handled);
}

BOOST_AUTO_TEST_CASE(routers_with_finite_buffers_see_every_message) {
  const std::vector<Override> finite{{"cube.components.router.attrs.buffer_flits", "8"}};
  const Outcome seen = outcome_of(Observers::none, finite);
  check_same(seen, outcome_of(Observers::monitors, finite));
  BOOST_TEST(seen.handled > 0U);
}

BOOST_AUTO_TEST_SUITE_END()
