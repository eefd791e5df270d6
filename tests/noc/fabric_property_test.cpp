// The fabric as a whole on random small machines and dense traffic: against the naive one, and what
// must hold whatever the times are.
#include <rapidcheck/boost_test.h>
#include <sysc/kernel/sc_spawn.h>

#include <boost/test/unit_test.hpp>

#include "models/cube/hbm_controller.h"
#include "models/cube/sram.h"
#include "models/io/pcie_ep.h"
#include "models/noc/pipelined_router.h"
#include "tests/support/forked.h"
#include "tests/support/mini_machine.h"
#include "tests/support/naive_fabric.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(fabric)

namespace {

using Kind = NaiveRequest::Kind;

struct Buffer {
  std::uint32_t virtual_channels = 1, flits = 0;
};

// A tree: inner nodes (routers and PCIe end points) and leaves (ends, memories).
struct Machine {
  std::uint32_t flit_bytes = 16;
  std::vector<NaiveNode> nodes;  // in order of their names
  std::vector<NaiveLink> links;
  std::vector<NaiveRequest> requests;
  std::vector<Buffer> buffers;    // by node, of routers; empty: unlimited
  std::vector<bool> plain_nodes;  // by node, routers that take single flits; empty: none
};

// As the built-in one; but runs of flits are for the built-in policies alone.
struct PlainService : SerialService {
  using SerialService::SerialService;
};

std::string name_of(int node) { return "n" + std::to_string(10 + node); }

std::vector<int> path_between(const std::vector<int>& parents, int from, int to) {
  const auto to_root = [&](int node) {
    std::vector<int> path{node};
    while (parents[static_cast<std::size_t>(path.back())] >= 0)
      path.push_back(parents[static_cast<std::size_t>(path.back())]);
    return path;
  };
  std::vector<int> up = to_root(from);
  std::vector<int> down = to_root(to);
  while (up.size() > 1 && down.size() > 1 && up[up.size() - 2] == down[down.size() - 2]) {
    up.pop_back();
    down.pop_back();
  }
  up.insert(up.end(), down.rbegin() + 1, down.rend());
  return up;
}

// A coarse grid of times, so that many things happen at one instant.
Time some_time(Time most, Time step) { return *rc::gen::inRange<Time>(0, most / step + 1) * step; }

// Latency and occupancy apart, or an overhead, with any servers.
void make_pipelined(NaiveNode& node) {
  using Servers = NaiveNode::Servers;
  node.servers = *rc::gen::element(Servers::node, Servers::direction, Servers::port);
  if (*rc::gen::inRange(0, 4) == 0) return;
  node.pipelined = true;
  node.overhead = 0;
  node.latency = some_time(12, 4);
  node.occupancy = some_time(8, 2);
  node.flit_occupancy = some_time(4, 2);
}

Machine random_machine(bool zero_overheads, bool pipelined = false) {
  Machine m;
  m.flit_bytes = *rc::gen::element<std::uint32_t>(8, 16, 24, 64);
  const int inner = *rc::gen::inRange(1, 5);
  const int leaves = *rc::gen::inRange(3, 8);
  const int count = inner + leaves;
  // Positions in the order of names are drawn, so that upstream names tie in every way.
  std::vector<int> label(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) label[static_cast<std::size_t>(i)] = i;
  for (int i = count - 1; i > 0; --i)
    std::swap(label[static_cast<std::size_t>(i)],
              label[static_cast<std::size_t>(*rc::gen::inRange(0, i + 1))]);
  m.nodes.resize(static_cast<std::size_t>(count));
  std::vector<int> parents(static_cast<std::size_t>(count), -1);
  std::vector<int> sources;
  std::vector<int> memories;
  std::vector<int> ends;
  for (int i = 0; i < count; ++i) {
    const int at = label[static_cast<std::size_t>(i)];
    NaiveNode& node = m.nodes[static_cast<std::size_t>(at)];
    node.overhead = zero_overheads ? 0 : some_time(8, 4);
    if (i < inner) {
      node.kind = *rc::gen::weightedElement<NaiveKind>(
          {{5, NaiveKind::router}, {2, NaiveKind::pcie}, {1, NaiveKind::pcie_cut_through}});
      if (node.kind != NaiveKind::router) sources.push_back(at);
      if (pipelined && node.kind != NaiveKind::pcie) make_pipelined(node);
    } else if (i == inner || *rc::gen::inRange(0, 3) > 0) {
      node.kind = NaiveKind::end;
      sources.push_back(at);
      ends.push_back(at);
    } else {
      node.kind = *rc::gen::element(NaiveKind::hbm, NaiveKind::hbm, NaiveKind::sram);
      memories.push_back(at);
    }
    if (node.kind == NaiveKind::hbm) {
      node.num_pcs = *rc::gen::element<std::uint64_t>(1, 2, 4);
      node.burst_bytes = *rc::gen::element<std::uint64_t>(8, 16, 32);
      node.burst_time = *rc::gen::element<Time>(0, 4, 8, 16);
      node.switch_penalty = some_time(4, 4);
    }
    if (i > 0) {
      parents[static_cast<std::size_t>(at)] =
          label[static_cast<std::size_t>(*rc::gen::inRange(0, std::min(i, inner)))];
      const int parent = parents[static_cast<std::size_t>(at)];
      for (const auto& [from, to] : {std::pair{at, parent}, std::pair{parent, at}}) {
        m.links.push_back({from, to, *rc::gen::element<std::uint64_t>(0, 1, 2, 4, 8),
                           *rc::gen::element<Time>(1, 1, 4, 7)});
      }
    }
  }
  const int requests = *rc::gen::inRange(1, 25);
  for (int i = 0; i < requests; ++i) {
    NaiveRequest request;
    const int from = *rc::gen::elementOf(sources);
    const bool to_memory = !memories.empty() && *rc::gen::inRange(0, 4) > 0;
    const int to = to_memory ? *rc::gen::elementOf(memories) : *rc::gen::elementOf(ends);
    if (from == to) continue;
    request.kind = to_memory
                       ? *rc::gen::element(Kind::write, Kind::posted_write, Kind::read, Kind::read)
                       : *rc::gen::element(Kind::write, Kind::control, Kind::host_control);
    request.path = path_between(parents, from, to);
    request.offset =
        *rc::gen::inRange<std::uint64_t>(0, 40) * *rc::gen::element<std::uint64_t>(1, 8, 16);
    request.bytes = *rc::gen::inRange<std::uint64_t>(1, 160);
    request.issued = some_time(60, 4);
    m.requests.push_back(request);
  }
  std::stable_sort(
      m.requests.begin(), m.requests.end(),
      [](const NaiveRequest& a, const NaiveRequest& b) { return a.issued < b.issued; });
  return m;
}

std::string in_ns(Time fs) {
  return Rational::fraction(static_cast<Rational::Int>(fs), 1'000'000).str();
}

bool is_apart(const NaiveNode& node) {
  return node.pipelined || node.servers != NaiveNode::Servers::node;
}

std::map<std::string, std::string> server_attributes(const NaiveNode& node) {
  std::map<std::string, std::string> attributes{{"overhead_ns", in_ns(node.overhead)}};
  if (!is_apart(node)) return attributes;
  attributes["latency_ns"] = in_ns(node.latency);
  attributes["occupancy_ns"] = in_ns(node.occupancy);
  attributes["flit_occupancy_ns"] = in_ns(node.flit_occupancy);
  attributes["servers"] = node.servers == NaiveNode::Servers::node        ? "node"
                          : node.servers == NaiveNode::Servers::direction ? "direction"
                                                                          : "port";
  return attributes;
}

std::map<std::string, std::string> router_attributes(const Machine& m, int node) {
  std::map<std::string, std::string> attributes =
      server_attributes(m.nodes[static_cast<std::size_t>(node)]);
  if (m.buffers.empty()) return attributes;
  const Buffer& buffer = m.buffers[static_cast<std::size_t>(node)];
  attributes["virtual_channels"] = std::to_string(buffer.virtual_channels);
  attributes["buffer_flits"] = std::to_string(buffer.flits);
  return attributes;
}

// `runs`: flits are handed over in runs where a node takes them; requests leave at their time.
// Returns the end of each request. `counted_at`: instead, the statistics of the routers and of the
// links behind them at that instant.
std::vector<Time> simulate(const Machine& m, bool runs = false, Time counted_at = 0) {
  return forked_value([&m, runs, counted_at] {
    std::vector<std::string> names;
    for (int i = 0; i < static_cast<int>(m.nodes.size()); ++i) names.push_back(name_of(i));
    MiniMachine machine(names, m.flit_bytes);
    std::map<int, StubNode*> ends;
    std::map<std::string, const Component*> routers;
    for (int i = 0; i < static_cast<int>(m.nodes.size()); ++i) {
      const NaiveNode& node = m.nodes[static_cast<std::size_t>(i)];
      const std::string overhead = in_ns(node.overhead);
      switch (node.kind) {
        case NaiveKind::end:
          ends[i] = &machine.stub(name_of(i));
          break;
        case NaiveKind::router:
          if (is_apart(node)) {
            routers[name_of(i)] =
                &machine.add<RouterNode<PipelinedService>>(name_of(i), router_attributes(m, i));
          } else if (!m.plain_nodes.empty() && m.plain_nodes[static_cast<std::size_t>(i)]) {
            routers[name_of(i)] =
                &machine.add<RouterNode<PlainService>>(name_of(i), router_attributes(m, i));
          } else {
            routers[name_of(i)] = &machine.add<Router>(name_of(i), router_attributes(m, i));
          }
          break;
        case NaiveKind::sram:
          machine.add<Sram>(name_of(i), {{"overhead_ns", overhead}});
          break;
        case NaiveKind::pcie:
        case NaiveKind::pcie_cut_through: {
          std::map<std::string, std::string> attributes = server_attributes(node);
          attributes["cut_through"] = node.kind == NaiveKind::pcie ? "false" : "true";
          machine.add<PcieEp>(name_of(i), attributes);
          break;
        }
        case NaiveKind::hbm: {
          // burst_time = burst_bytes * num_pcs / link: powers of two all, so the link rate is a
          // decimal.
          const Rational link =
              node.burst_time == 0
                  ? Rational(0)
                  : Rational::fraction(
                        static_cast<Rational::Int>(node.burst_bytes * node.num_pcs) * 1'000'000,
                        static_cast<Rational::Int>(node.burst_time));
          machine.add<HbmCtrl>(name_of(i), {{"overhead_ns", overhead},
                                            {"num_pcs", std::to_string(node.num_pcs)},
                                            {"burst_bytes", std::to_string(node.burst_bytes)},
                                            {"switch_penalty_ns", in_ns(node.switch_penalty)},
                                            {"link_bw_gbs", link.str()}});
          break;
        }
        case NaiveKind::dma:
        case NaiveKind::tcm:
          throw std::logic_error("not in this machine; see tests/traffic/tie_property_test.cpp");
      }
    }
    for (std::size_t i = 0; i < m.links.size(); i += 2) {
      const auto link = [](const NaiveLink& link) {
        return MiniLink{std::to_string(link.bytes * 1'000'000), link.propagation};
      };
      machine.connect(name_of(m.links[i].from), name_of(m.links[i].to), link(m.links[i]),
                      link(m.links[i + 1]));
    }
    if (runs) machine.use_runs();
    machine.elaborate();
    std::map<int, std::vector<std::pair<TransactionHandle, Fs>>> by_end;
    for (const NaiveRequest& request : m.requests) {
      const int from = request.path.front();
      const std::string source = name_of(from);
      const std::string target = name_of(request.path.back());
      const auto bytes = static_cast<unsigned>(request.bytes);
      Transaction* transaction = nullptr;
      switch (request.kind) {
        case Kind::write:
          transaction = &machine.write(source, target, request.offset, bytes, request.issued);
          break;
        case Kind::posted_write:
          transaction =
              &machine.posted_write(source, target, request.offset, bytes, request.issued);
          break;
        case Kind::read:
          transaction = &machine.read(source, target, request.offset, bytes, request.issued);
          break;
        case Kind::control:
          transaction = &machine.control(source, target, request.issued);
          break;
        case Kind::host_control:
          transaction = &machine.control(source, target, request.issued, true);
          break;
      }
      if (ends.count(from) == 0) {
        sc_core::sc_spawn(
            [&machine, handle = TransactionHandle(*transaction), at = request.issued] {
              if (at > Component::now()) sc_core::wait(Component::fs(at - Component::now()));
              machine.issue(*handle);
            });
      } else if (runs || counted_at > 0) {
        by_end[from].emplace_back(TransactionHandle(*transaction), request.issued);
      } else {
        ends[from]->send_at(*transaction, request.issued);
      }
    }
    for (auto& [from, requests] : by_end) {
      sc_core::sc_spawn([end = ends[from], requests = std::move(requests)] {
        for (const auto& [handle, at] : requests) {
          if (at > Component::now()) sc_core::wait(Component::fs(at - Component::now()));
          end->send_at(*handle, at);
        }
      });
    }
    std::vector<Time> counted;
    if (counted_at > 0) {
      sc_core::sc_spawn([&] {
        sc_core::wait(Component::until(counted_at));
        for (int i = 0; i < 100; ++i) sc_core::wait(sc_core::SC_ZERO_TIME);  // all of the instant
        for (const auto& [name, router] : routers) {
          for (const Statistic& statistic : router->statistics())
            counted.push_back(statistic.at(Component::now()));
        }
        for (const NaiveLink& link : m.links) {
          if (routers.count(name_of(link.from)) == 0) continue;
          const Link::Statistics seen =
              machine.link(name_of(link.from), name_of(link.to)).statistics();
          for (const std::uint64_t value :
               {seen.bytes, seen.flits, seen.control_messages, seen.busy_fs, seen.stalled_fs})
            counted.push_back(value);
        }
      });
    }
    machine.run();
    if (counted_at > 0) return counted;
    std::vector<Time> ended;
    for (std::size_t i = 0; i < m.requests.size(); ++i) ended.push_back(machine.completed_at(i));
    // Nothing is lost: every link has carried what the paths say, once the last flits, which no
    // thread waits for, have left.
    Fs idle_at = Component::now();
    for (const NaiveLink& link : m.links)
      idle_at =
          std::max(idle_at, machine.link(name_of(link.from), name_of(link.to)).available_at());
    if (idle_at > Component::now()) sc_core::sc_start(Component::until(idle_at));
    for (const NaiveLink& link : m.links) {
      std::uint64_t expected = 0;
      for (const NaiveRequest& request : m.requests) {
        const bool data_back = request.kind == Kind::read;
        const bool data_there = request.kind == Kind::write || request.kind == Kind::posted_write;
        for (std::size_t i = 0; i + 1 < request.path.size(); ++i) {
          if (data_there && request.path[i] == link.from && request.path[i + 1] == link.to)
            expected += request.bytes;
          if (data_back && request.path[i] == link.to && request.path[i + 1] == link.from)
            expected += request.bytes;
        }
      }
      const Link::Statistics& seen =
          machine.link(name_of(link.from), name_of(link.to)).statistics();
      if (seen.bytes != expected)
        throw std::logic_error("a link has carried " + std::to_string(seen.bytes) + " bytes");
    }
    // Flits of a transaction keep their order.
    for (const auto& [node, stub] : ends) {
      std::map<TieKey, std::uint32_t> next;
      for (const Received& received : stub->records()) {
        if (received.flit != next[received.key]++)
          throw std::logic_error("flits out of order at " + name_of(node));
      }
    }
    return ended;
  });
}

}  // namespace

