// The store against a flat model of bytes and value bytes; sparse, shared and copy-on-write pages.
#include "models/data/memory_store.h"

#include <rapidcheck.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

#include "models/address/phys_addr.h"
#include "models/base/errors.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(memory_store_test)

namespace {

constexpr std::uint64_t page = MemoryStore::page_bytes;
constexpr std::uint64_t gib = std::uint64_t{1} << 30;

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

// One byte of the model: known, or byte `offset` of value `id`.
struct Cell {
  ValueId id = no_value;
  std::uint64_t offset = 0;
  std::byte known{0};
  friend bool operator==(const Cell& a, const Cell& b) {
    return a.id == b.id && a.offset == b.offset && a.known == b.known;
  }
};

std::vector<Cell> cells_of(const ByteImage& image) {
  std::vector<Cell> cells;
  for (const Segment& segment : image.segments()) {
    for (std::uint64_t i = 0; i < segment.nbytes; ++i) {
      switch (segment.kind) {
        case Segment::Kind::zeros:
          cells.push_back({});
          break;
        case Segment::Kind::bytes:
          cells.push_back({no_value, 0, segment.data()[i]});
          break;
        case Segment::Kind::value:
          cells.push_back({segment.value, segment.offset + i, std::byte{0}});
          break;
        case Segment::Kind::capture:
          BOOST_FAIL("memory holds no captures");
          break;
      }
    }
  }
  return cells;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_was_never_written_is_zero_and_costs_nothing) {
  MemoryStore store;
  const ByteImage image = store.snapshot(5 * gib + 3, 4 * gib);
  BOOST_TEST(image.nbytes() == 4 * gib);
  BOOST_TEST(image.segments().size() == 1u);
  BOOST_TEST((image.segments()[0].kind == Segment::Kind::zeros));
  BOOST_TEST(store.pages() == 0u);
  BOOST_TEST((store.read_bytes(7, 2) == bytes_of({0, 0})));
}

BOOST_AUTO_TEST_CASE(bytes_read_back_across_pages) {
  MemoryStore store;
  std::vector<std::byte> data(3 * page);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 7 + i / 256);
  store.write_bytes(page - 5, data.data(), data.size());
  BOOST_TEST((store.read_bytes(page - 5, data.size()) == data));
  BOOST_TEST(store.pages() == 4u);
}

BOOST_AUTO_TEST_CASE(a_fill_of_4_gib_shares_one_page) {
  MemoryStore store;
  const std::uint16_t one = 0x3c00;
  store.fill(gib + 2, 4 * gib, &one, sizeof one);
  std::uint16_t element;
  std::memcpy(&element, store.read_bytes(3 * gib, 2).data(), 2);
  BOOST_TEST(element == one);
  const ByteImage image = store.snapshot(2 * gib, 3 * page);
  BOOST_TEST((image.segments()[0].bytes() == image.segments()[1].bytes()));
  const auto changed = bytes_of({9});
  store.write_bytes(2 * gib + page, changed.data(), 1);  // leaves the others alone
  BOOST_TEST((store.read_bytes(2 * gib, 1) == bytes_of({0x00})));
  BOOST_TEST((store.read_bytes(2 * gib + page, 2) == bytes_of({9, 0x3c})));
  store.clear(gib, 5 * gib);
  BOOST_TEST(store.pages() == 0u);
}

BOOST_AUTO_TEST_CASE(a_fill_repeats_from_its_own_first_byte) {
  MemoryStore store;
  const auto pattern = bytes_of({1, 2, 3, 4});
  store.fill(page - 6, 2 * page + 10, pattern.data(), 4);
  BOOST_TEST((store.read_bytes(page - 6, 9) == bytes_of({1, 2, 3, 4, 1, 2, 3, 4, 1})));
  BOOST_TEST((store.read_bytes(3 * page, 4) == bytes_of({3, 4, 1, 2})));
  BOOST_TEST((store.read_bytes(3 * page + 4, 1) == bytes_of({0})));
}

BOOST_AUTO_TEST_CASE(a_snapshot_copies_nothing_and_does_not_change) {
  MemoryStore store;
  const auto before = bytes_of({1, 2, 3});
  store.write_bytes(0, before.data(), before.size());
  ByteImage image = store.snapshot(0, page);
  const std::byte* shared = image.segments()[0].data();
  BOOST_TEST(store.snapshot(0, page).segments()[0].data() == shared);
  const auto after = bytes_of({9});
  store.write_bytes(1, after.data(), 1);
  BOOST_TEST(static_cast<int>(shared[1]) == 2);
  BOOST_TEST((store.read_bytes(0, 3) == bytes_of({1, 9, 3})));
}

BOOST_AUTO_TEST_CASE(an_unshared_page_is_written_in_place) {
  MemoryStore store;
  const auto data = bytes_of({1});
  store.write_bytes(0, data.data(), 1);
  const std::byte* place = store.snapshot(0, page).segments()[0].data();
  store.write_bytes(5, data.data(), 1);
  BOOST_TEST(store.snapshot(0, page).segments()[0].data() == place);
}

