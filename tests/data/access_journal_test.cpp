// Accesses of one instant take effect in the order of the PEs' names, whatever the order in which
// they are issued, and which of them count as data races (spec 2.3, 9).
#include "models/data/access_journal.h"

#include <rapidcheck.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <optional>

#include "models/base/errors.h"
#include "models/data/elements.h"
#include "models/data/functional_model.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(access_journal_test)

namespace {

constexpr Accessor pe1{1, 5}, pe2{2, 5}, pe3{3, 5};

TensorValue number(double value) { return FunctionalModel::full({1}, DType::i32, value); }
const PhysRanges here{{0x1000, 4}}, there{{0x2000, 4}};

double value_of(FunctionalModel& functional_model, const TensorValue& value) {
  return read_element(functional_model.bytes(value).data(), DType::i32);
}
double value_at(FunctionalModel& functional_model, const PhysRanges& place) {
  return value_of(functional_model, functional_model.view(place, {1}, DType::i32));
}

MathParams plus_one() {
  MathParams params;
  params.op = MathOp::add;
  params.operands = {MathOperand::tensor(0), MathOperand::scalar(1)};
  return params;
}

// Keeps the accesses reported to it, and computes nothing.
class Recorder final : public ValueResolver {
 public:
  void recorded(const DataOpPtr& op) override { ops.push_back(op); }
  SharedBytes resolve(ValueId) override { return make_shared_bytes(4, true); }
  std::vector<DataOpPtr> ops;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_load_sees_the_store_of_a_pe_whose_name_comes_first) {
  FunctionalModel functional_model;
  functional_model.store(number(7), here);
  const TensorValue loaded =
      functional_model.load(pe2, here, {1}, DType::i32).value;  // process order alone would give 7
  functional_model.store(pe1, number(8), here);
  BOOST_TEST(value_of(functional_model, loaded) == 8);
}

BOOST_AUTO_TEST_CASE(a_load_does_not_see_the_store_of_a_pe_whose_name_comes_behind) {
  FunctionalModel functional_model;
  functional_model.store(number(7), here);
  functional_model.store(pe2, number(8), here);
  const TensorValue loaded =
      functional_model.load(pe1, here, {1}, DType::i32).value;  // process order alone would give 8
  BOOST_TEST(value_of(functional_model, loaded) == 7);
  BOOST_TEST(value_at(functional_model, here) == 8);
}

BOOST_AUTO_TEST_CASE(the_last_name_s_store_remains_and_one_pe_s_accesses_keep_their_order) {
  FunctionalModel functional_model;
  functional_model.store(pe3, number(31), here);
  functional_model.store(pe1, number(11), here);
  functional_model.store(pe3, number(32), here);
  const TensorValue own = functional_model.load(pe3, here, {1}, DType::i32).value;
  functional_model.store(pe2, number(21), here);
  functional_model.store(pe3, number(33), there);
  BOOST_TEST(value_of(functional_model, own) == 32);
  BOOST_TEST(value_at(functional_model, here) == 32);
  BOOST_TEST(value_at(functional_model, there) == 33);
}

BOOST_AUTO_TEST_CASE(time_orders_before_names_do) {
  FunctionalModel functional_model;
  functional_model.store({2, 5}, number(1), here);
  const TensorValue loaded = functional_model.load({1, 6}, here, {1}, DType::i32).value;
  functional_model.store({1, 7}, number(2), here);
  functional_model.store({0, 8}, number(3), here);
  BOOST_TEST(value_of(functional_model, loaded) == 1);
  BOOST_TEST(value_at(functional_model, here) == 3);
}

// PE 2 issues its composite before PE 1 does, and yet reads PE 1's result: ops are numbered by
// issue, and phase 2 sorts it out.
BOOST_AUTO_TEST_CASE(operands_of_a_composite_bind_in_the_order_of_names) {
  FunctionalModel functional_model;
  functional_model.store(number(100), there);
  const IssuedOp second =
      functional_model.math(plus_one(), {functional_model.view(pe2, here, {1}, DType::i32)});
  const IssuedOp first =
      functional_model.math(plus_one(), {functional_model.view(pe1, there, {1}, DType::i32)});
  functional_model.write(pe1, first.value, here);
  functional_model.resolve();
  BOOST_TEST((input_ids(*second.op) == std::vector<ValueId>{2}));
  BOOST_TEST(input_ids(*first.op).empty());
  BOOST_TEST(second.op->inputs[0].image.segments().size() == 1U);
}

BOOST_AUTO_TEST_CASE(records_of_an_instant_are_complete_when_time_has_moved_on) {
  FunctionalModel functional_model;
  const TensorValue sum = functional_model.math(plus_one(), {number(1)}).value;
  const DataOpPtr load = functional_model.load(pe2, here, {1}, DType::i32).op,
                  store = functional_model.store(pe1, sum, here);
  BOOST_CHECK_THROW(input_ids(*load), ModelError);
  functional_model.resolve_before(5);
  BOOST_CHECK_THROW(input_ids(*load), ModelError);
  functional_model.resolve_before(6);
  BOOST_TEST((input_ids(*load) == std::vector<ValueId>{1}));
  BOOST_TEST((input_ids(*store) == std::vector<ValueId>{1}));
}

// A kernel binds what it has loaded when time has moved on; its record is resolved by the next
// access all the same.
BOOST_AUTO_TEST_CASE(a_record_is_complete_also_when_its_load_has_been_bound_before) {
  FunctionalModel functional_model;
  functional_model.store(functional_model.math(plus_one(), {number(1)}).value, here);
  const IssuedOp load = functional_model.load(pe2, here, {1}, DType::i32);
  BOOST_TEST((load.value.image.without_captures().value_ids() == std::vector<ValueId>{1}));
  BOOST_CHECK_THROW(input_ids(*load.op), ModelError);
  functional_model.load({2, 6}, there, {1}, DType::i32);
  BOOST_TEST((input_ids(*load.op) == std::vector<ValueId>{1}));
}

BOOST_AUTO_TEST_CASE(slices_and_transposes_of_what_a_load_will_bind_to_bind_with_it) {
  FunctionalModel functional_model;
  const IssuedOp load = functional_model.load(pe2, {{0x1000, 24}}, {2, 3}, DType::i32);
  const TensorValue row = sliced(load.value, 1, 2), turned = transposed(load.value);
  BOOST_TEST(!load.value.image.bound());
  const std::int32_t elements[]{1, 2, 3, 4, 5, 6};
  functional_model.store(pe1, FunctionalModel::constant(elements, {6}, DType::i32), {{0x1000, 24}});
  BOOST_TEST(value_of(functional_model, row) == 4);
  const std::vector<std::byte> bytes = functional_model.bytes(turned);
  for (int i = 0; i < 6; ++i)
    BOOST_TEST(read_element(bytes.data() + 4 * i, DType::i32) == elements[i % 2 * 3 + i / 2]);
  BOOST_TEST(load.value.image.bound());
  BOOST_TEST((load.value.image.without_captures().segments()[0].kind == Segment::Kind::bytes));
}

// Eager mode hears of an op when its operands are bound, and of what reads its result not before.
BOOST_AUTO_TEST_CASE(an_op_is_announced_when_its_operands_are_bound) {
  FunctionalModel functional_model;
  Recorder recorder;
  functional_model.set_resolver(&recorder);
  const IssuedOp early = functional_model.math(plus_one(), {number(1)});
  BOOST_TEST(recorder.ops.size() == 1U);
  const IssuedOp late =
      functional_model.math(plus_one(), {functional_model.view(pe2, here, {1}, DType::i32)});
  BOOST_TEST(recorder.ops.size() == 1U);
  functional_model.store(pe1, early.value, here);
  BOOST_TEST(recorder.ops.size() == 1U);
  functional_model.math(plus_one(), {late.value});
  BOOST_TEST_REQUIRE(recorder.ops.size() == 3U);
  BOOST_TEST(recorder.ops[1] == late.op);
  BOOST_TEST((input_ids(*late.op) == std::vector<ValueId>{1}));

  const IssuedOp asked =
      functional_model.math(plus_one(), {functional_model.view({2, 6}, here, {1}, DType::i32)});
  BOOST_TEST(recorder.ops.size() == 3U);
  functional_model.bytes(asked.value);  // within the instant
  BOOST_TEST(recorder.ops.size() == 4U);
}

BOOST_AUTO_TEST_CASE(accesses_without_a_pe_are_ordered_after_those_issued_by_pes) {
  FunctionalModel functional_model;
  functional_model.store(pe1, number(1), here);
  BOOST_TEST(value_at(functional_model, here) == 1);
  functional_model.store(pe1, number(2), here);
  functional_model.store(number(3), here);
  BOOST_TEST(value_at(functional_model, here) == 3);
}

BOOST_AUTO_TEST_CASE(races_are_pairs_of_different_pes_with_a_write_in_one_instant) {
  FunctionalModel functional_model;
  functional_model.load(pe1, here, {1}, DType::i32);
  functional_model.load(pe2, here, {1}, DType::i32);
  BOOST_TEST(functional_model.data_races() == 0U);
  functional_model.store(pe2, number(1), here);  // with the load of PE 1
  BOOST_TEST(functional_model.data_races() == 1U);
  functional_model.write(pe3, number(1), here);  // with both loads and the store
  BOOST_TEST(functional_model.data_races() == 4U);
  functional_model.store({1, 6}, number(1), here);
  BOOST_TEST(functional_model.data_races() == 4U);
  functional_model.memory();  // settling in between changes nothing
  functional_model.view({2, 6}, here, {1}, DType::i32);
  BOOST_TEST(functional_model.data_races() == 5U);
}

BOOST_AUTO_TEST_CASE(what_was_never_put_in_order_is_a_model_error) {
  TensorValue loaded;
  {
    FunctionalModel functional_model;
    loaded = functional_model.load(pe1, here, {1}, DType::i32).value;
  }
  BOOST_CHECK_THROW(loaded.image.known(), ModelError);
}

// Against a memory in which each instant's accesses are carried out one PE after the other.
BOOST_AUTO_TEST_CASE(any_order_of_issue_between_pes_gives_the_same) {
  struct Planned {
    std::uint32_t pe;
    bool write;
    std::uint64_t at, nbytes;
    std::uint8_t fill;
  };
  BOOST_TEST(rc::check("random accesses", [] {
    MemoryStore memory;
    AccessJournal journal(memory);
    std::vector<std::uint8_t> expected_memory(64, 0);
    const int instants = *rc::gen::inRange(1, 6);
    for (Fs now = 1; now <= static_cast<Fs>(instants); ++now) {
      std::vector<Planned> plan;
      for (int left = *rc::gen::inRange(0, 12); left > 0; --left) {
        Planned access{*rc::gen::inRange<std::uint32_t>(0, 4), *rc::gen::arbitrary<bool>(),
                       *rc::gen::inRange<std::uint64_t>(0, 60), 0, 0};
        access.nbytes = *rc::gen::inRange<std::uint64_t>(1, 64 - access.at + 1);
        access.fill = *rc::gen::arbitrary<std::uint8_t>();
        plan.push_back(access);
      }
      std::vector<std::pair<ByteImage, std::size_t>> read;  // and its index in the plan
      for (std::size_t i = 0; i < plan.size(); ++i) {
        const Accessor by{plan[i].pe, now};
        const PhysRanges ranges{{plan[i].at, plan[i].nbytes}};
        if (plan[i].write) {
          const std::vector<std::uint8_t> bytes(plan[i].nbytes, plan[i].fill);
          journal.write(by, ranges, ByteImage::copy_of(bytes.data(), bytes.size()));
        } else {
          read.emplace_back(journal.read(by, ranges), i);
        }
      }
      std::map<std::size_t, std::vector<std::uint8_t>> expected_reads;
      for (std::uint32_t pe = 0; pe < 4; ++pe) {
        for (std::size_t i = 0; i < plan.size(); ++i) {
          if (plan[i].pe != pe) continue;
          const auto begin = expected_memory.begin() + static_cast<std::ptrdiff_t>(plan[i].at),
                     end = begin + static_cast<std::ptrdiff_t>(plan[i].nbytes);
          if (plan[i].write) {
            std::fill(begin, end, plan[i].fill);
          } else {
            expected_reads[i].assign(begin, end);
          }
        }
      }
      for (const auto& [image, index] : read) {
        std::vector<std::uint8_t> bytes(image.nbytes());
        image.copy_to(reinterpret_cast<std::byte*>(bytes.data()));
        RC_ASSERT(bytes == expected_reads[index]);
      }
    }
    journal.resolve();
    const std::vector<std::byte> final_memory = memory.read_bytes(0, 64);
    for (std::size_t i = 0; i < 64; ++i)
      RC_ASSERT(std::to_integer<std::uint8_t>(final_memory[i]) == expected_memory[i]);
  }));
}

// --- Data races

BOOST_AUTO_TEST_CASE(a_write_and_a_read_of_one_instant_by_two_pes_is_a_race) {
  RaceCounter races;
  races.note_access(0, 16, true, 0, 5);
  races.note_access(15, 1, false, 1, 5);
  BOOST_TEST(races.data_races() == 1u);
  races.note_access(0, 16, true, 0, 6);
  BOOST_TEST(races.data_races() == 1u);
}

BOOST_AUTO_TEST_CASE(reads_disjoint_bytes_and_one_pe_alone_are_none) {
  RaceCounter races;
  races.note_access(0, 16, false, 0, 5);
  races.note_access(0, 16, false, 1, 5);
  races.note_access(16, 16, true, 2, 5);
  races.note_access(16, 16, true, 2, 5);
  races.note_access(20, 0, true, 3, 5);
  races.note_access(0, 16, true, 3, 6);
  BOOST_TEST(races.data_races() == 0u);
}

BOOST_AUTO_TEST_CASE(every_conflicting_pair_counts) {
  RaceCounter races;
  races.note_access(0, 100, true, 0, 1);
  races.note_access(10, 10, true, 1, 1);
  races.note_access(15, 10, false, 2, 1);
  races.note_access(0, 1, false, 2, 2);
  BOOST_TEST(races.data_races() == 3u);
}

BOOST_AUTO_TEST_SUITE_END()
