// Concurrent work on the same PEs: collectives with compute kernels, messages with both, in any
// order (spec 4.4, 7), with times that follow from those of each alone.
#include <rapidcheck/boost_test.h>

#include "tests/distributed/patterns.h"
#include "tests/distributed/ranks.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(overlap)

namespace {

constexpr std::int64_t dots = 100, elements = 32768;

LaunchSpec on_pe_0(const char* name) { return LaunchSpec(name).on_pe(0); }

// PE_GEMM alone: 16 ns each (32 * 64 * 32 MACs, 4096 per ns).
void multiply(tl::Program& tl, tl::Tensor /*where*/, int count) {
  const tl::Handle a = tl.zeros({32, 64}, f16), b = tl.zeros({64, 32}, f16);
  for (int i = 0; i < count; ++i) tl.dot(a, b);
}

struct Times {
  double compute = 0, collective = 0, both = 0;
};

// Of 2 ranks: the kernel on T1, the collective on T2, and both begun together; at the host.
Times times_of(const std::function<Work(Torch&, const Tensor&)>& collective) {
  return forked_value([&] {
    TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2));
    Times times;
    m.run([&](Torch& torch) {
      on_ranks(torch, {{"algorithm", "ring_allreduce"}}, [&](int rank) {
        const Tensor t1 = torch.zeros({8}, f16, one_pe, "t1"),
                     t2 = torch.zeros({elements}, f16, one_pe, "t2");
        collective(torch, t2).wait();  // its rings are there from here on
        const auto timed = [&](const std::function<void()>& body) {
          torch.distributed.barrier();
          const Fs begun = torch.now();
          body();
          torch.wait_all();
          return to_ns(torch.now() - begun);
        };
        const auto compute = [&] {
          torch.launch_async(on_pe_0("multiply"), multiply, t1, int{dots});
        };
        Times here;
        here.compute = timed(compute);
        here.collective = timed([&] { collective(torch, t2); });
        here.both = timed([&] {
          collective(torch, t2);
          compute();
        });
        if (rank == 0) times = here;
      });
    });
    BOOST_TEST(m.failures() == "");
    return times;
  });
}

}  // namespace

// PE_DMA and PE_IPCQ run concurrently with PE_GEMM: nothing is shared.
BOOST_AUTO_TEST_CASE(a_broadcast_hides_behind_a_kernel_of_products) {
  const Times times = times_of(
      [](Torch& torch, const Tensor& t) { return torch.distributed.broadcast(t, 0, true); });
  BOOST_TEST(times.compute > 16.0 * dots);
  BOOST_TEST(times.collective > 1000);
  BOOST_TEST(times.both < 1.01 * std::max(times.compute, times.collective));
}

// The additions share the accel_slot: at most as much later as all of them take, each behind a
// product, and the products behind them. A rank adds half of the elements, 8 chunks of 16 ns.
BOOST_AUTO_TEST_CASE(an_all_reduce_shares_the_slot_with_a_kernel_of_products) {
  const Times times = times_of([](Torch& torch, const Tensor& t) {
    return torch.distributed.all_reduce(t, ReduceOp::sum, true);
  });
  BOOST_TEST(times.both >= std::max(times.compute, times.collective));
  BOOST_TEST(times.both <= std::max(times.compute, times.collective) + 8 * 16 + 10);
  BOOST_TEST(times.both < times.compute + 0.5 * times.collective);
}

// --- Order

// What has been launched before the call is followed, what comes behind wait() follows.
KERNBENCH_SYSTEMC_TEST(a_collective_follows_the_kernels_before_it) {
  on_a_ring(3, [](Torch& torch, int rank) {
    const auto set = [](tl::Program& tl, tl::Tensor t, int value) {
      tl.cycles(1000);
      tl.store(t.local(), tl.full({64}, value, f32));
    };
    const auto twice = [](tl::Program& tl, tl::Tensor t) {
      const tl::Handle h = tl.load(t.local(), {64}, f32);
      tl.store(t.local(), h + h);
    };
    const Tensor t = torch.zeros({64}, f32, one_pe, "t"), u = torch.zeros({64}, f32, one_pe, "u");
    torch.launch_async(on_pe_0("set"), set, t, rank + 1);
    Work work = torch.distributed.all_reduce(t, ReduceOp::sum, true);
    torch.launch_async(on_pe_0("set"), set, u, 5);
    work.wait();
    torch.launch(on_pe_0("twice"), twice, t);
    expect(torch, t, Values(64, 12));
    expect(torch, u, Values(64, 5));
  });
}

// As in PyTorch: nothing orders a kernel behind a collective that has not been waited for.
BOOST_AUTO_TEST_CASE(a_kernel_that_does_not_wait_for_the_collective_races_with_it) {
  const std::string text = forked_value([] {
    TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2));
    m.run([](Torch& torch) {
      on_ranks(torch, {}, [&](int) {
        const Tensor t = torch.zeros({64}, f32, one_pe, "t");
        torch.distributed.all_reduce(t, ReduceOp::sum, true);
        torch.launch(
            on_pe_0("late"),
            [](tl::Program& tl, tl::Tensor data) { tl.load(data.local(), {64}, f32); }, t);
      });
    });
    return m.failures();
  });
  check_contains(text, {"data race on ", "kernel 'late'"});
}

