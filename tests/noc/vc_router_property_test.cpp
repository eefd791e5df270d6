// The virtual-channel router under any traffic (spec 2.10): two routers with two sources and two
// sinks each.
#include <rapidcheck/boost_test.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "models/noc/vc_router.h"
#include "tests/support/forked.h"
#include "tests/support/mini_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(vc_router_traffic)

namespace {

constexpr Fs cycle = 1000;

struct Message {
  int source = 0, sink = 0;
  unsigned flits = 1;
  Fs at = 0;
};

struct Traffic {
  std::map<std::string, std::string> attributes;
  std::string bw_gbs;
  std::vector<Message> messages;  // ascending
};

Traffic some_traffic() {
  Traffic traffic;
  traffic.attributes = {
      {"clock_ghz", "1000"},
      {"allocator", *rc::gen::element<std::string>("round_robin", "islip", "age")},
      {"islip_iterations", std::to_string(*rc::gen::inRange(1, 4))},
      {"pipeline_cycles", std::to_string(*rc::gen::inRange(1, 5))},
      {"virtual_channels", std::to_string(*rc::gen::inRange(2, 9))},
      {"buffer_flits", std::to_string(*rc::gen::inRange(1, 6))}};
  traffic.bw_gbs = *rc::gen::element<std::string>("0", "16000", "11000", "5000");
  const int messages = *rc::gen::inRange(1, 40);
  for (int i = 0; i < messages; ++i) {
    traffic.messages.push_back({*rc::gen::inRange(0, 4), *rc::gen::inRange(0, 4),
                                *rc::gen::inRange(1U, 7U),
                                static_cast<Fs>(*rc::gen::inRange(0, 60)) * cycle / 2});
  }
  std::stable_sort(traffic.messages.begin(), traffic.messages.end(),
                   [](const Message& a, const Message& b) { return a.at < b.at; });
  return traffic;
}

// At each instant at most one flit leaves a router from each input and to each output.
struct OnePerCycle final : tlm::tlm_analysis_if<NodeTraversal> {
  void write(const NodeTraversal& traversal) override {
    if (dynamic_cast<const VcRouter*>(&traversal.node) == nullptr) return;
    const Fs now = Component::now();
    const Arrival& flit = traversal.arrival;
    const auto node = traversal.node.node();
    const unsigned output = flit.transaction->route().path->out_port(flit.position);
    const bool first_of_input = inputs.insert({now, node, flit.port}).second;
    const bool first_of_output = outputs.insert({now, node, output}).second;
    if (now % cycle != 0 || !first_of_input || !first_of_output) ++broken;
    ++flits[node];
  }
  std::set<std::tuple<Fs, NodeId, unsigned>> inputs, outputs;
  std::map<NodeId, std::uint64_t> flits;
  int broken = 0;
};

// Sources s0, s1 and sinks z0, z1 at a router r, the others at a router t.
std::vector<Fs> simulate(const Traffic& traffic) {
  return forked_value([&traffic] {
    MiniMachine machine({"r", "s0", "s1", "s2", "s3", "t", "z0", "z1", "z2", "z3"}, 16);
    VcRouter& r = machine.add<VcRouter>("r", traffic.attributes);
    VcRouter& t = machine.add<VcRouter>("t", traffic.attributes);
    std::vector<StubNode*> sources, sinks;
    for (int i = 0; i < 4; ++i) {
      sources.push_back(&machine.stub("s" + std::to_string(i)));
      sinks.push_back(&machine.stub("z" + std::to_string(i)));
      const char* router = i < 2 ? "r" : "t";
      machine.connect("s" + std::to_string(i), router, {traffic.bw_gbs, cycle});
      machine.connect("z" + std::to_string(i), router, {traffic.bw_gbs, cycle});
    }
    machine.connect("r", "t", {traffic.bw_gbs, cycle});
    machine.elaborate();
    OnePerCycle one_per_cycle;
    machine.observation().node_traversals.bind(one_per_cycle);
    std::uint64_t through_r = 0, through_t = 0, flits = 0;
    for (const Message& message : traffic.messages) {
      const bool from_r = message.source < 2, to_r = message.sink < 2;
      if (from_r || to_r) through_r += message.flits;
      if (!from_r || !to_r) through_t += message.flits;
      flits += message.flits;
      sources[static_cast<std::size_t>(message.source)]->send_at(
          machine.write("s" + std::to_string(message.source), "z" + std::to_string(message.sink), 0,
                        16 * message.flits, message.at),
          message.at);
    }
    machine.run();
    if (one_per_cycle.broken > 0) throw std::logic_error("two flits of a port in one cycle");
    if (statistic_of(r, "flits") != through_r || statistic_of(t, "flits") != through_t)
      throw std::logic_error("a router has lost flits");
    if (!machine.monitors().unfinished().empty())
      throw std::logic_error(machine.monitors().unfinished());
    std::vector<Fs> times;
    for (const StubNode* sink : sinks) {
      std::map<TieKey, std::uint32_t> next;
      for (const Received& received : sink->records()) {
        if (received.flit != next[received.key]++) throw std::logic_error("flits out of order");
        times.push_back(received.time);
      }
    }
    if (times.size() != flits) throw std::logic_error("a sink has not received every flit");
    return times;
  });
}

}  // namespace

RC_BOOST_PROP(every_flit_arrives_once_in_order_one_per_cycle_and_port, ()) {
  const Traffic traffic = some_traffic();
  RC_ASSERT(simulate(traffic) == simulate(traffic));
}

BOOST_AUTO_TEST_SUITE_END()
