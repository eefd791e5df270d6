// ipcq-pingpong: latency of a message between two PEs, by hop type and size: over IPCQ, over IPCQ
// without slot read and credit, and as a plain DMA write to the other PE's HBM.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "models/base/errors.h"
#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/collectives/shipped_graphs.h"
#include "sw/tl/program.h"
#include "sw/tl/ptr.h"

namespace kernbench::benches {
namespace {

// --- on each PE

// Two PEs that exchange a message back and forth, in pieces no larger than a slot.
struct PingPong {
  PeId ping, pong;
  std::string there,
      back;  // direction from ping to pong, and from pong to ping
  std::int64_t elements = 1;
  DType dtype = DType::f16;
  int rounds = 2;
  bool consume = true;  // false: recv_no_consume
  bool stores = false;  // ping stores the last reply; the store delays the last message
};

// Elements of each piece: a full slot, or the remainder.
std::vector<std::int64_t> pieces_of(const tl::Program& tl, const PingPong& game) {
  const auto per_slot = static_cast<std::int64_t>(tl.slot_bytes() / size_of(game.dtype));
  if (per_slot == 0) {
    throw UsageError(fmt::format("a slot of {} bytes holds no element of {}", tl.slot_bytes(),
                                 name_of(game.dtype)));
  }
  std::vector<std::int64_t> pieces;
  for (std::int64_t left = game.elements; left > 0; left -= per_slot)
    pieces.push_back(std::min(left, per_slot));
  return pieces;
}

std::vector<tl::Handle> receive(tl::Program& tl, const PingPong& game, const std::string& direction,
                                const std::vector<std::int64_t>& pieces) {
  std::vector<tl::Handle> blocks;
  for (const std::int64_t elements : pieces) {
    const Shape shape{elements};
    blocks.push_back(game.consume ? tl.recv(direction, shape, game.dtype)
                                  : tl.recv_no_consume(direction, shape, game.dtype));
  }
  return blocks;
}

// Ping sends the data at x once per round. Pong returns each message except the last one; ping may
// store the last reply to `out`. Pong's time covers 2 * rounds - 1 messages: it ends when it has
// received the last one. A message stays in TCM, which must hold it. Other PEs do nothing.
void ping_pong(tl::Program& tl, const PingPong& game, tl::Ptr x, tl::Ptr out) {
  const PeId here = tl.pe_id();
  if (!(here == game.ping) && !(here == game.pong)) return;
  const std::vector<std::int64_t> pieces = pieces_of(tl, game);
  std::vector<tl::Handle> came;
  for (int round = 1; round <= game.rounds; ++round) {
    const bool last = round == game.rounds;
    if (here == game.pong) {
      for (const tl::Handle& block : receive(tl, game, game.back, pieces)) {
        if (!last) tl.send(game.back, block);
      }
      continue;
    }
    tl::Ptr from = x;
    for (const std::int64_t elements : pieces) {
      tl.send(game.there, from, {elements}, game.dtype);
      from += elements * static_cast<std::int64_t>(size_of(game.dtype));
    }
    if (last) break;
    came.clear();
    came = receive(tl, game, game.there, pieces);
  }
  if (!game.stores) return;
  for (const tl::Handle& block : came) {
    tl.store(out, block);
    out += static_cast<std::int64_t>(block.nbytes());
  }
}

// Ping writes a block of `value` from its TCM to the physical address `to`. Its time is that of the
// acknowledged store.
void write_to(tl::Program& tl, PeId ping, std::uint64_t to, const Shape& shape, DType dtype,
              double value) {
  if (tl.pe_id() == ping) tl.store(tl::Ptr(to), tl.full(shape, value, dtype));
}

// --- on the host

constexpr DType dtype = DType::f16;
constexpr PeId ping{0, 0, 0};

// Hop from PE 0 of cube 0 of SIP 0.
struct Way {
  const char* name;
  const char* direction;
};
constexpr Way ways[] = {{"intra-cube horizontal", "intra_E"},
                        {"intra-cube vertical", "intra_S"},
                        {"inter-cube horizontal", "E"},
                        {"inter-cube vertical", "S"},
                        {"inter-SIP", "global_E"}};

// Hops that the machine has.
NeighbourGraph neighbours(const MachineDescription& machine) {
  NeighbourGraph graph;
  if (machine.pes > 1 && machine.pes % 2 == 0) graph.add(graphs::intra_mesh(0, 0, machine.pes));
  graph.add(
      graphs::cube_mesh(0, machine.cube_mesh_w, {0, 0, machine.cube_mesh_w, machine.cube_mesh_h}));
  graph.add(
      graphs::sip({machine.sip_topology, machine.sips, machine.sip_w, machine.sip_h}, {{0, 0}}));
  return graph;
}

IpcqSettings options_of(const Attributes& given) {
  IpcqSettings options;
  options.buffer_kind = parse_memory_space(given.text("buffer_kind"));
  options.backpressure = parse_backpressure(given.text("backpressure"));
  options.poll_ns = given.decimal("poll_ns");
  options.n_slots = static_cast<std::uint32_t>(given.integer("n_slots"));
  options.slot_size = static_cast<std::uint64_t>(given.integer("slot_size"));
  options.ring_capacity_check = given.flag("capacity_check");
  return options;
}

// Measurement of one hop: all sizes sequentially, by each of the three mechanisms.
class Game {
 public:
  Game(Torch& torch, const QueuePairEnd& end, const std::string& name,
       std::vector<std::int64_t> sizes)
      : torch_(torch), end_(end), name_(name), sizes_(std::move(sizes)),
        rounds_(static_cast<int>(torch.parameters().integer("rounds"))) {
    for (const std::int64_t bytes : sizes_) total_ += elements_of(bytes);
    torch_.untimed([&] { make_tensors(); });
  }

