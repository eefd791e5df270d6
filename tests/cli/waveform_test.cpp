// `--trace` and what goes with it, of `run`, of `traffic` and of initiators: files, formats,
// windows, conditions, the files of viewers, how runs that are cut short leave them, and what is
// refused (spec 11.1).
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <cstdlib>

#include "tests/cli/program.h"
#include "tests/support/vcd_reader.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(waveforms)

namespace {

constexpr std::uint64_t ns = 1'000'000;
const std::string dma = "sip0.cube0.pe0.pe_dma.";

const Words product = bench_on_tiny("matmul-composite");
// Of minutes; the operands are small.
const Words long_product = joined(product, {"--param", "variant=ref_ref", "--param", "M=16384",
                                            "--param", "K=512", "--param", "N=16384"});
const Words random_traffic{"traffic",    "--topology", "tiny",   "--generate", "random",
                           "--requests", "4",          "--rate", "8"};

Vcd traced(const Words& words, const Words& options, const std::string& warning = "") {
  const TemporaryFolder folder;
  check_run(joined(joined(words, {"--trace", folder.file("w.vcd")}), options), {0, {}, {warning}});
  return read_vcd(folder.read("w.vcd"));
}

// Names of variables, without their range, in lines that begin with `command` and "sip0".
std::vector<std::string> names_in(const std::string& text, const std::string& command) {
  std::vector<std::string> names;
  for (const std::string& line : lines_of(text)) {
    if (line.rfind(command + "sip0", 0) == 0)
      names.push_back(line.substr(command.size(), line.find('[') - command.size()));
  }
  return names;
}

}  // namespace

// The signals listed for GTKWave and Surfer are in the file.
BOOST_AUTO_TEST_CASE(viewer_settings_name_signals_that_are_in_the_file) {
  const TemporaryFolder folder;
  completed(joined(product, {"--trace", folder.file("w.vcd"), "--trace-scope", "sip0.cube0.pe0"}));
  const Vcd vcd = read_vcd(folder.read("w.vcd"));
  const auto in_gtkwave = names_in(folder.read("w.gtkw"), "");
  BOOST_TEST(in_gtkwave.size() == vcd.variables.size());
  for (const std::string& name : in_gtkwave) BOOST_TEST(vcd.variables.count(name) == 1U, name);
  const auto in_surfer = names_in(folder.read("w.sucl"), "variable_add ");
  BOOST_TEST(in_surfer.size() > 10U);
  for (const std::string& name : in_surfer) BOOST_TEST(vcd.variables.count(name) == 1U, name);
}

BOOST_AUTO_TEST_CASE(a_window_is_a_part_of_the_whole) {
  const Vcd whole = traced(product, {});
  const Vcd part = traced(product, {"--trace-window", "450:500.5"});
  BOOST_TEST(part.first == 450 * ns);
  BOOST_TEST(part.last == 500 * ns + ns / 2);
  BOOST_TEST(part.variables.size() == whole.variables.size());
  for (const auto& [name, variable] : part.variables) {
    for (const auto& [when, value] : variable.changes)
      BOOST_TEST(whole.at(name, when) == value, name << " at " << when);
  }
  BOOST_TEST(part.at(dma + "dma_read_state", 500 * ns) ==
             whole.at(dma + "dma_read_state", 500 * ns));
  BOOST_TEST(traced(product, {"--trace-window", ":450"}).first == 0U);
  BOOST_TEST(traced(product, {"--trace-window", "450:"}).last == whole.last);
  const Vcd none = traced(product, {"--trace-window", "50000:"}, "warning: the waveform '");
  BOOST_TEST(none.timestamps == 0U);
}

BOOST_AUTO_TEST_CASE(a_condition_begins_the_file) {
  const Vcd whole = traced(product, {});
  const Vcd part = traced(product, {"--trace-when", dma + "dma_read_busy==1"});
  BOOST_TEST(part.first > 0U);
  BOOST_TEST(part.at(dma + "dma_read_busy", part.first) == "1");
  BOOST_TEST(whole.at(dma + "dma_read_busy", part.first) == "1");
  BOOST_TEST(whole.at(dma + "dma_read_busy", part.first - 1) == "0");
  BOOST_TEST(part.last == whole.last);
  const Vcd none = traced(product, {"--trace-when", dma + "faults>0"},
                          "the condition of --trace-when has not held");
  BOOST_TEST(none.timestamps == 0U);
}