BOOST_AUTO_TEST_CASE(a_snapshot_of_a_small_part_keeps_no_page_and_is_one_for_all_who_take_it) {
  MemoryStore store;
  const auto data = bytes_of({1, 2, 3, 4});
  store.write_bytes(0, data.data(), 4);
  const std::byte* place = store.snapshot(0, page).segments()[0].data();
  const ByteImage first = store.snapshot(1, 2), second = store.snapshot(1, 2);
  BOOST_TEST((first.segments()[0].bytes() == second.segments()[0].bytes()));
  const auto after = bytes_of({9, 9, 9, 9});
  store.write_bytes(0, after.data(), 4);
  BOOST_TEST(store.snapshot(0, page).segments()[0].data() == place);  // written in place: unshared
  BOOST_TEST((cells_of(first)[0].known == std::byte{2}));
  BOOST_TEST((cells_of(store.snapshot(1, 2))[0].known == std::byte{9}));
}

// What the snapshots of n versions of memory hold, at most twice what was taken, in addition to
// what one page holds.
BOOST_AUTO_TEST_CASE(snapshots_keep_at_most_twice_their_size) {
  for (const std::uint64_t nbytes :
       {std::uint64_t{1}, std::uint64_t{4096}, page / 2 - 1, page / 2, page}) {
    MemoryStore store;
    std::vector<ByteImage> kept;
    std::set<const std::byte*> pages;
    constexpr std::size_t versions = 20;
    for (std::size_t i = 0; i < versions; ++i) {
      const auto version = static_cast<std::byte>(i + 1);
      store.write_bytes(0, &version, 1);
      kept.push_back(store.snapshot(0, nbytes));
      pages.insert(store.snapshot(0, page).segments()[0].data());
    }
    BOOST_TEST((pages.size() - 1) * page <= 2 * versions * nbytes,
               nbytes << " bytes pin " << pages.size() << " pages");
    for (std::size_t i = 0; i < versions; ++i)
      BOOST_TEST((cells_of(kept[i])[0].known == static_cast<std::byte>(i + 1)));
  }
}

BOOST_AUTO_TEST_CASE(a_pending_value_over_bytes_that_a_snapshot_holds_copies_nothing) {
  MemoryStore store;
  const auto data = bytes_of({1, 2, 3});
  store.write_bytes(0, data.data(), 3);
  const ByteImage held = store.snapshot(0, page);
  store.write_value(1, {7, 0, 1});
  BOOST_TEST((store.snapshot(2, page - 2).segments()[0].data() == held.segments()[0].data() + 2));
  store.clear(1, 1);
  BOOST_TEST((store.read_bytes(0, 3) == bytes_of({1, 0, 3})));
}

BOOST_AUTO_TEST_CASE(a_value_over_the_bytes_of_another_takes_its_place) {
  MemoryStore store;
  const auto keeper = std::make_shared<int>();
  // An int instead of a LiveValue: its value is never read, its owners are counted.
  const auto kept =
      std::shared_ptr<const LiveValue>(keeper, reinterpret_cast<const LiveValue*>(keeper.get()));
  store.write_value(8, {1, 0, 8, kept});
  BOOST_TEST(keeper.use_count() == 3);
  store.write_value(8, {2, 4, 8});
  BOOST_TEST(keeper.use_count() == 2);  // that of value 1 in memory is gone
  BOOST_TEST((store.value_ids() == std::vector<ValueId>{2}));
  const Segment seen = store.snapshot(8, 8).segments().front();
  BOOST_TEST(seen.value == 2u);
  BOOST_TEST(seen.offset == 4u);
  // Bytes in between: the old range is in two parts, and none of them is left.
  const auto byte = bytes_of({7});
  store.write_bytes(10, byte.data(), 1);
  store.write_value(8, {3, 0, 8});
  BOOST_TEST(store.snapshot(8, 8).segments().size() == 1u);
  BOOST_TEST((store.value_ids() == std::vector<ValueId>{3}));
}

BOOST_AUTO_TEST_CASE(whole_pages_of_an_image_are_shared_not_copied) {
  MemoryStore store;
  std::vector<std::byte> data(2 * page, std::byte{5});
  store.write_bytes(0, data.data(), data.size());
  store.write_image(16 * page, store.snapshot(0, 2 * page));
  BOOST_TEST((store.snapshot(16 * page, page).segments()[0].bytes() ==
              store.snapshot(0, page).segments()[0].bytes()));
  const auto changed = bytes_of({6});
  store.write_bytes(16 * page, changed.data(), 1);
  BOOST_TEST((store.read_bytes(0, 1) == bytes_of({5})));
}

