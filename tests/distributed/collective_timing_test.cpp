// How long collectives take, against what a reader can compute from the parts (spec 8.1, 8.2):
// closed forms whose latency and bandwidth are those that ipcq-pingpong measures on the same
// machine, and orders that follow from the rules of the slots and from hops.
#include "sw/distributed/collective_record.h"
#include "tests/support/bench_runner.h"
#include "tests/support/every_case.h"
#include "tests/support/torch_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(collective_timing)

namespace {

constexpr std::int64_t slot_bytes = 4096;
using Machine = std::vector<Override>;

// A partial sum on PE 0 of each of so many cubes.
DPPolicy on_cubes(int holders) { return {Placement::partial, Placement::replicate, holders, 1}; }

// The largest pe_exec of an all_reduce of f16, `bytes` on every PE that takes part.
double all_reduce_ns(const Machine& machine, const CclChanges& changes, std::int64_t bytes,
                     int holders = 1) {
  return forked_value([&] {
    TorchMachine m("topology.tiny.yaml", machine, false);
    m.run([&](Torch& torch) {
      on_ranks(torch, changes, [&](int) {
        torch.distributed.all_reduce(torch.empty({bytes / 2}, f16, on_cubes(holders), "t"));
      });
    });
    return to_ns(m.distributed->collectives.at(0)->time().value());
  });
}

// One way between neighbouring SIPs, from the send until the receiver has found the message: that
// is ipcq-pingpong without slot read and credit.
double found_ns(const Machine& machine, std::int64_t bytes) {
  return forked_value([&] {
    BenchRunOptions options;
    options.overrides = machine;
    options.data = DataMode::off;
    const BenchOutcome outcome = run_bench(
        "ipcq-pingpong",
        {{"min_bytes", std::to_string(bytes)}, {"max_bytes", std::to_string(bytes)}}, options);
    const auto& row = outcome.results.at(0).rows().back();
    if (std::get<std::string>(row.at(0)) != "inter-SIP") throw std::logic_error("not between SIPs");
    return std::get<double>(row.at(6));
  });
}

// The receiver reads the slot at 512 bytes per ns; the credit returns concurrently with the kernel.
double hop_ns(const Machine& machine, std::int64_t bytes) {
  return found_ns(machine, bytes) + static_cast<double>(bytes) / 512;
}

// Of a stream of slots, a message: four of them for each round trip of a credit, which includes the
// slot read. ipcq-pingpong leaves that out.
double of_a_stream_ns(const Machine& machine) {
  constexpr std::int64_t many = 64;
  const double more =
      found_ns(machine, 2 * many * slot_bytes) - found_ns(machine, many * slot_bytes);
  return more / many + slot_bytes / 512.0 / 4;
}

// What a kernel takes on this machine for one block of `bytes`: to load it, to add two of them, to
// store one.
struct Work3 {
  double load_ns = 0, add_ns = 0, store_ns = 0;
};

Work3 of_the_kernel(std::int64_t bytes) {
  const auto time_ns = [&](int which) {
    return forked_value([&] {
      TorchMachine m("topology.tiny.yaml", {}, false);
      double ns = 0;
      m.run([&](Torch& torch) {
        const Tensor t = torch.empty({bytes / 2}, f16, DPPolicy::on_one_pe(), "t");
        const auto kernel = [](tl::Program& tl, tl::Tensor t, int which) {
          if (which == 0) tl.load(t, t.shape(), f16);
          if (which == 1) tl.add(tl.zeros(t.shape()), tl.zeros(t.shape()));
          if (which == 2) tl.store(t, tl.zeros(t.shape()));
        };
        ns = to_ns(
            torch.launch(LaunchSpec("k").on_pe(0), kernel, t, which).metrics().merged.pe_exec);
      });
      return ns;
    });
  };
  return {time_ns(0), time_ns(1), time_ns(2)};
}

}  // namespace

// --- A ring of n ranks: 2 (n - 1) rounds, each of one message of S / n bytes: 2 (n - 1) (alpha + S
// / (n B)). That is the network's part. The first block is loaded before the first message, the
// last one stored behind the last; in the first half what comes is added before it goes on.

