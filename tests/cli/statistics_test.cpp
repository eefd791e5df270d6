// `run --stats`, `list statistics` and the table of kernels (spec 11.3): the content of a file is
// declared, what one side sends the other receives, groups are made of their launches.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(statistics_test)

namespace {

const std::vector<Words>& benches() {
  static const std::vector<Words> list{{"matmul-composite", "--param", "K=512"},
                                       {"mlp-fused"},
                                       {"softmax-rows"},
                                       {"ipcq-pingpong"},
                                       {"gather-walk"}};
  return list;
}

Json stats_of(const Words& bench, const Words& machine = {"--topology", "tiny"}) {
  const TemporaryFolder folder;
  Words words = joined(joined({"run", "--stats", folder.file("s.json")}, machine), {"--bench"});
  if (bench.front() == "gather-walk") words.insert(words.begin() + 1, {"--data", "deferred"});
  completed(joined(words, bench));
  return Json::parse(folder.read("s.json"));
}

std::uint64_t total(const Json& stats, const std::string& kind, const std::string& key) {
  return stats.at("totals").contains(kind)
             ? stats.at("totals").at(kind).at(key).get<std::uint64_t>()
             : 0;
}

std::uint64_t transferred(const Json& stats, const std::string& from, const std::string& op,
                          const std::set<std::string>& to) {
  std::uint64_t bytes = 0;
  for (const Json& entry : stats.at("transfers")) {
    if (entry.at("initiator") == from && entry.at("op") == op &&
        to.count(entry.at("target").get<std::string>()) == 1)
      bytes += entry.at("bytes").get<std::uint64_t>();
  }
  return bytes;
}

const std::set<std::string> memories{"hbm_ctrl", "sram", "pe_tcm"};

void check_bytes(const Json& stats) {
  BOOST_TEST(transferred(stats, "pe_dma", "read", memories) ==
             total(stats, "pe_dma", "bytes_read"));
  BOOST_TEST(transferred(stats, "pe_dma", "write", memories) ==
             total(stats, "pe_dma", "bytes_written"));
  BOOST_TEST(transferred(stats, "pe_dma", "write", {"pe_dma"}) ==
             total(stats, "pe_dma", "message_bytes_sent"));
  BOOST_TEST(total(stats, "pe_ipcq", "bytes_sent") == total(stats, "pe_ipcq", "bytes_received"));
  for (const std::string op : {"read", "write"}) {
    BOOST_TEST(transferred(stats, "pe_dma", op, {"hbm_ctrl"}) +
                   transferred(stats, "pcie_ep", op, {"hbm_ctrl"}) ==
               total(stats, "hbm_ctrl", op == "read" ? "bytes_read" : "bytes_written"));
  }
}

void check_declared(const Json& stats) {
  for (const Json& component : stats.at("components")) {
    const Json& declared = stats.at("statistics").at(component.at("kind").get<std::string>());
    for (const auto& [key, value] : component.at("stats").items()) {
      const bool known =
          std::any_of(declared.begin(), declared.end(), [&key = key](const Json& each) {
            return each.at("key") == key && each.at("description") != "" && each.contains("unit");
          });
      BOOST_TEST(known, key);
    }
  }
  for (const std::string list : {"links", "hbm_channels", "transfers", "kernels"}) {
    for (const Json& statistic : stats.at("statistics").at(list)) {
      for (const Json& entry : stats.at(list))
        BOOST_TEST(entry.contains(statistic.at("key").get<std::string>()), statistic.dump());
    }
  }
}

void check_times(const Json& stats) {
  const double elapsed = stats.at("elapsed_ns").get<double>();
  std::size_t busy_times = 0;
  for (const Json& component : stats.at("components")) {
    if (!component.contains("busy")) continue;
    for (const auto& [name, busy] : component.at("busy").items()) {
      ++busy_times;
      BOOST_TEST(std::abs(busy.at("busy_ns").get<double>() + busy.at("idle_ns").get<double>() -
                          busy.at("servers").get<double>() * elapsed) < 1e-6,
                 component.at("name") << '.' << name);
      BOOST_TEST(busy.at("utilisation").get<double>() <= 1.0);
    }
  }
  BOOST_TEST(busy_times > 100U);
  for (const Json& link : stats.at("links"))
    BOOST_TEST(std::abs(link.at("busy_ns").get<double>() + link.at("idle_ns").get<double>() -
                        elapsed) < 1e-6);
}

}  // namespace

