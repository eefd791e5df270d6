// MockRuntime: values and messages of kernels on several ranks; several runs in one process.
#include <boost/test/unit_test.hpp>

#include "tests/mock/mock_ring.h"
#include "tests/support/error_text.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(mock_runtime)

namespace {

// Every rank sends its sum and adds the one it receives, ranks - 1 times.
void ring_sum(tl::Program& tl, tl::Tensor x, int ranks) {
  tl::Handle sum = tl.load(x.local(), x.local_shape(), x.dtype());
  tl::Handle came = sum;
  for (int round = 1; round < ranks; ++round) {
    tl.send("E", came);
    came = tl.recv("W", x.local_shape(), x.dtype());
    sum = sum + came;
  }
  tl.store(x.local(), sum);
}

}  // namespace

// --- values

BOOST_AUTO_TEST_CASE(every_rank_has_the_sum_of_all) {
  for (const int pes : {2, 3, 8}) {
    Ring ring(pes);
    const tl::TensorInfoPtr x = ring.numbered({2, 3});
    const MockReport report = ring.mock.run(ring_sum, x, pes);
    for (int rank = 0; rank < pes; ++rank)
      BOOST_TEST(ring.mock.read(x, rank) == Values(6, pes * (pes + 1) / 2.0));
    BOOST_TEST(report.messages == static_cast<std::uint64_t>(pes * (pes - 1)));
    BOOST_TEST(report.unwaited.empty());
  }
}

// 2049 is no f16: sums in f16 round to 2048 (ties to even) where f32 would have 2049.
BOOST_AUTO_TEST_CASE(arithmetic_rounds_as_on_the_machine) {
  MockRuntime mock(of_pes(1));
  const tl::TensorInfoPtr x = mock.tensor("x", {2}, DType::f16);
  mock.write(x, 0, {2048, 2050});
  const auto kernel = [](tl::Program& tl, tl::Tensor x) {
    const tl::Handle a = tl.load(x.local(), {2}, x.dtype());
    tl.store(x.local(), a + tl.full({2}, 1, DType::f16));
  };
  mock.run(kernel, x);
  BOOST_TEST(mock.read(x, 0) == (Values{2048, 2052}));
}

BOOST_AUTO_TEST_CASE(products_reductions_casts_and_composites_have_values) {
  MockRuntime mock(of_pes(1));
  const tl::TensorInfoPtr a = mock.tensor("a", {2, 3}, DType::f16),
                          b = mock.tensor("b", {3, 2}, DType::f16),
                          dot = mock.tensor("dot", {2, 2}, DType::f16),
                          gemm = mock.tensor("gemm", {2, 2}, DType::f16),
                          row = mock.tensor("row", {2}, DType::f32);
  mock.write(a, 0, {1, 2, 3, 4, 5, 6});
  mock.write(b, 0, {1, 0, 0, 1, -1, -1});
  const auto kernel = [](tl::Program& tl, tl::Ptr a, tl::Ptr b, tl::Ptr dot, tl::Ptr gemm,
                         tl::Ptr row) {
    const tl::Handle x = tl.load(a, {2, 3}, DType::f16), y = tl.load(b, {3, 2}, DType::f16);
    tl.store(dot, tl.dot(x, y));
    const tl::Composite product =
        tl.composite(tl::gemm(tl.ref(a, {2, 3}, DType::f16), tl.ref(b, {3, 2}, DType::f16))
                         .to(gemm)
                         .epilogue({tl::relu()}));
    tl.store(row, tl.sum(tl.cast(x, DType::f32), 1));
    tl.wait(product);
  };
  mock.run(kernel, a, b, dot, gemm, row);
  // {1,2,3} . columns {1,0,-1}, {0,1,-1} = -2, -1; {4,5,6}: -2, -1.
  BOOST_TEST(mock.read(dot, 0) == (Values{-2, -1, -2, -1}));
  BOOST_TEST(mock.read(gemm, 0) == (Values{0, 0, 0, 0}));
  BOOST_TEST(mock.read(row, 0) == (Values{6, 15}));
}

