// The allocator of spec 3.2: first fit, coalescing, misuse always caught; checked against a model that keeps a flag per byte.
#include "models/address/free_list_allocator.h"

#include <boost/test/unit_test.hpp>
#include <algorithm>
#include <cstdint>
#include <rapidcheck.h>
#include <string>
#include <vector>

#include "models/address/virtual_space.h"
#include "models/base/errors.h"

using namespace kernbench;

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
std::size_t first_fit(const std::vector<bool>& used, std::uint64_t nbytes, std::uint64_t alignment) {
  for (std::size_t at = 0; at + nbytes <= used.size(); ++at) {
    if ((model_base + at) % alignment != 0) continue;
    if (std::none_of(used.begin() + static_cast<std::ptrdiff_t>(at), used.begin() + static_cast<std::ptrdiff_t>(at + nbytes),
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
              "sip0.cube1 hbm slice 2: no room for 50 bytes; largest free block 40 bytes, 80 bytes free in total");
  check_error([&] { allocator.allocate(~std::uint64_t{0}); }, "no room for 18446744073709551615 bytes");
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

BOOST_AUTO_TEST_CASE(it_behaves_like_a_flag_per_byte) {
  BOOST_TEST(rc::check("against the model", [] {
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
        std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(gone.address - model_base), gone.nbytes, false);
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
  }));
}
