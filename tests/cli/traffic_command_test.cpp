// `kernbench traffic` as users call it: formats, exit statuses, stopped runs (spec 10, 10.2).
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <map>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(traffic_command)

namespace {

const std::string header = "at_ns,initiator,op,target,offset,bytes\n";
const std::string two_rows = header +
                             "0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,256\n0,sip0."
                             "cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,4096\n";

Words on_tiny(const Words& more) { return joined({"traffic", "--topology", "tiny"}, more); }

struct TwoRequests {
  const TemporaryFolder folder;
  const std::string file = folder.write("two.csv", two_rows);
};

}  // namespace

// 15 ns + 4 fs and 30 ns + 4 fs alone (tests/traffic); the second waits for the channel.
BOOST_FIXTURE_TEST_CASE(rows_as_csv_are_exact_and_alone_on_standard_output, TwoRequests) {
  const std::string path = "sip0.cube0.pe0.pe_dma>sip0.cube0.r0c0>sip0.cube0.hbm_ctrl.pe0\n";
  const ProgramResult result =
      check_run(on_tiny({file, "--csv"}), {0, {}, {"makespan   45.000008 ns"}});
  BOOST_TEST(result.out ==
             "id,issue_ns,grant_ns,end_ns,latency_ns,bytes,path\n"
             "0,0.000000,0.000000,15.000004,15.000004,256," +
                 path + "1,0.000000,15.000004,45.000008,45.000008,4096," + path);
  BOOST_TEST(completed(on_tiny({file, "--csv", "--out", folder.file("rows.csv")})).out == "");
  BOOST_TEST(folder.read("rows.csv") == result.out);
  BOOST_TEST(completed(on_tiny({file, "--csv"})).out == result.out);
  const std::string marked = folder.write("marked.csv", "\xef\xbb\xbf" + two_rows);  // Excel's
  BOOST_TEST(completed(on_tiny({marked, "--csv"})).out == result.out);
}

BOOST_FIXTURE_TEST_CASE(rows_in_a_file_have_their_configuration_next_to_them, TwoRequests) {
  completed(on_tiny({file, "--csv", "--out", folder.file("rows.csv"), "--set",
                     "cube.components.router.attrs.overhead_ns=3"}));
  check_contains(folder.read("rows.csv.config.yaml"),
                 {"# command    ",
                  "router: {impl: builtin.forwarding, attrs: {buffer_flits: 0, "
                  "flit_occupancy_ns: 0, latency_ns: 0, occupancy_ns: 0, overhead_ns: 3, "
                  "servers: node, virtual_channels: 4}}"});
}

BOOST_FIXTURE_TEST_CASE(the_file_of_requests_is_never_overwritten, TwoRequests) {
  for (const std::string& out : {file, folder.file("./two.csv")})
    check_refused(on_tiny({file, "--csv", "--out", out}),
                  {"would overwrite the input '" + file + "'"});
  BOOST_TEST(folder.read("two.csv") == two_rows);
}

BOOST_FIXTURE_TEST_CASE(rows_as_json_have_the_summary, TwoRequests) {
  const ProgramResult result = completed(on_tiny({file, "--json"}));
  const Json json = Json::parse(result.out);
  BOOST_TEST(result.err == "");
  BOOST_TEST(json.at("requests").size() == 2u);
  BOOST_TEST(json.at("requests").at(1).at("end_ns") == 45.000008);
  const auto& summary = json.at("summary");
  check_members(
      summary,
      {{"status", "completed"}, {"issued", 2}, {"bytes_read", 4352}, {"makespan_ns", 45.000008}});
  check_contains(result.out, {"\"makespan_ns\": 45.000008,"});
  BOOST_TEST(summary.at("latency").at(0).at("distance") == "local");
  BOOST_TEST(summary.at("busiest_links").at(0).at("bytes") == 4352);
}

// The second: 15 ns + 4 fs for its channel, then as derived in tests/traffic/breakdown_test.
BOOST_FIXTURE_TEST_CASE(a_breakdown_has_a_column_for_each_part, TwoRequests) {
  check_run(on_tiny({file, "--csv", "--breakdown"}),
            {0,
             {",path,pe_setup_ns,noc_ns,ucie_ns,fabric_ns,link_ns,hbm_ns,contention_ns\n",
              "hbm_ctrl.pe0,1.000000,4.000004,0.000000,0.000000,2.000000,8.000000,0.000000\n",
              "hbm_ctrl.pe0,1.000000,4.000004,0.000000,0.000000,17.000000,8.000000,15.000004\n"},
             {"mean parts, ns"}});
  const Json json = json_of(on_tiny({file, "--breakdown"}));
  BOOST_TEST(json.at("requests").at(1).at("contention_ns") == 15.000004);
  BOOST_TEST(json.at("summary").at("latency").at(0).at("mean_parts").at("hbm_ns") == 8.0);
  BOOST_TEST(!contains(completed(on_tiny({file, "--json"})).out, "contention"));
}