// x is {3, 1, 2, 5, 4, 0}, as a matrix two rows of three.
BOOST_AUTO_TEST_CASE(blocks_masks_descriptors_scans_and_sorts_have_values) {
  MockRuntime mock(of_pes(1));
  const tl::TensorInfoPtr x = mock.tensor("x", {2, 3}, DType::f32);
  mock.write(x, 0, {3, 1, 2, 5, 4, 0});
  const auto kernel = [](tl::Program& tl, tl::Ptr x) {
    const tl::Handle right = tl.load(tl.make_block_ptr(x, {2, 3}, {3, 1}, {0, 1}, {2, 2}));
    BOOST_TEST(right.data() == (Values{1, 2, 4, 0}));
    const tl::Handle even = tl.arange(0, 4) * 2;
    const tl::Handle masked = tl.load(x, even, DType::f32, tl::Masked{even < 6, 9.0});
    BOOST_TEST(masked.data() == (Values{3, 2, 4, 9}));
    const tl::Handle rows = 1 - tl.arange(0, 2);
    const tl::Handle table = tl.make_tensor_descriptor(x, {2, 3}, {3, 1}, {1, 3}).gather(rows);
    BOOST_TEST(table.data() == (Values{5, 4, 0, 3, 1, 2}));
    const tl::Handle flat = tl.load(x, {6}, DType::f32);
    BOOST_TEST(tl.cumsum(flat).data() == (Values{3, 4, 6, 11, 15, 15}));
    BOOST_TEST(tl.sort(flat).data() == (Values{0, 1, 2, 3, 4, 5}));
    BOOST_TEST(tl.topk(flat, 2).data() == (Values{5, 4}));
    BOOST_TEST(tl.argmax(flat, 0).item() == 3);
    BOOST_TEST(tl.where(flat > 2.5F, flat, 0.0F).data() == (Values{3, 0, 0, 5, 4, 0}));
  };
  mock.run(kernel, x);
}

// The same seed and offsets give every rank the same numbers.
BOOST_AUTO_TEST_CASE(random_numbers_are_those_of_their_seed) {
  MockRuntime mock(of_pes(2));
  const tl::TensorInfoPtr x = mock.tensor("x", {100}, DType::f32);
  const auto kernel = [](tl::Program& tl, tl::Tensor x, int seed) {
    tl.store(x.local(), tl.rand(static_cast<std::uint64_t>(seed), tl.arange(0, 100)));
  };
  mock.run(kernel, x, 7);
  const Values first = mock.read(x, 0);
  BOOST_TEST(first == mock.read(x, 1));
  for (const double each : first) BOOST_TEST((each >= 0 && each < 1));
  mock.run(kernel, x, 8);
  BOOST_TEST((mock.read(x, 0) != first));
}

BOOST_AUTO_TEST_CASE(computed_values_may_be_branched_on) {
  MockRuntime mock(of_pes(1));
  const tl::TensorInfoPtr x = mock.tensor("x", {1}, DType::f32);
  const auto kernel = [](tl::Program& tl, tl::Tensor x) {
    tl::Handle y = tl.full({1}, 1, DType::f32);
    while (y.item() < 100) y = y + y;
    tl.store(x.local(), y);
  };
  mock.run(kernel, x);
  BOOST_TEST(mock.read(x, 0) == Values{128});
}

BOOST_AUTO_TEST_CASE(ranks_have_the_ids_of_their_launch) {
  MockSetup setup;
  setup.pes = 2;
  setup.cubes = 3;
  setup.sips = 2;
  MockRuntime mock(setup);
  const tl::TensorInfoPtr x = mock.tensor("x", {6}, DType::i32);
  const auto kernel = [](tl::Program& tl, tl::Tensor x) {
    for (int axis = 0; axis < 3; ++axis) {
      tl.store(x.local() + 4 * axis, tl.full({1}, tl.program_id(axis), DType::i32));
      tl.store(x.local() + 12 + 4 * axis, tl.full({1}, tl.num_programs(axis), DType::i32));
    }
  };
  mock.run(kernel, x);
  BOOST_TEST(mock.ranks() == 12);
  BOOST_TEST((mock.pe(9) == PeId{1, 1, 1}));
  BOOST_TEST(mock.rank({1, 1, 1}) == 9);
  BOOST_TEST(mock.read(x, 9) == (Values{1, 1, 1, 2, 3, 2}));
}

// A tensor is one range of addresses: a rank reaches the blocks of others, and an access may cross
// them.
BOOST_AUTO_TEST_CASE(ranks_see_what_others_have_stored_behind_a_barrier) {
  MockRuntime mock(of_pes(4));
  const tl::TensorInfoPtr x = mock.tensor("x", {2}, DType::i32),
                          all = mock.tensor("all", {8}, DType::i32);
  const auto kernel = [](tl::Program& tl, tl::Tensor x, tl::Tensor all) {
    tl.store(x.local(), tl.full({2}, tl.program_id(0), DType::i32));
    tl.barrier();
    tl.store(all.local(), tl.load(x, {8}, DType::i32));
  };
  mock.run(kernel, x, all);
  for (int rank = 0; rank < 4; ++rank)
    BOOST_TEST(mock.read(all, rank) == (Values{0, 0, 1, 1, 2, 2, 3, 3}));
}