BOOST_AUTO_TEST_CASE(what_never_changes_can_be_left_out) {
  const Vcd all = traced(product, {"--trace-scope", "*"});
  const Vcd changed = traced(product, {"--trace-scope", "*", "--trace-changed"});
  BOOST_TEST(changed.variables.size() > 10U);
  BOOST_TEST(changed.variables.size() < all.variables.size() / 2);
  for (const auto& [name, variable] : all.variables) {
    BOOST_TEST((changed.variables.count(name) == 1) == (variable.changes.size() > 1), name);
  }
}

// Everything by default: the accesses are to be seen, not engines.
BOOST_AUTO_TEST_CASE(traffic_is_traced_as_a_run_is) {
  const Vcd all = traced(random_traffic, {});
  BOOST_TEST(all.variables.count("sip0.cube0.r0c0.inbox") == 1U);
  const Vcd part = traced(
      random_traffic, {"--trace-scope", "*.pe_dma", "--trace-window", "10:20", "--trace-changed"});
  BOOST_TEST(part.first == 10 * ns);
  BOOST_TEST(part.last == 20 * ns);
  BOOST_TEST(part.variables.count("sip0.cube0.r0c0.inbox") == 0U);
  check_refused(joined(random_traffic, {"--save", "/dev/null", "--trace", "x.vcd"}),
                {"--trace has no effect with --save"});
}

// Bytes of a timeline: many tiles have ended.
constexpr std::uintmax_t well_in_progress = 1 << 20;

// The signal arrives in the middle of the run.
ProgramResult cut_short(const std::string& name, const TemporaryFolder& folder, const Words& more,
                        int signal) {
  const std::string timeline = folder.file("t.json");
  return kernbench_program(
      joined(joined(long_product, {"--trace", folder.file(name), "--timeline", timeline}), more),
      {signal, timeline, well_in_progress});
}

