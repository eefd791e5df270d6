// `kernbench run`: what it prints and writes, that it repeats itself byte for byte, how it ends,
// and what it refuses (spec 10, 11).
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <map>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(run_test)

namespace {

std::string last_line(const std::string& text) {
  const Words lines = lines_of(text);
  return lines.empty() ? "" : lines.back();
}

// The composite product, with more words.
Words product(const Words& more) { return bench_on_tiny("matmul-composite", more); }

}  // namespace

BOOST_AUTO_TEST_CASE(a_verified_run_ends_with_its_verdict) {
  const ProgramResult result =
      check_run(product({"--verify-data"}),
                {0,
                 {"matmul-composite", "M=32 K=64 N=32 dtype=f16", "simulated time", "PE window",
                  "composite window", "MAC utilisation", "useful efficiency", "pe_gemm", "hbm_ctrl",
                  "pe_to_router", "pe_exec", "events/s", "tensor 'out'"}});
  BOOST_TEST(result.err == "");  // no progress: standard error is no terminal
  BOOST_TEST(last_line(result.out) == "verdict: PASS");
}

BOOST_AUTO_TEST_CASE(the_address_model_is_named_where_it_is_not_va) {
  const std::string key = "cube.memory_map.", one_to_one = key + "hbm_mapping_mode=one_to_one";
  BOOST_TEST(!contains(completed(product({})).out, "addresses"));
  const ProgramResult by_channel =
      check_run(product({"--set", key + "address_model=la", "--set", one_to_one, "--verify-data"}),
                {0, {"addresses          la, one_to_one\n"}});
  BOOST_TEST(last_line(by_channel.out) == "verdict: PASS");
  check_run(product({"--set", one_to_one}), {0, {"one_to_one has an effect with la only"}});
  check_members(json_of(product({"--set", key + "address_model=pa"})),
                {{"address_model", "pa"}, {"hbm_mapping_mode", "n_to_one"}});
  check_refused_in_a_line({"run", "--bench", "matmul-composite", "--set", key + "address_model=lb"},
                          {"found 'lb', allowed is one of pa, va, la"});
}