BOOST_AUTO_TEST_CASE(atomic_operations_of_all_ranks_count) {
  MockRuntime mock(of_pes(4));
  const tl::TensorInfoPtr counter = mock.tensor("counter", {1}, DType::i32, {0}),
                          ticket = mock.tensor("ticket", {1}, DType::i32);
  const auto kernel = [](tl::Program& tl, tl::Ptr counter, tl::Tensor ticket) {
    tl.store(ticket.local(), tl.atomic_add(counter, 1));
  };
  mock.run(kernel, counter, ticket);
  BOOST_TEST(mock.read(counter, 0) == Values{4});
  Values tickets;
  for (int rank = 0; rank < 4; ++rank) tickets.push_back(mock.read(ticket, rank)[0]);
  BOOST_TEST(tickets == (Values{0, 1, 2, 3}));  // in the order of ranks
}

// Rank 0 polls a flag that rank 1 sets: it gives the others turns, though it never waits.
BOOST_AUTO_TEST_CASE(a_rank_that_polls_gives_turns_to_others) {
  MockRuntime mock(of_pes(2));
  const tl::TensorInfoPtr flag = mock.tensor("flag", {1}, DType::i32, {0});
  const auto kernel = [](tl::Program& tl, tl::Ptr flag) {
    if (tl.program_id(0) == 1) {
      tl.store(flag, tl.full({1}, 1, DType::i32));
      return;
    }
    while (tl.load(flag, {1}, DType::i32).item() == 0) {
    }
    tl.store(flag, tl.full({1}, 2, DType::i32));
  };
  mock.run(kernel, flag);
  BOOST_TEST(mock.read(flag, 0) == Values{2});
}

// --- messages

// All send first: n_slots messages fit the ring of the neighbour, one more does not.
BOOST_AUTO_TEST_CASE(a_ring_has_room_for_n_slots_messages) {
  const auto kernel = [](tl::Program& tl, tl::Tensor x, int count) {
    const tl::Handle block = tl.load(x.local(), x.local_shape(), x.dtype());
    for (int i = 0; i < count; ++i) tl.send("E", block);
    for (int i = 0; i < count; ++i) tl.recv("W", x.local_shape(), x.dtype());
  };
  MockSetup setup;
  setup.n_slots = 3;
  Ring ring(2, setup);
  const tl::TensorInfoPtr x = ring.numbered({4});
  BOOST_TEST(ring.mock.run(kernel, x, 3).messages == 6U);
  const MockError error = failure_of([&] { ring.mock.run(kernel, x, 4); });
  BOOST_TEST((error.kind() == MockError::Kind::deadlock));
  BOOST_TEST(error.rank() == 0);
  check_contains(error.what(),
                 {"deadlock, every rank that has not returned waits:\n  rank 0 (sip0.cube0.pe0): "
                  "tl.send (mock_runtime_test.cpp:",
                  ") waits for room in the ring of sip0.cube0.pe1 for a message in direction 'E'",
                  "E <-> sip0.cube0.pe1 W: 0 of 3 slots full here, 3 of 3 there; 1 to send",
                  "rank 1 (sip0.cube0.pe1)"});
  // The rings are empty again.
  BOOST_TEST(ring.mock.run(kernel, x, 3).messages == 6U);
}

BOOST_AUTO_TEST_CASE(sends_and_receives_in_flight_do_not_block) {
  MockSetup setup;
  setup.n_slots = 1;
  Ring ring(2, setup);
  const tl::TensorInfoPtr x = ring.numbered({1}), out = ring.mock.tensor("out", {3}, DType::f32);
  const auto kernel = [](tl::Program& tl, tl::Tensor x, tl::Tensor out) {
    const tl::Overlap overlap(tl);
    tl::Handle block = tl.load(x.local(), {1}, DType::f32);
    std::vector<tl::RecvFuture> coming;
    std::vector<tl::Handle> leaving;
    for (int i = 0; i < 3; ++i) {
      leaving.push_back(tl.send_async("E", block));
      block = block + 10.0F;
    }
    for (int i = 0; i < 3; ++i) coming.push_back(tl.recv_async("W", {1}, DType::f32));
    for (int i = 2; i >= 0; --i)  // the last one first
      tl.store(out.local() + 4 * i, tl.wait(coming[static_cast<std::size_t>(i)]));
    for (const tl::Handle& each : leaving) tl.wait(each);
  };
  ring.mock.run(kernel, x, out);
  BOOST_TEST(ring.mock.read(out, 0) == (Values{2, 12, 22}));
  BOOST_TEST(ring.mock.read(out, 1) == (Values{1, 11, 21}));
}