// --- Messages

namespace {

// Each rank to each other one, `elements`, all posted at once, receives or sends first.
void exchange(Torch& torch, int rank, int ranks, std::int64_t elements, bool receive_first) {
  std::vector<Tensor> came(static_cast<std::size_t>(ranks)), mine(static_cast<std::size_t>(ranks));
  for (int peer = 0; peer < ranks; ++peer) {
    const auto at = static_cast<std::size_t>(peer);
    came[at] = torch.zeros({elements}, f32, one_pe, "came");
    mine[at] = torch.full({elements}, 10 * rank + peer, f32, one_pe, "mine");
  }
  std::vector<P2POp> ops;
  for (const bool receive : {receive_first, !receive_first}) {
    for (int peer = 0; peer < ranks; ++peer) {
      const auto at = static_cast<std::size_t>(peer);
      if (peer != rank)
        ops.emplace_back(receive ? P2POp::irecv : P2POp::isend, receive ? came[at] : mine[at],
                         peer);
    }
  }
  for (Work& work : torch.distributed.batch_isend_irecv(ops)) work.wait();
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer == rank) continue;
    torch.verify(came[static_cast<std::size_t>(peer)], [=] {
      return std::vector<double>(static_cast<std::size_t>(elements), 10 * peer + rank);
    });
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(messages_of_any_size_cross_in_any_order) {
  for (const std::int64_t elements : {1, 1000, 5000, 70000}) {
    for (const bool receive_first : {false, true}) {
      forked([&] {
        TorchMachine m("topology.tiny.yaml", sips("ring_1d", 3));
        m.run([&](Torch& torch) {
          on_ranks(torch, {}, [&](int rank) { exchange(torch, rank, 3, elements, receive_first); });
        });
        BOOST_TEST(m.failures() == "", elements << " elements: " << m.failures());
      });
    }
  }
}

// The usual order of a pipeline: asynchronous sends first, then blocking receives.
KERNBENCH_SYSTEMC_TEST(ranks_may_all_send_long_messages_first_asynchronously) {
  on_a_ring(4, [](Torch& torch, int rank) {
    const Tensor mine = torch.full({20000}, rank, f32, one_pe, "mine"),
                 came = torch.zeros({20000}, f32, one_pe, "came");
    Work sent = torch.distributed.isend(mine, (rank + 1) % 4);
    mine.to_host();  // reads what the send reads: as in PyTorch, no wait for the receiver
    torch.distributed.recv(came, (rank + 3) % 4);
    sent.wait();
    expect(torch, came, Values(20000, (rank + 3) % 4));
  });
}

KERNBENCH_SYSTEMC_TEST(a_barrier_does_not_wait_for_messages_that_are_received_behind_it) {
  on_a_ring(2, [](Torch& torch, int rank) {
    const Tensor t = torch.full({20000}, rank, f32, one_pe, "t");
    Work work;
    if (rank == 0) work = torch.distributed.isend(t, 1);
    torch.distributed.barrier();
    if (rank == 1) work = torch.distributed.irecv(t, 0);
    work.wait();
    expect(torch, t, Values(20000, 0));
  });
}

KERNBENCH_SYSTEMC_TEST(a_receive_from_any_source_knows_the_rank) {
  on_a_ring(3, [](Torch& torch, int rank) {
    if (rank != 2) {
      if (rank == 1) sc_core::wait(50, sc_core::SC_US);
      torch.distributed.send(torch.full({3000}, rank + 1, f32, one_pe, "t"), 2);
      return;
    }
    for (const int expected : {0, 1}) {
      const Tensor came = torch.zeros({3000}, f32, one_pe, "came");
      const Work work = torch.distributed.recv(came);
      BOOST_TEST(work.source_rank() == expected);
      expect(torch, came, Values(3000, expected + 1));
    }
  });
}

// Short messages of one tag lie in the ring, one of another is taken before them.
KERNBENCH_SYSTEMC_TEST(tags_tell_messages_apart) {
  on_a_ring(2, [](Torch& torch, int rank) {
    const auto some = [&](int value) { return torch.full({100}, value, f32, one_pe, "t"); };
    if (rank == 0) {
      torch.distributed.send(some(1), 1);
      torch.distributed.send(some(2), 1);
      torch.distributed.send(some(3), 1, 7);
      torch.distributed.isend(some(4), 1).wait();
      return;
    }
    sc_core::wait(50, sc_core::SC_US);
    for (const auto& [tag, value] :
         std::vector<std::pair<int, int>>{{7, 3}, {0, 1}, {0, 2}, {0, 4}}) {
      const Tensor came = some(0);
      torch.distributed.recv(came, 0, tag);
      expect(torch, came, Values(100, value));
    }
  });
}

// --- Failures

// The kernel that fails ends the program with its own words, not with those of what it has cut off.
BOOST_AUTO_TEST_CASE(a_failure_concurrent_with_a_collective_is_the_reported_cause) {
  const std::string text = forked_value([] {
    TorchMachine m("topology.tiny.yaml", sips("ring_1d", 3));
    return m.error([](Torch& torch) {
      on_ranks(torch, {}, [&](int rank) {
        const Tensor t = torch.zeros({50000}, f32, one_pe, "t"), u = torch.zeros({8}, f32, one_pe);
        Work work = torch.distributed.all_reduce(t, ReduceOp::sum, true);
        if (rank == 1)
          torch.launch(
              on_pe_0("broken"),
              [](tl::Program& tl, tl::Tensor) {
                tl.cycles(2000);
                throw std::runtime_error("no such weight");
              },
              u);
        work.wait();
      });
    });
  });
  check_contains(text, {"a rank has failed", "rank 1: ", "kernel 'broken': no such weight"});
}

// --- Any asynchronous calls

namespace {

struct AsyncCall {
  enum class Kind : std::uint8_t { kernel, all_reduce, broadcast, message };
  Kind kind = Kind::kernel;
  int from = 0, to = 0, tag = 0;
  std::int64_t elements = 1;
  bool waits = false;
};

std::vector<AsyncCall> random_calls(int ranks) {
  std::vector<AsyncCall> calls;
  const int count = *rc::gen::inRange(1, 12);
  for (int i = 0; i < count; ++i) {
    AsyncCall call;
    call.kind = static_cast<AsyncCall::Kind>(*rc::gen::inRange(0, 4));
    call.from = *rc::gen::inRange(0, ranks);
    call.to = (call.from + *rc::gen::inRange(1, ranks)) % ranks;
    call.tag = *rc::gen::inRange(0, 2);
    call.elements = *rc::gen::inRange(1, 6000);
    call.waits = *rc::gen::inRange(0, 4) == 0;
    calls.push_back(call);
  }
  return calls;
}

// One rank's part, each call on a tensor of its own; the expected values are those of a sequential
// execution of the same calls.
class AsyncRank {
 public:
  AsyncRank(Torch& torch, int rank, int ranks) : torch_(torch), rank_(rank), ranks_(ranks) {}