BOOST_AUTO_TEST_CASE(a_pending_value_can_be_overwritten_in_part) {
  MemoryStore store;
  store.write_value(100, {7, 0, 50});
  const auto known = bytes_of({1, 2});
  store.write_bytes(110, known.data(), 2);
  const ByteImage image = store.snapshot(98, 54);
  BOOST_REQUIRE(image.segments().size() == 5u);  // zeros, value, bytes, value, zeros
  BOOST_TEST((image.segments()[1].kind == Segment::Kind::value));
  BOOST_TEST(image.segments()[1].nbytes == 10u);
  BOOST_TEST(image.segments()[3].offset == 12u);
  BOOST_TEST(image.segments()[3].nbytes == 38u);
  BOOST_TEST(!store.known(0, 101));
  BOOST_TEST(store.known(110, 2));
  BOOST_TEST((store.value_ids() == std::vector<ValueId>{7}));
}

BOOST_AUTO_TEST_CASE(reading_a_pending_byte_is_an_error) {
  MemoryStore store;
  store.write_value(100, {7, 0, 50});
  BOOST_CHECK_THROW(store.read_bytes(90, 11), PendingDataError);
  BOOST_TEST(store.read_bytes(90, 10).size() == 10u);
}

BOOST_AUTO_TEST_CASE(parts_of_one_value_side_by_side_become_one_segment) {
  MemoryStore store;
  store.write_value(0, {3, 0, 64});
  store.write_value(64, {3, 64, 64});
  BOOST_TEST(store.snapshot(0, 128).segments().size() == 1u);
}

BOOST_AUTO_TEST_CASE(several_ranges_read_and_write_as_one_run) {
  MemoryStore store;
  const PhysRanges ranges{{1000, 3}, {50, 2}};
  const auto data = bytes_of({1, 2, 3, 4, 5});
  store.write_image(ranges, ByteImage::copy_of(data.data(), data.size()));
  BOOST_TEST((store.read_bytes(50, 2) == bytes_of({4, 5})));
  std::vector<std::byte> back(5);
  store.snapshot(ranges).copy_to(back.data());
  BOOST_TEST((back == data));
  BOOST_CHECK_THROW(store.write_image(ranges, ByteImage::zeros(4)), ModelError);
}

BOOST_AUTO_TEST_CASE(addresses_beyond_51_bits_are_refused) {
  MemoryStore store;
  BOOST_CHECK_THROW(store.write_bytes(PhysAddr::end - 1, "ab", 2), AddressError);
  BOOST_CHECK_THROW(store.snapshot(PhysAddr::end, 1), AddressError);
  store.write_bytes(PhysAddr::end - 1, "a", 1);
}

BOOST_AUTO_TEST_CASE(it_behaves_like_a_flat_array) {
  BOOST_TEST(rc::check("against a cell per byte", [] {
    constexpr std::uint64_t base = 3 * page - 40, size = 96;  // across a page boundary
    MemoryStore store;
    std::vector<Cell> model(size);
    std::vector<std::pair<ByteImage, std::vector<Cell>>> kept;
    const int steps = *rc::gen::inRange(1, 40);
    for (int step = 0; step < steps; ++step) {
      const auto at = *rc::gen::inRange<std::uint64_t>(0, size),
                 nbytes = *rc::gen::inRange<std::uint64_t>(0, size - at + 1);
      switch (*rc::gen::inRange(0, 5)) {
        case 0: {
          const auto value = static_cast<std::byte>(*rc::gen::inRange(1, 256));
          const std::vector<std::byte> data(nbytes, value);
          store.write_bytes(base + at, data.data(), nbytes);
          for (std::uint64_t i = 0; i < nbytes; ++i) model[at + i] = {no_value, 0, value};
          break;
        }
        case 1: {
          const auto id = static_cast<ValueId>(*rc::gen::inRange(1, 4)),
                     offset = *rc::gen::inRange<std::uint64_t>(0, 100);
          store.write_value(base + at, {id, offset, nbytes});
          for (std::uint64_t i = 0; i < nbytes; ++i) model[at + i] = {id, offset + i, std::byte{0}};
          break;
        }
        case 2: {
          store.clear(base + at, nbytes);
          for (std::uint64_t i = 0; i < nbytes; ++i) model[at + i] = {};
          break;
        }
        case 3: {
          const auto to = *rc::gen::inRange<std::uint64_t>(0, size - nbytes + 1);
          store.write_image(base + to, store.snapshot(base + at, nbytes));
          const std::vector<Cell> moved(model.begin() + static_cast<std::ptrdiff_t>(at),
                                        model.begin() + static_cast<std::ptrdiff_t>(at + nbytes));
          std::copy(moved.begin(), moved.end(), model.begin() + static_cast<std::ptrdiff_t>(to));
          break;
        }
        default:
          kept.emplace_back(store.snapshot(base, size), model);
      }
      RC_ASSERT(cells_of(store.snapshot(base, size)) == model);
    }
    for (const auto& snapshot : kept) {
      RC_ASSERT(cells_of(snapshot.first) == snapshot.second);
      for (std::size_t i = 1; i < snapshot.first.segments().size(); ++i) {  // merged
        RC_ASSERT(!(snapshot.first.segments()[i - 1].kind == Segment::Kind::zeros &&
                    snapshot.first.segments()[i].kind == Segment::Kind::zeros));
      }
    }
  }));
}

BOOST_AUTO_TEST_SUITE_END()