RC_BOOST_PROP(reaches_the_times_of_the_naive_fabric, ()) {
  const Machine m = random_machine(false);
  RC_ASSERT(simulate(m) == NaiveFabric(m.nodes, m.links, m.flit_bytes).play(m.requests));
}

RC_BOOST_PROP(reaches_the_times_of_the_naive_fabric_without_overheads, ()) {
  const Machine m = random_machine(true);
  RC_ASSERT(simulate(m) == NaiveFabric(m.nodes, m.links, m.flit_bytes).play(m.requests));
}

RC_BOOST_PROP(reaches_the_times_of_the_naive_fabric_with_pipelined_nodes, ()) {
  const Machine m = random_machine(*rc::gen::arbitrary<bool>(), true);
  RC_ASSERT(simulate(m) == NaiveFabric(m.nodes, m.links, m.flit_bytes).play(m.requests));
}

namespace {

Machine random_machine_of_runs() {
  Machine m = random_machine(*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>());
  for (NaiveLink& link : m.links) {  // at the other rates a short flit takes no time
    if (link.bytes > 2 && *rc::gen::inRange(0, 4) > 0) link.bytes = 1;
  }
  return m;
}

}  // namespace

RC_BOOST_PROP(runs_of_flits_have_the_times_of_single_flits, ()) {
  const Machine m = random_machine_of_runs();
  RC_ASSERT(simulate(m, true) == NaiveFabric(m.nodes, m.links, m.flit_bytes).play(m.requests));
}