  // Adds one row per size.
  void play(ResultTable& table) {
    std::int64_t first = 0;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      const std::int64_t bytes = sizes_[i];
      const double ipcq = one_way_ns(bytes, first, true, back_),
                   bare = one_way_ns(bytes, first, false, bare_back_);
      const double dma = write_ns(bytes, first, static_cast<double>(i + 1));
      const auto gbs = [bytes](double ns) { return static_cast<double>(bytes) / ns; };
      table.add({name_, end_.pe.str(), end_.peer.str(), bytes, ipcq, gbs(ipcq), bare, gbs(bare),
                 dma, gbs(dma)});
      first += elements_of(bytes);
    }
    verify();
  }

 private:
  static std::int64_t elements_of(std::int64_t bytes) {
    return bytes / static_cast<std::int64_t>(size_of(dtype));
  }

  void make_tensors() {
    const std::string prefix = name_ + ": ";
    const std::int64_t largest = elements_of(sizes_.back());
    torch_.ahbm.set_device(0);
    x_ = random_input(torch_, {largest}, dtype, DPPolicy::on_one_pe(), prefix + "sent");
    back_ = torch_.zeros({total_}, dtype, DPPolicy::on_one_pe(), prefix + "back");
    bare_back_ =
        torch_.zeros({total_}, dtype, DPPolicy::on_one_pe(), prefix + "back, not consumed");
    const int cubes = end_.peer.sip == 0 ? end_.peer.cube + 1 : 1,
              pes = end_.peer.sip == 0 && cubes == 1 ? end_.peer.pe + 1 : 1;
    torch_.ahbm.set_device(end_.peer.sip);
    landing_ =
        torch_.zeros({cubes * pes, total_}, dtype,
                     {Placement::row_wise, Placement::row_wise, cubes, pes}, prefix + "written");
    torch_.ahbm.set_device(0);
    for (const Shard& shard : landing_.shards()) {
      if (shard.where == end_.peer) landing_pa_ = shard.pa;
    }
  }

  LaunchSpec both(const std::string& kernel) const {
    return LaunchSpec(kernel).on_pes({end_.pe.pe, end_.peer.pe});
  }

  // Runs the exchange for its time, and again for the returned data.
  double one_way_ns(std::int64_t bytes, std::int64_t first, bool consume, const Tensor& back) {
    PingPong game{end_.pe, end_.peer, end_.direction, end_.peer_direction, elements_of(bytes),
                  dtype,   rounds_,   consume};
    const LaunchHandle timed = launch(game, first, back);
    game.stores = true;
    launch(game, first, back);
    return to_ns(timed.metrics().per_pe.at(end_.peer).pe_exec) / (2 * rounds_ - 1);
  }

  LaunchHandle launch(const PingPong& game, std::int64_t first, const Tensor& back) {
    const std::int64_t offset = first * static_cast<std::int64_t>(size_of(dtype));
    return torch_.launch(
        both("ping_pong"),
        [game, offset](tl::Program& tl, tl::Tensor x, tl::Tensor out, tl::Tensor) {
          ping_pong(tl, game, x, out + offset);
        },
        x_.tensor, back, landing_);
  }

