// The allocator of spec 3.2: first fit, coalescing, misuse always caught; checked against a model
// that keeps a flag per byte.
#include "models/address/free_list_allocator.h"

#include <rapidcheck/boost_test.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "models/address/virtual_space.h"
#include "models/base/errors.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(free_list_allocator_test)

namespace {

template <class Call>
void check_error(Call call, const std::string& part) {
  BOOST_CHECK_EXCEPTION(call(), AllocationError, [&part](const AllocationError& error) {
    if (std::string(error.what()).find(part) != std::string::npos) return true;
    BOOST_TEST_MESSAGE("error text: " << error.what());
    return false;
  });
}

struct Allocation {
  std::uint64_t address, nbytes;
};

constexpr std::uint64_t model_base = 64;

// Lowest aligned place in `used` with room, or npos.
std::size_t first_fit(const std::vector<bool>& used, std::uint64_t nbytes,
                      std::uint64_t alignment) {
  for (std::size_t at = 0; at + nbytes <= used.size(); ++at) {
    if ((model_base + at) % alignment != 0) continue;
    if (std::none_of(used.begin() + static_cast<std::ptrdiff_t>(at),
                     used.begin() + static_cast<std::ptrdiff_t>(at + nbytes),
                     [](bool b) { return b; })) {
      return at;
    }
  }
  return std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_lowest_block_with_room_is_taken) {
  FreeListAllocator allocator("tcm", 0, 100);
  BOOST_TEST(allocator.allocate(10) == 0u);
  BOOST_TEST(allocator.allocate(20) == 10u);
  BOOST_TEST(allocator.allocate(30) == 30u);
  allocator.free(0, 10);
  allocator.free(30, 30);
  BOOST_TEST(allocator.allocate(11) == 30u);  // the hole at 0 is too small
  BOOST_TEST(allocator.allocate(4) == 0u);
  BOOST_TEST(allocator.allocate(6) == 4u);
}

BOOST_AUTO_TEST_CASE(freed_neighbours_coalesce_both_ways) {
  FreeListAllocator allocator("tcm", 0, 30);
  for (int i = 0; i < 3; ++i) allocator.allocate(10);
  allocator.free(0, 10);
  allocator.free(20, 10);
  BOOST_TEST(allocator.free_blocks().size() == 2u);
  allocator.free(10, 10);
  BOOST_TEST(allocator.free_blocks().size() == 1u);
  BOOST_TEST(allocator.largest_free_bytes() == 30u);
}

BOOST_AUTO_TEST_CASE(alignment_leaves_a_gap_that_stays_free) {
  FreeListAllocator allocator("scratch", 8, 100);
  BOOST_TEST(allocator.allocate(4, 16) == 16u);
  BOOST_TEST(allocator.allocate(8) == 8u);
  check_error([&] { allocator.allocate(4, 3); }, "alignment 3");
}

BOOST_AUTO_TEST_CASE(the_va_space_is_handed_out_in_pages) {
  FreeListAllocator space("va", va_base, va_space_bytes, 4096);
  BOOST_TEST(space.allocate(1) == va_base);
  BOOST_TEST(space.allocate(5000) == va_base + 4096);
  BOOST_TEST(space.used_bytes() == 3u * 4096);
  space.free(va_base + 4096, 5000);
  BOOST_TEST(space.used_bytes() == 4096u);
  BOOST_TEST(space.allocate(8192) == va_base + 4096);
}

BOOST_AUTO_TEST_CASE(exhaustion_tells_the_size_asked_the_largest_block_and_the_total) {
  FreeListAllocator allocator("sip0.cube1 hbm slice 2", 0, 100);
  allocator.allocate(40);
  allocator.allocate(20);
  allocator.free(0, 40);
  check_error([&] { allocator.allocate(50); },
              "sip0.cube1 hbm slice 2: no room for 50 bytes; largest free block 40 bytes, 80 bytes "
              "free in total");
  check_error([&] { allocator.allocate(~std::uint64_t{0}); },
              "no room for 18446744073709551615 bytes");
  check_error([&] { allocator.allocate(0); }, "0 bytes");
}

BOOST_AUTO_TEST_CASE(misuse_is_always_caught) {
  FreeListAllocator allocator("tcm", 0, 100);
  const std::uint64_t address = allocator.allocate(10);
  check_error([&] { allocator.free(address, 9); }, "with 9 bytes, but 10 bytes were allocated");
  check_error([&] { allocator.free(address + 1, 9); }, "not allocated");
  check_error([&] { allocator.free(50, 10); }, "not allocated");
  allocator.free(address, 10);
  check_error([&] { allocator.free(address, 10); }, "freed already");
  BOOST_TEST(allocator.free_bytes() == 100u);  // nothing of this changed the lists
}

RC_BOOST_PROP(it_behaves_like_a_flag_per_byte, ()) {
  constexpr std::uint64_t size = 256;
  FreeListAllocator allocator("model", model_base, size);
  std::vector<bool> used(size, false);
  std::vector<Allocation> live;
  const int steps = *rc::gen::inRange(0, 120);
  for (int step = 0; step < steps; ++step) {
    if (live.empty() || *rc::gen::inRange(0, 5) < 3) {
      const auto nbytes = *rc::gen::inRange<std::uint64_t>(1, 48);
      const std::uint64_t alignment = std::uint64_t{1} << *rc::gen::inRange(0, 6);
      const std::size_t expected = first_fit(used, nbytes, alignment);
      try {
        const std::uint64_t address = allocator.allocate(nbytes, alignment);
        RC_ASSERT(expected != std::string::npos);
        RC_ASSERT(address == model_base + expected);
        std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(expected), nbytes, true);
        live.push_back({address, nbytes});
      } catch (const AllocationError&) {
        RC_ASSERT(expected == std::string::npos);
      }
    } else {
      const auto victim = static_cast<std::size_t>(*rc::gen::inRange<std::size_t>(0, live.size()));
      const Allocation gone = live[victim];
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(victim));
      RC_ASSERT_THROWS_AS(allocator.free(gone.address, gone.nbytes + 1), AllocationError);
      allocator.free(gone.address, gone.nbytes);
      RC_ASSERT_THROWS_AS(allocator.free(gone.address, gone.nbytes), AllocationError);
      std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(gone.address - model_base),
                  gone.nbytes, false);
    }
    const auto used_bytes = static_cast<std::uint64_t>(std::count(used.begin(), used.end(), true));
    RC_ASSERT(allocator.used_bytes() == used_bytes);
    std::uint64_t end_of_last = 0, listed = 0;
    for (const auto& block : allocator.free_blocks()) {
      RC_ASSERT(block.first > end_of_last || listed == 0);  // sorted, never adjacent
      end_of_last = block.first + block.second;
      listed += block.second;
    }
    RC_ASSERT(listed == size - used_bytes);
  }
  for (const Allocation& allocation : live) allocator.free(allocation.address, allocation.nbytes);
  RC_ASSERT(allocator.free_blocks().size() == 1u && allocator.largest_free_bytes() == size);
}