  void carry_out(const AsyncCall& call) {
    using Kind = AsyncCall::Kind;
    if (call.kind == Kind::message && rank_ != call.from && rank_ != call.to) return;
    const double value = rank_ + 1;
    const Tensor t = torch_.full({call.elements}, value, f32, one_pe, "t");
    auto& dist = torch_.distributed;
    if (call.kind == Kind::kernel) {
      torch_.launch_async(on_pe_0("twice"), twice, t);
      return expect(t, 2 * value);
    }
    if (call.kind == Kind::all_reduce) {
      works_.push_back(dist.all_reduce(t, ReduceOp::sum, true));
      expect(t, ranks_ * (ranks_ + 1) / 2.0);
    } else if (call.kind == Kind::broadcast) {
      works_.push_back(dist.broadcast(t, call.from, true));
      expect(t, call.from + 1);
    } else {
      works_.push_back(rank_ == call.from ? dist.isend(t, call.to, call.tag)
                                          : dist.irecv(t, call.from, call.tag));
      expect(t, call.from + 1);
    }
    if (call.waits && call.kind != Kind::message) works_.back().wait();
  }
  void end() {
    for (Work& work : works_) work.wait();
    torch_.wait_all();
    for (const auto& [tensor, value] : expected_)
      torch_.verify(tensor, [n = tensor.shape().elements(), v = value] {
        return std::vector<double>(static_cast<std::size_t>(n), v);
      });
  }

 private:
  static void twice(tl::Program& tl, tl::Tensor t) {
    const tl::Handle h = tl.load(t.local(), t.local_shape(), f32);
    tl.store(t.local(), h + h);
  }
  void expect(const Tensor& tensor, double value) { expected_.emplace_back(tensor, value); }

  Torch& torch_;
  int rank_, ranks_;
  std::vector<Work> works_;
  std::vector<std::pair<Tensor, double>> expected_;
};

}  // namespace

RC_BOOST_PROP(any_asynchronous_calls_give_what_the_same_calls_in_turn_give, ()) {
  const int ranks = *rc::gen::inRange(2, 5);
  const std::vector<AsyncCall> calls = random_calls(ranks);
  const std::string contexts = std::to_string(*rc::gen::inRange(1, 4));
  const std::string text = forked_value([&] {
    std::vector<Override> machine = sips("ring_1d", ranks);
    machine.push_back({"cube.pe_template.components.pe_cpu.attrs.kernel_contexts", contexts});
    TorchMachine m("topology.tiny.yaml", machine);
    m.run([&](Torch& torch) {
      on_ranks(torch, {{"algorithm", "ring_allreduce"}}, [&](int rank) {
        AsyncRank here(torch, rank, ranks);
        for (const AsyncCall& call : calls) here.carry_out(call);
        here.end();
      });
    });
    return m.failures();
  });
  RC_ASSERT(text == "");
}

BOOST_AUTO_TEST_SUITE_END()
