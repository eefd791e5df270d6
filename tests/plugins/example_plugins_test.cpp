// Plug-ins that were built from the installed package run in the installed program: their times
// derived, their statistics, their parameters as ours (spec 12).
#include <boost/test/unit_test.hpp>

#include "tests/cli/sweep_rows.h"
#include "tests/plugins/examples.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(example_plugins)

namespace {

const Words row_hbm{"--plugin", example("row_hbm"), "--set",
                    "cube.components.hbm_ctrl.impl=acme.row_hbm"};

}  // namespace

// A read of 256 B: pe_dma 1, the router 2, the burst 8, its flit 1 + 2 + 1, four wires of 1 fs.
BOOST_AUTO_TEST_CASE(rows_of_an_hbm_are_opened_kept_open_and_closed) {
  const std::string read = ",sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,";
  // 8 channels, rows of 1024 B, 16 banks: a row of all channels is 8192 B.
  const Words ends =
      ends_of("0" + read + "0,256\n" +             // opens row 0 of bank 0: 14
                  "100" + read + "2048,256\n" +    // the same row: hit
                  "200" + read + "131072,256\n" +  // row 16, bank 0: closed and opened, 28
                  "300" + read + "8192,256\n",     // row 1, bank 1: opened
              row_hbm);
  BOOST_TEST(ends == (Words{"29.000004", "115.000004", "243.000004", "329.000004"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(every_burst_of_an_hbm_is_a_hit_a_miss_or_a_conflict) {
  const auto hbm =
      totals_of(Words{"--bench", "gemm-single-pe", "--param", "K=512"} + row_hbm)["hbm_ctrl"];
  const int bursts = (hbm["bytes_read"].get<int>() + hbm["bytes_written"].get<int>()) / 256;
  BOOST_TEST(hbm["row_hits"].get<int>() + hbm["row_misses"].get<int>() +
                 hbm["row_conflicts"].get<int>() ==
             bursts);
  BOOST_TEST(hbm["row_hits"].get<int>() > hbm["row_misses"].get<int>());
  // With one bank every other row that is touched closes the one before.
  const auto one_bank = totals_of(Words{"--bench", "gemm-single-pe", "--param", "K=512"} + row_hbm +
                                  Words{"--set", "cube.components.hbm_ctrl.attrs.banks=1"});
  BOOST_TEST(one_bank["hbm_ctrl"]["row_conflicts"].get<int>() > 0);
  BOOST_TEST(one_bank["hbm_ctrl"]["row_misses"].get<int>() == 8);  // the first row of each channel
}

// PE 0 and PE 1 write two flits each into the partition of PE 0, whose router's output takes 4 ns
// for a flit. Flits are ready there: PE 0 at 4, 4; PE 1 at 7.25, 9.25. In turns: PE 0 at 4, PE 1 at
// 8, PE 0 at 12, PE 1 at 16; in order of arrival PE 0 would have its second at 8. From there: link
// 1, burst 8, acknowledgement 2 for PE 0, 4.25 for PE 1.
BOOST_AUTO_TEST_CASE(outputs_of_a_router_take_the_inputs_in_turn) {
  const Words ends = ends_of(
      "0,sip0.cube0.pe0.pe_dma,write,sip0.cube0.hbm_ctrl.pe0,0,512\n"
      "0,sip0.cube0.pe1.pe_dma,write,sip0.cube0.hbm_ctrl.pe0,1024,512\n",
      {"--plugin", example("round_robin_router"), "--set",
       "cube.components.router.impl=acme.round_robin_router", "--set",
       "cube.components.router.attrs.port_bw_gbs=64", "--set",
       "cube.components.router.attrs.overhead_ns=2"});
  BOOST_TEST(ends == (Words{"23.000004", "29.250004"}), boost::test_tools::per_element());
}

// Components that take single flits, between others that take runs: the times of single flits.
BOOST_AUTO_TEST_CASE(components_without_runs_of_flits_join_those_that_take_them) {
  std::string rows;
  for (const char* access : {"0,sip0.cube0.pe0.pe_dma,write,sip0.cube0.hbm_ctrl.pe7,0,16384",
                             "3,sip0.cube0.pe1.pe_dma,write,sip0.cube0.hbm_ctrl.pe7,65536,10000",
                             "4,sip0.cube0.pe2.pe_dma,read,sip0.cube0.hbm_ctrl.pe1,100,16000",
                             "9,sip0.cube0.pe3.pe_dma,read,sip0.cube0.sram,0,8192",
                             "11,sip0.cube0.pe7.pe_dma,write,sip0.cube0.hbm_ctrl.pe0,0,12000"})
    rows += access + std::string("\n");
  for (const Words& plugin : {Words{"--plugin", example("round_robin_router"), "--set",
                                    "sip0.cube0.r0c1.impl=acme.round_robin_router"},
                              Words{"--plugin", example("round_robin_router"), "--set",
                                    "cube.components.router.impl=acme.round_robin_router"},
                              row_hbm,
                              Words{"--plugin", example("at_memory"), "--set",
                                    "cube.components.sram.impl=plain.at_memory"}}) {
    const Words runs = ends_of(rows, plugin + Words{"--fabric", "runs"});
    BOOST_TEST(runs.size() == 5U);
    BOOST_TEST(runs == ends_of(rows, plugin + Words{"--fabric", "flits"}),
               boost::test_tools::per_element());
  }
}

// Eight tiles of 32 x 64 x 32 on an array of 32 x 32: two passes of 32 cycles, 32 to load the first
// weights, twice 62 to fill and drain.
BOOST_AUTO_TEST_CASE(a_systolic_array_fills_and_drains) {
  const std::string gemm = "cube.pe_template.components.pe_gemm.";
  const Words options{"--bench",      "gemm-single-pe",
                      "--param",      "M=64",
                      "--param",      "K=128",
                      "--param",      "N=64",
                      "--plugin",     example("systolic_gemm"),
                      "--set",        gemm + "impl=acme.systolic",
                      "--set",        gemm + "attrs.rows=32",
                      "--set",        gemm + "attrs.columns=32",
                      "--verify-data"};
  const auto engine = totals_of(options)["pe_gemm"];
  BOOST_TEST(engine["gemm_busy_ns"].get<double>() == 8 * (2 * 32 + 32 + 2 * 62));
  BOOST_TEST(engine["filling_ns"].get<double>() == 8 * (32 + 2 * 62));
  // Without double buffering every pass loads its weights first.
  const auto single = totals_of(options + Words{"--set", gemm + "attrs.double_buffered=false"});
  BOOST_TEST(single["pe_gemm"]["gemm_busy_ns"].get<double>() == 8 * 2 * (32 + 32 + 62));
}

// Eight tiles, two passes each. Without an entry of the energy table they are unknown.
BOOST_AUTO_TEST_CASE(passes_of_a_systolic_array_cost_energy) {
  const Words options{"run",
                      "--bench",
                      "gemm-single-pe",
                      "--topology",
                      "tiny",
                      "--param",
                      "M=64",
                      "--param",
                      "K=128",
                      "--param",
                      "N=64",
                      "--plugin",
                      example("systolic_gemm"),
                      "--set",
                      "cube.pe_template.components.pe_gemm={impl: acme.systolic, attrs: {rows: 32, "
                      "columns: 32}}",
                      "--energy",
                      "--json"};
  const auto energy_of = [](const Words& words) {
    return nlohmann::json::parse(output_of(words))["energy"];
  };
  const auto unknown = energy_of(options)["unknown"];
  BOOST_TEST_REQUIRE(unknown.size() == 1U);
  BOOST_TEST(unknown[0] ==
             (nlohmann::json{{"kind", "pe_gemm"}, {"action", "passes"}, {"count", 16.0}}));
  const auto known =
      energy_of(options + Words{"--set", "energy:components.pe_gemm.passes.pj=1000000000"});
  BOOST_TEST(known["unknown"].empty());
  for (const auto& action : known["actions"]) {
    if (action["action"] == "passes") BOOST_TEST(action["energy_pj"].get<double>() == 16e9);
  }
  BOOST_TEST(known["actions"][0]["action"] == "passes");  // the largest
}

// As the built-in SRAM, 48.400004 with an overhead of 2, and the memory's own 5 + latency_ns.
BOOST_AUTO_TEST_CASE(a_plain_memory_with_a_parameter_replaces_sram) {
  const Words plugin{"--plugin", example("at_memory")};
  const Words memory = plugin + Words{"--set", "cube.components.sram.impl=plain.at_memory", "--set",
                                      "cube.components.sram.attrs.overhead_ns=2"};
  const std::string read = "0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.sram,0,4096\n";
  BOOST_TEST(ends_of(read, memory) == (Words{"83.400004"}), boost::test_tools::per_element());
  BOOST_TEST(ends_of(read, memory + Words{"--set", "cube.components.sram.attrs.latency_ns=80"}) ==
                 (Words{"133.400004"}),
             boost::test_tools::per_element());
  BOOST_TEST(contains(in_one_line(output_of(Words{"list", "components"} + plugin)),
                      "(plug-in " + example("at_memory") + ")"));
}

// A flit: pe_dma 1, link 1, router 2, the memory's link 4, the memory 5 + 30, the router 2.
BOOST_AUTO_TEST_CASE(a_plain_memory_is_a_node_of_its_own) {
  const Words ends = ends_of("0,sip0.cube0.pe0.pe_dma,write,sip0.cube0.mem,0,256\n",
                             {"--plugin", example("at_memory"), "--set",
                              "system.tlm_targets=[{id: mem, attach: sip0.cube0.r0c0, bridge: "
                              "{impl: plain.at_memory}, bw_gbs: 64, size_bytes: 65536}]"});
  BOOST_TEST(ends == (Words{"45.000004"}), boost::test_tools::per_element());
}

// The other keeps the built-in controller, which has no rows to open: 14 ns less.
BOOST_AUTO_TEST_CASE(one_instance_is_replaced_and_the_other_is_not) {
  const Words ends = ends_of(
      "0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,256\n"
      "0,sip0.cube0.pe1.pe_dma,read,sip0.cube0.hbm_ctrl.pe1,0,256\n",
      {"--plugin", example("row_hbm"), "--set", "sip0.cube0.hbm_ctrl.pe1.impl=acme.row_hbm"});
  BOOST_TEST(ends == (Words{"15.000004", "29.000004"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_plain_generator_writes_concurrently_with_a_bench) {
  const auto initiator = totals_of(
      {"--bench", "gemm-single-pe", "--data", "deferred", "--plugin", example("traffic_generator"),
       "--set",
       "system.tlm_initiators=[{id: gen, attach: sip0.cube0.r0c0, bridge: {impl: "
       "builtin.tlm_initiator_bridge, attrs: {module: plain.generator}}}]"})["tlm_initiator"];
  BOOST_TEST(initiator["writes"] == 32);
  BOOST_TEST(initiator["bytes_written"] == 32 * 256);
  BOOST_TEST(initiator["errors"] == 0);
}

BOOST_AUTO_TEST_CASE(a_bench_of_a_plug_in_runs_its_kernel_and_is_verified) {
  const Words plugin{"--plugin", example("axpy_bench")};
  const std::string out = output_of(Words{"run", "--bench", "acme-axpy", "--param", "rows=24",
                                          "--topology", "tiny", "--verify-data"} +
                                    plugin);
  BOOST_TEST(contains(out, "verdict: PASS"), out);
  BOOST_TEST(contains(in_one_line(output_of(Words{"list"} + plugin)),
                      "acme-axpy: 0.5 * x + y with the rows over the PEs of a cube (plug-in " +
                          example("axpy_bench") + ")"));
  const ProgramResult wrong = kernbench_program(
      Words{"run", "--bench", "acme-axpy", "--param", "rows=7", "--topology", "tiny"} + plugin);
  BOOST_TEST(wrong.status == 2);
  BOOST_TEST(contains(wrong.err, "an integer, 8 to 65536"), wrong.err);
  const std::string offered =
      output_of(Words{"complete", "zsh", "run"} + plugin + Words{"--bench", "acme"});
  BOOST_TEST(contains(offered, "acme-axpy\t"));
}

BOOST_AUTO_TEST_CASE(ccl_yaml_names_an_algorithm_of_a_plug_in) {
  const Words plugin{"--plugin", example("axpy_bench")};
  for (const Words& choice : {Words{"--set", "ccl:defaults.algorithm=acme_chain"},
                              Words{"--param", "algorithm=acme_chain"}}) {
    const std::string out = output_of(
        Words{"run", "--bench", "ccl-allreduce", "--topology", "six_sip", "--verify-data"} +
        plugin + choice);
    BOOST_TEST(contains(out, "verdict: PASS"), out);
  }
  BOOST_TEST(contains(output_of(Words{"list", "algorithms"} + plugin), "acme_chain (all_reduce)"));
}

BOOST_AUTO_TEST_CASE(worked_examples_of_messages_run_and_are_verified) {
  const std::string hello = output_of({"run", "--bench", "hello-send", "--topology", "tiny",
                                       "--verify-data", "--plugin", example("hello_send")});
  BOOST_TEST(contains(hello, "verdict: PASS"), hello);
  const Words mesh{"--verify-data", "--plugin", example("mesh_allreduce")};
  for (const char* elements : {"1", "5000"}) {  // 5 messages of 4096 B
    const std::string pes = output_of(
        Words{"run", "--bench", "mesh-allreduce", "--param", std::string("n_elem=") + elements} +
        mesh);
    BOOST_TEST(contains(pes, "verdict: PASS"), pes);
  }
  for (const Words& sips : {Words{}, Words{"--set", "system.sips.topology=mesh_2d_no_wrap", "--set",
                                           "system.sips.w=3", "--set", "system.sips.h=2"}}) {
    const std::string out =
        output_of(Words{"run", "--bench", "ccl-allreduce", "--topology", "six_sip", "--param",
                        "algorithm=mesh_allreduce", "--param", "n_elem=3000"} +
                  sips + mesh);
    BOOST_TEST(contains(out, "verdict: PASS"), out);
  }
  const ProgramResult average =
      kernbench_program(Words{"run", "--bench", "ccl-allreduce", "--topology", "six_sip", "--param",
                              "algorithm=mesh_allreduce", "--param", "op=avg"} +
                        mesh);
  BOOST_TEST(contains(average.err, "it sums, and does not avg"), average.err);
}

BOOST_AUTO_TEST_CASE(attributes_of_a_plug_in_are_listed_and_checked_as_ours) {
  const std::string list = output_of(Words{"list", "components"} + Words{row_hbm[0], row_hbm[1]});
  BOOST_TEST(contains(in_one_line(list),
                      "acme.row_hbm: HBM partition with row buffers, open page [hbm_ctrl] "
                      "(plug-in " +
                          example("row_hbm") + ")"));
  BOOST_TEST(contains(list, "t_rcd_ns"));
  const auto refused = [](const std::string& setting, const std::string& message) {
    const ProgramResult result = kernbench_program(Words{"topology", "--topology", "tiny"} +
                                                   row_hbm + Words{"--set", setting});
    BOOST_TEST(result.status == 2);
    BOOST_TEST(contains(result.err, message), result.err);
  };
  refused("cube.components.hbm_ctrl.attrs.banks=0", "found 0, allowed is an integer, 1 to 1024");
  refused("cube.components.hbm_ctrl.attrs.bank=4", "did you mean 'banks'?");
  refused("cube.components.hbm_ctrl.attrs.row_bytes=300", "a multiple of burst_bytes");
}

BOOST_AUTO_TEST_CASE(components_yaml_names_plug_ins_relative_to_itself) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.root / "lib");
  std::filesystem::copy(example("row_hbm"), folder.root / "lib");
  const std::string file = folder.write(
      "components.yaml", "include: " + std::string(KERNBENCH_PREFIX) +
                             "/share/kernbench/configs/components.yaml\ncomponents:\n  fast.hbm: "
                             "acme.row_hbm\nplugins: [lib/librow_hbm.so]\n");
  const std::string machine = output_of({"topology", "--topology", "tiny", "--components", file,
                                         "--set", "cube.components.hbm_ctrl.impl=fast.hbm"});
  BOOST_TEST(
      contains(machine, "\"impl\":\"fast.hbm\"") + contains(machine, "\"impl\": \"fast.hbm\"") > 0);
  std::filesystem::remove(folder.root / "lib" / "librow_hbm.so");
  const ProgramResult gone = kernbench_program({"topology", "--components", file});
  BOOST_TEST(gone.status == 2);
  BOOST_TEST(contains(gone.err, file + ":4: plugins.0: plug-in "), gone.err);
  BOOST_TEST(contains(gone.err, "there is no such file"), gone.err);
}

BOOST_AUTO_TEST_CASE(what_a_run_was_made_with_names_its_plug_ins) {
  BOOST_TEST(
      contains(output_of(Words{"run", "--bench", "gemm-single-pe", "--print-config"} + row_hbm),
               "# plug-ins   acme_hbm (" + example("row_hbm") + ")"));
}

// Each point loads plug-ins of its own, and its row is that of the run with its settings.
BOOST_AUTO_TEST_CASE(axes_of_a_sweep_over_plugins_and_implementations_are_single_runs) {
  const TemporaryFolder folder;
  const std::string hbm = "cube.components.hbm_ctrl.impl", both = example("round_robin_router");
  folder.write("p.yaml", "bench: gemm-single-pe\ntopology: tiny\naxes:\n  plugin: [[" +
                             example("row_hbm") + "], [" + both + ", " + example("row_hbm") +
                             "]]\n  " + hbm + ": [builtin.hbm_ctrl, acme.row_hbm]\n");
  output_of({"sweep", folder.file("p.yaml"), "--results", folder.file("r.sqlite")});
  // Text of 17 digits: the same number as in JSON.
  const std::vector<Row> rows = rows_of(
      folder.file("r.sqlite"), "SELECT hash, printf('%!.17g', simulated_ns) AS time FROM results");
  BOOST_TEST_REQUIRE(rows.size() == 4u);
  const auto time = [&rows](std::size_t point) { return std::stod(rows[point].at("time")); };
  const Words run{"run", "--bench", "gemm-single-pe", "--topology", "tiny", "--json"};
  for (std::size_t point = 0; point < rows.size(); ++point) {
    Words words = run + Words{"--plugin", example("row_hbm")};
    if (point >= 2) words = words + Words{"--plugin", both};
    words = words + Words{"--set", hbm + (point % 2 == 0 ? "=builtin.hbm_ctrl" : "=acme.row_hbm")};
    BOOST_TEST(time(point) ==
               nlohmann::json::parse(output_of(words))["simulated_ns"].get<double>());
  }
  BOOST_TEST(time(0) != time(1));
  BOOST_TEST(time(2) == time(0));
  BOOST_TEST(time(3) == time(1));
  BOOST_TEST(rows[2].at("hash") != rows[0].at("hash"));  // plug-ins are part of the configuration
}

BOOST_AUTO_TEST_SUITE_END()
