// The effect of an atomic access: in parts, at an instant, and what the race detector makes of it.
#include "models/data/atomic_update.h"

#include <boost/test/unit_test.hpp>
#include <cstring>

#include "models/base/errors.h"
#include "tests/support/error_text.h"

using namespace kernbench;
using kernbench::test::check_contains;
using kernbench::test::with_text;

BOOST_AUTO_TEST_SUITE(atomic_update_test)

namespace {

using Ints = std::vector<std::int32_t>;

ByteImage image_of(const Ints& values) {
  return ByteImage::copy_of(values.data(), 4 * values.size());
}
Ints ints_of(const ByteImage& image) {
  Ints values(image.nbytes() / 4);
  image.copy_to(reinterpret_cast<std::byte*>(values.data()));
  return values;
}
Ints memory_of(FunctionalModel& data, std::uint64_t pa, std::uint64_t elements) {
  return ints_of(data.memory().snapshot(pa, 4 * elements));
}

}  // namespace

BOOST_AUTO_TEST_CASE(parts_are_served_in_any_order_and_put_together) {
  FunctionalModel data;
  data.memory().write_bytes(0x100, Ints{1, 2, 3, 4}.data(), 16);
  AtomicUpdate update(data, AtomicOp::add, DType::i32, {{0x108, 8}, {0x100, 8}},
                      {image_of({10, 20, 30, 40})});
  update.serve({{8, 8}}, 5);
  BOOST_CHECK_EXCEPTION(update.old_values(), ModelError, with_text("element 2 has been served"));
  update.serve({{0, 4}}, 6);
  update.serve({{4, 4}}, 7);
  BOOST_TEST(ints_of(update.old_values()) == (Ints{3, 4, 1, 2}), boost::test_tools::per_element());
  BOOST_TEST(memory_of(data, 0x100, 4) == (Ints{31, 42, 13, 24}), boost::test_tools::per_element());
}

// Two updates of one element: the second finds what the first has left.
BOOST_AUTO_TEST_CASE(updates_act_in_the_order_of_service) {
  FunctionalModel data;
  AtomicUpdate a(data, AtomicOp::add, DType::i32, {{0, 4}}, {image_of({5})}),
      b(data, AtomicOp::add, DType::i32, {{0, 4}}, {image_of({7})});
  b.serve({{0, 4}}, 3);
  a.serve({{0, 4}}, 3);
  BOOST_TEST(ints_of(b.old_values())[0] == 0);
  BOOST_TEST(ints_of(a.old_values())[0] == 7);
}

// Stores and loads of PEs at the same time come behind, in either order of execution.
BOOST_AUTO_TEST_CASE(at_an_instant_they_come_before_the_accesses_of_pes) {
  FunctionalModel data;
  const TensorValue nine = FunctionalModel::full(Shape{1}, DType::i32, 9);
  data.store({1, 4}, nine, {{0, 4}});
  data.store({1, 5}, FunctionalModel::full(Shape{1}, DType::i32, 50), {{0, 4}});
  const IssuedOp loaded = data.load({0, 5}, {{0, 4}}, Shape{1}, DType::i32);
  AtomicUpdate update(data, AtomicOp::add, DType::i32, {{0, 4}}, {image_of({1})});
  update.serve({{0, 4}}, 5);
  BOOST_TEST(ints_of(update.old_values())[0] == 9);
  BOOST_TEST(ints_of(loaded.value.image.without_captures())[0] == 10);
  BOOST_TEST(memory_of(data, 0, 1)[0] == 50);
}

// --- what orders

namespace {

struct Kernels {
  Kernels() {
    launch = detector.launched(host, "launch 1", {0, 1, 2});
    for (std::uint32_t pe = 0; pe < 3; ++pe)
      agents[pe] = detector.kernel_begins(pe, "launch 1", "kernel 'k' on pe" + std::to_string(pe));
  }
  void atomic(std::uint32_t pe, std::uint64_t pa) {
    detector.note_atomic(agents[pe], {"tl.atomic_add", {"k.cpp", 7}, 0}, {pa}, 4);
  }
  void plain(std::uint32_t pe, std::uint64_t pa, bool is_write) {
    detector.note(agents[pe], {is_write ? "tl.store" : "tl.load", {"k.cpp", 9}, 0}, {{pa, 4}},
                  is_write);
  }

  // PE 0 writes before an atomic access of `first`, PE 1 behind one of `second`.
  void write_around_atomics(std::uint64_t first, std::uint64_t second) {
    plain(0, 0x80, true);
    atomic(0, first);
    atomic(1, second);
    plain(1, 0x80, true);
  }

  RaceDetector detector;
  RaceDetector::Agent host = detector.add_agent("the host");
  std::shared_ptr<OrderedLaunch> launch;
  RaceDetector::Agent agents[3];
};

}  // namespace

BOOST_AUTO_TEST_CASE(atomic_accesses_of_one_place_do_not_race) {
  Kernels k;
  for (std::uint32_t pe = 0; pe < 3; ++pe) k.atomic(pe, 0x40);
  BOOST_TEST(k.detector.pairs() == 0U);
}

BOOST_AUTO_TEST_CASE(one_orders_what_is_before_it_before_what_is_behind_a_later_one) {
  Kernels k;
  k.write_around_atomics(0x40, 0x40);
  BOOST_TEST(k.detector.pairs() == 0U);
  k.plain(2, 0x80, false);  // knows of neither
  BOOST_TEST(k.detector.pairs() == 1U);
}

BOOST_AUTO_TEST_CASE(what_comes_behind_an_earlier_one_is_not_ordered) {
  Kernels k;
  k.atomic(0, 0x40);
  k.plain(0, 0x80, true);
  k.atomic(1, 0x40);
  k.plain(1, 0x80, true);
  BOOST_TEST(k.detector.pairs() == 1U);
}

BOOST_AUTO_TEST_CASE(another_place_orders_nothing) {
  Kernels k;
  k.write_around_atomics(0x40, 0x44);
  BOOST_TEST(k.detector.pairs() == 1U);
}

BOOST_AUTO_TEST_CASE(plain_accesses_race_with_atomic_ones) {
  Kernels k;
  k.atomic(0, 0x40);
  k.plain(1, 0x40, false);
  BOOST_TEST(k.detector.pairs() == 1U);
  k.atomic(2, 0x40);
  BOOST_TEST(k.detector.pairs() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()