// A server of the switch for each pair of ports: with one for all the last of n messages that leave
// at one time waits 5 (n - 1) ns.
Machine ring_of(int n) {
  Machine machine = sips("ring_1d", n);
  machine.push_back({"system.switch.attrs.servers", "port"});
  return machine;
}

// Blocks of one slot: alpha and B of messages within a slot, where every hop that stores and
// forwards counts. Each round waits for the one before.
BOOST_AUTO_TEST_CASE(a_ring_of_short_messages_takes_the_closed_form) {
  for (const std::int64_t bytes : {std::int64_t{256}, slot_bytes}) {
    const Work3 work = of_the_kernel(bytes);
    for (const int n : {2, 4, 6}) {
      const Machine machine = ring_of(n);
      const double network = 2 * (n - 1) * hop_ns(machine, bytes);
      const double own = work.load_ns + (n - 1) * work.add_ns + work.store_ns;
      const double simulated = all_reduce_ns(machine, {{"algorithm", "ring_allreduce"}}, n * bytes);
      BOOST_TEST_MESSAGE(n << " ranks, blocks of " << bytes << ": closed form " << network
                           << " ns, own " << own << " ns, simulated " << simulated << " ns");
      BOOST_TEST(simulated >= network);
      BOOST_TEST(simulated == network + own, boost::test_tools::tolerance(0.02));
    }
  }
}

// Blocks of 16 slots: B of messages that are a stream of slots, without a gap between the rounds.
// Only the first load, the last message's hop, its addition, and its store show.
BOOST_AUTO_TEST_CASE(a_ring_of_long_messages_is_one_stream_of_slots) {
  constexpr int slots = 16;
  const Work3 work = of_the_kernel(slot_bytes);
  for (const int n : {2, 4, 6}) {
    const Machine machine = ring_of(n);
    const double stream = 2 * (n - 1) * slots * of_a_stream_ns(machine);
    const double own = work.load_ns + hop_ns(machine, slot_bytes) + work.store_ns;
    const double simulated =
        all_reduce_ns(machine, {{"algorithm", "ring_allreduce"}}, n * slots * slot_bytes);
    BOOST_TEST_MESSAGE(n << " ranks: stream " << stream << " ns, own " << own << " ns, simulated "
                         << simulated << " ns");
    BOOST_TEST(simulated >= stream);
    BOOST_TEST(simulated == stream + own, boost::test_tools::tolerance(0.03));
  }
}

// --- 1 MiB per rank: at least 85 % of what the links between SIPs, 64 GB/s, allow. Lower bounds of
// the time, by the bytes that the busiest link has to carry:
//   all_reduce       2 (n - 1) / n * S     each rank sends its share of every other block twice
//   all_gather,
//   reduce_scatter   (n - 1) / n * S       each block of S / n over n - 1 of the n links
//   all_to_all       (n - 1) / 2 * S       one way round: blocks of S / n with 1, ..., n - 1 links
//   broadcast        S, and n - 2 further hops of its last message

constexpr double link_gbs = 64;
constexpr std::int64_t mib = 1 << 20;

// The largest pe_exec of a collective of 1 MiB on every rank, all parts together, with rings as
// configs/ccl.yaml has them. The second one: rings and code are there.
double time_at_1_mib(CollectiveOp op, int n, const char* servers = "node", int pes = 1) {
  Machine machine = sips("ring_1d", n);
  machine.push_back({"system.switch.attrs.servers", servers});
  return forked_value([&] {
    TorchMachine m("topology.tiny.yaml", machine, false);
    m.run([&](Torch& torch) {
      const CclChanges changes{{"algorithm", "ring_allreduce"}, {"pipelined_n_slots", "6"}};
      on_ranks(torch, changes, [&](int) {
        const DPPolicy policy{Placement::row_wise, Placement::row_wise, 1, pes};
        const auto some = [&](std::int64_t bytes) {
          return torch.empty({pes, bytes / 2 / pes}, f16, policy, "t");
        };
        const Tensor all = some(mib), part = some(mib / n);
        std::vector<Tensor> parts, others;
        for (int i = 0; i < n; ++i) parts.push_back(some(mib / n)), others.push_back(some(mib / n));
        auto& dist = torch.distributed;
        for (int again = 0; again < 2; ++again) {
          dist.barrier();
          if (op == CollectiveOp::all_reduce) dist.all_reduce(all);
          if (op == CollectiveOp::all_gather) dist.all_gather(parts, part);
          if (op == CollectiveOp::reduce_scatter) dist.reduce_scatter(part, parts);
          if (op == CollectiveOp::all_to_all) dist.all_to_all(parts, others);
          if (op == CollectiveOp::broadcast) dist.broadcast(all, 0);
        }
      });
    });
    return to_ns(m.distributed->collectives.at(1)->time().value());
  });
}