BOOST_AUTO_TEST_CASE(without_a_format_a_table_is_printed) {
  check_run(
      on_tiny({"--generate", "stream", "--requests", "8"}),
      {0, {"latency ns", "... 24 more; --csv lists all", "\nlimit: ", "pe_dma read_channel"}});
}

BOOST_AUTO_TEST_CASE(saved_requests_give_the_same_bytes_as_direct_ones) {
  const TemporaryFolder folder;
  for (const std::string pattern : {"stream", "random", "stride", "hotspot"}) {
    const Words recipe = on_tiny({"--generate", pattern, "--requests", "10", "--rate", "37.5",
                                  "--read-share", "0.5", "--seed", "7", "--size", "1000"});
    completed(joined(recipe, {"--save", folder.file("saved.csv")}));
    const ProgramResult direct = completed(joined(recipe, {"--csv"}));
    BOOST_TEST(lines_of(direct.out).size() == 81u);
    BOOST_TEST(completed(on_tiny({folder.file("saved.csv"), "--csv"})).out == direct.out, pattern);
  }
}

BOOST_AUTO_TEST_CASE(wrong_rows_are_reported_before_anything_runs) {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("bad.csv", two_rows +
                                  "5,sip0.cube0.r0c0,read,sip0.cube0.sram,0,1\n4,sip0.cube0.pe0.pe_"
                                  "dma,read,sip0.cube0.sram,0,0\n");
  check_refused(
      on_tiny({file, "--csv", "--out", folder.file("rows.csv")}),
      {"kernbench: error: " + file + ":4: initiator is 'sip0.cube0.r0c0'", "\n" + file + ":5: "});
  BOOST_TEST(!folder.has("rows.csv"));
}

BOOST_FIXTURE_TEST_CASE(wrong_usage_is_refused, TwoRequests) {
  const auto refused = [](const Words& words, const std::string& part) {
    check_refused(on_tiny(words), {part});
  };
  refused({}, "one of the two");
  refused({file, "--generate", "stream"}, "one of the two");
  refused({file, "--csv", "--json"}, "exclude each other");
  refused({file, "--save", folder.file("x.csv")}, "--save requires --generate");
  refused({file, "--out", folder.file("x.csv")}, "--out requires --csv or --json");
  refused(
      {"--generate", "strem"},
      "unknown traffic pattern 'strem'; allowed is stream, random, stride, hotspot or closed-loop");
  refused({"--generate", "closed-loop", "--save", folder.file("x.csv")},
          "cannot be written beforehand");
  refused({"--generate", "random", "--rate", "fast"}, "--rate");
  refused({"--generate", "random", "--read-share", "2"}, "--read-share is 2");
  refused({"--generate", "random", "--initiators", "*.pe_gemm"}, "takes no node");
  for (const char* option : {"--requests", "--size", "--seed", "--rate", "--stride",
                             "--max-outstanding", "--read-share"})
    refused({file, option, "1"}, std::string(option) + " has no effect for requests from a file");
  refused({"--generate", "random", "--stride", "64"},
          "--stride has no effect without --generate stride");
  refused({"--generate", "random", "--max-outstanding", "2"},
          "--max-outstanding has no effect without --generate closed-loop");
  refused({"--generate", "closed-loop", "--rate", "1"},
          "--rate has no effect for closed-loop traffic");
  refused({"--generate", "random", "--save", folder.file("x.csv"), "--until", "5"},
          "--until has no effect with --save");
  refused({file, "--until", "soon"}, "--until");
  refused({"-"}, "read twice");
  refused({"/dev/stdin"}, "read twice");
  refused({folder.file("none.csv")}, "cannot read");
  refused({file, "--csv", "--out", "/nowhere/x.csv"}, "'/nowhere/x.csv'");
  refused({file, "--save", folder.file("x.csv"), "--links", folder.file("y.csv")}, "--save");
}

// --- Stopped runs: the rows so far, and how far it came

BOOST_FIXTURE_TEST_CASE(until_stops_and_leaves_the_rows_so_far, TwoRequests) {
  const ProgramResult result =
      check_run(on_tiny({file, "--csv", "--until", "20"}),
                {0, {}, {"until_reached at 20 ns of simulated time: 2 requests issued, 1 ended"}});
  BOOST_TEST(lines_of(result.out).size() == 2u);
  const Json json = json_of(on_tiny({file, "--until", "20"}));
  BOOST_TEST(json.at("requests").size() == 1u);
  check_members(json.at("summary"), {{"status", "until_reached"}, {"issued", 2}});
}

