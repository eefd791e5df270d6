// MockRuntime: kernels on several ranks with values and without a machine; several runs in one
// process.
#include "sw/mock/mock_runtime.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "models/data/elements.h"
#include "sw/collectives/shipped_graphs.h"
#include "tests/support/error_text.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(mock_runtime)

namespace {

using Values = std::vector<double>;

MockSetup of_pes(int pes) {
  MockSetup setup;
  setup.pes = pes;
  return setup;
}

// PEs of one cube, a ring.
struct Ring {
  explicit Ring(int pes, MockSetup setup = {}) : mock(with(setup, pes)) {
    mock.connect(graphs::intra_pe_ring(0, 0, pes));
  }
  static MockSetup with(MockSetup setup, int pes) {
    setup.pes = pes;
    return setup;
  }
  // Rank r has r + 1 in every element.
  tl::TensorInfoPtr numbered(const Shape& shape, DType dtype = DType::f32) {
    const tl::TensorInfoPtr tensor = mock.tensor("x", shape, dtype);
    for (int rank = 0; rank < mock.ranks(); ++rank)
      mock.write(tensor, rank, Values(static_cast<std::size_t>(shape.elements()), rank + 1));
    return tensor;
  }
  MockRuntime mock;
};

template <class Run>
MockError failure_of(const Run& run) {
  try {
    run();
  } catch (const MockError& error) {
    return error;
  }
  BOOST_FAIL("it has succeeded");
  throw;
}

// Every rank sends what it has, and adds what comes, ranks - 1 times.
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

BOOST_AUTO_TEST_CASE(sends_and_receives_under_way_do_not_block) {
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

// --- what goes wrong

BOOST_AUTO_TEST_CASE(a_wait_that_never_ends_is_a_deadlock) {
  Ring ring(4);
  const tl::TensorInfoPtr x = ring.numbered({4});
  const auto kernel = [](tl::Program& tl, tl::Tensor x) {
    if (tl.program_id(0) != 2) return;
    tl.recv("N" + std::string(), x.local_shape(), x.dtype());
  };
  const MockError wrong = failure_of([&] { ring.mock.run(kernel, x); });
  BOOST_TEST((wrong.kind() == MockError::Kind::kernel));
  BOOST_TEST(wrong.rank() == 2);
  check_contains(wrong.what(), {"rank 2 (sip0.cube0.pe2): tl.recv on sip0.cube0.pe2: no queue pair "
                                "in direction 'N'; there are E, W; last call: tl.recv "
                                "(mock_runtime_test.cpp:"});
  BOOST_CHECK_THROW(std::rethrow_exception(wrong.cause()), UsageError);

  const auto waits = [](tl::Program& tl, tl::Tensor x) {
    if (tl.program_id(0) == 2) tl.recv("E", x.local_shape(), x.dtype());
  };
  const MockError error = failure_of([&] { ring.mock.run(waits, x); });
  BOOST_TEST((error.kind() == MockError::Kind::deadlock));
  BOOST_TEST(error.rank() == 2);
  check_contains(error.what(), {"rank 2 (sip0.cube0.pe2): tl.recv (mock_runtime_test.cpp:",
                                ") waits for a message in direction 'E' of sip0.cube0.pe3"});
  BOOST_TEST(!contains(error.what(), "rank 1"));
}

BOOST_AUTO_TEST_CASE(a_barrier_that_a_rank_does_not_reach_is_a_deadlock) {
  MockRuntime mock(of_pes(3));
  const auto kernel = [](tl::Program& tl) {
    if (tl.program_id(0) != 1) tl.barrier();
  };
  const MockError error = failure_of([&] { mock.run(kernel); });
  BOOST_TEST((error.kind() == MockError::Kind::deadlock));
  check_contains(error.what(),
                 {"rank 0 (sip0.cube0.pe0): tl.barrier",
                  "waits for its barrier 1: not reached by rank 1, which has returned",
                  "rank 2 (sip0.cube0.pe2): tl.barrier"});
}

BOOST_AUTO_TEST_CASE(a_message_that_no_rank_has_received_is_an_error) {
  Ring ring(2);
  const tl::TensorInfoPtr x = ring.numbered({4});
  const auto kernel = [](tl::Program& tl, tl::Tensor x) {
    if (tl.program_id(0) == 1) tl.send("E", tl.load(x.local(), {4}, x.dtype()));
  };
  const MockError error = failure_of([&] { ring.mock.run(kernel, x); });
  BOOST_TEST((error.kind() == MockError::Kind::unreceived));
  BOOST_TEST(error.rank() == 0);
  check_contains(error.what(), {"1 in direction 'W' of sip0.cube0.pe0: the first is f32{4} from "
                                "tl.send (mock_runtime_test.cpp:",
                                ") of sip0.cube0.pe1"});
}

BOOST_AUTO_TEST_CASE(a_receive_of_another_size_and_a_message_above_the_slot_are_errors) {
  MockSetup setup;
  setup.slot_bytes = 16;
  Ring ring(2, setup);
  const tl::TensorInfoPtr x = ring.numbered({4});
  const auto smaller = [](tl::Program& tl, tl::Tensor x) {
    if (tl.program_id(0) == 0) tl.send("E", tl.load(x.local(), {4}, x.dtype()));
    if (tl.program_id(0) == 1) tl.recv("W", {2}, x.dtype());
  };
  const MockError size = failure_of([&] { ring.mock.run(smaller, x); });
  BOOST_TEST(size.rank() == 1);
  check_contains(size.what(),
                 {"f32{2} has 8 bytes, the message of sip0.cube0.pe0 is f32{4} of 16"});
  const auto larger = [](tl::Program& tl, tl::Tensor) {
    BOOST_TEST(tl.slot_bytes() == 16U);
    tl.send("E", tl.full({5}, 0, DType::f32));
  };
  check_contains(failure_of([&] { ring.mock.run(larger, x); }).what(),
                 {"rank 0 (sip0.cube0.pe0): tl.send on sip0.cube0.pe0 in direction 'E': f32{5} has "
                  "20 bytes, a slot has 16"});
}

BOOST_AUTO_TEST_CASE(accesses_outside_tensors_are_errors) {
  MockRuntime mock(of_pes(2));
  const tl::TensorInfoPtr x = mock.tensor("x", {4}, DType::f32);
  const auto behind = [](tl::Program& tl, tl::Tensor x) { tl.load(x.local() + 8, {4}, x.dtype()); };
  const MockError error = failure_of([&] { mock.run(behind, x); });  // rank 0 reaches rank 1's
  BOOST_TEST(error.rank() == 1);
  check_contains(error.what(),
                 {"tl.load: 16 bytes at x + 24 are not all inside tensor 'x' of 32 bytes"});
  BOOST_CHECK_THROW(std::rethrow_exception(error.cause()), AccessFault);
  const auto raw = [](tl::Program& tl) { tl.load(tl::Ptr(0x40), {4}, DType::f32); };
  check_contains(failure_of([&] { mock.run(raw); }).what(),
                 {"tl.load at 0x40: 16 bytes at 0x40 are not all in a tensor of the mock runtime"});
}

// Tensors are in HBM.
BOOST_AUTO_TEST_CASE(a_message_in_another_memory_is_refused_by_name) {
  Ring ring(2);
  const tl::TensorInfoPtr x = ring.numbered({4});
  const auto kernel = [](tl::Program& tl, tl::Tensor x) {
    tl.send("E", x.local(), {4}, DType::f32, MemorySpace::sram);
  };
  check_contains(failure_of([&] { ring.mock.run(kernel, x); }).what(),
                 {"rank 0 (sip0.cube0.pe0): tl.send: 16 bytes at x lie in sip0.cube0.hbm_ctrl.pe0, "
                  "not in the sram of sip0.cube0.pe0"});
}

BOOST_AUTO_TEST_CASE(an_exception_of_a_kernel_names_its_rank_and_ends_the_others) {
  Ring ring(3);
  const auto kernel = [](tl::Program& tl) {
    if (tl.program_id(0) == 1) throw 42;
    tl.recv("E", {1}, DType::f32);
  };
  const MockError error = failure_of([&] { ring.mock.run(kernel); });
  BOOST_TEST((error.kind() == MockError::Kind::kernel));
  BOOST_TEST(error.rank() == 1);
  check_contains(error.what(), {"rank 1 (sip0.cube0.pe1): an exception that is no std::exception "
                                "(of type int); last call: tl.program_id (mock_runtime_test.cpp:"});
  BOOST_CHECK_THROW(std::rethrow_exception(error.cause()), int);
}

BOOST_AUTO_TEST_CASE(a_handler_of_all_exceptions_does_not_keep_a_rank_alive) {
  Ring ring(2);
  const auto kernel = [](tl::Program& tl) {
    try {
      tl.recv("E", {1}, DType::f32);
    } catch (const std::exception&) {
      tl.barrier();
    }
  };
  BOOST_TEST((failure_of([&] { ring.mock.run(kernel); }).kind() == MockError::Kind::deadlock));
}

// Whether a command has completed is an accident of the machine: here it always has.
BOOST_AUTO_TEST_CASE(a_wait_that_is_missing_is_an_error_or_reported) {
  MockRuntime mock(of_pes(1));
  const tl::TensorInfoPtr x = mock.tensor("x", {4}, DType::f32);
  const auto reads = [](tl::Program& tl, tl::Tensor x) {
    tl.store_async(x.local(), tl.full({4}, 1, DType::f32));
    tl.load(x.local(), {4}, DType::f32);
  };
  check_contains(failure_of([&] { mock.run(reads, x); }).what(),
                 {"tl.load of 'x'", "tl.wait for it first"});
  const auto leaves = [](tl::Program& tl, tl::Tensor x) {
    tl.store_async(x.local(), tl.full({4}, 1, DType::f32));
  };
  const MockReport report = mock.run(leaves, x);
  BOOST_REQUIRE(report.unwaited.size() == 1U);
  check_contains(report.unwaited[0], {"rank 0: 1 command, tl.store_async (mock_runtime_test.cpp:"});
}

BOOST_AUTO_TEST_CASE(prints_and_assertions_of_a_kernel_know_computed_values) {
  MockRuntime mock(of_pes(2));
  const auto kernel = [](tl::Program& tl, int bad) {
    const tl::Handle y = tl.full({2}, tl.program_id(0), DType::f32) * 2.0F;
    tl.device_print("y", y);
    tl.device_assert(y < static_cast<float>(bad), "too large");
  };
  const MockReport report = mock.run(kernel, 3);
  BOOST_TEST(
      report.printed == (std::vector<std::string>{"rank 0: kernel 'mock': y: f32{2}: [0, 0]",
                                                  "rank 1: kernel 'mock': y: f32{2}: [2, 2]"}),
      boost::test_tools::per_element());
  const MockError error = failure_of([&] { mock.run(kernel, 2); });
  BOOST_TEST(error.rank() == 1);
  check_contains(error.what(), {"tl.device_assert: too large; element {0} of"});
}

BOOST_AUTO_TEST_CASE(scratch_is_bounded) {
  MockSetup setup;
  setup.scratch_bytes = 1024;
  MockRuntime mock(setup);
  const auto kernel = [](tl::Program& tl) { tl.full({257}, 0, DType::f32); };
  check_contains(failure_of([&] { mock.run(kernel); }).what(), {"no room for f32{257}"});
}

BOOST_AUTO_TEST_CASE(bad_input_names_the_value_and_what_is_allowed) {
  const auto refused = [](MockSetup setup, const std::string& text) {
    BOOST_CHECK_EXCEPTION(MockRuntime{setup}, UsageError, with_text(text));
  };
  refused(of_pes(0), "MockSetup::pes is 0, allowed is 1 to 16");
  refused(of_pes(17), "MockSetup::pes is 17, allowed is 1 to 16");
  MockSetup no_slots;
  no_slots.n_slots = 0;
  refused(no_slots, "MockSetup::n_slots is 0, allowed is 1 to ");
  MockRuntime mock(of_pes(2));
  BOOST_CHECK_EXCEPTION(mock.pe(2), UsageError, with_text("allowed is 0 to 1"));
  BOOST_CHECK_EXCEPTION(mock.connect(graphs::intra_pe_ring(0, 0, 3)), UsageError,
                        with_text("sip0.cube0.pe2 is not in the mock runtime of 1 SIPs of 1 cubes "
                                  "of 2 PEs"));
  const tl::TensorInfoPtr x = mock.tensor("x", {4}, DType::f32, {1});
  BOOST_CHECK_EXCEPTION(mock.write(x, 1, {1, 2}), UsageError,
                        with_text("mock tensor 'x' on sip0.cube0.pe1: 2 values for f32{4}"));
  BOOST_CHECK_EXCEPTION(mock.read(x, 0), UsageError,
                        with_text("mock tensor 'x' has no block on sip0.cube0.pe0"));
  BOOST_CHECK_EXCEPTION(mock.tensor("y", {0}, DType::f32), UsageError,
                        with_text("has no elements"));
  BOOST_CHECK_EXCEPTION(mock.tensor("y", {1}, DType::f32, {1, 1}), UsageError,
                        with_text("rank 1 of a mock runtime is named twice"));
  const auto sends = [](tl::Program& tl) { tl.send("E", tl.full({1}, 0, DType::f32)); };
  check_contains(failure_of([&] { mock.run(sends); }).what(),
                 {"no queue pair leads there (MockRuntime::connect)"});
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