BOOST_AUTO_TEST_CASE(totals_of_benches_reconcile) {
  for (const Words& bench : benches()) {
    BOOST_TEST_CONTEXT(bench.front()) {
      const Json stats = stats_of(bench);
      check_bytes(stats);
      check_declared(stats);
      check_times(stats);
    }
  }
}

BOOST_AUTO_TEST_CASE(messages_of_a_collective_are_sent_and_received) {
  const Json stats = stats_of({"ccl-allreduce"}, {});
  check_bytes(stats);
  check_times(stats);
  BOOST_TEST(total(stats, "pe_ipcq", "bytes_sent") > 0U);
}

// All PEs access one memory: its link is the busiest, its pseudo-channels have the most stall time.
BOOST_AUTO_TEST_CASE(statistics_of_traffic_show_the_hot_spot) {
  const TemporaryFolder folder;
  const auto play = [&](const std::string& name) {
    return json_of({"traffic", "--generate", "hotspot", "--topology", "tiny", "--requests", "20",
                    "--stats", folder.file(name)});
  };
  const Json played = play("a.json"), summary = played.at("summary");
  play("b.json");
  BOOST_TEST((folder.read("a.json") == folder.read("b.json")));
  const Json stats = Json::parse(folder.read("a.json"));
  check_times(stats);
  BOOST_TEST(transferred(stats, "pe_dma", "read", memories) == summary.at("bytes_read"));
  BOOST_TEST(total(stats, "hbm_ctrl", "bytes_read") == summary.at("bytes_read"));
  const auto hottest = std::max_element(
      stats.at("links").begin(), stats.at("links").end(), [](const Json& a, const Json& b) {
        return a.at("busy_ns").get<double>() < b.at("busy_ns").get<double>();
      });
  BOOST_TEST(hottest->at("src") == "sip0.cube0.hbm_ctrl.pe0");
  for (const Json& channel : stats.at("hbm_channels")) {
    BOOST_TEST(channel.at("name") == "sip0.cube0.hbm_ctrl.pe0");
    BOOST_TEST(channel.at("waiting").at("max_ns").get<double>() > 0);
  }
  // A request waits for the channel of its initiator from its issue to its grant.
  std::map<std::string, double> stalled;
  for (const Json& request : played.at("requests")) {
    const std::string path = request.at("path");
    stalled[path.substr(0, path.find('>'))] +=
        request.at("grant_ns").get<double>() - request.at("issue_ns").get<double>();
  }
  std::size_t channels = 0;
  for (const Json& server : stats.at("servers")) {
    if (server.at("resource") != "pe_dma read_channel") continue;
    ++channels;
    BOOST_TEST(std::abs(server.at("stalled_ns").get<double>() -
                        stalled.at(server.at("name").get<std::string>())) < 1e-3);
  }
  BOOST_TEST(channels > 0U);
}

BOOST_AUTO_TEST_CASE(statistics_are_listed_as_in_a_file) {
  const Words list{"list", "statistics", "--topology", "tiny"};
  BOOST_TEST((json_of(list) == stats_of({"matmul-composite"}).at("statistics")));
  check_run(list,
            {0,
             {"pe_dma\n", "read_channel_held_ns", "time from grant to completion, read channel",
              "hbm_channels  (in --stats F.json)\n", "queue_high_water"}});
}

// Four channels of a PE_DMA are busy for up to four times as long as the PE works.
BOOST_AUTO_TEST_CASE(channels_side_by_side_are_shares_of_all_of_them) {
  const Json json = json_of(bench_on_tiny(
      "matmul-composite",
      {"--param", "K=3072", "--set", "cube.pe_template.components.pe_dma.attrs.rd_engines=4"}));
  const double window = json.at("activity").at("pe_window_ns").get<double>();
  std::size_t several = 0;
  for (const Json& engine : json.at("engines")) {
    const double busy = engine.at("busy_ns").get<double>();
    const bool reads = engine.at("part") == "dma_read";
    BOOST_TEST(
        std::abs(engine.at("utilisation").get<double>() - busy / (window * (reads ? 4 : 1))) < 1e-9,
        engine.dump());
    if (reads && busy > window) ++several;
  }
  BOOST_TEST(several == 1U);
}