namespace {

// A space with allocations in it, after any history.
struct UsedSpace {
  std::uint64_t granule, base, size;
  FreeListAllocator allocator;
  std::vector<Allocation> live;

  UsedSpace()
      : granule(std::uint64_t{1} << *rc::gen::inRange(0, 5)),
        base(granule * *rc::gen::inRange<std::uint64_t>(0, 1000)),
        size(granule * *rc::gen::inRange<std::uint64_t>(1, 80)),
        allocator("space", base, size, granule) {}

  void allocate() {
    const auto nbytes = *rc::gen::inRange<std::uint64_t>(1, 9 * granule);
    const std::uint64_t alignment = std::uint64_t{1} << *rc::gen::inRange(0, 7);
    try {
      const std::uint64_t address = allocator.allocate(nbytes, alignment);
      RC_ASSERT(address % alignment == 0U);
      live.push_back({address, nbytes});
    } catch (const AllocationError&) {
      RC_ASSERT(allocator.largest_free_bytes() <
                nbytes + granule + alignment);  // nothing that surely fits is refused
    }
  }
  void free() {
    const auto victim =
        live.begin() + static_cast<std::ptrdiff_t>(*rc::gen::inRange<std::size_t>(0, live.size()));
    allocator.free(victim->address, victim->nbytes);
    live.erase(victim);
  }
  void step() {
    if (live.empty() || *rc::gen::inRange(0, 5) < 3) {
      allocate();
    } else {
      free();
    }
  }
};

}  // namespace