// Reserved before, received after what was sent later.
BOOST_AUTO_TEST_CASE(receives_reserve_their_places_in_the_order_of_the_calls) {
  Ring ring(2);
  const tl::TensorInfoPtr x = ring.mock.tensor("x", {2}, DType::f32);
  const auto kernel = [](tl::Program& tl, tl::Tensor x) {
    if (tl.program_id(0) == 0) {
      tl.send("E", tl.full({1}, 1, DType::f32));
      tl.send("E", tl.full({1}, 2, DType::f32));
      return;
    }
    const tl::RecvFuture first = tl.recv_async("W", {1}, DType::f32);
    tl.store(x.local(), tl.recv("W", {1}, DType::f32));
    tl.store(x.local() + 4, tl.wait(first));
  };
  ring.mock.run(kernel, x);
  BOOST_TEST(ring.mock.read(x, 1) == (Values{2, 1}));
}

BOOST_AUTO_TEST_CASE(a_receive_without_a_direction_serves_directions_in_turn) {
  Ring ring(3);
  const tl::TensorInfoPtr x = ring.mock.tensor("x", {4}, DType::f32);
  const auto kernel = [](tl::Program& tl, tl::Tensor x) {
    const int rank = tl.program_id(0);
    if (rank > 0) {
      for (int i = 0; i < 2; ++i) tl.send(rank == 1 ? "W" : "E", tl.full({1}, rank, DType::f32));
      tl.barrier();
      return;
    }
    tl.barrier();
    for (int i = 0; i < 4; ++i) {
      std::string from;
      tl.store(x.local() + 4 * i, tl.recv({1}, DType::f32, &from));
      BOOST_TEST(from == (i % 2 == 0 ? "E" : "W"));
    }
  };
  ring.mock.run(kernel, x);
  BOOST_TEST(ring.mock.read(x, 0) == (Values{1, 2, 1, 2}));
}

BOOST_AUTO_TEST_CASE(messages_come_from_memory_and_go_there) {
  Ring ring(2);
  const tl::TensorInfoPtr x = ring.numbered({4}), out = ring.mock.tensor("out", {4}, DType::f32);
  const auto kernel = [](tl::Program& tl, tl::Tensor x, tl::Tensor out) {
    tl.send("E", x.local(), {4}, DType::f32, MemorySpace::hbm);
    tl.store(x.local(), tl.full({4}, 0, DType::f32));  // the message has the bytes at the call
    tl.recv("W", {4}, DType::f32, out.local(), MemorySpace::hbm);
  };
  ring.mock.run(kernel, x, out);
  BOOST_TEST(ring.mock.read(out, 0) == Values(4, 2));
  BOOST_TEST(ring.mock.read(out, 1) == Values(4, 1));
}

// --- determinism

// The order of turns decides who is first at the counter: the same in every run.
BOOST_AUTO_TEST_CASE(runs_are_the_same_each_time) {
  const auto tickets_of = [] {
    MockSetup setup;
    setup.calls_per_turn = 3;
    Ring ring(4, setup);
    const tl::TensorInfoPtr counter = ring.mock.tensor("counter", {1}, DType::i32, {0}),
                            ticket = ring.mock.tensor("ticket", {5}, DType::i32);
    const auto kernel = [](tl::Program& tl, tl::Ptr counter, tl::Tensor ticket) {
      for (int i = 0; i < 5; ++i) {
        tl.store(ticket.local() + 4 * i, tl.atomic_add(counter, 1));
        tl.send("E", tl.full({1}, 0, DType::f32));
        tl.recv("W", {1}, DType::f32);
      }
    };
    ring.mock.run(kernel, counter, ticket);
    std::vector<Values> tickets;
    for (int rank = 0; rank < 4; ++rank) tickets.push_back(ring.mock.read(ticket, rank));
    return tickets;
  };
  const std::vector<Values> first = tickets_of();
  BOOST_TEST((first != std::vector<Values>(4, first[0])));
  for (int run = 0; run < 5; ++run) BOOST_TEST((tickets_of() == first));
}

BOOST_AUTO_TEST_SUITE_END()
