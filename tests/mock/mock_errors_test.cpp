// MockRuntime: errors of kernels, deadlocks, messages left over, bad input.
#include <boost/test/unit_test.hpp>

#include "tests/mock/mock_ring.h"
#include "tests/support/error_text.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(mock_errors)

BOOST_AUTO_TEST_CASE(a_wait_that_never_ends_is_a_deadlock) {
  Ring ring(4);
  const tl::TensorInfoPtr x = ring.numbered({4});
  const auto kernel = [](tl::Program& tl, tl::Tensor x) {
    if (tl.program_id(0) != 2) return;
    tl.recv("N", x.local_shape(), x.dtype());
  };
  const MockError wrong = failure_of([&] { ring.mock.run(kernel, x); });
  BOOST_TEST((wrong.kind() == MockError::Kind::kernel));
  BOOST_TEST(wrong.rank() == 2);
  check_contains(wrong.what(), {"rank 2 (sip0.cube0.pe2): tl.recv on sip0.cube0.pe2: no queue pair "
                                "in direction 'N'; there are E, W; last call: tl.recv "
                                "(mock_errors_test.cpp:"});
  BOOST_CHECK_THROW(std::rethrow_exception(wrong.cause()), UsageError);

  const auto waits = [](tl::Program& tl, tl::Tensor x) {
    if (tl.program_id(0) == 2) tl.recv("E", x.local_shape(), x.dtype());
  };
  const MockError error = failure_of([&] { ring.mock.run(waits, x); });
  BOOST_TEST((error.kind() == MockError::Kind::deadlock));
  BOOST_TEST(error.rank() == 2);
  check_contains(error.what(), {"rank 2 (sip0.cube0.pe2): tl.recv (mock_errors_test.cpp:",
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
                                "tl.send (mock_errors_test.cpp:",
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
  check_contains(error.what(),
                 {"rank 1 (sip0.cube0.pe1): an exception that is not a std::exception "
                  "(of type int); last call: tl.program_id (mock_errors_test.cpp:"});
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
  check_contains(report.unwaited[0], {"rank 0: 1 command, tl.store_async (mock_errors_test.cpp:"});
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

BOOST_AUTO_TEST_SUITE_END()
