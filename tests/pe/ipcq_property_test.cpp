// Random traffic over random graphs on random machines (spec 8.1): the data are right and in order,
// no slot is written before it has been given back, nothing is faster than the arithmetic, and the
// same run takes the same times.
#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>

#include "models/timing/ipcq_rules.h"
#include "platform/assembly/describe_machine.h"
#include "platform/assembly/fabric_edges.h"
#include "platform/assembly/machine_routes.h"
#include "platform/topology/lower_bound.h"
#include "tests/support/forked.h"
#include "tests/support/torch_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(ipcq_properties)

namespace {

enum class Receive : std::uint8_t { plain, asynchronous, swapped, copied, no_consume };

// `swapped`: this message and the next one, of the same ring, are received asynchronously, the
// later one first.
struct Sent {
  std::size_t end = 0;  // of the sender, in the list of queue pairs
  std::int64_t elements = 1;
  Receive receive = Receive::plain;
};

// Every PE does its part of the messages in the order of the list, so that the earliest one that is
// not through can always go on.
struct Case {
  std::vector<Override> overrides;
  NeighbourGraph graph;
  std::vector<QueuePairEnd> ends;
  IpcqSettings options;
  std::vector<Sent> messages;
  bool with_dma = false;
};

struct Times {
  Fs send_start = 0, send_end = 0, write_start = 0, write_end = 0, receive_end = 0;
  std::uint64_t slot = 0;  // its address
};

std::string half_steps(int most) {
  const int value = *rc::gen::inRange(0, 2 * most + 1);
  return std::to_string(value / 2) + (value % 2 == 1 ? ".5" : "");
}

// Two SIPs of two cubes with four PEs each.
std::vector<Override> random_machine() {
  std::vector<Override> set{{"sip.cube_mesh.w", "2"},
                            {"sip.cube_mesh.h", "1"},
                            {"sip.io_chiplets.io0.cube_ports",
                             "[{cube: {xy: [0, 0]}, cube_side: N, phy: P0, distance_mm: 2.0}]"},
                            {"cube.pe_layout.pe_per_corner", "1"},
                            {"cube.memory_map.hbm_slices_per_cube", "4"},
                            {"cube.memory_map.hbm_pseudo_channels", "32"}};
  const auto draw = [&set](const char* key, const std::string& value) {
    set.push_back({key, value});
  };
  const auto gbs = [] { return std::to_string(*rc::gen::element(16, 48, 100, 128, 256, 512)); };
  draw("system.flit_bytes", std::to_string(*rc::gen::element(64, 100, 256, 512)));
  draw("system.ns_per_mm", *rc::gen::element<std::string>("0", "0.1", "0.37"));
  draw("sip.io_chiplets.io0.components.pcie_ep.attrs.cut_through",
       *rc::gen::element<std::string>("true", "false"));
  draw("cube.components.router.attrs.overhead_ns", half_steps(4));
  draw("cube.ucie.port.attrs.overhead_ns", half_steps(4));
  draw("cube.links.pe_to_router_bw_gbs", gbs());
  draw("cube.links.sram_to_router_bw_gbs", gbs());
  draw("cube.pe_template.components.pe_dma.attrs.overhead_ns", half_steps(3));
  draw("cube.pe_template.components.pe_dma.attrs.hbm_slot_overhead_ns", half_steps(6));
  draw("cube.pe_template.components.pe_ipcq.attrs.overhead_ns", half_steps(2));
  draw("cube.pe_template.components.pe_tcm.attrs.write_bw_gbs", gbs());
  draw("cube.pe_template.components.pe_tcm.attrs.read_bw_gbs", gbs());
  return set;
}

PeId random_pe() {
  return {*rc::gen::inRange(0, 2), *rc::gen::inRange(0, 2), *rc::gen::inRange(0, 4)};
}

NeighbourGraph random_graph() {
  const std::vector<std::string> names{"E",        "W",      "N",      "S",     "global_E",
                                       "global_W", "parent", "child0", "child1"};
  NeighbourGraph graph;
  const int joins = *rc::gen::inRange(1, 14);
  for (int i = 0; i < joins; ++i) {
    const PeId from = random_pe(), to = random_pe();
    const std::string there = *rc::gen::elementOf(names), back = *rc::gen::elementOf(names);
    if (from == to || graph.neighbours(from).count(there) != 0 ||
        graph.neighbours(to).count(back) != 0)
      continue;
    graph.connect(from, there, to).connect(to, back, from);
  }
  if (graph.empty()) graph.connect({0, 0, 0}, "E", {1, 1, 3}).connect({1, 1, 3}, "W", {0, 0, 0});
  return graph;
}

Case random_case() {
  Case c;
  c.overrides = random_machine();
  c.graph = random_graph();
  c.ends = queue_pairs(c.graph);
  c.options.buffer_kind = *rc::gen::element(MemorySpace::tcm, MemorySpace::sram, MemorySpace::hbm);
  c.options.n_slots = *rc::gen::inRange<std::uint32_t>(1, 5);
  c.options.slot_size = *rc::gen::element<std::uint64_t>(100, 256, 1000, 4096);
  c.options.backpressure = *rc::gen::element(Backpressure::sleep, Backpressure::poll);
  c.options.poll_ns = Rational::parse(*rc::gen::element<std::string>("0.5", "3", "40"));
  c.options.vc_chunk_size = *rc::gen::element<std::uint32_t>(1, 256, 600);
  c.with_dma = *rc::gen::arbitrary<bool>();
  const int count = *rc::gen::inRange(1, 60);
  const auto largest = static_cast<std::int64_t>(c.options.slot_size / 4);
  while (static_cast<int>(c.messages.size()) < count) {
    Sent message;
    message.end = *rc::gen::inRange<std::size_t>(0, c.ends.size());
    message.elements =
        *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(1, largest + 1), rc::gen::just(largest));
    message.receive = *rc::gen::element(Receive::plain, Receive::plain, Receive::asynchronous,
                                        Receive::swapped, Receive::copied, Receive::no_consume);
    if (message.receive == Receive::swapped && c.options.n_slots < 2)
      message.receive = Receive::plain;
    c.messages.push_back(message);
    if (message.receive != Receive::swapped) continue;
    message.receive = Receive::asynchronous;  // it is received with the one before
    c.messages.push_back(message);
  }
  return c;
}