void check_whole(const ProgramResult& result, const std::string& name,
                 const TemporaryFolder& folder) {
  BOOST_TEST(result.status == 1, result.status << ": " << result.err);
  if (name == "w.vcd") {
    BOOST_TEST(read_vcd(folder.read(name)).timestamps > 100U);
  } else {
    BOOST_TEST(folder.read(name).size() > 10'000U);
    BOOST_TEST(!folder.has("w.fst.hier"));
  }
  BOOST_TEST(folder.has("w.gtkw"));
  BOOST_TEST(folder.has("w.sucl"));
}

// Signals of people, terminals and batch systems, and a limit of time on the clock.
BOOST_AUTO_TEST_CASE(runs_that_are_cut_short_leave_a_whole_file) {
  for (const std::string name : {"w.vcd", "w.fst"}) {
    const std::vector<int> signals = name == "w.vcd"
                                         ? std::vector<int>{SIGTERM, SIGHUP, SIGUSR1, SIGXCPU}
                                         : std::vector<int>{SIGINT};
    for (const int signal : signals) {
      const TemporaryFolder folder;
      check_whole(cut_short(name, folder, {}, signal), name, folder);
    }
    // A limit that the kernel does not come to on a busy machine is raised.
    for (double max_wall_s = 2;; max_wall_s *= 4) {
      const TemporaryFolder folder;
      const ProgramResult result =
          cut_short(name, folder, {"--max-wall", std::to_string(max_wall_s)}, 0);
      if (max_wall_s < largest_max_wall_s && folder.read("t.json").size() < well_in_progress)
        continue;
      check_whole(result, name, folder);
      break;
    }
  }
}

// Into a pipe of the shell, and to nowhere.
BOOST_AUTO_TEST_CASE(a_pipe_or_device_gets_vcd_and_no_further_file) {
  const TemporaryFolder folder;
  std::string command = "'" KERNBENCH_PROGRAM "'";
  for (const std::string& word : product) command += " '" + word + "'";
  command += " --trace /dev/stderr 2>&1 >/dev/null | cat >'" + folder.file("w.vcd") + "'";
  BOOST_TEST(std::system(command.c_str()) == 0);
  BOOST_TEST(read_vcd(folder.read("w.vcd")).timestamps > 10U);
  completed(joined(product, {"--trace", "/dev/null"}));
}

BOOST_AUTO_TEST_CASE(wrong_options_are_refused) {
  const TemporaryFolder folder;
  for (const std::string name : {"x", "x.vcd.gz", "x.VCD", "x.lxt"}) {
    check_refused(
        joined(product, {"--trace", folder.file(name)}),
        {"the waveform '" + folder.file(name) + "' ends in", "allowed are .vcd and .fst"});
    BOOST_TEST(!folder.has(name));
  }
  const auto without_trace = [](const Words& words, const std::string& part) {
    check_refused(joined(product, words), {part});
  };
  without_trace({"--trace-scope", "*"}, "--trace-scope requires --trace");
  without_trace({"--trace-window", "1:2"}, "--trace-window requires --trace");
  without_trace({"--trace-when", "a.b>1"}, "--trace-when requires --trace");
  without_trace({"--trace-changed"}, "--trace-changed requires --trace");
  const auto refused = [&folder](const Words& words, const Words& parts) {
    check_refused(joined(joined(product, {"--trace", folder.file("x.vcd")}), words), parts);
  };
  for (const std::string window : {"5", ":", "", "x:", "1:y", "-1:5"})
    refused({"--trace-window", window}, {"--trace-window"});
  refused({"--trace-window", "5:5"}, {"ends at 5 ns, not after its start"});
  refused({"--trace-when", "sip0.cube0.pe0.pe_dm.faults>0"},
          {"no component 'sip0.cube0.pe0.pe_dm'", "did you mean 'sip0.cube0.pe0.pe_dma'?"});
  refused({"--trace-when", dma + "fault>0"}, {"did you mean 'faults'?"});
  refused({"--stats", folder.file("x.gtkw")}, {"would overwrite", "x.gtkw"});
  // Globs without a match, with the nearest names.
  const auto scope = [&refused](const std::string& glob, const Words& parts) {
    refused({"--trace-scope", glob}, parts);
  };
  scope("sip0.cube0.pe0.pe_gem",
        {"'sip0.cube0.pe0.pe_gem' matches no signal", "did you mean 'sip0.cube0.pe0.pe_gemm'?"});
  scope("sip0.cube0.pe*.pe_gem",
        {"did you mean 'sip0.cube0.pe0.pe_gemm', 'sip0.cube0.pe1.pe_gemm' or"});
  scope("sip0.cube0.pe0.pe_gemm.gem_state", {"did you mean 'sip0.cube0.pe0.pe_gemm.gemm_state'?"});
  scope("sip1.*", {"'sip1.*' matches no signal", "did you mean 'sip0."});
  scope("nothing", {"'nothing' matches no signal", "kernbench topology"});
  BOOST_TEST(!folder.has("x.vcd"));
}

// Rings of an IPCQ come when a collective installs them.
BOOST_AUTO_TEST_CASE(signals_that_come_when_used_can_be_chosen) {
  const Words ranks = bench_on_tiny(
      "collectives", {"--set", "ccl:defaults.rank_unit=pe", "--set", "ccl:defaults.world_size=4"});
  const std::string credits = "sip0.cube0.pe0.pe_ipcq.pair0_credits";
  const Vcd vcd = traced(ranks, {"--trace-scope", "*.pair0_credits"});
  BOOST_TEST_REQUIRE(vcd.variables.count(credits) == 1U);
  BOOST_TEST(vcd.at(credits, 0) == "x");
  BOOST_TEST(vcd.at(credits, vcd.last) != "x");
  // Four slots: the first message takes one of four credits.
  const Vcd part =
      traced(ranks, {"--trace-scope", "*.pair0_credits", "--trace-when", credits + "==3"});
  BOOST_TEST(part.first > 0U);
  BOOST_TEST(part.at(credits, part.first) == vcd.at(credits, part.first));
  BOOST_TEST(vcd.at(credits, part.first) != vcd.at(credits, part.first - 1));
  BOOST_TEST(part.last == vcd.last);
  const Vcd none = traced(product, {"--trace-when", credits + "<4"},
                          "the condition of --trace-when has not held");
  BOOST_TEST(none.timestamps == 0U);
  for (const std::string name : {"pair_credits", "pairx_credits", "pair0_credit"})
    check_refused(joined(product, {"--trace", "/dev/null", "--trace-when",
                                   "sip0.cube0.pe0.pe_ipcq." + name + "==3"}),
                  {"no signal or statistic '" + name, "state, pair{i}_credits"});
}

BOOST_AUTO_TEST_SUITE_END()
