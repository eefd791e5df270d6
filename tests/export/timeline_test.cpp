// Parts of a timeline without a simulation: windows of counters, tracks, the limit.
#include "platform/export/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <set>

#include "models/base/errors.h"
#include "platform/export/protobuf_text.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/timeline/timeline_reader.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(timeline_test)

namespace {

using Values = std::vector<std::uint64_t>;

std::unique_ptr<TimelineWriter> writer_of(const std::string& path) {
  return timeline_writer(ResultFile(path));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_time_is_spread_over_the_windows_that_it_touches) {
  TimelineWindows windows(100);
  TimelineWindows::Series& series = windows.add_times();
  windows.add_time(series, 50, 250);
  windows.add_time(series, 260, 300);
  BOOST_TEST(series.values == (Values{50, 100, 90}), boost::test_tools::per_element());
  BOOST_TEST(windows.length(2, 280) == 80U);
  BOOST_TEST(windows.length(3, 280) == 0U);
}

BOOST_AUTO_TEST_CASE(windows_double_and_keep_sums_and_maxima) {
  TimelineWindows windows(1);
  TimelineWindows::Series &times = windows.add_times(), &levels = windows.add_levels();
  windows.add_time(times, 0, 3);
  windows.add_level(levels, 1, 3, 7);
  windows.add_level(levels, 3, 4, 9);
  windows.add_time(times, 4 * TimelineWindows::most - 1, 4 * TimelineWindows::most);
  BOOST_TEST(windows.width() == 4U);
  BOOST_TEST(times.values.size() == TimelineWindows::most);
  BOOST_TEST(times.values.front() == 3U);
  BOOST_TEST(times.values.back() == 1U);
  BOOST_TEST(times.sum() == 4U);
  BOOST_TEST(levels.values == (Values{9}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(slices_that_overlap_have_lanes_of_their_own) {
  const TemporaryFolder folder;
  for (const std::string name : {"a.json", "a.pftrace"}) {
    TimelineRecorder slices(writer_of(folder.file(name)), 10);
    TimelineLanes& lanes = slices.lanes("sip0.cube0.pe0", "work", TimelineRank::tile);
    const auto first = slices.begin(SliceKind::tile, lanes, 0, "first");
    slices.end_instant();
    const auto second = slices.begin(SliceKind::tile, lanes, 1'000'001, "second");
    slices.end_instant();
    const auto third = slices.begin(SliceKind::tile, lanes, 2'000'000, "third");
    slices.end(first, 2'000'000);  // before the third takes a lane
    slices.end(third, 2'000'000);  // no time at all
    slices.end_instant();
    slices.end(second, 3'500'000);
    slices.end_slices(4'000'000);
    slices.close();
    const ReadTimeline read = read_timeline(name, folder.read(name));
    BOOST_REQUIRE(read.slices.size() == 3U);
    BOOST_TEST(read.slices[0].track == "work");
    BOOST_TEST(read.slices[1].track == "work (2)");
    BOOST_TEST(read.slices[2].track == "work");
    BOOST_TEST(read.slices[1].number("start_fs") == 1'000'001U);
    BOOST_TEST(read.slices[1].number("dur_fs") == 2'499'999U);
    BOOST_TEST(read.slices[0].process == "sip0.cube0");
    BOOST_TEST(read.busy("work") == 2'000'000U + 2'499'999U);
  }
}

// Windows of 1 ns of a run of 4 ns. A resource of two servers has one busy for 0.5 ns in the first
// and in the second window: 0.5 / (2 * 1) = 25 %; of one server 50 %. A queue has 7 from 1 to 2.5
// ns.
BOOST_AUTO_TEST_CASE(a_counter_has_a_point_where_its_value_changes) {
  const TemporaryFolder folder;
  using Points = std::vector<std::pair<std::uint64_t, double>>;
  const std::map<std::string, Points> expected{
      {"busy", {{0, 25}, {2'000'000, 0}}},
      {"whole", {{0, 50}, {1'000'000, 50}, {2'000'000, 0}, {3'000'000, 0}}},
      {"queue", {{1'000'000, 7}, {3'000'000, 0}}}};
  for (const std::string name : {"a.json", "a.pftrace"}) {
    TimelineRecorder out(writer_of(folder.file(name)), 10);
    TimelineWindows::Series &times = out.windows.add_times(), &levels = out.windows.add_levels();
    out.windows.add_time(times, 500'000, 1'500'000);
    out.windows.add_level(levels, 1'000'000, 2'500'000, 7);
    out.end_slices(4'000'000);
    out.share("sip0", "busy", times.values, 2);
    out.whole_share("sip0", "whole", 0, times.values);
    out.level("sip0", "queue", "", levels.values);
    out.share("sip0", "never busy", {0, 0}, 1);
    out.close();
    std::map<std::string, Points> found;
    for (const auto& [track, points] : read_timeline(name, folder.read(name)).counters) {
      for (const ReadPoint& point : points) found[track].emplace_back(point.time, point.value);
    }
    BOOST_TEST((found == expected), name);
  }
}

// Names of kernels are the program's.
BOOST_AUTO_TEST_CASE(a_name_that_is_no_utf8_is_written_as_json) {
  const TemporaryFolder folder;
  TimelineRecorder slices(writer_of(folder.file("a.json")), 10);
  TimelineLanes& lanes = slices.lanes("sip0", "work", TimelineRank::kernel);
  slices.end(slices.begin(SliceKind::kernel, lanes, 0, "k\xff"), 1'000'000);
  slices.close();
  const ReadTimeline read = read_timeline("a.json", folder.read("a.json"));
  BOOST_TEST_REQUIRE(read.slices.size() == 1U);
  BOOST_TEST(read.slices[0].name == "k\xef\xbf\xbd");
}

// An eighth of the limit, here 2 of 16, is left to the overview.
BOOST_AUTO_TEST_CASE(details_leave_room_for_the_overview) {
  const TemporaryFolder folder;
  TimelineRecorder slices(writer_of(folder.file("a.json")), 16);
  TimelineLanes& lanes = slices.lanes("sip0", "work", TimelineRank::tile);
  for (std::uint64_t i = 0; i < 20; ++i)
    slices.end(slices.begin(SliceKind::stage, lanes, i * 1'000'000, "stage"), i * 1'000'000 + 5);
  slices.end_instant();
  BOOST_TEST(slices.written() == 14U);
  for (std::uint64_t i = 20; i < 23; ++i)
    slices.end(slices.begin(SliceKind::kernel, lanes, i * 1'000'000, "kernel"), i * 1'000'000 + 5);
  slices.end_instant();
  BOOST_TEST(slices.written() == 16U);
  BOOST_TEST(slices.left_out() == "1 kernels, 6 stages from 14 ns on");
  slices.close();
}

// Two slices in order of their starts, limit 1: an arrow between them would have one end.
BOOST_AUTO_TEST_CASE(an_arrow_of_a_slice_that_is_left_out_is_left_out) {
  const TemporaryFolder folder;
  TimelineRecorder slices(writer_of(folder.file("a.json")), 1);
  TimelineLanes& lanes = slices.lanes("sip0", "work", TimelineRank::kernel);
  const auto written = slices.begin(SliceKind::kernel, lanes, 0, "written");
  const auto left_out =
      slices.begin(SliceKind::kernel, lanes, 1, "left out", {}, slices.arrow(written, 1, "arrow"));
  slices.end_slices(2);
  BOOST_TEST(slices.arrow(left_out, 2, "arrow").arrow == nullptr);
  slices.close();
  const ReadTimeline read = read_timeline("a.json", folder.read("a.json"));
  BOOST_TEST(read.slices.size() == 1U);
  BOOST_TEST(folder.read("a.json").find("\"flow\"") == std::string::npos);
}

// Slices of one group that begin at one instant, one of which takes the lane of an older slice that
// ends there, and arrows among them: every order of the reports gives the same file.
BOOST_AUTO_TEST_CASE(the_order_of_reports_of_an_instant_does_not_matter) {
  constexpr std::uint64_t count = 4;
  const TemporaryFolder folder;
  for (const std::string name : {"a.json", "a.pftrace"}) {
    std::array<std::uint64_t, count> order{0, 1, 2, 3};
    std::set<std::string> files;
    do {
      TimelineRecorder out(writer_of(folder.file(name)), 2 * count + 3);
      TimelineLanes& commands = out.lanes("sip0.cube0.pe0", "commands", TimelineRank::command);
      TimelineLanes& tiles = out.lanes("sip0.cube0.pe0", "tiles", TimelineRank::tile);
      const auto first = out.begin(SliceKind::command, commands, 0, "first");
      const auto second = out.begin(SliceKind::command, commands, 0, "second");
      out.end_instant();
      for (const std::uint64_t i : order) {
        if (i == 1) out.end(first, 1'000'000);
        const auto command = out.begin(SliceKind::command, commands, 1'000'000, "command",
                                       {{"command", i}}, out.arrow(second, 1'000'000, "arrow"));
        const auto tile = out.begin(SliceKind::tile, tiles, 1'000'000, "tile", {{"command", i}},
                                    out.arrow(command, 1'000'000, "arrow"));
        if (i == 2) out.end(tile, 1'000'000);
      }
      out.end_slices(2'000'000);
      out.close();
      files.insert(folder.read(name));
    } while (std::next_permutation(order.begin(), order.end()));
    BOOST_TEST(files.size() == 1U);
    const ReadTimeline read = read_timeline(name, *files.begin());
    // 10 slices, limit 11, of which 11 / 8 = 1 is kept for commands: all fit
    BOOST_TEST(read.slices.size() == 2 + 2 * count);
    for (const auto& slice : read.slices) {
      if (slice.name != "command") continue;
      const std::uint64_t i = slice.number("command");
      BOOST_TEST(slice.track == (i == 0 ? "commands" : fmt::format("commands ({})", i + 2)));
    }
  }
}

BOOST_AUTO_TEST_CASE(the_ending_of_a_name_chooses_the_format) {
  BOOST_TEST((timeline_name("a.json").format == TimelineFormat::chrome));
  BOOST_TEST((timeline_name("a.b.perfetto-trace").format == TimelineFormat::perfetto));
  BOOST_TEST(timeline_name("a.pftrace.gz").compressed);
  BOOST_CHECK_THROW(timeline_name("a.gz"), UsageError);
  BOOST_CHECK_THROW(timeline_name("a"), UsageError);
}

// Numbers as they stand on the wire: the message "150 in field 1" of the encoding guide.
BOOST_AUTO_TEST_CASE(protobuf_fields_are_encoded_as_documented) {
  BOOST_TEST(ProtobufText().add(1, 150).bytes() == "\x08\x96\x01");
  BOOST_TEST(ProtobufText().add(2, "testing").bytes() == "\x12\x07testing");
  BOOST_TEST(ProtobufText().add(3, ProtobufText().add(1, 150)).bytes() == "\x1a\x03\x08\x96\x01");
  BOOST_TEST(ProtobufText().add_fixed64(47, 1).bytes() ==
             std::string("\xf9\x02\x01\0\0\0\0\0\0\0", 10));
  BOOST_TEST(ProtobufText().add(60, ~std::uint64_t{0}).bytes() ==
             "\xe0\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

BOOST_AUTO_TEST_SUITE_END()
