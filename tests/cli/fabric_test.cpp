// `--fabric runs` and `--fabric flits` (spec 2.11): the same rows, reports and link counts, in
// fewer delta cycles.
#include <sys/resource.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/program.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/vcd_reader.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(fabric_test)

namespace {

Words traffic(const char* pattern, const char* initiators, const char* targets, const char* size,
              const char* requests, const char* read_share, const char* seed) {
  return {"traffic",   "--generate",   pattern,    "--initiators", initiators,
          "--targets", targets,        "--size",   size,           "--requests",
          requests,    "--read-share", read_share, "--seed",       seed};
}

// Routers with latency and occupancy apart.
Words with_servers(const char* servers, const char* flit_occupancy_ns) {
  Words settings;
  const auto set = [&](const std::string& key, const std::string& value) {
    settings.insert(settings.end(), {"--set", "cube.components.router.attrs." + key + "=" + value});
  };
  set("overhead_ns", "0");
  set("latency_ns", "2");
  set("occupancy_ns", "0.5");
  set("flit_occupancy_ns", flit_occupancy_ns);
  set("servers", servers);
  return settings;
}

// Rows of all requests and the counts of all links, as texts.
void check_same_traffic(const Words& words) {
  const TemporaryFolder folder;
  std::string label, rows[2], links[2];
  for (const std::string& word : words) label += word + ' ';
  BOOST_TEST_CONTEXT(label) {
    for (const bool runs : {false, true}) {
      const std::string file = folder.file("links.csv");
      rows[runs] =
          completed(joined(words, {"--csv", "--links", file, "--fabric", runs ? "runs" : "flits"}))
              .out;
      links[runs] = read_file(file);
    }
    BOOST_TEST(!rows[0].empty());
    BOOST_TEST((rows[0] == rows[1]));
    BOOST_TEST((links[0] == links[1]));
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(runs_and_single_flits_have_the_same_times_and_counts) {
  const char* const all = "sip0.*.pe_dma";
  // Writes of many streams to one cube: runs are split and withdrawn at routers and at the HBM.
  check_same_traffic(traffic("hotspot", all, "sip0.cube5.hbm_ctrl.*", "3000", "10", "0.5", "3"));
  check_same_traffic(joined(
      traffic("stride", "sip0.cube1*.*.pe_dma", "sip0.cube5.hbm_ctrl.*", "10000", "8", "0", "102"),
      {"--set", "system.flit_bytes=128"}));
  check_same_traffic(traffic("closed-loop", all, "sip0.*.hbm_ctrl.*", "65536", "2", "0.5", "724"));
  // Stopped while flits are announced for later.
  check_same_traffic(joined(
      traffic("stream", "sip0.cube0.pe0.pe_dma", "sip0.cube1.hbm_ctrl.pe0", "65536", "2", "0", "1"),
      {"--until", "300.5"}));
}

BOOST_AUTO_TEST_CASE(so_have_those_of_routers_with_latency_and_occupancy_apart) {
  for (const char* servers : {"node", "direction", "port"}) {
    check_same_traffic(joined(
        traffic("hotspot", "sip0.*.pe_dma", "sip0.cube5.hbm_ctrl.*", "3000", "10", "0.5", "3"),
        with_servers(servers, "0")));
    check_same_traffic(joined(traffic("stride", "sip0.cube1*.*.pe_dma", "sip0.cube5.hbm_ctrl.*",
                                      "10000", "8", "0", "102"),
                              joined({"--until", "700"}, with_servers(servers, "1.3"))));
  }
}

// Credits arrive at the instants of control messages.
BOOST_AUTO_TEST_CASE(so_have_those_of_a_router_without_buffers_between_finite_ones) {
  Words words = traffic("closed-loop", "sip0.cube0.pe*.pe_dma", "sip0.cube0.hbm_ctrl.*", "4096",
                        "40", "0.5", "491");
  words.insert(words.end(), {"--topology", "tiny", "--max-outstanding", "32"});
  for (const char* setting :
       {"system.cyclic_buffers=accept", "cube.components.router.attrs.buffer_flits=1",
        "sip0.cube0.r4c0.attrs.buffer_flits=0",
        "cube.pe_template.components.pe_dma.attrs.rd_engines=8",
        "cube.pe_template.components.pe_dma.attrs.wr_engines=8"})
    words.insert(words.end(), {"--set", setting});
  check_same_traffic(words);
}

// Stopped within runs, at and between the instants of their flits.
BOOST_AUTO_TEST_CASE(runs_that_a_limit_interrupts_leave_the_files_of_single_flits) {
  for (const char* read_share : {"0", "1"}) {
    for (const char* until : {"100", "333.333333", "1001", "2000.000007"})
      check_same_traffic(joined(traffic("stream", "sip0.cube0.pe0.pe_dma",
                                        "sip0.cube3.hbm_ctrl.pe7", "262144", "2", read_share, "1"),
                                {"--until", until}));
  }
  const TemporaryFolder folder;
  const std::string log = folder.file("ops.csv");
  for (const char* until : {"1500", "2440", "2500.5"}) {
    Json reports[2];
    std::string logs[2];
    for (const bool runs : {false, true}) {
      reports[runs] = json_of(bench_on_tiny(
          "gemm-single-pe", {"--param", "M=256", "--param", "K=256", "--until", until, "--energy",
                             "--json", "--op-log", log, "--fabric", runs ? "runs" : "flits"}));
      reports[runs].erase("host");
      logs[runs] = read_file(log);
    }
    BOOST_TEST((reports[0] == reports[1]), Json::diff(reports[0], reports[1]).dump(1));
    BOOST_TEST(!logs[0].empty());
    BOOST_TEST((logs[0] == logs[1]));
  }
}

// Ctrl-C in the middle of announced runs: the files are those of single flits up to that instant.
BOOST_AUTO_TEST_CASE(an_interrupted_run_leaves_the_files_of_single_flits) {
  const TemporaryFolder folder;
  const auto words = [&](const char* name) {
    return joined(traffic("closed-loop", "sip0.cube5.*.pe_dma", "sip0.*.hbm_ctrl.*", "65536",
                          "1000000", "0.5", "1"),
                  {"--csv", "--out", folder.file(name), "--links",
                   folder.file(std::string("links_of_") + name)});
  };
  const ProgramResult runs =
      kernbench_program(words("runs.csv"), {SIGINT, folder.file("runs.csv"), 4096});
  BOOST_TEST(runs.status == 1, runs.status << ": " << runs.err);
  const std::string before = "interrupted at ";
  const std::size_t at = runs.err.find(before);
  BOOST_TEST_REQUIRE(at != std::string::npos);
  const std::string rest = runs.err.substr(at + before.size());
  completed(
      joined(words("flits.csv"), {"--fabric", "flits", "--until", rest.substr(0, rest.find(' '))}));
  BOOST_TEST(folder.read("runs.csv").size() > 4096U);
  BOOST_TEST((folder.read("runs.csv") == folder.read("flits.csv")));
  BOOST_TEST((folder.read("links_of_runs.csv") == folder.read("links_of_flits.csv")));
}

// The host refuses memory in the middle of announced runs: as by Ctrl-C.
BOOST_AUTO_TEST_CASE(a_run_without_memory_leaves_the_files_of_single_flits) {
  const TemporaryFolder folder;
  std::string errors[2], logs[2];
  Json reports[2];
  for (const bool runs : {false, true}) {
    const ProgramResult result = kernbench_program(
        bench_on_tiny("unruly", {"--param", "kernel=refused", "--op-log", folder.file("ops.csv"),
                                 "--energy", "--json", "--fabric", runs ? "runs" : "flits"}),
        {}, nullptr, KERNBENCH_UNRULY_PROGRAM);
    BOOST_TEST(result.status == 1);
    errors[runs] = result.err;
    reports[runs] = Json::parse(result.out);
    reports[runs].erase("host");
    logs[runs] = folder.read("ops.csv");
  }
  BOOST_TEST((reports[0] == reports[1]), Json::diff(reports[0], reports[1]).dump(1));
  check_contains(errors[0], {"kernbench: error: out of memory: the host refuses an allocation, at ",
                             " of simulated time"});
  BOOST_TEST(errors[0] == errors[1]);
  BOOST_TEST(logs[0].back() == '\n');
  BOOST_TEST((logs[0] == logs[1]));
}

// Requests arrive far faster than the memory serves them, until the host has no more.
BOOST_AUTO_TEST_CASE(a_limit_of_the_host_leaves_the_files_of_single_flits) {
#ifndef __SANITIZE_ADDRESS__
  const TemporaryFolder folder;
  const auto words = [&](const char* fabric, const char* name) {
    return joined(traffic("stream", "sip0.cube0.pe*.pe_dma", "sip0.cube0.hbm_ctrl.*", "4096",
                          "100000000", "0.5", "1"),
                  {"--topology", "tiny", "--rate", "100000", "--fabric", fabric, "--csv", "--out",
                   folder.file(name), "--links", folder.file(std::string("links_of_") + name)});
  };
  for (const char* fabric : {"runs", "flits"}) {
    ProgramResult limited;
    // The least limits end the program before its first request.
    for (unsigned long mebibytes = 128; mebibytes <= 2048; mebibytes *= 2) {
      limited = kernbench_program_limited(words(fabric, "limited.csv"), RLIMIT_AS, mebibytes << 20);
      if (folder.has("limited.csv") && folder.read("limited.csv").size() > 4096) break;
    }
    BOOST_TEST(limited.status == 1, limited.status << ": " << limited.err);
    check_contains(limited.err, {"out of memory: the host refuses an allocation (ulimit -v is "});
    // Where one allocation is too large, "traffic at 12.5 ns: out of memory: ...".
    const std::size_t at = limited.err.rfind(" at ");
    BOOST_TEST_REQUIRE(at != std::string::npos, limited.err);
    const std::string rest = limited.err.substr(at + 4);
    completed(joined(words("flits", "flits.csv"), {"--until", rest.substr(0, rest.find(' '))}));
    BOOST_TEST((folder.read("limited.csv") == folder.read("flits.csv")));
    BOOST_TEST((folder.read("links_of_limited.csv") == folder.read("links_of_flits.csv")));
  }
#endif
}

// The signals of a router that is recorded show each flit; its neighbours serve runs.
BOOST_AUTO_TEST_CASE(windows_of_a_waveform_begin_within_runs) {
  const TemporaryFolder folder;
  const std::string wave = folder.file("wave.vcd");
  std::string waves[2];
  for (const bool runs : {false, true}) {
    completed(joined(traffic("stream", "sip0.cube0.pe0.pe_dma", "sip0.cube3.hbm_ctrl.pe7", "65536",
                             "2", "0", "1"),
                     {"--trace", wave, "--trace-scope", "sip0.cube3.r*", "--trace-window",
                      "300.5:400", "--fabric", runs ? "runs" : "flits"}));
    waves[runs] = read_file(wave);
  }
  BOOST_TEST(read_vcd(waves[0]).timestamps > 100U);
  BOOST_TEST((waves[0] == waves[1]));
}

// Each ring step moves more than one flit per message, and a run has one delta cycle at a node
// where single flits have one each.
BOOST_AUTO_TEST_CASE(runs_take_fewer_delta_cycles_with_an_operation_log_too) {
  const TemporaryFolder folder;
  const Words run{"run",     "--bench", "ccl-allreduce", "--topology",
                  "six_sip", "--param", "n_elem=4096",   "--data",
                  "off",     "--json",  "--op-log",      folder.file("ops.csv")};
  Json flits = json_of(joined(run, {"--fabric", "flits"}));
  Json runs = json_of(joined(run, {"--fabric", "runs"}));
  BOOST_TEST(runs.at("host").at("delta_cycles").get<double>() <
             0.75 * flits.at("host").at("delta_cycles").get<double>());
  flits.erase("host");
  runs.erase("host");
  BOOST_TEST((flits == runs), Json::diff(flits, runs).dump(1).substr(0, 2000));
}

// Spec 11.7. PEs end operations at the same instants, and define values then.
BOOST_AUTO_TEST_CASE(runs_and_single_flits_write_the_same_operation_log) {
  const TemporaryFolder folder;
  for (const char* bench : {"moe-routing", "attention-gqa"}) {
    std::string logs[2];
    for (const bool runs : {false, true}) {
      const std::string file = folder.file("ops.csv");
      completed({"run", "--bench", bench, "--fabric", runs ? "runs" : "flits", "--op-log", file});
      logs[runs] = read_file(file);
    }
    BOOST_TEST(!logs[0].empty());
    BOOST_TEST((logs[0] == logs[1]), bench);
  }
}

BOOST_AUTO_TEST_CASE(another_mode_is_refused) {
  check_refused({"run", "--bench", "gemm-single-pe", "--fabric", "waves"},
                {"--fabric", "waves", "runs", "flits"});
}

BOOST_AUTO_TEST_SUITE_END()