namespace {

void check_shares_of_time(const Words& bench, const std::string& until) {
  const TemporaryFolder folder;
  const Json json = json_of(joined(
      {"run", "--topology", "tiny", "--until", until, "--stats", folder.file("s.json"), "--bench"},
      bench));
  const auto is_share = [](const Json& value) {
    BOOST_TEST((value.is_null() || value.get<double>() <= 1.0), value);
  };
  is_share(json.at("activity").at("mac_utilisation"));
  is_share(json.at("activity").at("useful_efficiency"));
  for (const auto& engine : json.at("engines")) is_share(engine.at("utilisation"));
  for (const auto& link : json.at("links")) is_share(link.at("busiest_utilisation"));
  const Json stats = Json::parse(folder.read("s.json"));
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

// Several times within the work: what is outstanding counts up to then, what is booked ahead does
// not.
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
  for (const auto& bench : json_of({"list"})) {
    const std::string index = std::to_string(bench.at("index").get<int>());
    BOOST_TEST(json_of(bench_on_tiny(index)).at("bench") == bench.at("name"));
  }
}

// 32 x 64 x 32 in one tile: ceil(65536 / 4096) = 16 cycles of 1 GHz, all of them useful; efficiency
// = utilisation.
BOOST_AUTO_TEST_CASE(the_summary_as_json_has_the_same_numbers) {
  const Json json = json_of(product({"--verify-data"}));
  check_members(json, {{"status", "completed"}, {"verdict", "PASS"}});
  BOOST_TEST(json.at("parameters").at("M") == "32");
  const auto& activity = json.at("activity");
  check_members(activity.at("pes").at(0), {{"macs", 65536}, {"gemm_busy_ns", 16.0}});
  BOOST_TEST(activity.at("mac_utilisation").get<double>() ==
             16.0 / activity.at("composite_window_ns").get<double>());
  BOOST_TEST(activity.at("useful_efficiency") == activity.at("mac_utilisation"));
  BOOST_TEST(activity.at("composite_window_ns").get<double>() <=
             activity.at("pe_window_ns").get<double>());
  check_members(json.at("kernels").at(0), {{"kernel", "matmul"}, {"compute_ns", 16.0}});
  BOOST_TEST(json.at("memories").at("hbm_ctrl").at("bytes_read").get<std::int64_t>() ==
             2 * 32 * 64 * 2);  // a and b, f16
}

// What an HBM controller serves crosses its link from or to the router once; no link is busy for
// longer than the run.
BOOST_AUTO_TEST_CASE(links_and_memories_count_the_same_bytes) {
  const TemporaryFolder folder;
  const Json memory =
      json_of(product({"--stats", folder.file("a.json")})).at("memories").at("hbm_ctrl");
  const Json stats = Json::parse(folder.read("a.json"));
  std::int64_t on_links = 0;
  for (const auto& link : stats.at("links")) {
    if (link.at("kind") == "router_to_hbm") on_links += link.at("bytes").get<std::int64_t>();
    BOOST_TEST(link.at("utilisation").get<double>() <= 1.0, link.dump());
  }
  BOOST_TEST(on_links == memory.at("bytes_read").get<std::int64_t>() +
                             memory.at("bytes_written").get<std::int64_t>());
  BOOST_TEST(stats.at("totals").at("hbm_ctrl").at("bytes_read") == memory.at("bytes_read"));
}

// Same inputs, same bytes in every kind of result; wall-clock values are on the console only.
BOOST_AUTO_TEST_CASE(equal_runs_write_equal_files) {
  const TemporaryFolder folder;
  // Files of the first runs are gone when the second ones begin, under the same names.
  const auto results = [&folder] {
    const Words large = product({"--param", "M=128", "--verify-data"});
    completed(joined(large, {"--trace", folder.file("w.vcd"), "--stats", folder.file("s.json"),
                             "--op-log", folder.file("o.csv"), "--trace-requests",
                             folder.file("r.jsonl"), "--timeline", folder.file("t.pftrace")}));
    completed(
        joined(large, {"--trace", folder.file("f.fst"), "--timeline", folder.file("t.json")}));
    completed(joined(large, {"--timeline", folder.file("u.json.gz")}));
    completed(bench_on_tiny("qkv-gemm-multi-pe", {"--trace-requests", folder.file("m.jsonl"),
                                                  "--timeline", folder.file("m.json")}));
    std::map<std::string, std::string> texts;
    for (const auto& entry : std::filesystem::directory_iterator(folder.root))
      texts[entry.path().filename().string()] = read_file(entry.path().string());
    for (const auto& [name, text] : texts) std::filesystem::remove(folder.root / name);
    return texts;
  };
  const auto first = results(), second = results();
  for (const std::string name :
       {"w.vcd", "f.fst", "w.gtkw", "w.sucl", "w.vcd.config.yaml", "s.json", "o.csv", "r.jsonl",
        "t.pftrace", "t.json", "u.json.gz", "m.jsonl", "m.json"})
    BOOST_TEST(first.count(name) == 1U, name);
  for (const auto& [name, text] : first) {
    BOOST_TEST(text.size() > 500U, name << " has " << text.size() << " bytes");
    BOOST_TEST_REQUIRE(second.count(name) == 1U, name);
    BOOST_TEST((second.at(name) == text), name);
  }
  BOOST_TEST(second.size() == first.size());
  BOOST_TEST(first.at("f.fst").size() < first.at("w.vcd").size() / 2);
  const Json stats = Json::parse(first.at("s.json"));
  for (const std::string key : {"simulated_ns", "activity", "totals", "components", "links"})
    BOOST_TEST(stats.contains(key), key);
  BOOST_TEST(!contains(first.at("s.json"), "wall"));
}

// The companion of a result is a topology that gives the result again.
BOOST_AUTO_TEST_CASE(a_result_lies_next_to_the_configuration_that_reproduces_it) {
  const TemporaryFolder folder;
  completed(product({"--stats", folder.file("a.json"), "--set", "system.flit_bytes=128", "--set",
                     "cube.pe_template.components.pe_gemm.attrs.macs_per_cycle=2048"}));
  check_contains(folder.read("a.json.config.yaml"),
                 {"# kernbench ", "# SystemC ", "# command ", "--set system.flit_bytes=128",
                  "# bench      matmul-composite M=32", "flit_bytes: 128", "macs_per_cycle: 2048",
                  "num_pcs: 8"});
  completed({"run", "--bench", "matmul-composite", "--topology", folder.file("a.json.config.yaml"),
             "--stats", folder.file("b.json")});
  BOOST_TEST((folder.read("a.json") == folder.read("b.json")));
}

BOOST_AUTO_TEST_CASE(print_config_resolves_every_default_and_simulates_nothing) {
  const TemporaryFolder folder;
  const ProgramResult result =
      check_run(product({"--print-config", "--stats", folder.file("a.json")}), {0, {"num_pcs: 8"}});
  BOOST_TEST(!contains(result.out, "simulated"));
  BOOST_TEST(!folder.has("a.json"));
}

BOOST_AUTO_TEST_CASE(a_waveform_takes_what_its_scope_says) {
  const TemporaryFolder folder;
  completed(product({"--trace", folder.file("all.vcd")}));
  completed(
      product({"--trace", folder.file("one.vcd"), "--trace-scope", "sip0.cube0.pe3.pe_gemm"}));
  check_contains(folder.read("all.vcd"), {"module pe7", "module pe_scheduler", "module pe_dma"});
  const std::string one = folder.read("one.vcd");
  check_contains(one, {"module pe_gemm"});
  BOOST_TEST(!contains(one, "module pe7"));
  BOOST_TEST(!contains(one, "module pe_dma"));
}

BOOST_AUTO_TEST_CASE(a_run_stops_at_the_time_that_is_asked_for) {
  const TemporaryFolder folder;
  const ProgramResult result =
      check_run(product({"--until", "300.5", "--json", "--stats", folder.file("a.json"), "--trace",
                         folder.file("a.vcd")}),
                {0, {}, {"stopped at 300.5 ns of simulated time"}});
  BOOST_TEST(Json::parse(result.out).at("status") == "until_reached");
  BOOST_TEST(Json::parse(folder.read("a.json")).at("simulated_ns") == 300.5);
  BOOST_TEST(last_line(folder.read("a.vcd")) == "#300500000");
  check_run(product({"--max-wall", "0"}), {1});
  check_run(product({"--until", "300", "--verify-data"}), {1});  // nothing is verified
}

// It has ended at 573.400104 ns by then; what it has left is not released any more.
BOOST_AUTO_TEST_CASE(a_limit_behind_the_end_changes_nothing) {
  const TemporaryFolder folder;
  BOOST_TEST(json_of(bench_on_tiny("gemm-single-pe", {"--until", "600", "--verify-data", "--trace",
                                                      folder.file("a.vcd")}))
                 .at("simulated_ns") == 573.400104);
  BOOST_TEST(last_line(folder.read("a.vcd")) == "#573400104");
}

// Ctrl-C: the files can be read, and the program says how far it came. The bench takes minutes.
BOOST_AUTO_TEST_CASE(an_interrupted_run_closes_its_files) {
  const TemporaryFolder folder;
  const ProgramResult result = kernbench_program(
      product({"--param", "variant=ref_ref", "--param", "M=65536", "--param", "K=2048", "--param",
               "N=2048", "--stats", folder.file("a.json"), "--trace", folder.file("a.vcd"),
               "--timeline", folder.file("t.json")}),
      {SIGINT, folder.file("t.json"), 1 << 20});
  BOOST_TEST(result.status == 1, result.status << ": " << result.err);
  check_contains(result.err, {"interrupted at "});
  BOOST_TEST(Json::parse(folder.read("a.json")).at("components").size() > 50U);
  const std::string wave = folder.read("a.vcd");
  BOOST_TEST_REQUIRE(!wave.empty());
  BOOST_TEST(wave.back() == '\n');
  check_contains(wave, {"$enddefinitions $end"});
}

BOOST_AUTO_TEST_CASE(wrong_benches_parameters_and_options_are_refused) {
  const auto refused = [](const Words& more, const Words& parts) {
    check_refused_in_a_line(product(more), parts);
  };
  check_refused_in_a_line({"run", "--bench", "matmul-compsite"},
                          {"unknown bench 'matmul-compsite'", "did you mean 'matmul-composite'?"});
  check_refused_in_a_line({"run", "--bench", "999"}, {"no bench with index 999"});
  refused({"--param", "M=abc"}, {"parameter M", "'abc'", "integer"});
  refused({"--param", "M=0"}, {"parameter M", "found 0", "1 to"});
  refused({"--param", "rows=1"}, {"no parameter 'rows'"});
  refused({"--param", "M"}, {"NAME=VALUE"});
  refused({"--device", "sip:7"}, {"sip:7", "1 SIP"});
  refused({"--device", "7"}, {"'7'", "sip:N"});
  refused({"--until", "soon"}, {"--until 'soon'"});
  refused({"--data", "off", "--verify-data"}, {"--data off"});
  refused({"--trace", "/nowhere/x.vcd"}, {"'/nowhere/x.vcd'", "No such file or directory"});
  refused({"--stats", "/nowhere/x.json"}, {"'/nowhere/x.json'", "No such file or directory"});
  refused({"--set", "cube.components.hbm_ctrl.attrs.num_pcs=6"},
          {"num_pcs", "found 6", "power of two"});
  refused({"--set", "sip.io_chiplets.io0.id=io9"}, {"sip.io_chiplets", "io0"});
  refused({"--op-log-limit", "5"}, {"--op-log-limit requires --op-log"});
  // 65536 x 65536 x 2 B = 8 GiB into a partition of 6 GiB.
  check_refused_in_a_line(product({"--param", "M=65536", "--param", "K=65536"}),
                          {"tensor 'a'", "8589934592 bytes", "6442450944 bytes"}, 1);
}

BOOST_AUTO_TEST_SUITE_END()