void check_share(CollectiveOp op, int n, double bound, double simulated) {
  BOOST_TEST_MESSAGE(name_of(op) << " of " << n << ": bound " << bound << " ns, simulated "
                                 << simulated << " ns, " << 100 * bound / simulated << " %");
  BOOST_TEST(simulated >= bound);
  BOOST_TEST(bound >= 0.85 * simulated);
}

// 16 SIPs: their switch holds its one server for 5 ns per message, so that 16 messages of a slot,
// one of each SIP, take 80 ns there and 64 on the links. With a server for each pair of ports they
// take 64.
BOOST_AUTO_TEST_CASE(an_all_reduce_of_1_mib_uses_85_percent_of_the_links) {
  for (const int n : every_or({4, 8}, {4, 8, 16})) {
    const double bound = 2.0 * (n - 1) / n * mib / link_gbs;
    check_share(CollectiveOp::all_reduce, n, bound,
                time_at_1_mib(CollectiveOp::all_reduce, n, n == 16 ? "port" : "node"));
  }
  const double bound_of_the_switch = 2.0 * 15 / 16 * mib / slot_bytes * 16 * 5;
  check_share(CollectiveOp::all_reduce, 16, bound_of_the_switch,
              time_at_1_mib(CollectiveOp::all_reduce, 16));
}

// Each of the PEs reduces its shard in a ring of its own; the rings share the links.
BOOST_AUTO_TEST_CASE(an_all_reduce_on_several_pes_of_a_cube_uses_the_links_as_one_does) {
  for (const int pes : {2, 8}) {
    check_share(CollectiveOp::all_reduce, 4, 2.0 * 3 / 4 * mib / link_gbs,
                time_at_1_mib(CollectiveOp::all_reduce, 4, "node", pes));
  }
}

BOOST_AUTO_TEST_CASE(the_other_collectives_of_1_mib_use_85_percent_of_their_bounds) {
  for (const int n : every_or({4, 8}, {4, 8, 16})) {
    const char* servers = n == 16 ? "port" : "node";
    const double share = mib / link_gbs / n;
    for (const CollectiveOp op : {CollectiveOp::all_gather, CollectiveOp::reduce_scatter})
      check_share(op, n, (n - 1) * share, time_at_1_mib(op, n, servers));
    check_share(CollectiveOp::all_to_all, n, n * (n - 1) / 2 * share,
                time_at_1_mib(CollectiveOp::all_to_all, n, servers));
    check_share(CollectiveOp::broadcast, n,
                mib / link_gbs + (n - 2) * hop_ns(sips("ring_1d", n), slot_bytes),
                time_at_1_mib(CollectiveOp::broadcast, n, servers));
  }
}

// --- Gather and scatter. The link next to the root carries the blocks of all n - 1 others,
// back to back: each rank more adds the time of its block there, S / B with the B of a stream of
// slots. The PEs process the messages concurrently.

// The largest pe_exec, of blocks of `bytes`.
double rooted_ns(int ranks, std::int64_t bytes, bool gathers) {
  return forked_value([&] {
    TorchMachine m("topology.tiny.yaml", ring_of(ranks), false);
    m.run([&](Torch& torch) {
      on_ranks(torch, {}, [&](int rank) {
        const auto some = [&] { return torch.empty({bytes / 2}, f16, DPPolicy::on_one_pe(), "t"); };
        const Tensor mine = some();
        std::vector<Tensor> list;
        for (int each = 0; rank == 0 && each < ranks; ++each) list.push_back(some());
        for (int again = 0; again < 2; ++again) {  // rings and code are there the second time
          torch.distributed.barrier();
          gathers ? torch.distributed.gather(mine, list, 0)
                  : torch.distributed.scatter(mine, list, 0);
        }
      });
    });
    return to_ns(m.distributed->collectives.at(1)->time().value());
  });
}

