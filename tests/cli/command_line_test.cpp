// The command line without a simulation: help, version, lists, topology export, and every wrong way
// of asking (spec 10).
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(command_line_test)

namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// Commands that the help of `command` lists, in its order.
Words subcommands_of(Words command) {
  command.emplace_back("--help");
  std::istringstream in(kernbench_program(command).out);
  Words names;
  bool listed = false;
  for (std::string line; std::getline(in, line) && !(listed && line.empty());) {
    if (listed && line.compare(0, 2, "  ") == 0 && line[2] != ' ')
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
    listed = listed || line == "Subcommands:";
  }
  return names;
}

// Only a word that is longer than the line sticks out of it.
void check_width(const std::string& text, const std::string& what) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    BOOST_TEST(
        (line.size() <= 120 || line.find(' ', line.find_first_not_of(' ')) == std::string::npos),
        what << ": " << line);
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_help_has_a_description_and_examples) {
  const std::vector<std::vector<std::string>> commands{{},
                                                       {"run"},
                                                       {"list"},
                                                       {"list", "components"},
                                                       {"list", "topologies"},
                                                       {"list", "signals"},
                                                       {"topology"},
                                                       {"completion"}};
  for (std::vector<std::string> command : commands) {
    std::string name = "kernbench";
    for (const std::string& word : command) name += ' ' + word;
    command.emplace_back("--help");
    const ProgramResult result = kernbench_program(command);
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST(result.status == 0);
      BOOST_TEST(result.err == "");
      BOOST_TEST(first_line(result.out).size() > 20U,
                 result.out);  // what it does, and no banner before it
      BOOST_TEST(!contains(result.out, "Accellera"));
      BOOST_TEST(contains(result.out, "Usage: "), result.out);
      const std::size_t examples = result.out.find("Examples:");
      BOOST_TEST_REQUIRE(examples != std::string::npos, result.out);
      BOOST_TEST(contains(result.out.substr(examples), name + (name == "kernbench" ? " " : "")),
                 result.out);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_help_lists_every_command_in_order) {
  const Words commands{"run",     "list",          "topology",  "placement",        "traffic",
                       "route",   "probe",         "validate",  "tune-collectives", "rtl-compare",
                       "inspect", "new-component", "completion"};
  BOOST_TEST(subcommands_of({}) == commands, boost::test_tools::per_element());
  BOOST_TEST(subcommands_of({"list"}) ==
                 (Words{"components", "algorithms", "keys", "signals", "statistics", "topologies"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(lines_of_help_and_lists_have_at_most_120_columns) {
  check_width(kernbench_program({"--help"}).out, "--help");
  for (const std::string& name : subcommands_of({})) {
    check_width(kernbench_program({name, "--help"}).out, name + " --help");
    if (name == "list") {
      for (const std::string& list : subcommands_of({name})) {
        check_width(kernbench_program({name, list, "--help"}).out, list + " --help");
        check_width(kernbench_program({name, list}).out, list);
      }
    }
  }
  for (const Words& command :
       {Words{"list"}, Words{"list", "signals", "sip0.cube0.pe0.*"},
        Words{"new-component", "--list-kinds"}, Words{"probe", "--topology", "tiny"},
        Words{"validate", "--group", "hbm"},
        Words{"route", "--topology", "tiny", "sip0.cube0.pe0.pe_dma", "sip0.cube0.sram"},
        Words{"traffic", "--topology", "tiny", "--generate", "stream"},
        Words{"placement", "--topology", "tiny", "--shape", "4x8x64", "--pe", "cut(1)"}}) {
    const ProgramResult result = kernbench_program(command);
    BOOST_TEST(result.status == 0, result.err);
    check_width(result.out, command.front());
  }
}

BOOST_AUTO_TEST_CASE(the_version_names_systemc_and_the_build) {
  const ProgramResult result = kernbench_program({"--version"});
  BOOST_TEST(result.status == 0);
  BOOST_TEST(first_line(result.out).rfind("kernbench ", 0) == 0U, result.out);
  for (const std::string part : {"SystemC    2.3", "commit ", "build ", "compiler "})
    BOOST_TEST(contains(result.out, part), result.out);
}

BOOST_AUTO_TEST_CASE(wrong_words_are_refused_with_the_nearest_right_one) {
  check_refused_in_a_line({}, {"a command is missing"});
  check_refused_in_a_line({"rnu"}, {"there is no command 'rnu'", "did you mean 'run'?"});
  check_refused_in_a_line({"list", "topologys"},
                          {"there is no command 'topologys'", "did you mean 'topologies'?"});
  check_refused_in_a_line({"run", "--bench", "x", "--verify-dat"},
                          {"there is no option '--verify-dat'", "did you mean '--verify-data'?"});
  check_refused_in_a_line({"topology", "--format", "pdf"}, {"--format", "pdf"});
  check_refused_in_a_line({"run"}, {"--bench"});
  check_refused_in_a_line({"run", "--bench", "x", "--seed", "abc"}, {"--seed", "abc"});
}

BOOST_AUTO_TEST_CASE(wrong_configurations_are_refused_with_place_and_remedy) {
  const TemporaryFolder folder;
  check_refused_in_a_line({"topology", "--topology", "nowhere.yaml"}, {"'nowhere.yaml'"});
  check_refused_in_a_line({"topology", "--topology", "topology.tniy.yaml"},
                          {"'topology.tniy.yaml'", "did you mean 'topology.tiny.yaml'?"});
  check_refused_in_a_line({"topology", "--components", "/nowhere/c.yaml"}, {"/nowhere/c.yaml"});
  check_refused_in_a_line({"topology", "--set", "system.sips"}, {"system.sips"});
  check_refused_in_a_line({"topology", "--set", "nonsense"}, {"nonsense", "KEY=VALUE"});
  check_refused_in_a_line({"topology", "--set", "system.flit_byte=128"},
                          {"system.flit_byte", "did you mean 'flit_bytes'?"});
  check_refused_in_a_line({"topology", "--set", "cube.components.hbm_ctrl.attrs.num_pcs=6"},
                          {"cube.components.hbm_ctrl.attrs.num_pcs", "6", "power of two"});
  check_refused_in_a_line({"topology", "--set", "ccl:defaults.algorithm=ring"}, {"ccl"});

  const std::string misspelt =
      folder.write("misspelt.yaml", "include: " KERNBENCH_SOURCE_DIR
                                    "/configs/topology.yaml\nsystem:\n  ns_per_mmm: 0.2\n");
  check_refused_in_a_line({"topology", "--topology", misspelt},
                          {"misspelt.yaml:3:3", "system.ns_per_mmm", "did you mean 'ns_per_mm'?"});
  const std::string broken = folder.write("broken.yaml", "system: {ns_per_mm: [\n");
  check_refused_in_a_line({"topology", "--topology", broken}, {"broken.yaml"});
}

// All faults at once: one line each.
BOOST_AUTO_TEST_CASE(all_faults_of_a_configuration_are_reported_together) {
  const ProgramResult result =
      kernbench_program({"topology", "--set", "system.sips.count=0", "--set",
                         "cube.components.hbm_ctrl.attrs.burst_bytes=100"});
  BOOST_TEST(result.status == 2);
  BOOST_TEST(contains(result.err, "system.sips.count"), result.err);
  BOOST_TEST(contains(result.err, "burst_bytes"), result.err);
}

BOOST_AUTO_TEST_CASE(the_topology_is_exported_sorted_and_complete) {
  const ProgramResult result = kernbench_program({"topology", "--topology", "tiny"});
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  const auto machine = nlohmann::json::parse(result.out);
  BOOST_TEST(machine.at("flit_bytes") == 256);
  std::vector<std::string> names;
  for (const auto& node : machine.at("nodes")) names.push_back(node.at("name"));
  BOOST_TEST(std::is_sorted(names.begin(), names.end()));
  BOOST_TEST((std::find(names.begin(), names.end(), "sip0.cube0.pe7.pe_gemm") != names.end()));
  std::vector<std::pair<std::string, std::string>> edges;
  for (const auto& edge : machine.at("edges")) edges.emplace_back(edge.at("src"), edge.at("dst"));
  BOOST_TEST(std::is_sorted(edges.begin(), edges.end()));
  BOOST_TEST((kernbench_program({"topology", "--topology", "tiny"}).out == result.out));
}

// By the same names as --topology takes.
BOOST_AUTO_TEST_CASE(a_configuration_includes_shipped_files) {
  const TemporaryFolder folder;
  for (const std::string name : {"tiny", "topology.tiny.yaml"}) {
    const ProgramResult result = kernbench_program(
        {"topology", "--topology",
         folder.write("mine.yaml", "include: " + name + "\nsystem: &mine {ns_per_mm: 0.2}\n")});
    BOOST_TEST(result.status == 0, result.err);
  }
  check_refusal(kernbench_program({"topology", "--topology",
                                   folder.write("mine.yaml", "include: tinny\nsystem: {}\n")}),
                {"tinny' cannot be read"});
}

BOOST_AUTO_TEST_CASE(overrides_reach_the_machine) {
  const ProgramResult result = kernbench_program(
      {"topology", "--topology", "topology.tiny.yaml", "--set", "system.flit_bytes=128"});
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  BOOST_TEST(nlohmann::json::parse(result.out).at("flit_bytes") == 128);
}

BOOST_AUTO_TEST_CASE(lists_come_as_tables_and_as_json) {
  const ProgramResult components = kernbench_program({"list", "components"});
  BOOST_TEST_REQUIRE(components.status == 0, components.err);
  for (const std::string part :
       {"builtin.pe_gemm", "macs_per_cycle", "builtin.hbm_ctrl", "of the machine"}) {
    BOOST_TEST(contains(components.out, part), part);
  }
  const auto implementations =
      nlohmann::json::parse(kernbench_program({"list", "components", "--json"}).out);
  BOOST_TEST(implementations.size() >= 18U);
  BOOST_TEST(implementations[0].contains("attrs"));

  const ProgramResult topologies = kernbench_program({"list", "topologies"});
  BOOST_TEST_REQUIRE(topologies.status == 0, topologies.err);
  BOOST_TEST(contains(topologies.out, "topology.six_sip.yaml"), topologies.out);
  const auto machines =
      nlohmann::json::parse(kernbench_program({"list", "topologies", "--json"}).out);
  BOOST_TEST(machines.size() == 3U);

  const ProgramResult benches = kernbench_program({"list"});
  BOOST_TEST_REQUIRE(benches.status == 0, benches.err);
  BOOST_TEST(contains(benches.out, "gemm-single-pe"), benches.out);
  const auto list = nlohmann::json::parse(kernbench_program({"list", "--json"}).out);
  for (const auto& bench : list) {
    BOOST_TEST(bench.at("index").is_number());
    BOOST_TEST(bench.at("description").get<std::string>() != "");
    BOOST_TEST(bench.at("parameters").is_array());
  }
}

BOOST_AUTO_TEST_CASE(signals_are_listed_by_kind_and_by_glob) {
  const ProgramResult kinds = kernbench_program({"list", "signals", "--topology", "tiny"});
  BOOST_TEST_REQUIRE(kinds.status == 0, kinds.err);
  for (const std::string part : {"builtin.pe_gemm: ", "gemm_m", "pc{i}_queue", "to_{peer}_busy",
                                 "pair{i}_credits", "(when used)", "idle, read, write", "address"})
    BOOST_TEST(contains(kinds.out, part), part);
  BOOST_TEST(!contains(kinds.out, "sip0."), kinds.out);

  const auto listed = [](const std::string& glob) {
    return nlohmann::json::parse(
        kernbench_program({"list", "signals", glob, "--topology", "tiny", "--json"}).out);
  };
  const auto pe = listed("sip0.cube0.pe0.*");
  BOOST_TEST(pe.size() == 9U);  // its engines
  const auto busy = listed("sip0.cube0.r0c0.to_*_busy");
  BOOST_TEST_REQUIRE(busy.size() == 1U);
  BOOST_TEST(busy[0].at("name") == "sip0.cube0.r0c0");
  for (const auto& signal : busy[0].at("signals")) {
    BOOST_TEST(signal.at("type") == "flag");
    BOOST_TEST(signal.at("bits") == 1);
  }
  const ProgramResult markdown =
      kernbench_program({"list", "signals", "*.hbm_ctrl.pe0", "--topology", "tiny", "--markdown"});
  BOOST_TEST(contains(markdown.out, "| `pc0_address` | address |  | 51 | "), markdown.out);

  check_refused_in_a_line({"list", "signals", "sip0.cube0.pe0.pe_gem", "--topology", "tiny"},
                          {"pe_gem", "did you mean 'sip0.cube0.pe0.pe_gemm'"});
  // A ring of any number may come.
  const ProgramResult ring = kernbench_program(
      {"list", "signals", "sip0.cube0.pe0.pe_ipcq.pair7_credits", "--topology", "tiny"});
  BOOST_TEST(contains(ring.out, "pair{i}_credits"), ring.err);
  check_refused_in_a_line(
      {"list", "signals", "nothing", "--topology", "tiny"},
      {"error: 'nothing' matches no signal of this machine; its components are listed by"});
  check_refused_in_a_line(
      {"list", "signals", "sip0.cube9.*", "--topology", "tiny"},
      {"'sip0.cube9.*' matches no signal of this machine", "did you mean 'sip0.cube0."});
}

BOOST_AUTO_TEST_CASE(output_that_cannot_be_written_is_a_failure) {
  const ProgramResult result = kernbench_program({"list", "topologies"}, {}, "/dev/full");
  BOOST_TEST(result.status == 1);
  BOOST_TEST(contains(result.err, "standard output"), result.err);
}

BOOST_AUTO_TEST_SUITE_END()