// What lives and what is free tile the space: nothing overlaps, nothing is lost, and no two free
// blocks are neighbours.
RC_BOOST_PROP(allocations_never_overlap_and_free_blocks_coalesce_fully, ()) {
  UsedSpace space;
  const int steps = *rc::gen::inRange(0, 100);
  for (int i = 0; i < steps; ++i) {
    space.step();
    struct Block {
      std::uint64_t start, length;
      bool free;
    };
    std::vector<Block> blocks;
    for (const Allocation& each : space.live)
      blocks.push_back(
          {each.address, (each.nbytes + space.granule - 1) / space.granule * space.granule, false});
    for (const auto& [start, length] : space.allocator.free_blocks())
      blocks.push_back({start, length, true});
    std::sort(blocks.begin(), blocks.end(),
              [](const Block& a, const Block& b) { return a.start < b.start; });
    std::uint64_t end = space.base;
    bool after_free = false;
    for (const Block& block : blocks) {
      RC_ASSERT(block.start == end);
      const bool neighbours = after_free && block.free;
      RC_ASSERT(!neighbours);
      end += block.length;
      after_free = block.free;
    }
    RC_ASSERT(end == space.base + space.size);
  }
  while (!space.live.empty()) space.free();
  RC_ASSERT(space.allocator.free_blocks().size() == 1U);
  RC_ASSERT(space.allocator.largest_free_bytes() == space.size);
}

// Whatever is not the free of a living allocation with its size throws, and changes nothing.
RC_BOOST_PROP(every_misuse_is_caught_whatever_the_history, ()) {
  UsedSpace space;
  std::vector<Allocation> gone;
  const int steps = *rc::gen::inRange(0, 60);
  for (int i = 0; i < steps; ++i) {
    const std::vector<Allocation> before = space.live;
    space.step();
    for (const Allocation& each : before) {
      if (std::none_of(space.live.begin(), space.live.end(),
                       [&](const Allocation& a) { return a.address == each.address; }))
        gone.push_back(each);
    }
  }
  const auto blocks = space.allocator.free_blocks();
  const std::uint64_t used = space.allocator.used_bytes();
  const auto is_live = [&](std::uint64_t address, std::uint64_t nbytes) {
    return std::any_of(space.live.begin(), space.live.end(), [&](const Allocation& a) {
      return a.address == address && a.nbytes == nbytes;
    });
  };
  for (const Allocation& each : space.live) {  // inside, before, with another size
    for (const std::uint64_t at :
         {each.address + 1, each.address - 1, each.address + each.nbytes}) {
      if (!is_live(at, each.nbytes))
        RC_ASSERT_THROWS_AS(space.allocator.free(at, each.nbytes), AllocationError);
    }
    for (const std::uint64_t nbytes :
         {each.nbytes - 1, each.nbytes + 1, 2 * each.nbytes, std::uint64_t{0}})
      RC_ASSERT_THROWS_AS(space.allocator.free(each.address, nbytes), AllocationError);
  }
  for (const Allocation& each : gone) {  // freed already, perhaps given to another since
    if (!is_live(each.address, each.nbytes))
      RC_ASSERT_THROWS_AS(space.allocator.free(each.address, each.nbytes), AllocationError);
  }
  for (const auto& [start, length] : blocks)
    RC_ASSERT_THROWS_AS(space.allocator.free(start, length), AllocationError);
  RC_ASSERT_THROWS_AS(
      space.allocator.free(*rc::gen::arbitrary<std::uint64_t>() | std::uint64_t{1} << 60, 1),
      AllocationError);
  RC_ASSERT_THROWS_AS(space.allocator.allocate(0), AllocationError);
  RC_ASSERT_THROWS_AS(space.allocator.allocate(1, 3), AllocationError);
  RC_ASSERT_THROWS_AS(space.allocator.allocate(1, 0), AllocationError);
  RC_ASSERT_THROWS_AS(space.allocator.allocate(space.size + *rc::gen::inRange<std::uint64_t>(
                                                                1, ~std::uint64_t{0} - space.size)),
                      AllocationError);
  RC_ASSERT(space.allocator.free_blocks() == blocks);
  RC_ASSERT(space.allocator.used_bytes() == used);
  while (!space.live.empty()) space.free();  // all still there
  RC_ASSERT(space.allocator.free_bytes() == space.size);
}

BOOST_AUTO_TEST_SUITE_END()