BOOST_AUTO_TEST_CASE(each_rank_adds_its_block_on_the_link_next_to_the_root_to_gather_and_scatter) {
  constexpr int slots = 8;
  const double on_the_link = slots * of_a_stream_ns(sips("ring_1d", 4));
  for (const bool gathers : {true, false}) {
    const double three = rooted_ns(3, slots * slot_bytes, gathers),
                 five = rooted_ns(5, slots * slot_bytes, gathers),
                 seven = rooted_ns(7, slots * slot_bytes, gathers);
    BOOST_TEST_MESSAGE((gathers ? "gather: " : "scatter: ")
                       << three << ", " << five << ", " << seven << " ns; on the link "
                       << on_the_link);
    BOOST_TEST((seven - five) / 2 == on_the_link, boost::test_tools::tolerance(0.02));
    BOOST_TEST((five - three) / 2 == on_the_link, boost::test_tools::tolerance(0.02));
    BOOST_TEST(seven > 6 * on_the_link);
  }
}

// --- Where the rings lie, at 64 KiB per PE. Writing or reading n bytes of a slot takes (spec 8.1;
// both banks are reached over routers, the SRAM's last link has 128 GB/s, the HBM's 256)
//   tcm n / 512    sram 2 + n / 512 + n / 128    hbm 6 + n / 256 + n / 256 ns
// 4096 bytes: 8, 42, 38 ns; 1024 bytes: 2, 12, 14 ns; at 2048 bytes SRAM and HBM are alike: 22 ns.
BOOST_AUTO_TEST_CASE(the_order_of_the_buffer_kinds_follows_from_their_tiers_and_hops) {
  const auto time_ns = [](const char* kind, const char* slot) {
    return all_reduce_ns(sips("ring_1d", 2, 1, 2, 2), {{"buffer_kind", kind}, {"slot_size", slot}},
                         65'536, 4);
  };
  for (const char* slot : {"4096", "2048", "1024"}) {
    const double tcm = time_ns("tcm", slot), sram = time_ns("sram", slot),
                 hbm = time_ns("hbm", slot);
    BOOST_TEST_MESSAGE("slots of " << slot << ": tcm " << tcm << ", sram " << sram << ", hbm "
                                   << hbm << " ns");
    BOOST_TEST(tcm < sram);
    BOOST_TEST(tcm < hbm);
    const int bytes = std::stoi(slot);
    if (bytes == 4096) BOOST_TEST(hbm < sram);
    if (bytes == 2048) BOOST_TEST(hbm == sram);
    if (bytes == 1024) BOOST_TEST(sram < hbm);
  }
}

// --- Where the root cube is, in 4 x 4 cubes

// To the middle, (2, 2), it is at most 2 + 2 hops, to a corner 3 + 3: 8 and 12 there and back. With
// one message for each hop the times are as 2 to 3, but for the load and the store at the ends,
// which both have.
BOOST_AUTO_TEST_CASE(a_root_in_the_middle_beats_one_in_a_corner_by_its_hops) {
  const Machine machine = sips("ring_1d", 1, 1, 4, 4);
  for (const std::int64_t bytes : every_or<std::int64_t>({1024}, {64, 1024, 4096})) {
    const double middle = all_reduce_ns(machine, {{"root_cube", "10"}}, bytes, 16);
    BOOST_TEST(all_reduce_ns(machine, {}, bytes, 16) == middle);  // the default
    for (const char* corner : {"0", "3", "12", "15"}) {
      const double time = all_reduce_ns(machine, {{"root_cube", corner}}, bytes, 16);
      BOOST_TEST(time > middle);
      BOOST_TEST(time / middle == 1.5, boost::test_tools::tolerance(0.04));
    }
  }
}

// Of a long stream what counts is the busiest PE, not the hops: for each message the middle takes
// four and sends four, a corner takes two and sends two.
BOOST_AUTO_TEST_CASE(of_long_messages_the_neighbours_of_the_root_count) {
  const Machine machine = sips("ring_1d", 1, 1, 4, 4);
  BOOST_TEST(all_reduce_ns(machine, {{"root_cube", "0"}}, 65'536, 16) <
             all_reduce_ns(machine, {{"root_cube", "10"}}, 65'536, 16));
}

// --- Size

// From 256 KiB on, twice the bytes are twice the messages: the differences double. What the first
// and the last message take comes once, so that the times themselves do not quite double. Which
// messages of the ranks meet at the links depends a little on the size: 2 %.
BOOST_AUTO_TEST_CASE(time_grows_linearly_with_the_size_of_large_messages) {
  for (const char* algorithm :
       {"ring_allreduce", "tree_allreduce", "lrab_hierarchical_allreduce"}) {
    const auto time_ns = [&](std::int64_t kib) {
      return all_reduce_ns(ring_of(4), {{"algorithm", algorithm}}, kib << 10);
    };
    const double one = time_ns(256), two = time_ns(512), four = time_ns(1024);
    BOOST_TEST_MESSAGE(algorithm << ": " << one << ", " << two << ", " << four << " ns");
    BOOST_TEST((four - two) / (two - one) == 2.0, boost::test_tools::tolerance(0.02));
    BOOST_TEST(two <= 2 * one);
    BOOST_TEST(two / one == 2.0, boost::test_tools::tolerance(0.1));
  }
}

// Each rank of a ring moves 2 (n - 1) / n of its bytes, of a tree all of them twice, from each of
// two children.
BOOST_AUTO_TEST_CASE(a_tree_wins_small_messages_and_a_ring_large_ones) {
  const auto time_ns = [](const char* algorithm, std::int64_t bytes) {
    return all_reduce_ns(sips("ring_1d", 6), {{"algorithm", algorithm}}, bytes);
  };
  BOOST_TEST(time_ns("tree_allreduce", 96) < time_ns("ring_allreduce", 96));
  BOOST_TEST(time_ns("ring_allreduce", 393'216) < time_ns("tree_allreduce", 393'216));
}

// --- Determinism

// Every record of every operation with its times, and the values of the results, as text.
std::string whole_run() {
  TorchMachine m("topology.tiny.yaml", sips("torus_2d", 2, 2, 2, 1));
  std::vector<Tensor> results;
  m.run([&](Torch& torch) {
    on_ranks(torch, {}, [&](int rank) {
      const DPPolicy policy{Placement::row_wise, Placement::row_wise, 2, 2};
      const auto some = [&](const char* name) {
        const Tensor t = torch.from_host(torch.random({4, 700}, f16), policy, name);
        torch.verify(
            t, [] { return std::vector<double>(2800); });  // only to have its value at the end
        return t;
      };
      auto& dist = torch.distributed;
      const std::vector<Tensor> in{some("a"), some("b"), some("c"), some("d")},
          out{some("e"), some("f"), some("g"), some("h")};
      dist.all_reduce(in[0]);
      dist.broadcast(in[1], 2);
      dist.reduce(in[2], 1, "max");
      dist.all_gather(out, in[0]);
      dist.reduce_scatter(in[3], out);
      dist.all_to_all(out, in);
      dist.gather(in[2], rank == 3 ? out : std::vector<Tensor>(), 3);
      dist.scatter(in[1], rank == 0 ? out : std::vector<Tensor>(), 0);
      rank % 2 == 0 ? dist.send(in[0], rank + 1) : dist.recv(in[0], rank - 1);
      torch.wait_all();
      for (const Tensor& t : out) torch.verify(t, [] { return std::vector<double>(2800); });
    });
  });
  std::ostringstream text;
  for (const OpRecord& record : m.op_log.records()) {
    const ExecutedOp& op = record.op;
    text << op.t_start << ' ' << op.t_end << ' ' << op.node->name() << ' ' << op.name << ' '
         << op.bytes << '\n';
  }
  DataExecutor executor(m.data, 2);
  executor.run();
  for (const Expectation& expectation : m.runtime->expectations) {
    for (const ExpectedBlock& block : expectation.blocks) {
      for (const auto byte : executor.bytes(block.value)) text << static_cast<int>(byte) << ' ';
    }
  }
  return text.str();
}

BOOST_AUTO_TEST_CASE(two_runs_have_the_same_times_and_the_same_bytes) {
  const std::string first = forked_value(whole_run), second = forked_value(whole_run);
  BOOST_TEST(first.size() > 100'000U);
  BOOST_TEST((first == second));
}

BOOST_AUTO_TEST_SUITE_END()
