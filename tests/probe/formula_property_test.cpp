// Against the simulation, on random machines: no time is below the formula, and a message alone
// takes the time that arithmetic says.
#include <fmt/format.h>
#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>

#include "platform/assembly/platform.h"
#include "platform/topology/lower_bound.h"
#include "platform/topology/machine_message.h"
#include "platform/topology/zero_load_latency.h"
#include "platform/traffic/traffic_player.h"
#include "tests/probe/routed_machine.h"
#include "tests/support/forked.h"
#include "tests/support/whole_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(formula_on_random_machines)

namespace {

struct Case {
  std::vector<Override> overrides;
  std::vector<TrafficRequest> requests;
};

std::string half_steps(int most) {
  const int value = *rc::gen::inRange(0, 2 * most + 1);
  return std::to_string(value / 2) + (value % 2 == 1 ? ".5" : "");
}

enum class Routers { serial, virtual_channels };

std::string virtual_channel_router() {
  return fmt::format(
      "{{impl: builtin.vc_router, attrs: {{clock_ghz: {}, pipeline_cycles: {}, buffer_flits: {}, "
      "virtual_channels: {}, allocator: {}}}}}",
      *rc::gen::element<std::string>("0.3", "1", "1.4"), *rc::gen::inRange(1, 5),
      *rc::gen::inRange(1, 9), *rc::gen::inRange(2, 7),
      *rc::gen::element<std::string>("round_robin", "islip", "age"));
}

// Two SIPs of one or two small cubes; every attribute that has a say in time is drawn.
std::vector<Override> random_machine(bool pipelined, Routers routers) {
  const int w = *rc::gen::inRange(1, 3);
  std::vector<Override> set = mesh_of_cubes(w, 1);
  const auto draw = [&set](const char* key, const std::string& value) {
    set.push_back({key, value});
  };
  const auto gbs = [] { return std::to_string(*rc::gen::element(16, 48, 100, 128, 256, 512)); };
  draw("cube.pe_layout.pe_per_corner", "1");
  draw("cube.memory_map.hbm_slices_per_cube", "4");
  draw("cube.memory_map.hbm_pseudo_channels", "32");
  draw("system.flit_bytes", std::to_string(*rc::gen::element(64, 100, 256, 512)));
  draw("system.ns_per_mm", *rc::gen::element<std::string>("0", "0.1", "0.37"));
  // An overhead, or latency and occupancies apart.
  const auto draw_node = [&](const std::string& section) {
    const std::string attrs = section + ".attrs.";
    const auto set_to = [&](const char* key, const std::string& value) {
      set.push_back({attrs + key, value});
    };
    if (!pipelined || *rc::gen::inRange(0, 3) == 0) return set_to("overhead_ns", half_steps(6));
    set_to("overhead_ns", "0");
    set_to("latency_ns", half_steps(12));
    set_to("occupancy_ns", half_steps(8));
    set_to("flit_occupancy_ns", half_steps(2));
    set_to("servers", *rc::gen::element<std::string>("node", "direction", "port"));
  };
  draw_node("system.switch");
  draw("system.links.io_ep_to_switch.bw_gbs", gbs());
  for (const char* part : {"io_noc", "io_ucie", "conn"})
    draw_node("sip.io_chiplets.io0.components." + std::string(part));
  const std::string pcie_ep = "sip.io_chiplets.io0.components.pcie_ep";
  if (*rc::gen::arbitrary<bool>()) {
    draw((pcie_ep + ".attrs.cut_through").c_str(), "true");
    draw_node(pcie_ep);
  } else {
    draw((pcie_ep + (pipelined ? ".attrs.latency_ns" : ".attrs.overhead_ns")).c_str(),
         half_steps(6));
    if (pipelined) draw((pcie_ep + ".attrs.overhead_ns").c_str(), "0");
  }
  draw("sip.io_chiplets.io0.links.pcie_ep_to_noc_bw_gbs", gbs());
  if (routers == Routers::serial) {
    draw_node("cube.components.router");
  } else {
    draw("cube.components.router", virtual_channel_router());
  }
  for (const char* part : {"sram", "hbm_ctrl"})
    draw(("cube.components." + std::string(part) + ".attrs.overhead_ns").c_str(), half_steps(6));
  draw_node("cube.ucie.port");
  draw_node("cube.ucie.conn");
  draw("cube.ucie.per_connection_bw_gbs", gbs());
  draw("cube.components.hbm_ctrl.attrs.num_pcs", std::to_string(*rc::gen::element(1, 4, 8, 16)));
  draw("cube.components.hbm_ctrl.attrs.burst_bytes",
       std::to_string(*rc::gen::element(64, 256, 1024)));
  draw("cube.components.hbm_ctrl.attrs.efficiency",
       *rc::gen::element<std::string>("1", "0.8", "0.3"));
  draw("cube.links.pe_to_router_bw_gbs", gbs());
  draw("cube.links.sram_to_router_bw_gbs", gbs());
  draw("cube.pe_template.components.pe_dma.attrs.overhead_ns", half_steps(3));
  draw("cube.pe_template.components.pe_tcm.attrs.overhead_ns", half_steps(3));
  if (*rc::gen::arbitrary<bool>()) {  // a TCM behind links instead of directly at its DMA
    draw("cube.pe_template.links.pe_dma_to_pe_tcm.bw_gbs", gbs());
    draw("cube.pe_template.links.pe_tcm_to_pe_dma.distance_mm", "0.5");
  }
  return set;
}

// Issued within `span`, or `gap` apart.
Case random_case(std::size_t count, Fs span, Fs gap, Routers routers = Routers::serial) {
  Case c;
  c.overrides = random_machine(*rc::gen::arbitrary<bool>(), routers);
  const Graph graph = machine_graph("topology.yaml", c.overrides);
  std::vector<NodeId> initiators;
  std::vector<NodeId> memories;
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    if (starts_transfers(graph.node(id))) initiators.push_back(id);
    if (is_memory(graph.node(id))) memories.push_back(id);
  }
  std::vector<Fs> issues;
  for (std::size_t i = 0; i < count; ++i)
    issues.push_back(gap > 0 ? i * gap : *rc::gen::inRange<Fs>(0, span / 500) * 500);
  std::sort(issues.begin(), issues.end());
  for (std::size_t i = 0; i < count; ++i) {
    TrafficRequest request;
    request.issue = issues[i];
    request.id = static_cast<std::uint32_t>(i);
    request.initiator = initiators[*rc::gen::inRange<std::size_t>(0, initiators.size())];
    request.target = memories[*rc::gen::inRange<std::size_t>(0, memories.size())];
    request.write = *rc::gen::arbitrary<bool>();
    request.offset = *rc::gen::weightedOneOf<std::uint64_t>(
        {{1, rc::gen::just<std::uint64_t>(0)}, {2, rc::gen::inRange<std::uint64_t>(0, 100'000)}});
    request.bytes = *rc::gen::weightedOneOf<std::uint64_t>(
        {{3, rc::gen::inRange<std::uint64_t>(1, 600)},
         {2, rc::gen::inRange<std::uint64_t>(600, 20'000)},
         {1, rc::gen::map(rc::gen::inRange<std::uint64_t>(1, 65),
                          [](std::uint64_t n) { return n * 256; })}});
    c.requests.push_back(request);
  }
  return c;
}

class Listed final : public TrafficSource, public TrafficListener {
 public:
  explicit Listed(const std::vector<TrafficRequest>& requests)
      : requests_(requests), times_(requests.size(), never_fs) {}
  bool next(TrafficRequest& request) override {
    if (next_ == requests_.size()) return false;
    request = requests_[next_++];
    return true;
  }
  void ended(const TrafficResult& result) override {
    times_[result.request.id] = result.end - result.grant;
  }
  const std::vector<Fs>& times() const { return times_; }

 private:
  const std::vector<TrafficRequest>& requests_;
  std::size_t next_ = 0;
  std::vector<Fs> times_;
};

// From grant to end, by request.
std::vector<Fs> simulate(const Case& c) {
  return forked_value(
      [&c] {
        Listed listed(c.requests);
        MachineOptions options(MachineOptions::Engines::builtin);
        options.data = false;
        options.tear_down = false;
        WholeMachine machine("topology.yaml", c.overrides, options);
        TrafficPlayer player("traffic", *machine.platform, listed, listed);
        const RunResult result = machine.platform->run();
        if (result.cause) std::rethrow_exception(result.cause);
        player.check_all_ended();
        return listed.times();
      },
      std::chrono::seconds(60));
}

struct Arithmetic {
  explicit Arithmetic(const Case& c) : machine("topology.yaml", c.overrides) {}
  const Path& path(const TrafficRequest& request) {
    return machine.routes.memory_path(request.initiator, request.target);
  }
  MemoryMessage message(const TrafficRequest& request) {
    return machine_message(machine.graph, path(request), request.write, request.offset,
                           request.bytes);
  }
  std::string text(const TrafficRequest& request) {
    return machine.machine.name(request.initiator) + (request.write ? " writes " : " reads ") +
           machine.machine.name(request.target) + " offset " + std::to_string(request.offset) +
           " bytes " + std::to_string(request.bytes) + " at " + format_ns(request.issue);
  }
  RoutedMachine machine;
};

void log(const Case& c) {
  for (const Override& o : c.overrides) RC_LOG() << o.key << "=" << o.value << "\n";
}

}  // namespace

namespace {

void check_bounds(const Case& c) {
  log(c);
  const std::vector<Fs> times = simulate(c);
  Arithmetic arithmetic(c);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const TrafficRequest& request = c.requests[i];
    RC_LOG() << arithmetic.text(request) << "\n";
    RC_ASSERT(times[i] >=
              lower_bound(arithmetic.path(request), arithmetic.message(request)).total());
  }
}

}  // namespace

// Contention of every kind: 60 requests within 200 ns.
RC_BOOST_PROP(no_simulated_time_is_below_the_formula, ()) {
  check_bounds(random_case(60, 200 * fs_per_ns, 0));
}
RC_BOOST_PROP(virtual_channel_routers_take_no_less_than_the_formula, ()) {
  check_bounds(random_case(60, 200 * fs_per_ns, 0, Routers::virtual_channels));
}

// 10 us apart, each is alone: formula <= without waits for channels <= simulated = exact.
RC_BOOST_PROP(a_message_alone_takes_the_time_of_the_arithmetic, ()) {
  const Case c = random_case(30, 0, 10'000 * fs_per_ns);
  log(c);
  const std::vector<Fs> times = simulate(c);
  Arithmetic arithmetic(c);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const TrafficRequest& request = c.requests[i];
    const Path& path = arithmetic.path(request);
    const MemoryMessage message = arithmetic.message(request);
    RC_LOG() << arithmetic.text(request) << "\n";
    const Fs exact = zero_load_latency(path, message);
    const Fs without_waits = zero_load_latency(path, message, Bursts::side_by_side);
    RC_ASSERT(times[i] == exact);
    RC_ASSERT(without_waits <= exact);
    RC_ASSERT(lower_bound(path, message).total() <= without_waits);
  }
}

BOOST_AUTO_TEST_SUITE_END()
