// --timeline F (spec 11.2): read by what is documented of its formats, and held against the
// statistics of the same run.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <csignal>
#include <set>

#include "tests/cli/program.h"
#include "tests/support/timeline/timeline_reader.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(timeline)

namespace {

// Of several tiles.
Words product(const Words& more) {
  return bench_on_tiny("matmul-composite",
                       joined({"--param", "M=96", "--param", "K=128", "--param", "N=96"}, more));
}

ReadTimeline read(const TemporaryFolder& folder, const std::string& name) {
  return read_timeline(name, folder.read(name));
}

std::uint64_t fs(const Json& ns) {
  return static_cast<std::uint64_t>(std::llround(ns.get<double>() * 1e6));
}

bool starts_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

// Names of links have no dots in their last part.
std::string plain(std::string name) {
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

// What both formats have of a slice, whatever they cut times to.
std::string described(const ReadSlice& slice) {
  std::string text = slice.process + '|' + slice.track + '|' + slice.name + '|' + slice.category;
  for (const auto& [name, value] : slice.arguments) text += '|' + name + '=' + value;
  return text;
}
std::multiset<std::string> slices_of(const ReadTimeline& timeline) {
  std::multiset<std::string> all;
  for (const ReadSlice& slice : timeline.slices) all.insert(described(slice));
  return all;
}
std::multiset<std::string> arrows_of(const ReadTimeline& timeline) {
  std::multiset<std::string> all;
  for (const auto& [id, points] : timeline.flows) {
    std::string text;
    for (const std::size_t point : points) text += described(timeline.slices[point]) + " -> ";
    all.insert(text);
  }
  return all;
}

// The file's own times are those of the arguments, cut to the unit of the format.
void check_times(const ReadTimeline& timeline) {
  for (const ReadSlice& slice : timeline.slices) {
    const std::uint64_t start = slice.number("start_fs"), end = start + slice.number("dur_fs");
    BOOST_REQUIRE_EQUAL(slice.start, start / timeline.unit * timeline.unit);
    BOOST_REQUIRE_EQUAL(slice.end, end / timeline.unit * timeline.unit);
  }
}

// "gemm_busy_ns" of pe_gemm is what its track GEMM shows, to the femtosecond.
std::size_t check_busy_times(const ReadTimeline& timeline, const Json& statistics) {
  std::size_t checked = 0;
  for (const Json& component : statistics.at("components")) {
    const std::string name = component.at("name");
    for (const auto& [key, value] : component.at("stats").items()) {
      for (const std::string stage : {"dma_read", "dma_write", "fetch", "gemm", "math", "store"}) {
        if (key != stage + "_busy_ns") continue;
        std::string track = name + ' ' + stage;
        for (std::size_t i = name.size(); i < track.size(); ++i)
          track[i] = static_cast<char>(std::toupper(static_cast<unsigned char>(track[i])));
        BOOST_TEST(timeline.busy(track) == fs(value), track);
        if (fs(value) > 0) ++checked;
      }
    }
    if (component.at("kind") != "pe_cpu") continue;
    std::uint64_t running = 0;
    for (const ReadSlice& slice : timeline.slices) {
      if (slice.track == name + ".state" && slice.name != "draining" &&
          slice.name != "waiting_for_start")
        running += slice.number("dur_fs");
    }
    BOOST_TEST(running == fs(component.at("stats").at("running_time_ns")), name);
  }
  return checked;
}

}  // namespace

BOOST_AUTO_TEST_CASE(all_formats_hold_the_same_and_keep_to_their_documents) {
  const TemporaryFolder folder;
  const Words names{"a.json", "b.json.gz", "c.pftrace", "d.perfetto-trace.gz"};
  for (const std::string& name : names) completed(product({"--timeline", folder.file(name)}));
  const ReadTimeline json = read(folder, names[0]);
  BOOST_TEST(json.slices.size() > 50U);
  BOOST_TEST(json.counters.size() > 20U);
  for (const std::string& name : names) {
    const ReadTimeline other = read(folder, name);
    check_times(other);
    BOOST_TEST((slices_of(other) == slices_of(json)), name);
    BOOST_TEST((arrows_of(other) == arrows_of(json)), name);
    BOOST_TEST(other.counters.size() == json.counters.size(), name);
  }
  BOOST_TEST(folder.read("b.json.gz").size() < folder.read("a.json").size() / 4);
  BOOST_TEST(folder.read("c.pftrace").size() < folder.read("a.json").size());
  BOOST_TEST(folder.read("c.pftrace.config.yaml").find("--timeline") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(stages_sum_up_to_the_busy_times_of_the_statistics) {
  const TemporaryFolder folder;
  for (const std::string bench : {"matmul-composite", "qkv-gemm-multi-pe", "mlp-fused"}) {
    for (const std::string name : {"a.json", "a.pftrace"}) {
      completed(bench_on_tiny(bench,
                              {"--timeline", folder.file(name), "--stats", folder.file("s.json")}));
      BOOST_TEST(check_busy_times(read(folder, name), Json::parse(folder.read("s.json"))) >= 4U,
                 bench);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_timeline_changes_no_time) {
  const TemporaryFolder folder;
  BOOST_TEST(json_of(product({"--timeline", folder.file("a.pftrace")})).at("simulated_ns") ==
             json_of(product({})).at("simulated_ns"));
}

// launch -> kernel -> command -> tile -> stage; every tile and stage has its one arrow.
BOOST_AUTO_TEST_CASE(arrows_lead_from_the_launch_to_the_stages) {
  const TemporaryFolder folder;
  completed(product({"--timeline", folder.file("a.pftrace")}));
  const ReadTimeline timeline = read(folder, "a.pftrace");
  std::map<std::string, std::size_t> led;
  const auto follow = [&](const ReadSlice& from, const auto& self) -> void {
    for (const ReadSlice* to : timeline.behind(from)) {
      ++led[from.category + " to " + to->category];
      self(*to, self);
    }
  };
  for (const ReadSlice* request : timeline.of_category("host_request")) follow(*request, follow);
  const std::size_t kernels = timeline.of_category("kernel").size(),
                    commands = timeline.of_category("command").size(),
                    tiles = timeline.of_category("tile").size(),
                    stages = timeline.of_category("stage").size();
  BOOST_TEST(kernels > 0U);
  BOOST_TEST(tiles > 0U);
  BOOST_TEST(led["host_request to kernel"] == kernels);
  BOOST_TEST(led["kernel to command"] == commands);
  BOOST_TEST(led["command to tile"] == tiles);
  BOOST_TEST(led["command to stage"] + led["tile to stage"] == stages);
  BOOST_TEST(led["command to stage"] > 0U);
  for (const ReadSlice* stage : timeline.of_category("stage"))
    BOOST_TEST(stage->arguments.count("op") == 1U);
}

BOOST_AUTO_TEST_CASE(messages_lead_from_the_send_to_the_receive) {
  const TemporaryFolder folder;
  for (const std::string name : {"a.json", "a.pftrace"}) {
    completed(bench_on_tiny(
        "ccl-allreduce",
        {"--set", "system.sips.count=2", "--set", "ccl:defaults.algorithm=ring_allreduce",
         "--timeline", folder.file(name), "--stats", folder.file("s.json")}));
    const ReadTimeline timeline = read(folder, name);
    std::size_t arrows = 0;
    for (const auto& [id, points] : timeline.flows) {
      const ReadSlice& first = timeline.slices[points.front()];
      if (first.name != "ipcq_send") continue;
      ++arrows;
      BOOST_REQUIRE_EQUAL(points.size(), 3U);
      const ReadSlice &message = timeline.slices[points[1]], &last = timeline.slices[points[2]];
      BOOST_TEST(message.category == "message");
      BOOST_TEST(last.name == "ipcq_recv");
      const std::string sender = first.track.substr(0, first.track.find(".pe_ipcq")),
                        receiver = last.track.substr(0, last.track.find(".pe_ipcq"));
      BOOST_TEST(starts_with(message.track, sender + ".pe_dma"));
      BOOST_TEST(message.name == "message " + receiver);
      const std::uint64_t waited =
          message.arguments.count("waited_fs") > 0 ? message.number("waited_fs") : 0;
      BOOST_TEST(first.number("start_fs") + first.number("dur_fs") ==
                 message.number("start_fs") - waited);
      BOOST_TEST(message.number("start_fs") + message.number("dur_fs") <=
                 last.number("start_fs") + last.number("dur_fs"));
      BOOST_TEST(message.arguments.at("bytes") == last.arguments.at("bytes"));
    }
    const Json totals = Json::parse(folder.read("s.json")).at("totals").at("pe_ipcq");
    BOOST_TEST(arrows == totals.at("receives").get<std::size_t>());
    BOOST_TEST(arrows > 0U);
    std::set<std::string> ranks;
    for (const ReadSlice* call : timeline.of_category("host_call")) {
      if (call->name == "all_reduce") ranks.insert(call->track);
    }
    BOOST_TEST(ranks == (std::set<std::string>{"rank 0", "rank 1"}),
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(what_is_in_flight_at_the_end_is_cut_there) {
  const TemporaryFolder folder;
  completed(product({"--until", "1200", "--timeline", folder.file("a.pftrace"), "--stats",
                     folder.file("s.json")}));
  const ReadTimeline timeline = read(folder, "a.pftrace");
  std::size_t cut = 0;
  for (const ReadSlice& slice : timeline.slices) {
    BOOST_TEST(slice.number("start_fs") + slice.number("dur_fs") <= 1'200'000'000U);
    if (slice.arguments.count("complete") == 0) continue;
    ++cut;
    BOOST_TEST(slice.number("start_fs") + slice.number("dur_fs") == 1'200'000'000U);
  }
  BOOST_TEST(cut > 5U);
  check_busy_times(timeline, Json::parse(folder.read("s.json")));
}

// The launch reaches its PEs from 816 ns on; its kernels start together at 831.300056 ns.
BOOST_AUTO_TEST_CASE(a_kernel_begins_when_it_starts) {
  const TemporaryFolder folder;
  const auto run_until = [&](const std::string& until) {
    completed(
        bench_on_tiny("softmax-rows", {"--until", until, "--timeline", folder.file("a.json")}));
    return read(folder, "a.json");
  };
  const ReadTimeline before = run_until("831");
  BOOST_TEST(before.of_category("kernel").empty());
  for (const ReadSlice& slice : before.slices) BOOST_TEST(slice.end <= 831'000'000U);
  const ReadTimeline behind = run_until("832");
  BOOST_TEST(behind.of_category("kernel").size() == 8U);
  for (const ReadSlice* kernel : behind.of_category("kernel"))
    BOOST_TEST(kernel->number("start_fs") == 831'300'056U);
}

// A run of many seconds.
BOOST_AUTO_TEST_CASE(an_interrupted_run_leaves_a_whole_file_and_a_killed_one_a_readable_one) {
  const TemporaryFolder folder;
  const auto run = [&](const std::string& name, int signal) {
    return kernbench_program(
        bench_on_tiny("matmul-composite",
                      {"--param", "M=20480", "--param", "K=2048", "--param", "N=2048", "--param",
                       "variant=ref_ref", "--data", "off", "--timeline", folder.file(name)}),
        {signal, folder.file(name), 1 << 20});  // bytes of far more slices
  };
  BOOST_TEST(run("a.json", SIGINT).status == 1);
  BOOST_TEST(read(folder, "a.json").slices.size() > 100U);
  BOOST_TEST(run("b.json", SIGKILL).status != 0);
  BOOST_TEST(read_chrome_timeline(folder.read("b.json"), true).slices.size() > 100U);
  BOOST_TEST(run("b.pftrace", SIGKILL).status != 0);
  BOOST_TEST(read_perfetto_timeline(folder.read("b.pftrace"), true).slices.size() > 100U);
}

BOOST_AUTO_TEST_CASE(beyond_the_limit_slices_are_left_out_and_counters_are_not) {
  const TemporaryFolder folder;
  const ProgramResult whole = completed(product({"--timeline", folder.file("a.pftrace")}));
  const ProgramResult limited =
      completed(product({"--timeline", folder.file("b.pftrace"), "--timeline-limit", "40"}));
  BOOST_TEST(!contains(whole.err, "left out"));
  check_contains(limited.err, {"has 40 slices", " tiles, "});
  const ReadTimeline all = read(folder, "a.pftrace"), some = read(folder, "b.pftrace");
  BOOST_TEST(some.slices.size() == 40U);
  BOOST_TEST(some.of_category("kernel").size() == all.of_category("kernel").size());
  for (const auto& [name, points] : all.counters) {
    const auto same = some.counters.find(name);
    BOOST_TEST_REQUIRE((same != some.counters.end()), name);
    BOOST_TEST(same->second.size() == points.size(), name);
  }
}

// Every PE writes to and reads from one memory: the links of its router are the hot ones.
BOOST_AUTO_TEST_CASE(the_hottest_link_comes_first) {
  const TemporaryFolder folder;
  completed({"traffic", "--topology", "tiny", "--generate", "hotspot", "--requests", "20",
             "--timeline", folder.file("a.pftrace"), "--links", folder.file("l.json"), "--csv",
             "--out", folder.file("o.csv")});
  const ReadTimeline timeline = read(folder, "a.pftrace");
  double busiest = 0;
  std::string hot;
  const Json links = Json::parse(folder.read("l.json")).at("links");
  for (const Json& link : links) {
    if (link.at("busy_ns").get<double>() <= busiest) continue;
    busiest = link.at("busy_ns");
    hot = plain(link.at("src")) + "__to__" + plain(link.at("dst"));
  }
  std::string first;
  std::uint64_t rank = ~std::uint64_t{0};
  for (const auto& [name, order] : timeline.order) {
    if (name.find("__to__") == std::string::npos || timeline.counters.count(name) == 0 ||
        order >= rank)
      continue;
    rank = order;
    first = name;
  }
  // "sip0.cube0.hbm_ctrl_pe0__to__r0c0", for the end behind it without its scope.
  BOOST_TEST_REQUIRE(first != "");
  const std::size_t to = first.find("__to__");
  BOOST_TEST(hot.find(plain(first.substr(0, to)) + "__to__") == 0U, hot << " and " << first);
  const std::string end = "_" + plain(first.substr(to + 6));
  BOOST_TEST(hot.compare(hot.size() - end.size(), end.size(), end) == 0, hot << " and " << first);
  const auto mean = [&](const std::string& name) {
    double sum = 0;
    for (const ReadPoint& point : timeline.counters.at(name)) sum += point.value;
    return sum / static_cast<double>(timeline.counters.at(name).size());
  };
  for (const auto& [name, points] : timeline.counters) {
    if (name.find("__to__") != std::string::npos) BOOST_TEST(mean(name) <= mean(first), name);
  }
  const std::string rows = folder.read("o.csv");
  BOOST_TEST(timeline.of_category("transfer").size() + 1 ==
             static_cast<std::size_t>(std::count(rows.begin(), rows.end(), '\n')));
}

BOOST_AUTO_TEST_CASE(tracks_stand_in_the_order_of_the_machine) {
  const TemporaryFolder folder;
  for (const std::string name : {"a.json", "a.pftrace"}) {
    completed(bench_on_tiny("qkv-gemm-multi-pe", {"--timeline", folder.file(name)}));
    const ReadTimeline timeline = read(folder, name);
    const auto order = [&](const std::string& track) { return timeline.order.at(track); };
    BOOST_TEST(order("host") < order("sip0"));
    const std::string pe = "sip0.cube0.pe0.";
    const Words tracks{pe + "pe_cpu kernels",   pe + "pe_scheduler commands",
                       pe + "pe_dma DMA_READ",  pe + "pe_gemm GEMM",
                       pe + "pe_dma DMA_WRITE", "sip0.cube0.pe1.pe_cpu kernels"};
    for (std::size_t i = 1; i < tracks.size(); ++i)
      BOOST_TEST(order(tracks[i - 1]) < order(tracks[i]), tracks[i]);
    BOOST_TEST((timeline.slices.front().process == "host"));
    for (const ReadSlice* stage : timeline.of_category("stage"))
      BOOST_TEST(stage->process == "sip0.cube0");
  }
}

BOOST_AUTO_TEST_CASE(a_wrong_name_or_limit_is_refused_before_the_run) {
  const TemporaryFolder folder;
  const auto refused = [](const Words& words, const std::string& part) {
    check_refused(words, {part});
  };
  refused(product({"--timeline", folder.file("a.vcd")}), "ends in '.vcd': .json");
  refused(product({"--timeline", folder.file("a.gz")}), "nothing that names a format");
  refused(product({"--timeline", "/nowhere/a.json"}), "cannot write");
  refused(product({"--timeline", folder.file("a.json"), "--timeline-limit", "0"}), "limit");
  refused(product({"--timeline-limit", "7"}), "--timeline");
  refused(product({"--timeline", folder.file("a.json"), "--stats", folder.file("a.json")}),
          "would overwrite");
}

BOOST_AUTO_TEST_SUITE_END()