  double write_ns(std::int64_t bytes, std::int64_t first, double value) {
    const std::uint64_t to = landing_pa_ + static_cast<std::uint64_t>(first) * size_of(dtype);
    const Shape shape{elements_of(bytes)};
    const LaunchHandle handle = torch_.launch(
        both("write_to"),
        [to, shape, value, from = end_.pe](tl::Program& tl, tl::Tensor, tl::Tensor) {
          write_to(tl, from, to, shape, dtype, value);
        },
        x_.tensor, landing_);
    return to_ns(handle.metrics().per_pe.at(end_.pe).pe_exec);
  }

  void verify() {
    for (const Tensor& back : {back_, bare_back_}) {
      torch_.verify(back, [sent = x_.host, sizes = sizes_] {
        const std::vector<double> values = sent->values();
        std::vector<double> expected;
        for (const std::int64_t bytes : sizes)
          expected.insert(expected.end(), values.begin(), values.begin() + elements_of(bytes));
        return expected;
      });
    }
    torch_.verify(landing_, [shape = landing_.shape(), sizes = sizes_] {
      std::vector<double> expected(
          static_cast<std::size_t>((shape[0] - 1) * shape[1]));  // PEs before pong
      for (std::size_t i = 0; i < sizes.size(); ++i)
        expected.insert(expected.end(), static_cast<std::size_t>(elements_of(sizes[i])),
                        static_cast<double>(i + 1));
      return expected;
    });
  }

  Torch& torch_;
  QueuePairEnd end_;
  std::string name_;
  std::vector<std::int64_t> sizes_;
  int rounds_;
  std::int64_t total_ = 0;   // elements of all sizes
  Input x_;                  // data that ping sends, of the largest size
  Tensor back_, bare_back_;  // data returned to ping, concatenated by size
  Tensor landing_;           // destination of its DMA writes; the last row is pong's
  std::uint64_t landing_pa_ = 0;
};

void run(Torch& torch) {
  const NeighbourGraph graph = neighbours(torch.spec());
  const std::vector<std::int64_t> sizes = sizes_in_bytes(torch.parameters(), dtype);
  torch.ipcq.install(graph, options_of(torch.parameters()));
  ResultTable& table =
      torch.results("one way", {"hop", "from", "to", "bytes", "ipcq_ns", "ipcq_gbs",
                                "no_consume_ns", "no_consume_gbs", "dma_ns", "dma_gbs"});
  const std::vector<QueuePairEnd> ends = queue_pairs(graph);
  for (const Way& way : ways) {
    for (const QueuePairEnd& end : ends) {
      if (end.pe == ping && end.direction == way.direction)
        Game(torch, end, way.name, sizes).play(table);
    }
  }
  if (table.rows().empty()) throw UsageError("bench 'ipcq-pingpong': the machine has one PE");
}

}  // namespace

void register_ipcq_pingpong(BenchRegistry& registry) {
  Bench bench{
      "ipcq-pingpong",
      "Messages between two PEs by kind of hop and size: IPCQ, IPCQ without slot read and credit, "
      "DMA",
      {size_in_bytes("min_bytes",
                     "size of the smallest message; each next size is four times the previous one",
                     128),
       size_in_bytes("max_bytes",
                     "size of the largest message; sent in pieces if larger than a slot", 1048576),
       Parameter::integer(
           "rounds", "messages to pong; all but the last are returned, and the mean is reported",
           "", "assumption")
           .default_val(2)
           .range("2", "1000"),
       choice("buffer_kind", "memory of the rings", {"tcm", "sram", "hbm"}, "spec 8.1"),
       size_in_bytes("slot_size", "size of a slot", 4096),
       Parameter::integer("n_slots", "slots of a ring", "", "spec 8.1")
           .default_val(4)
           .range("1", "1024"),
       choice("backpressure", "wait mode of a send for a credit", {"sleep", "poll"}, "spec 8.1"),
       Parameter::decimal("poll_ns", "period of a polling send", "ns", "assumption")
           .default_val(10)
           .range("0.001", "1000000"),
       Parameter::boolean("capacity_check", "the rings must fit their memory", "spec 8.2")
           .default_val(true)},
      &run};
  bench.per_device = false;
  registry.add(std::move(bench));
}

}  // namespace kernbench::benches
