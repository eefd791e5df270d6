// `kernbench run`: what it prints and writes, that it repeats itself byte for byte, how it ends,
// and what it refuses (spec 10, 11).
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(run_test)

namespace {

std::string last_line(std::string text) {
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

// `run` of the composite product on the tiny machine, with more words.
ProgramResult run(const Words& more, const Signal& signal = {}) {
  return kernbench_program(
      joined({"run", "--bench", "matmul-composite", "--topology", "tiny"}, more), signal);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_verified_run_ends_with_its_verdict) {
  const ProgramResult result = run({"--verify-data"});
  BOOST_TEST(result.status == 0);
  BOOST_TEST(result.err == "");  // no progress: standard error is no terminal
  for (const std::string part :
       {"matmul-composite", "M=32 K=64 N=32 dtype=f16", "simulated time", "PE window",
        "composite window", "MAC utilisation", "useful efficiency", "pe_gemm", "hbm_ctrl",
        "pe_to_router", "pe_exec", "events/s", "tensor 'out'"}) {
    BOOST_TEST(contains(result.out, part), "'" << part << "' is not in:\n" << result.out);
  }
  BOOST_TEST(last_line(result.out) == "verdict: PASS");
}

BOOST_AUTO_TEST_CASE(the_address_model_is_named_where_it_is_not_va) {
  const std::string key = "cube.memory_map.";
  BOOST_TEST(!contains(run({}).out, "addresses"));
  const Words by_channel{"--set", key + "address_model=la", "--set",
                         key + "hbm_mapping_mode=one_to_one", "--verify-data"};
  const ProgramResult result = run(by_channel);
  BOOST_TEST(contains(result.out, "addresses          la, one_to_one\n"), result.out);
  BOOST_TEST(last_line(result.out) == "verdict: PASS");
  BOOST_TEST(contains(run({"--set", key + "hbm_mapping_mode=one_to_one"}).out,
                      "one_to_one is of use with la only"));
  const auto json = nlohmann::json::parse(run({"--json", "--set", key + "address_model=pa"}).out);
  BOOST_TEST(json.at("address_model") == "pa");
  BOOST_TEST(json.at("hbm_mapping_mode") == "n_to_one");
  check_refused_in_a_line({"run", "--bench", "matmul-composite", "--set", key + "address_model=lb"},
                          {"found 'lb', allowed is one of pa, va, la"});
}

namespace {

void check_shares_of_time(const Words& bench, const std::string& until) {
  const TemporaryFolder folder;
  Words words{"run",     "--topology",          "tiny",   "--until", until, "--json",
              "--stats", folder.file("s.json"), "--bench"};
  words.insert(words.end(), bench.begin(), bench.end());
  const ProgramResult result = kernbench_program(words);
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  const auto is_share = [](const nlohmann::json& value) {
    BOOST_TEST((value.is_null() || value.get<double>() <= 1.0), value);
  };
  const auto json = nlohmann::json::parse(result.out);
  is_share(json.at("activity").at("mac_utilisation"));
  is_share(json.at("activity").at("useful_efficiency"));
  for (const auto& engine : json.at("engines")) is_share(engine.at("utilisation"));
  for (const auto& link : json.at("links")) is_share(link.at("busiest_utilisation"));
  const auto stats = nlohmann::json::parse(folder.read("s.json"));
  for (const auto& link : stats.at("links")) is_share(link.at("utilisation"));
  for (const auto& component : stats.at("components")) {
    for (const auto& [key, value] : component.at("stats").items()) {
      if (contains(key, "busy") || contains(key, "held") || contains(key, "blocked"))
        BOOST_TEST(value.get<double>() <= stats.at("simulated_ns").get<double>(),
                   component.at("name") << '.' << key);
    }
  }
}

}  // namespace

// Deep in the work, and again and again: what is under way counts up to then, what is booked ahead
// does not.
BOOST_AUTO_TEST_CASE(nothing_of_a_stopped_run_is_busy_for_more_than_its_time) {
  const Words product{"matmul-composite", "--param", "M=32",    "--param",         "K=3072",
                      "--param",          "N=32",    "--param", "variant=load_ref"};
  for (const Words& bench : {product, Words{"ipcq-pingpong"}, Words{"ccl-allreduce"}}) {
    for (const std::string until : {"300", "1234.567891", "3950", "4321.5", "100000000"}) {
      BOOST_TEST_CONTEXT(bench.front() << " until " << until) {
        check_shares_of_time(bench, until);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_bench_goes_by_name_or_index) {
  const auto list = nlohmann::json::parse(kernbench_program({"list", "--json"}).out);
  for (const auto& bench : list) {
    const ProgramResult result =
        kernbench_program({"run", "--topology", "tiny", "--json", "--bench",
                           std::to_string(bench.at("index").get<int>())});
    BOOST_TEST_REQUIRE(result.status == 0, result.err);
    BOOST_TEST(nlohmann::json::parse(result.out).at("bench") == bench.at("name"));
  }
}

// 32 x 64 x 32 in one tile: ceil(65536 / 4096) = 16 cycles of 1 GHz, all of them useful; efficiency
// = utilisation.
BOOST_AUTO_TEST_CASE(the_summary_as_json_has_the_same_numbers) {
  const ProgramResult result = run({"--json", "--verify-data"});
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  const auto json = nlohmann::json::parse(result.out);
  BOOST_TEST(json.at("status") == "completed");
  BOOST_TEST(json.at("verdict") == "PASS");
  BOOST_TEST(json.at("parameters").at("M") == "32");
  const auto& activity = json.at("activity");
  BOOST_TEST(activity.at("pes").at(0).at("macs") == 65536);
  BOOST_TEST(activity.at("pes").at(0).at("gemm_busy_ns") == 16.0);
  BOOST_TEST(activity.at("mac_utilisation").get<double>() ==
             16.0 / activity.at("composite_window_ns").get<double>());
  BOOST_TEST(activity.at("useful_efficiency") == activity.at("mac_utilisation"));
  BOOST_TEST(activity.at("composite_window_ns").get<double>() <=
             activity.at("pe_window_ns").get<double>());
  BOOST_TEST(json.at("kernels").at(0).at("kernel") == "matmul");
  BOOST_TEST(json.at("kernels").at(0).at("compute_ns") == 16.0);
  BOOST_TEST(json.at("memories").at("hbm_ctrl").at("bytes_read").get<std::int64_t>() ==
             2 * 32 * 64 * 2);  // a and b, f16
}

// What an HBM controller serves crosses its link from or to the router once; no link is busy for
// longer than the run.
BOOST_AUTO_TEST_CASE(links_and_memories_count_the_same_bytes) {
  const TemporaryFolder folder;
  const ProgramResult result = run({"--json", "--stats", folder.file("a.json")});
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  const auto stats = nlohmann::json::parse(folder.read("a.json"));
  std::int64_t on_links = 0;
  for (const auto& link : stats.at("links")) {
    if (link.at("kind") == "router_to_hbm") on_links += link.at("bytes").get<std::int64_t>();
    BOOST_TEST(link.at("utilisation").get<double>() <= 1.0, link.dump());
  }
  const auto memory = nlohmann::json::parse(result.out).at("memories").at("hbm_ctrl");
  BOOST_TEST(on_links == memory.at("bytes_read").get<std::int64_t>() +
                             memory.at("bytes_written").get<std::int64_t>());
  BOOST_TEST(stats.at("totals").at("hbm_ctrl").at("bytes_read") == memory.at("bytes_read"));
}

// Same inputs, same bytes; wall-clock values are on the console only.
BOOST_AUTO_TEST_CASE(equal_runs_write_equal_files) {
  const TemporaryFolder folder;
  const auto files = [&](const std::string& run_name) {
    return Words{"--param",
                 "M=128",
                 "--verify-data",
                 "--trace",
                 folder.file(run_name + ".vcd"),
                 "--stats",
                 folder.file(run_name + ".json"),
                 "--op-log",
                 folder.file(run_name + ".csv")};
  };
  BOOST_TEST_REQUIRE(run(files("a")).status == 0);
  BOOST_TEST_REQUIRE(run(files("b")).status == 0);
  for (const std::string kind : {".vcd", ".json", ".csv"}) {
    BOOST_TEST(folder.read("a" + kind).size() > 1000U, kind);
    BOOST_TEST((folder.read("a" + kind) == folder.read("b" + kind)), kind);
  }
  const auto stats = nlohmann::json::parse(folder.read("a.json"));
  for (const std::string key : {"simulated_ns", "activity", "totals", "components", "links"})
    BOOST_TEST(stats.contains(key), key);
  BOOST_TEST(!contains(folder.read("a.json"), "wall"));
}

// The companion of a result is a topology that gives the result again.
BOOST_AUTO_TEST_CASE(a_result_lies_beside_the_configuration_that_gives_it_again) {
  const TemporaryFolder folder;
  const ProgramResult first =
      run({"--stats", folder.file("a.json"), "--set", "system.flit_bytes=128", "--set",
           "cube.pe_template.components.pe_gemm.attrs.macs_per_cycle=2048"});
  BOOST_TEST_REQUIRE(first.status == 0, first.err);
  const std::string companion = folder.read("a.json.config.yaml");
  for (const std::string part :
       {"# kernbench ", "# SystemC ", "# command ", "--set system.flit_bytes=128",
        "# bench      matmul-composite M=32", "flit_bytes: 128", "macs_per_cycle: 2048",
        "num_pcs: 8"}) {
    BOOST_TEST(contains(companion, part), "'" << part << "' is not in:\n" << companion);
  }
  const ProgramResult second =
      kernbench_program({"run", "--bench", "matmul-composite", "--topology",
                         folder.file("a.json.config.yaml"), "--stats", folder.file("b.json")});
  BOOST_TEST_REQUIRE(second.status == 0, second.err);
  BOOST_TEST((folder.read("a.json") == folder.read("b.json")));
}

BOOST_AUTO_TEST_CASE(print_config_resolves_every_default_and_simulates_nothing) {
  const TemporaryFolder folder;
  const ProgramResult result = run({"--print-config", "--stats", folder.file("a.json")});
  BOOST_TEST(result.status == 0);
  BOOST_TEST(contains(result.out, "num_pcs: 8"), result.out);
  BOOST_TEST(!contains(result.out, "simulated"));
  BOOST_TEST(!folder.has("a.json"));
}

BOOST_AUTO_TEST_CASE(a_waveform_takes_what_its_scope_says) {
  const TemporaryFolder folder;
  BOOST_TEST(run({"--trace", folder.file("all.vcd")}).status == 0);
  BOOST_TEST(
      run({"--trace", folder.file("one.vcd"), "--trace-scope", "sip0.cube0.pe3.pe_gemm"}).status ==
      0);
  const std::string all = folder.read("all.vcd"), one = folder.read("one.vcd");
  for (const std::string part : {"module pe7", "module pe_scheduler", "module pe_dma"})
    BOOST_TEST(contains(all, part), part);
  BOOST_TEST(contains(one, "module pe_gemm"));
  BOOST_TEST(!contains(one, "module pe7"));
  BOOST_TEST(!contains(one, "module pe_dma"));
}

BOOST_AUTO_TEST_CASE(a_run_stops_at_the_time_that_is_asked_for) {
  const TemporaryFolder folder;
  const ProgramResult result = run({"--until", "300.5", "--json", "--stats", folder.file("a.json"),
                                    "--trace", folder.file("a.vcd")});
  BOOST_TEST(result.status == 0);
  BOOST_TEST(contains(result.err, "stopped at 300.5 ns of simulated time"), result.err);
  BOOST_TEST(nlohmann::json::parse(result.out).at("status") == "until_reached");
  BOOST_TEST(nlohmann::json::parse(folder.read("a.json")).at("simulated_ns") == 300.5);
  BOOST_TEST(last_line(folder.read("a.vcd")) == "#300500000");
  BOOST_TEST(run({"--max-wall", "0"}).status == 1);
  BOOST_TEST(run({"--until", "300", "--verify-data"}).status == 1);  // nothing is verified
}

// It has ended at 573.400104 ns by then; what it has left is not released any more.
BOOST_AUTO_TEST_CASE(a_limit_behind_the_end_changes_nothing) {
  const TemporaryFolder folder;
  const ProgramResult result =
      kernbench_program({"run", "--bench", "gemm-single-pe", "--topology", "tiny", "--until", "600",
                         "--verify-data", "--json", "--trace", folder.file("a.vcd")});
  BOOST_TEST(result.status == 0, result.err);
  BOOST_TEST(nlohmann::json::parse(result.out).at("simulated_ns") == 573.400104);
  BOOST_TEST(last_line(folder.read("a.vcd")) == "#573400104");
}

// Ctrl-C: the files can be read, and the program says how far it came. The bench takes minutes.
BOOST_AUTO_TEST_CASE(an_interrupted_run_closes_its_files) {
  const TemporaryFolder folder;
  const ProgramResult result =
      run({"--param", "variant=ref_ref", "--param", "M=65536", "--param", "K=2048", "--param",
           "N=2048", "--stats", folder.file("a.json"), "--trace", folder.file("a.vcd"),
           "--timeline", folder.file("t.json")},
          {SIGINT, folder.file("t.json"), 1 << 20});
  BOOST_TEST(result.status == 1, result.status << ": " << result.err);
  BOOST_TEST(contains(result.err, "interrupted at "), result.err);
  BOOST_TEST(nlohmann::json::parse(folder.read("a.json")).at("components").size() > 50U);
  const std::string wave = folder.read("a.vcd");
  BOOST_TEST_REQUIRE(!wave.empty());
  BOOST_TEST(wave.back() == '\n');
  BOOST_TEST(contains(wave, "$enddefinitions $end"));
}

BOOST_AUTO_TEST_CASE(wrong_benches_parameters_and_options_are_refused) {
  const auto of_bench = [](const Words& more) {
    Words words{"run", "--bench", "matmul-composite", "--topology", "tiny"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  check_refused_in_a_line({"run", "--bench", "matmul-compsite"},
                          {"unknown bench 'matmul-compsite'", "did you mean 'matmul-composite'?"});
  check_refused_in_a_line({"run", "--bench", "999"}, {"no bench with index 999"});
  check_refused_in_a_line(of_bench({"--param", "M=abc"}), {"parameter M", "'abc'", "integer"});
  check_refused_in_a_line(of_bench({"--param", "M=0"}), {"parameter M", "found 0", "1 to"});
  check_refused_in_a_line(of_bench({"--param", "rows=1"}), {"no parameter 'rows'"});
  check_refused_in_a_line(of_bench({"--param", "M"}), {"NAME=VALUE"});
  check_refused_in_a_line(of_bench({"--device", "sip:7"}), {"sip:7", "1 SIP"});
  check_refused_in_a_line(of_bench({"--device", "7"}), {"'7'", "sip:N"});
  check_refused_in_a_line(of_bench({"--until", "soon"}), {"--until 'soon'"});
  check_refused_in_a_line(of_bench({"--data", "off", "--verify-data"}), {"--data off"});
  check_refused_in_a_line(of_bench({"--trace", "/nowhere/x.vcd"}),
                          {"'/nowhere/x.vcd'", "No such file or directory"});
  check_refused_in_a_line(of_bench({"--stats", "/nowhere/x.json"}),
                          {"'/nowhere/x.json'", "No such file or directory"});
  check_refused_in_a_line(of_bench({"--trace-scope", "*"}), {"--trace-scope without --trace"});
  check_refused_in_a_line(of_bench({"--set", "cube.components.hbm_ctrl.attrs.num_pcs=6"}),
                          {"num_pcs", "found 6", "power of two"});
  check_refused_in_a_line(of_bench({"--set", "sip.io_chiplets.io0.id=io9"}),
                          {"sip.io_chiplets", "io0"});
  const TemporaryFolder folder;
  check_refused_in_a_line(
      of_bench({"--trace", folder.file("x.vcd"), "--trace-scope", "sip0.cube0.pe0.pe_gem"}),
      {"'sip0.cube0.pe0.pe_gem'", "did you mean 'sip0.cube0.pe0.pe_gemm'?"});
  BOOST_TEST(!folder.has("x.vcd"));
  check_refused_in_a_line(of_bench({"--op-log-limit", "5"}), {"--op-log-limit requires --op-log"});
  BOOST_TEST(!folder.has("x"));
}

// 65536 x 65536 x 2 B = 8 GiB into a partition of 6 GiB.
BOOST_AUTO_TEST_CASE(a_tensor_that_does_not_fit_fails_the_run) {
  check_refused_in_a_line({"run", "--bench", "matmul-composite", "--topology", "tiny", "--param",
                           "M=65536", "--param", "K=65536"},
                          {"tensor 'a'", "8589934592 bytes", "6442450944 bytes"}, 1);
}

BOOST_AUTO_TEST_SUITE_END()
