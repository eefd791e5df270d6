// The table of segments (spec 3.3, LA; ADR-0011 D-LA3): where bytes lie, and which requests an
// access becomes.
#include "models/pe/segment_table.h"

#include <rapidcheck/boost_test.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "models/address/virtual_space.h"
#include "models/base/errors.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(segment_table)

namespace {

constexpr ChannelInterleave hbm{4, 16};  // a round of 64 B

BaawSegment whole(std::uint64_t la, std::uint64_t size, std::uint64_t pa) {
  return {la, size, HbmMapping::n_to_one, {pa}};
}
BaawSegment by_channel(std::uint64_t la, std::uint64_t size, std::vector<std::uint64_t> bases) {
  return {la, size, HbmMapping::one_to_one, std::move(bases)};
}

std::string text(const PhysRanges& ranges) {
  std::string all;
  for (const PhysRange& range : ranges)
    all += (all.empty() ? "" : " ") + std::to_string(range.pa) + "+" + std::to_string(range.nbytes);
  return all;
}
std::string text(const std::vector<LogicalRequest>& requests) {
  std::string all;
  for (const LogicalRequest& request : requests) {
    all += (all.empty() ? "" : " ") + std::to_string(request.pa) + "+" +
           std::to_string(request.nbytes) + "@" + std::to_string(request.position) +
           (request.one_channel ? "c" : "");
  }
  return all;
}

template <class E, class Call>
void check_error(Call call, const std::string& part) {
  BOOST_CHECK_EXCEPTION(call(), E, [&part](const E& error) {
    BOOST_TEST_MESSAGE("error text: " << error.what());
    return std::string(error.what()).find(part) != std::string::npos;
  });
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_segment_in_n_to_one_is_one_request) {
  SegmentTable table(hbm);
  table.install(whole(va_base, 1000, 5000));
  BOOST_TEST(text(table.requests(va_base + 100, 200)) == "5100+200@0");
  BOOST_TEST(text(table.look_up(va_base + 100, 200)) == "5100+200");
}

// 640 is a round: bursts at 640 (channel 0), 656, 672, 688, 704 (channel 0 again), ...
BOOST_AUTO_TEST_CASE(a_segment_in_one_to_one_is_one_request_for_each_channel_touched) {
  SegmentTable table(hbm);
  table.install(by_channel(va_base, 256, {640, 656, 672, 688}));
  BOOST_TEST(text(table.requests(va_base, 256)) == "640+64@0c 656+64@16c 672+64@32c 688+64@48c");
  BOOST_TEST(text(table.requests(va_base + 20, 8)) == "660+8@0c");  // inside one burst
  BOOST_TEST(text(table.requests(va_base + 24, 16)) ==
             "664+8@0c 672+8@8c");  // the end of one, the begin of the next
  BOOST_TEST(text(table.requests(va_base + 8, 64)) ==
             "648+16@0c 656+16@8c 672+16@24c 688+16@40c");       // 8 + 8 on the first
  BOOST_TEST(text(table.look_up(va_base + 8, 64)) == "648+64");  // for all that one piece of memory
}

BOOST_AUTO_TEST_CASE(a_segment_may_begin_within_a_burst_and_touch_few_channels) {
  SegmentTable table(hbm);
  table.install(by_channel(va_base, 40, {664, 672, 688}));  // 8 + 16 + 16 bytes of channels 1, 2, 3
  BOOST_TEST(text(table.requests(va_base, 40)) == "664+8@0c 672+16@8c 688+16@24c");
}

BOOST_AUTO_TEST_CASE(each_channel_may_have_its_own_place) {
  SegmentTable table(hbm);
  table.install(by_channel(va_base, 128, {16, 640, 160, 240}));
  BOOST_TEST(text(table.look_up(va_base, 128)) ==
             "16+16 640+16 160+16 240+16 80+16 704+16 224+16 304+16");
  BOOST_TEST(text(table.requests(va_base, 128)) == "16+32@0c 640+32@16c 160+32@32c 240+32@48c");
}

BOOST_AUTO_TEST_CASE(an_access_across_segments_is_split_at_their_border) {
  SegmentTable table(hbm);
  table.install(whole(va_base, 100, 5000));
  table.install(whole(va_base + 100, 100, 9000));
  BOOST_TEST(text(table.requests(va_base + 60, 100)) == "5060+40@0 9000+60@40");
  BOOST_TEST(text(table.look_up(va_base + 60, 100)) == "5060+40 9000+60");
}

BOOST_AUTO_TEST_CASE(a_fault_names_the_first_address_without_a_segment) {
  SegmentTable table(hbm);
  check_error<AccessFault>([&] { table.look_up(va_base, 1); },
                           "no segment for logical address 0x10000000000000 (access of 1 bytes");
  table.install(whole(va_base + 16, 32, 0));
  check_error<AccessFault>(
      [&] { table.requests(va_base + 32, 64); },
      "no segment for logical address 0x10000000000030 (access of 64 bytes at 0x10000000000020)");
  check_error<AccessFault>([&] { table.requests(va_base + 8, 64); }, "0x10000000000008 (");
}

BOOST_AUTO_TEST_CASE(segments_do_not_overlap_and_are_removed_as_they_were_installed) {
  SegmentTable table(hbm);
  table.install(whole(va_base + 100, 100, 0));
  for (const std::uint64_t begin : {1U, 100U, 150U, 199U}) {
    check_error<AddressError>([&] { table.install(whole(va_base + begin, 100, 5000)); },
                              "overlaps the segment of 100 bytes at 0x10000000000064");
  }
  table.install(whole(va_base, 100, 5000));
  table.install(whole(va_base + 200, 100, 6000));
  check_error<AddressError>([&] { table.remove(va_base + 100, 99); },
                            "is not installed, but a segment of 100 bytes");
  check_error<AddressError>([&] { table.remove(va_base + 101, 99); }, "is not installed");
  table.remove(va_base + 100, 100);
  check_error<AddressError>([&] { table.remove(va_base + 100, 100); }, "is not installed");
  check_error<AccessFault>([&] { table.look_up(va_base + 99, 2); }, "no segment");
  BOOST_TEST(table.size() == 2U);
}

BOOST_AUTO_TEST_CASE(the_physical_bases_are_those_of_the_bursts) {
  SegmentTable table(hbm);
  check_error<AddressError>(
      [&] {
        table.install(by_channel(va_base, 40, {640, 656, 672, 688}));
      },
      "4 physical bases, but its bursts touch 3");
  check_error<AddressError>(
      [&] {
        table.install(by_channel(va_base, 256, {640, 656, 672}));
      },
      "3 physical bases, but its bursts touch 4");
  check_error<AddressError>(
      [&] {
        table.install(by_channel(va_base, 64, {640, 656, 673, 688}));
      },
      "0x2a1 is not where a burst begins");
  BOOST_TEST(table.size() == 0U);
}

// Against the rule applied byte by byte: byte x of a segment in one_to_one is in burst j = (skew +
// x) / burst_bytes of it, on the channel of pa_bases[j mod channels], j / channels rounds behind.
RC_BOOST_PROP(the_table_places_every_byte_as_the_rule_says, ()) {
  const ChannelInterleave drawn{std::uint32_t{1} << *rc::gen::inRange(0, 4),
                                std::uint32_t{1} << *rc::gen::inRange(0, 5)};
  SegmentTable table(drawn);
  std::vector<BaawSegment> naive;  // what is installed
  const std::uint64_t space = 600;
  const int steps = *rc::gen::inRange(1, 20);
  for (int step = 0; step < steps; ++step) {
    if (!naive.empty() && *rc::gen::inRange(0, 4) == 0) {
      const auto victim = naive.begin() + static_cast<std::ptrdiff_t>(
                                              *rc::gen::inRange<std::size_t>(0, naive.size()));
      RC_ASSERT_THROWS_AS(table.remove(victim->la_base, victim->la_size + 1), AddressError);
      table.remove(victim->la_base, victim->la_size);
      naive.erase(victim);
      continue;
    }
    BaawSegment segment;
    segment.la_base = va_base + *rc::gen::inRange<std::uint64_t>(0, space);
    segment.la_size = *rc::gen::inRange<std::uint64_t>(1, 200);
    if (*rc::gen::arbitrary<bool>()) {
      segment.pa_bases = {*rc::gen::inRange<std::uint64_t>(0, 1 << 20)};
    } else {
      segment.mode = HbmMapping::one_to_one;
      const std::uint64_t skew = *rc::gen::inRange<std::uint64_t>(0, drawn.burst_bytes);
      const std::uint64_t bursts =
          (skew + segment.la_size + drawn.burst_bytes - 1) / drawn.burst_bytes;
      std::vector<std::uint64_t> channels(drawn.channels);
      std::iota(channels.begin(), channels.end(), 0);
      for (std::size_t i = channels.size(); i > 1; --i)
        std::swap(channels[i - 1], channels[*rc::gen::inRange<std::size_t>(0, i)]);
      for (std::uint64_t i = 0; i < std::min<std::uint64_t>(bursts, drawn.channels); ++i) {
        const std::uint64_t round = *rc::gen::inRange<std::uint64_t>(0, 50);
        segment.pa_bases.push_back(round * drawn.round_bytes() + channels[i] * drawn.burst_bytes +
                                   (i == 0 ? skew : 0));
      }
    }
    const bool free = std::none_of(naive.begin(), naive.end(), [&](const BaawSegment& other) {
      return segment.la_base < other.la_base + other.la_size &&
             other.la_base < segment.la_base + segment.la_size;
    });
    if (free) {
      table.install(segment);
      naive.push_back(segment);
    } else {
      RC_ASSERT_THROWS_AS(table.install(segment), AddressError);
    }
    RC_ASSERT(table.size() == naive.size());
  }

  struct Byte {
    std::size_t segment;
    std::uint64_t pa;
  };
  const auto place = [&](std::uint64_t la) -> std::vector<Byte> {  // none or one
    for (std::size_t i = 0; i < naive.size(); ++i) {
      const BaawSegment& segment = naive[i];
      if (la < segment.la_base || la - segment.la_base >= segment.la_size) continue;
      const std::uint64_t x = la - segment.la_base;
      if (segment.mode == HbmMapping::n_to_one) return {{i, segment.pa_bases[0] + x}};
      const std::uint64_t skew = segment.pa_bases[0] % drawn.burst_bytes;
      const std::uint64_t burst = (skew + x) / drawn.burst_bytes;
      const std::uint64_t base = segment.pa_bases[burst % drawn.channels];
      return {{i, base - base % drawn.burst_bytes + burst / drawn.channels * drawn.round_bytes() +
                      (skew + x) % drawn.burst_bytes}};
    }
    return {};
  };
  const std::uint64_t la = va_base + *rc::gen::inRange<std::uint64_t>(0, space);
  const std::uint64_t bytes = *rc::gen::inRange<std::uint64_t>(1, 300);
  std::vector<Byte> expected;
  for (std::uint64_t i = 0; i < bytes; ++i) {
    const std::vector<Byte> byte = place(la + i);
    if (byte.empty()) {
      RC_ASSERT_THROWS_AS(table.look_up(la, bytes), AccessFault);
      RC_ASSERT_THROWS_AS(table.requests(la, bytes), AccessFault);
      return;
    }
    expected.push_back(byte.front());
  }

  std::vector<std::uint64_t> found;
  const PhysRange* before = nullptr;
  const PhysRanges ranges = table.look_up(la, bytes);
  for (const PhysRange& range : ranges) {
    const bool continues = before != nullptr && before->pa + before->nbytes == range.pa;
    RC_ASSERT(!continues);
    for (std::uint64_t i = 0; i < range.nbytes; ++i) found.push_back(range.pa + i);
    before = &range;
  }
  RC_ASSERT(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) RC_ASSERT(found[i] == expected[i].pa);

  // One request for each segment, and there for each channel; its bytes are the channel's next
  // ones, sequentially.
  std::vector<LogicalRequest> requests;
  std::map<std::pair<std::size_t, int>, std::size_t> which;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Byte& byte = expected[i];
    const bool one = naive[byte.segment].mode == HbmMapping::one_to_one;
    const int channel = one ? drawn.channel_of(byte.pa) : -1;
    const auto [entry, first] = which.insert({{byte.segment, channel}, requests.size()});
    if (first) {
      requests.push_back({byte.pa, 0, i, one});
    } else {
      const LogicalRequest& request = requests[entry->second];
      const std::uint64_t from = one ? drawn.offset_in_channel(request.pa) : request.pa;
      RC_ASSERT((one ? drawn.offset_in_channel(byte.pa) : byte.pa) == from + request.nbytes);
    }
    ++requests[entry->second].nbytes;
  }
  RC_ASSERT(table.requests(la, bytes) == requests);
}

BOOST_AUTO_TEST_SUITE_END()