// A megabyte is queued at a link at once; by 100 ns no link has been busy for more than 100 ns.
BOOST_AUTO_TEST_CASE(no_link_of_a_stopped_run_is_busy_for_more_than_its_time) {
  const TemporaryFolder folder;
  const Json summary = json_of(on_tiny({"--generate", "stream", "--size", "1000000", "--requests",
                                        "20", "--read-share", "0.5", "--until", "100", "--links",
                                        folder.file("links.json")}))
                           .at("summary");
  BOOST_TEST(summary.at("elapsed_ns") == 100.0);
  BOOST_TEST(!summary.at("busiest_links").empty());
  const Json links = Json::parse(folder.read("links.json"));
  BOOST_TEST(links.at("elapsed_ns") == 100.0);
  for (const auto& list : {summary.at("busiest_links"), links.at("links")}) {
    for (const auto& link : list) {
      BOOST_TEST(link.at("utilisation").get<double>() <= 1.0);
      BOOST_TEST(link.at("busy_ns").get<double>() <= 100.0);
      if (!link.at("bw_gbs").is_null())
        BOOST_TEST(link.at("gbs").get<double>() <= link.at("bw_gbs").get<double>() * 1.000001);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(all_links_are_written_as_csv_or_json, TwoRequests) {
  for (const std::string name : {"links.csv", "links.json"})
    completed(on_tiny({file, "--links", folder.file(name)}));
  const std::string csv = folder.read("links.csv");
  BOOST_TEST(csv.rfind("src,dst,kind,bw_gbs,bytes,gbs,utilisation,flits,control_messages,busy_ns\n",
                       0) == 0u,
             csv);
  check_contains(
      csv, {"\nsip0.cube0.hbm_ctrl.pe0,sip0.cube0.r0c0,router_to_hbm,256.0,4352,", ",17,0,17.0\n"});
  const Json links = Json::parse(folder.read("links.json")).at("links");
  BOOST_TEST(links.size() > 100u);  // idle ones too
  BOOST_TEST(links.size() + 1 == lines_of(csv).size());
}

// Offsets keep their place in the address: partitions and SRAM begin at multiples of 4 KiB.
BOOST_AUTO_TEST_CASE(traced_requests_have_their_address_and_row) {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("three.csv", header +
                                    "0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,512,256\n"
                                    "0,sip0.cube0.pe0.pe_dma,write,sip0.cube0.hbm_ctrl.pe1,0,256\n"
                                    "0,sip0.io0.pcie_ep,write,sip0.cube0.hbm_ctrl.pe1,4096,100\n"
                                    "0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.sram,64,8\n");
  completed(on_tiny({file, "--trace-requests", folder.file("r.jsonl")}));
  std::map<int, std::uint64_t> addresses;
  for (const std::string& line : lines_of(folder.read("r.jsonl"))) {
    const Json request = Json::parse(line);
    addresses[request.at("id").get<int>()] = request.at("address").get<std::uint64_t>();
  }
  BOOST_TEST_REQUIRE(addresses.size() == 4u);
  BOOST_TEST(addresses.at(2) == addresses.at(1) + 4096);
  BOOST_TEST(addresses.at(1) > addresses.at(0));
  BOOST_TEST(addresses.at(0) % 4096 == 512u);
  BOOST_TEST(addresses.at(3) % 4096 == 64u);
}

// More requests than any run of the tests plays.
const Words endless = on_tiny({"--generate", "random", "--requests", "100000000", "--rate", "1"});

BOOST_AUTO_TEST_CASE(an_interrupted_run_leaves_the_rows_so_far) {
  const TemporaryFolder folder;
  const ProgramResult result = kernbench_program(
      joined(endless,
             {"--json", "--out", folder.file("rows.json"), "--timeline", folder.file("t.json")}),
      {SIGINT, folder.file("t.json"), 1 << 20});
  BOOST_TEST(result.status == 1, result.status << ": " << result.err);
  check_contains(result.err, {"interrupted at "});
  const Json json = Json::parse(folder.read("rows.json"));
  BOOST_TEST(json.at("requests").size() > 0u);
  BOOST_TEST(json.at("summary").at("status") == "interrupted");
}

// A limit in which no request ends on a busy machine is raised.
BOOST_AUTO_TEST_CASE(max_wall_leaves_the_rows_so_far) {
  for (double max_wall_s = 1;; max_wall_s *= 4) {
    const TemporaryFolder folder;
    const ProgramResult result =
        kernbench_program(joined(endless, {"--max-wall", std::to_string(max_wall_s), "--csv",
                                           "--out", folder.file("rows.csv")}));
    const std::string rows = folder.read("rows.csv");
    if (max_wall_s < largest_max_wall_s && lines_of(rows).size() <= 1U) continue;
    BOOST_TEST(result.status == 1, result.status << ": " << result.err);
    check_contains(result.err, {"wall_limit at "});
    BOOST_TEST_REQUIRE(lines_of(rows).size() > 1u);
    BOOST_TEST(rows.back() == '\n');
    break;
  }
}

// A read passes one router on its way there and back, 1 s each: after some 9200 of 10000 the 18446
// s are over.
BOOST_AUTO_TEST_CASE(a_run_that_fails_says_where_and_when) {
  check_run(on_tiny({"--generate", "stream", "--initiators", "sip0.cube0.pe0.pe_dma", "--requests",
                     "10000", "--size", "256", "--set",
                     "cube.components.router.attrs.overhead_ns=1e9", "--csv"}),
            {1,
             {},
             {"kernbench: error: sip0.cube0.r0c0 at 1844",
              " ns: simulated time would pass the 18446 s that 64 bits of femtoseconds hold"}});
}

BOOST_AUTO_TEST_SUITE_END()
