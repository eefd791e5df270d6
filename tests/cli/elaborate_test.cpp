// `run --elaborate reachable` (spec 1.4): the reports are those of the whole machine; outputs that
// list the whole machine are refused.
#include <boost/test/unit_test.hpp>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "tests/cli/program.h"
#include "tests/cli/sweep_rows.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(elaborate_test)

namespace {

// Summary of a run as JSON, without what depends on the host.
Json summary_of(const Words& words, const char* elaborate) {
  Json json = json_of(joined(words, {"--json", "--elaborate", elaborate}));
  json.erase("host");
  return json;
}

// Every number of the summary is the same; the reports that count the whole machine, too.
void check_same(const Words& words) {
  std::string label;
  for (const std::string& word : words) label += word + ' ';
  BOOST_TEST_CONTEXT(label) {
    const Json all = summary_of(words, "all"), part = summary_of(words, "reachable");
    BOOST_TEST(all.at("status") == "completed");
    BOOST_TEST((part == all), Json::diff(all, part).dump(1).substr(0, 2000));
  }
}

Words bench(const std::string& name, const Words& more = {}) {
  return joined({"run", "--bench", name}, more);
}

// Parameters that shorten a run on the default machine.
Words shortened(const std::string& name) {
  if (name == "ipcq-pingpong") return {"--param", "max_bytes=4096"};
  if (name == "collectives") return {"--param", "max_bytes=1024"};
  if (name == "llama-layer") return {"--param", "tp=1"};
  if (name == "llm-serve") return {"--param", "tp=1", "--param", "requests=2"};
  if (name == "pe-dma-perf") return {"--param", "scenario=local"};
  return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_bench_has_the_same_report_on_the_default_machine) {
  const Json benches = json_of({"list", "--json"});
  BOOST_TEST(benches.size() >= 29U);
  for (const Json& each : benches) {
    const std::string name = each.at("name");
    check_same(bench(name, joined(shortened(name), {"--energy", "--stages", "--breakdown"})));
  }
}

BOOST_AUTO_TEST_CASE(the_report_is_the_same_on_other_devices_wirings_and_machines) {
  const std::vector<Words> runs{
      bench("matmul-composite", {"--device", "sip:1", "--energy"}),
      bench("softmax-rows", {"--device", "all", "--verify-data"}),
      bench("attention-gqa", {"--param", "panel=multi_user_decode", "--operators"}),
      bench("attention-gqa", {"--param", "wiring=sip_ring", "--kernel-limits"}),
      bench("gemm-single-pe", {"--topology", "hw", "--energy"}),
      bench("gqa-decode", {"--set", "cube.memory_map.address_model=la", "--per-launch"}),
      bench("gemm-single-pe", {"--set", "sip1.cube5.pe2.pe_gemm.attrs.clock_ghz=0.5", "--energy"})};
  for (const Words& words : runs) check_same(words);
}

// Utilisation of links of a kind is a mean over all links of the machine.
BOOST_AUTO_TEST_CASE(files_that_list_what_was_used_are_the_same) {
  const TemporaryFolder folder;
  for (const auto& [option, file] :
       {std::pair{"--timeline", "t.json"}, std::pair{"--trace-requests", "r.jsonl"}}) {
    const auto written = [&, &option = option, &file = file](const std::string& elaborate) {
      const std::string name = elaborate + "." + file;
      completed(bench("softmax-rows", {option, folder.file(name), "--elaborate", elaborate}));
      return folder.read(name);
    };
    const std::string part = written("reachable");
    BOOST_TEST(part.size() > 1000U);
    BOOST_TEST((part == written("all")), option);
  }
}

// Columns that depend on the host are left out; the command names the option.
BOOST_AUTO_TEST_CASE(points_of_a_sweep_have_the_same_columns_and_values) {
  const TemporaryFolder folder;
  const auto results_of = [&](const std::string& elaborate) {
    const std::string file = folder.file(elaborate + ".sqlite");
    check_run({"sweep",
               folder.write(elaborate + ".yaml", "bench: gemm-single-pe\noptions: {elaborate: " +
                                                     elaborate + "}\naxes: {M: [32, 48]}\n"),
               "--results", file},
              {0, {" 0 failed"}});
    std::vector<Row> rows = rows_of(file);
    for (Row& row : rows) {
      BOOST_TEST(contains(row.at("command"), "--elaborate " + elaborate));
      row.erase("command");
      for (auto value = row.begin(); value != row.end();)
        value = value->first.compare(0, 5, "host.") == 0 ? row.erase(value) : std::next(value);
    }
    return rows;
  };
  const std::vector<Row> part = results_of("reachable");
  BOOST_TEST_REQUIRE(part.size() == 2U);
  BOOST_TEST(part.front().count("simulated_ns") == 1U);
  BOOST_TEST(part.front().count("elaborate") == 0U);
  BOOST_TEST((part == results_of("all")));
}

BOOST_AUTO_TEST_CASE(outputs_that_list_the_whole_machine_are_refused) {
  const TemporaryFolder folder;
  for (const Words& output :
       {Words{"--stats", folder.file("s.json")}, Words{"--trace", folder.file("t.vcd")},
        Words{"--op-log", folder.file("o.sqlite")}}) {
    check_refused(bench("gemm-single-pe", joined(output, {"--elaborate", "reachable"})),
                  {output.front() +
                   " lists the whole machine, of which --elaborate reachable elaborates a part: "
                   "leave out one of them"});
  }
}

BOOST_AUTO_TEST_CASE(a_log_of_components_that_are_not_elaborated_is_refused) {
  check_refused(bench("gemm-single-pe", {"--elaborate", "reachable", "--log", "sip1.cube3.pe0"}),
                {"--log 'sip1.cube3.pe0' matches only components that have not been elaborated, "
                 "sip1.cube3.pe0",
                 "run with --elaborate all"});
}

BOOST_AUTO_TEST_CASE(elaborate_requires_a_bench_and_one_of_two_values) {
  check_refused({"run", "--elaborate", "reachable"}, {"--elaborate requires --bench"});
  check_refused(bench("gemm-single-pe", {"--elaborate", "some"}), {"--elaborate"});
}

BOOST_AUTO_TEST_SUITE_END()