double element(std::size_t message, std::int64_t i) {
  return static_cast<double>(message) * 10'000 + static_cast<double>(i);
}

void check_block(const tl::Handle& block, std::size_t message) {
  const std::vector<double> values = block.data();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != element(message, static_cast<std::int64_t>(i)))
      throw std::logic_error("message " + std::to_string(message) + " has element " +
                             std::to_string(values[i]));
  }
}

void do_part(const Case& c, tl::Program& tl, const tl::Tensor& own) {
  const PeId here = tl.pe_id();
  for (std::size_t i = 0; i < c.messages.size(); ++i) {
    const Sent& message = c.messages[i];
    const QueuePairEnd& end = c.ends[message.end];
    const bool two = message.receive == Receive::swapped;
    if (end.pe == here) {
      if (c.with_dma && i % 3 == 0) tl.store(own.local(), tl.zeros(own.local_shape(), own.dtype()));
      for (std::size_t k = i; k <= i + (two ? 1 : 0); ++k) {
        tl.send(end.direction,
                tl.arange(static_cast<std::int64_t>(element(k, 0)),
                          static_cast<std::int64_t>(element(k, 0)) + message.elements));
      }
    }
    if (end.peer == here) {
      const Shape shape{message.elements};
      const std::string& direction = end.peer_direction;
      if (c.with_dma && i % 4 == 0) tl.load(own.local(), own.local_shape(), own.dtype());
      if (message.receive == Receive::plain) check_block(tl.recv(direction, shape, i32), i);
      if (message.receive == Receive::copied)
        check_block(tl.recv(direction, shape, i32, tl.zeros(shape, i32)), i);
      if (message.receive == Receive::no_consume)
        check_block(tl.recv_no_consume(direction, shape, i32), i);
      if (message.receive == Receive::asynchronous) {
        const tl::RecvFuture future = tl.recv_async(direction, shape, i32);
        tl.cycles(3);
        check_block(tl.wait(future), i);
      }
      if (two) {
        const tl::RecvFuture first = tl.recv_async(direction, shape, i32),
                             second = tl.recv_async(direction, shape, i32);
        check_block(tl.wait(second), i + 1);
        check_block(tl.wait(first), i);
      }
    }
    if (two) ++i;
  }
}