// Two SIPs: a launch each. The group's times are those of its launches; their rooflines add up.
BOOST_AUTO_TEST_CASE(a_group_of_launches_is_made_of_them) {
  const Json json = json_of({"run", "--bench", "ccl-allreduce"});
  const Json& launches = json.at("kernels");
  BOOST_TEST_REQUIRE(launches.size() == 2U);
  BOOST_TEST_REQUIRE(json.at("kernel_groups").size() == 1U);
  const Json& group = json.at("kernel_groups").at(0);
  const double a = launches.at(0).at("pe_exec_ns").get<double>(),
               b = launches.at(1).at("pe_exec_ns").get<double>();
  BOOST_TEST(a != b);
  check_members(group, {{"launches", 2}, {"pes", 32}});
  BOOST_TEST(group.at("pe_exec_min_ns").get<double>() == std::min(a, b));
  BOOST_TEST(group.at("pe_exec_max_ns").get<double>() == std::max(a, b));
  BOOST_TEST(std::abs(group.at("pe_exec_mean_ns").get<double>() - (a + b) / 2) < 1e-6);
  const Json& slow = launches.at(a > b ? 0 : 1);
  const bool is_there =
      std::any_of(slow.at("per_pe").begin(), slow.at("per_pe").end(), [&](const Json& pe) {
        return pe.at("pe") == group.at("slowest") && pe.at("pe_exec_ns") == slow.at("pe_exec_ns");
      });
  BOOST_TEST(is_there);
  double window = 0;
  for (const Json& launch : launches) window += launch.at("roofline").at("window_ns").get<double>();
  BOOST_TEST(std::abs(group.at("roofline").at("window_ns").get<double>() - window) < 1e-6);
}

BOOST_AUTO_TEST_CASE(kernels_have_one_line_each_or_one_per_launch) {
  const Words run{"run", "--bench", "ccl-allreduce", "--param",
                  "algorithm=lrab_hierarchical_allreduce"};
  const auto lines = [&run](const Words& more) {
    const Words printed = lines_of(completed(joined(run, more)).out);
    return std::count_if(printed.begin(), printed.end(), [](const std::string& line) {
      return line.rfind("lrab_hierarchical_allreduce ", 0) == 0;
    });
  };
  BOOST_TEST(lines({}) == 3);  // times, roofline, time on PEs
  BOOST_TEST(lines({"--per-launch"}) == 5);
  check_refused({"run", "--per-launch"}, {"--per-launch requires --bench"});
}

// Six SIPs, a rank each, an output each.
BOOST_AUTO_TEST_CASE(verdicts_on_outputs_that_are_alike_have_one_line) {
  const ProgramResult result =
      check_run({"run", "--bench", "ccl-allreduce", "--topology", "six_sip", "--verify-data"},
                {0, {"\n  ok    6 outputs alike, rank", " and 2 more: tensor 'rank"}});
  BOOST_TEST(result.out.find("  ok    ") == result.out.rfind("  ok    "));
}

// 32 x 3072 x 32 in 48 tiles: 3145728 multiply-accumulates / 4096 = 768 ns. B, 192 KiB, comes tile
// by tile, A and B of all 64 * 3072 * 2 B through FETCH: 393216 B / 512 GB/s = 768 ns.
BOOST_AUTO_TEST_CASE(the_roofline_of_a_product_is_that_of_its_numbers) {
  const Json group = json_of(bench_on_tiny("matmul-composite",
                                           {"--param", "K=3072", "--param", "variant=load_ref"}))
                         .at("kernel_groups")
                         .at(0);
  const Json& kernel = group.at("roofline");
  // A is loaded, 192 KiB; with B and the result, 2 KiB: 395264 B / 256 GB/s.
  check_members(kernel, {{"compute_at_peak_ns", 768.0},
                         {"tcm_at_peak_ns", 768.0},
                         {"hbm_at_peak_ns", 1544.0},
                         {"link_at_peak_ns", 1536.0},
                         {"nearest", "HBM"}});
  BOOST_TEST(kernel.at("of_nearest").get<double>() ==
             1544.0 / kernel.at("window_ns").get<double>());
  BOOST_TEST_REQUIRE(group.at("composites").size() == 1U);
  const Json& composite = group.at("composites").at(0);
  BOOST_TEST(composite.at("composite") == "composite_gemm");
  check_members(composite.at("roofline"), {{"compute_at_peak_ns", 768.0},
                                           {"hbm_at_peak_ns", (196608 + 2048) / 256.0},
                                           {"link_at_peak_ns", 196608 / 256.0}});
}

BOOST_AUTO_TEST_SUITE_END()