RC_BOOST_PROP(routers_that_take_single_flits_join_routers_that_take_runs, ()) {
  Machine m = random_machine(*rc::gen::arbitrary<bool>());
  for (NaiveLink& link : m.links) {
    if (link.bytes > 2) link.bytes = 1;
  }
  for (std::size_t i = 0; i < m.nodes.size(); ++i)
    m.plain_nodes.push_back(*rc::gen::arbitrary<bool>());
  RC_ASSERT(simulate(m, true) == NaiveFabric(m.nodes, m.links, m.flit_bytes).play(m.requests));
}

RC_BOOST_PROP(runs_of_flits_have_the_statistics_of_single_flits_at_any_instant, ()) {
  Machine m = random_machine_of_runs();
  for (NaiveRequest& request : m.requests) {  // a direct route counts them when they are issued
    if (request.kind == Kind::host_control) request.kind = Kind::control;
  }
  const Time at = *rc::gen::inRange<Time>(1, 400);
  RC_ASSERT(simulate(m, true, at) == simulate(m, false, at));
}

// More channels than there are messages, more places than flits: credits cost nothing.
RC_BOOST_PROP(buffers_that_never_fill_change_no_time, ()) {
  Machine m = random_machine(*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>());
  m.buffers.assign(m.nodes.size(), {64, 4096});
  RC_ASSERT(simulate(m) == NaiveFabric(m.nodes, m.links, m.flit_bytes).play(m.requests));
}

// simulate() checks that each request ends once, that the links have carried its bytes, that flits
// keep their order, and the monitors that each credit comes home once. A tree has no cycle in which
// buffers could wait for one another, except of requests and responses that share a channel.
RC_BOOST_PROP(small_buffers_lose_nothing, ()) {
  Machine m = random_machine(*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>());
  m.buffers.resize(m.nodes.size());
  for (Buffer& buffer : m.buffers) {
    buffer.virtual_channels = *rc::gen::inRange(2U, 7U);
    buffer.flits = *rc::gen::inRange(0U, 4U);
  }
  const std::vector<Time> times = simulate(m);
  for (const Time time : times) RC_ASSERT(time != never_fs);
  RC_ASSERT(simulate(m) == times);
}

RC_BOOST_PROP(is_the_same_when_repeated, ()) {
  const Machine m = random_machine(false);
  RC_ASSERT(simulate(m) == simulate(m));
}

BOOST_AUTO_TEST_SUITE_END()