// The records of each message.
std::vector<Times> times_of(const Case& c, const TorchMachine& m) {
  std::vector<Times> times(c.messages.size());
  std::map<PeId, std::vector<std::size_t>> sends,
      receives;  // messages, in the order in which the PE's kernel does it
  std::map<std::uint64_t, std::vector<std::size_t>> of_ring;  // by its base
  for (std::size_t i = 0; i < c.messages.size(); ++i) {
    const QueuePairEnd& end = c.ends[c.messages[i].end];
    sends[end.pe].push_back(i);
    receives[end.peer].push_back(i);
    for (const IpcqRing& ring : m.runtime->ipcq.rings()) {
      if (ring.end.pe == end.peer && ring.end.direction == end.peer_direction)
        of_ring[ring.base].push_back(i);
    }
    if (c.messages[i].receive != Receive::swapped) continue;
    ++i;
    sends[end.pe].push_back(i);
    receives[end.peer].insert(receives[end.peer].end() - 1, i);
    for (auto& [base, messages] : of_ring) {
      if (messages.back() == i - 1) messages.push_back(i);
    }
  }
  for (const auto& [pe, messages] : sends) {
    const std::vector<ExecutedOp> ops = m.ops("ipcq_send", &m.engine(pe, PeEngine::pe_ipcq));
    if (ops.size() != messages.size()) throw std::logic_error("sends are missing");
    for (std::size_t k = 0; k < ops.size(); ++k) {
      times[messages[k]].send_start = ops[k].t_start;
      times[messages[k]].send_end = ops[k].t_end;
    }
  }
  for (const auto& [pe, messages] : receives) {
    const std::vector<ExecutedOp> ops = m.ops("ipcq_recv", &m.engine(pe, PeEngine::pe_ipcq));
    if (ops.size() != messages.size()) throw std::logic_error("receives are missing");
    for (std::size_t k = 0; k < ops.size(); ++k) times[messages[k]].receive_end = ops[k].t_end;
  }
  const std::uint64_t ring_bytes = c.options.n_slots * c.options.slot_size;
  std::map<std::uint64_t, std::size_t> written;
  for (const ExecutedOp& op : m.ops("ipcq_copy")) {
    const std::uint64_t slot = op.data->places.to.front().pa;
    const auto ring = std::prev(of_ring.upper_bound(slot));
    const std::size_t k = written[ring->first]++;
    if (slot != ring->first + k % c.options.n_slots * c.options.slot_size ||
        slot - ring->first >= ring_bytes)
      throw std::logic_error("a message in the wrong slot");
    Times& message = times[ring->second.at(k)];
    message.write_start = op.t_start;
    message.write_end = op.t_end;
    message.slot = slot;
  }
  return times;
}

// Six numbers for each message.
std::vector<Fs> simulate(const Case& c) {
  return forked_value(
      [&c] {
        TorchMachine m("topology.yaml", c.overrides);
        m.run([&](Torch& torch) {
          torch.ipcq.install(c.graph, c.options);
          std::vector<LaunchHandle> handles;
          for (int sip = 0; sip < 2; ++sip) {
            torch.ahbm.set_device(sip);
            const Tensor own = torch.zeros({8, 1000}, f16,
                                           {Placement::row_wise, Placement::row_wise, 2, 4}, "own");
            handles.push_back(torch.launch_async(
                "part", [&c](tl::Program& tl, tl::Tensor own) { do_part(c, tl, own); }, own));
          }
          for (const LaunchHandle& handle : handles) torch.wait(handle);
        });
        std::vector<Fs> values;
        for (const Times& t : times_of(c, m))
          values.insert(values.end(), {t.send_start, t.send_end, t.write_start, t.write_end,
                                       t.receive_end, t.slot});
        return values;
      },
      std::chrono::seconds(60));
}

}  // namespace

