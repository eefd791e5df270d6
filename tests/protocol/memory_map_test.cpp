// Memory map: which memory node a physical address lies in, on any machine as the fields of the
// address say (spec 3.1).
#include "models/protocol/memory_map.h"

#include <rapidcheck.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <limits>
#include <utility>

#include "models/base/errors.h"
#include "tests/support/error_text.h"

using namespace kernbench;
using kernbench::test::with_text;

BOOST_AUTO_TEST_SUITE(memory_map)

namespace {

constexpr std::uint64_t mib = 1 << 20, die = std::uint64_t{1} << 42;

bool lies(const MemoryMap& map, std::uint64_t address, NodeId node, std::uint64_t offset) {
  const MemoryTarget place = map.place_of(address);
  return place.node == node && place.offset == offset;
}

MemoryFacts random_facts() {
  MemoryFacts facts;
  facts.sips = *rc::gen::inRange(1U, PhysAddr::sips + 1);
  facts.cubes_per_sip = *rc::gen::inRange(1U, PhysAddr::ahbm_dies + 1);
  facts.pes_per_cube = facts.hbm_slices_per_cube = *rc::gen::inRange(1U, PhysAddr::pes + 1);
  facts.io_chiplets_per_sip = *rc::gen::inRange(1U, PhysAddr::io_dies + 1);
  facts.hbm_slice_bytes = *rc::gen::inRange<std::uint64_t>(1, 8 << 10) * mib;
  facts.hbm_bytes_per_cube = facts.hbm_slice_bytes * facts.hbm_slices_per_cube;
  facts.sram_bytes_per_cube = *rc::gen::inRange<std::uint64_t>(1, 33) * mib;
  facts.tcm_bytes_per_pe = *rc::gen::inRange<std::uint64_t>(1, 3) * mib;
  return facts;
}

// Every memory of the machine, with the number of its location for a node.
std::vector<MemoryLocation> memories_of(const MemoryFacts& facts) {
  std::vector<MemoryLocation> all;
  for (unsigned sip = 0; sip < facts.sips; ++sip) {
    for (unsigned chiplet = 0; chiplet < facts.io_chiplets_per_sip; ++chiplet)
      all.push_back({MemoryArea::io_sram, sip, chiplet, 0, 0});
    for (unsigned cube = 0; cube < facts.cubes_per_sip; ++cube) {
      all.push_back({MemoryArea::cube_sram, sip, cube, 0, 0});
      all.push_back({MemoryArea::mcpu_sram, sip, cube, 0, 0});
      for (unsigned pe = 0; pe < facts.pes_per_cube; ++pe) {
        all.push_back({MemoryArea::pe_tcm, sip, cube, pe, 0});
        all.push_back({MemoryArea::hbm, sip, cube, pe, 0});
      }
    }
  }
  return all;
}

// At a border of a memory, inside one, or anywhere.
std::uint64_t random_address(const std::vector<MemoryRange>& ranges) {
  const MemoryRange& range = ranges[*rc::gen::inRange<std::size_t>(0, ranges.size())];
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      return range.base - 1;
    case 1:
      return range.base + range.nbytes - 1;
    case 2:
      return range.base + range.nbytes;
    case 3:
      return range.base + *rc::gen::inRange<std::uint64_t>(0, range.nbytes);
    default:
      return *rc::gen::inRange<std::uint64_t>(0, 2 * PhysAddr::end);
  }
}

// Where the address lies, or what is said against it.
template <class Find>
std::string answer(Find find) {
  try {
    const MemoryTarget place = find();
    return std::to_string(place.node) + "+" + std::to_string(place.offset);
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_address_lies_in_its_range_from_the_first_byte_to_the_last) {
  const MemoryMap map({{16 * mib, mib, 7}, {0, mib, 3}, {mib, mib, 5}});
  BOOST_TEST(lies(map, 0, 3, 0));
  BOOST_TEST(lies(map, mib - 1, 3, mib - 1));
  BOOST_TEST(lies(map, mib, 5, 0));
  BOOST_TEST(lies(map, 17 * mib - 1, 7, mib - 1));
  for (const std::uint64_t outside : {2 * mib, 16 * mib - 1, 17 * mib, die, 600 * die})
    BOOST_CHECK_THROW(map.place_of(outside), RoutingError);
  BOOST_CHECK_EXCEPTION(map.place_of(0x200000), RoutingError,
                        with_text("no node serves address 0x200000"));
}

BOOST_AUTO_TEST_CASE(a_range_may_span_dies_and_lie_beyond_the_last) {
  const MemoryMap map({{die / 2, 3 * die, 1}, {600 * die, 2 * die, 2}, {700 * die, 1, 3}});
  BOOST_CHECK_THROW(map.place_of(die / 2 - 1), RoutingError);
  BOOST_TEST(lies(map, die / 2, 1, 0));
  BOOST_TEST(lies(map, 2 * die, 1, 2 * die - die / 2));
  BOOST_CHECK_THROW(map.place_of(4 * die), RoutingError);
  BOOST_TEST(lies(map, 601 * die, 2, die));
  BOOST_TEST(lies(map, 700 * die, 3, 0));
  BOOST_CHECK_THROW(map.place_of(700 * die + 1), RoutingError);
}

BOOST_AUTO_TEST_CASE(one_range_may_be_everything_and_none_is_nothing) {
  const MemoryMap flat({{0, std::numeric_limits<std::uint64_t>::max(), 0}});
  BOOST_TEST(lies(flat, 0x1234'5678'9abc'def0, 0, 0x1234'5678'9abc'def0));
  BOOST_CHECK_THROW(MemoryMap().place_of(0), RoutingError);
}

BOOST_AUTO_TEST_CASE(ranges_do_not_overlap) {
  BOOST_CHECK_EXCEPTION(MemoryMap({{0, mib, 0}, {mib - 1, 1, 1}}), ModelError,
                        with_text("two memories at address 0xfffff"));
  BOOST_CHECK_THROW(MemoryMap({{mib, 1, 0}, {mib, 1, 1}}), ModelError);
}

BOOST_AUTO_TEST_CASE(it_says_the_same_as_the_fields_of_the_address) {
  BOOST_TEST(rc::check([] {
    const MemoryFacts facts = random_facts();
    const AddressMap layout(facts);
    const std::vector<MemoryLocation> memories = memories_of(facts);
    std::vector<MemoryRange> ranges;
    for (NodeId node = 0; node < memories.size(); ++node) {
      ranges.push_back(
          {layout.address_of(memories[node]).encode(), layout.capacity(memories[node].area), node});
    }
    const MemoryMap map(ranges, layout);
    for (int i = 0; i < 100; ++i) {
      const std::uint64_t address = random_address(ranges);
      const std::string expected = answer([&]() -> MemoryTarget {
        MemoryLocation where = layout.check_capacity(PhysAddr::decode(address), 1);
        const std::uint64_t offset = std::exchange(where.offset, 0);
        const auto found = std::find(memories.begin(), memories.end(), where);
        return {static_cast<NodeId>(found - memories.begin()), offset};
      });
      RC_ASSERT(answer([&] { return map.place_of(address); }) == expected);
    }
  }));
}

BOOST_AUTO_TEST_SUITE_END()