RC_BOOST_PROP(data_arrive_in_order_and_no_slot_is_written_before_it_is_given_back, ()) {
  const Case c = random_case();
  for (const Override& o : c.overrides) RC_LOG() << o.key << "=" << o.value << "\n";
  RC_LOG() << name_of(c.options.buffer_kind) << " " << c.options.n_slots << " slots of "
           << c.options.slot_size << "\n";
  for (const Sent& message : c.messages) {
    const QueuePairEnd& end = c.ends[message.end];
    RC_LOG() << end.pe.str() << " " << end.direction << " -> " << end.peer.str() << " "
             << end.peer_direction << ": " << message.elements << " received "
             << static_cast<int>(message.receive) << "\n";
  }
  const std::vector<Fs> flat = simulate(c);
  const auto t = [&](std::size_t i) {
    const Fs* at = &flat[6 * i];
    return Times{at[0], at[1], at[2], at[3], at[4], at[5]};
  };

  ComponentRegistry registry;
  register_builtin_components(registry);
  const Graph graph = shipped_graph("topology.yaml", c.overrides, registry);
  const FabricEdges edges(graph);
  const MachineDescription machine = describe_machine(graph);
  MachineRoutes routes(graph, edges);
  const auto dma = [&](PeId pe) { return machine.engine(pe, PeEngine::pe_dma); };
  const Attributes& dma_attributes = machine.attributes(dma({0, 0, 0}));
  const Attributes& tcm = machine.attributes(machine.engine({0, 0, 0}, PeEngine::pe_tcm));

  std::map<std::size_t, std::vector<std::size_t>> of_ring;
  for (std::size_t i = 0; i < c.messages.size(); ++i) of_ring[c.messages[i].end].push_back(i);
  for (const auto& [number, messages] : of_ring) {
    const QueuePairEnd& end = c.ends[number];
    const Path &there = routes.memory_path(dma(end.pe), dma(end.peer)),
               &back = routes.memory_path(dma(end.peer), dma(end.pe));
    Transits stores;  // a pcie_ep takes whole what passes through
    for (const PathHop& hop : there.hops()) {
      const Node& node = graph.node(hop.node);
      stores.push_back(node.kind == Role::pcie_ep && !node.attributes().flag("cut_through"));
    }
    const Fs credit = credit_fs(back, c.options.ipcq_credit_size_bytes);
    Fs given_back_before = 0;
    for (std::size_t k = 0; k < messages.size(); ++k) {
      const Times now = t(messages[k]);
      const std::uint64_t bytes = static_cast<std::uint64_t>(c.messages[messages[k]].elements) * 4;
      // The message pays pe_dma's overhead once, at the sender.
      MemoryMessage message;
      message.bytes = bytes;
      message.offset = now.slot;
      message.flit_bytes = machine.flit_bytes;
      const Fs way = there.hop(0).overhead_fs + data_leg(there, FlitCut(message), stores).last;
      Fs write = transfer_fs(bytes, tcm.decimal("write_bw_gbs")),
         read = transfer_fs(bytes, tcm.decimal("read_bw_gbs"));
      if (c.options.buffer_kind != MemorySpace::tcm) {
        const std::string tier = name_of(c.options.buffer_kind);
        const NodeId bank =
            tier == "hbm" ? machine.hbm(end.peer) : machine.sram(end.peer.sip, end.peer.cube);
        write = read = slot_access_fs({ns_to_fs(dma_attributes.decimal(tier + "_slot_overhead_ns")),
                                       dma_attributes.decimal(tier + "_slot_bw_gbs")},
                                      bytes, routes.memory_path(dma(end.peer), bank));
      }
      RC_ASSERT(now.send_start <= now.send_end);
      RC_ASSERT(now.write_start >= now.send_end + way);
      RC_ASSERT(now.write_end >= now.write_start + write);
      const bool pays = c.messages[messages[k]].receive != Receive::no_consume;
      RC_ASSERT(now.receive_end >= now.write_end + (pays ? read + credit : 0));
      if (k > 0)
        RC_ASSERT(now.write_start >= t(messages[k - 1]).write_end);  // in order, one at a time
      // The slot: of the message n_slots before, and it is free when that one's credit and those of
      // all before it are there.
      if (k >= c.options.n_slots) {
        const std::size_t before = messages[k - c.options.n_slots];
        const bool waited = c.messages[before].receive != Receive::no_consume;
        given_back_before =
            std::max(given_back_before, t(before).receive_end + (waited ? 0 : credit));
        RC_ASSERT(now.send_end >= given_back_before);
      }
    }
  }
}

RC_BOOST_PROP(the_same_run_takes_the_same_times, ()) {
  const Case c = random_case();
  RC_ASSERT(simulate(c) == simulate(c));
}

BOOST_AUTO_TEST_SUITE_END()
