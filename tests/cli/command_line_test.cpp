// The command line without a simulation: help, version, lists, topology export, and every wrong way
// of asking (spec 10).
#include <boost/test/unit_test.hpp>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(command_line_test)

namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// Commands that the help of `command` lists, in its order.
Words subcommands_of(const Words& command) {
  Words names;
  bool listed = false;
  for (const std::string& line : lines_of(kernbench_program(joined(command, {"--help"})).out)) {
    if (listed && line.empty()) break;
    if (listed && line.compare(0, 2, "  ") == 0 && line[2] != ' ')
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
    listed = listed || line == "Subcommands:";
  }
  return names;
}

std::vector<Words> all_commands() {
  std::vector<Words> commands{{}};
  for (const std::string& name : subcommands_of({})) commands.push_back({name});
  for (const std::string& name : subcommands_of({"list"})) commands.push_back({"list", name});
  return commands;
}

// Only a word that is longer than the line sticks out of it.
void check_width(const Words& words) {
  for (const std::string& line : lines_of(completed(words).out))
    BOOST_TEST(
        (line.size() <= 120 || line.find(' ', line.find_first_not_of(' ')) == std::string::npos),
        words.front() << ": " << line);
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_help_has_a_description_and_examples) {
  for (const Words& command : all_commands()) {
    std::string name = "kernbench";
    for (const std::string& word : command) name += ' ' + word;
    const ProgramResult result =
        check_run(joined(command, {"--help"}), {0, {"Usage: ", "Examples:\n"}});
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST(result.err == "");
      BOOST_TEST(first_line(result.out).size() > 20U,
                 result.out);  // what it does, and no banner before it
      BOOST_TEST(!contains(result.out, "Accellera"));
      check_contains(result.out.substr(std::min(result.out.size(), result.out.find("Examples:"))),
                     {name + (command.empty() ? " " : "")});
    }
    check_width(joined(command, {"--help"}));
  }
}

BOOST_AUTO_TEST_CASE(the_help_lists_every_command_in_order) {
  const Words commands{
      "run",     "list",     "topology",      "placement", "traffic",          "route",
      "probe",   "validate", "sweep",         "plot",      "tune-collectives", "rtl-compare",
      "inspect", "web",      "new-component", "completion"};
  BOOST_TEST(subcommands_of({}) == commands, boost::test_tools::per_element());
  BOOST_TEST(subcommands_of({"list"}) == (Words{"components", "algorithms", "keys", "signals",
                                                "statistics", "topologies", "sweeps"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(lines_of_lists_and_reports_have_at_most_120_columns) {
  for (const std::string& list : subcommands_of({"list"})) check_width({"list", list});
  for (const Words& command :
       {Words{"list"}, Words{"list", "signals", "sip0.cube0.pe0.*"},
        Words{"new-component", "--list-kinds"}, Words{"probe", "--topology", "tiny"},
        Words{"validate", "--group", "hbm"},
        Words{"route", "--topology", "tiny", "sip0.cube0.pe0.pe_dma", "sip0.cube0.sram"},
        Words{"traffic", "--topology", "tiny", "--generate", "stream"},
        Words{"run", "--topology", "tiny", "--bench", "mlp-fused", "--energy"},
        Words{"placement", "--topology", "tiny", "--shape", "4x8x64", "--pe", "cut(1)"}})
    check_width(command);
}

BOOST_AUTO_TEST_CASE(the_version_names_systemc_and_the_build) {
  const ProgramResult result =
      check_run({"--version"}, {0, {"SystemC    2.3", "commit ", "build ", "compiler "}});
  BOOST_TEST(result.out.rfind("kernbench ", 0) == 0U, result.out);
}

BOOST_AUTO_TEST_CASE(wrong_words_are_refused_with_the_nearest_right_one) {
  check_refused_in_a_line({}, {"a command is missing"});
  check_refused_in_a_line({"rnu"}, {"there is no command 'rnu'", "did you mean 'run'?"});
  check_refused_in_a_line({"list", "topologys"},
                          {"there is no command 'topologys'", "did you mean 'topologies'?"});
  check_refused_in_a_line({"run", "--bench", "x", "--verify-dat"},
                          {"there is no option '--verify-dat'", "did you mean '--verify-data'?"});
  check_refused_in_a_line({"--fabric", "runs", "run", "--bench", "x"},
                          {"'--fabric' is an option of the command: write it after"});
  check_refused_in_a_line({"topology", "--format", "pdf"}, {"--format", "pdf"});
  check_refused_in_a_line({"run"}, {"--bench"});
  check_refused_in_a_line({"run", "--bench", "x", "--seed", "abc"}, {"--seed", "abc"});
}

BOOST_AUTO_TEST_CASE(wrong_configurations_are_refused_with_place_and_remedy) {
  const TemporaryFolder folder;
  const auto refused = [](const Words& words, const Words& parts) {
    check_refused_in_a_line(joined({"topology"}, words), parts);
  };
  refused({"--topology", "nowhere.yaml"}, {"'nowhere.yaml'"});
  refused({"--topology", "topology.tniy.yaml"},
          {"'topology.tniy.yaml'", "did you mean 'topology.tiny.yaml'?"});
  refused({"--components", "/nowhere/c.yaml"}, {"/nowhere/c.yaml"});
  refused({"--set", "system.sips"}, {"system.sips"});
  refused({"--set", "nonsense"}, {"nonsense", "KEY=VALUE"});
  refused({"--set", "system.flit_byte=128"}, {"system.flit_byte", "did you mean 'flit_bytes'?"});
  refused({"--set", "cube.components.hbm_ctrl.attrs.num_pcs=6"},
          {"cube.components.hbm_ctrl.attrs.num_pcs", "6", "power of two"});
  refused({"--set", "ccl:defaults.algorithm=ring"}, {"ccl"});
  refused({"--topology",
           folder.write("misspelt.yaml", "include: " KERNBENCH_SOURCE_DIR
                                         "/configs/topology.yaml\nsystem:\n  ns_per_mmm: 0.2\n")},
          {"misspelt.yaml:3:3", "system.ns_per_mmm", "did you mean 'ns_per_mm'?"});
  refused({"--topology", folder.write("broken.yaml", "system: {ns_per_mm: [\n")}, {"broken.yaml"});
  // All faults at once: one line each.
  check_run({"topology", "--set", "system.sips.count=0", "--set",
             "cube.components.hbm_ctrl.attrs.burst_bytes=100"},
            {2, {}, {"system.sips.count", "burst_bytes"}});
}

BOOST_AUTO_TEST_CASE(the_topology_is_exported_sorted_and_complete) {
  const Words tiny{"topology", "--topology", "tiny"};
  const ProgramResult result = completed(tiny);
  const Json machine = Json::parse(result.out);
  BOOST_TEST(machine.at("flit_bytes") == 256);
  std::vector<std::string> names;
  for (const auto& node : machine.at("nodes")) names.push_back(node.at("name"));
  BOOST_TEST(std::is_sorted(names.begin(), names.end()));
  BOOST_TEST((std::find(names.begin(), names.end(), "sip0.cube0.pe7.pe_gemm") != names.end()));
  std::vector<std::pair<std::string, std::string>> edges;
  for (const auto& edge : machine.at("edges")) edges.emplace_back(edge.at("src"), edge.at("dst"));
  BOOST_TEST(std::is_sorted(edges.begin(), edges.end()));
  BOOST_TEST((kernbench_program(tiny).out == result.out));
  BOOST_TEST(Json::parse(completed(joined(tiny, {"--set", "system.flit_bytes=128"})).out)
                 .at("flit_bytes") == 128);
}

// By the same names as --topology takes.
BOOST_AUTO_TEST_CASE(a_configuration_includes_shipped_files) {
  const TemporaryFolder folder;
  const auto including = [&folder](const std::string& name, const std::string& system) {
    const std::string text = "include: " + name + "\nsystem: " + system + "\n";
    return Words{"topology", "--topology", folder.write("mine.yaml", text)};
  };
  for (const std::string name : {"tiny", "topology.tiny.yaml"})
    check_run(including(name, "&mine {ns_per_mm: 0.2}"));
  check_refused(including("tinny", "{}"), {"tinny' cannot be read"});
}

BOOST_AUTO_TEST_CASE(lists_are_printed_as_tables_and_as_json) {
  check_run({"list", "components"},
            {0, {"builtin.pe_gemm", "macs_per_cycle", "builtin.hbm_ctrl", "of the machine"}});
  const Json implementations = json_of({"list", "components"});
  BOOST_TEST(implementations.size() >= 18U);
  BOOST_TEST(implementations[0].contains("attrs"));
  check_run({"list", "topologies"}, {0, {"topology.six_sip.yaml"}});
  BOOST_TEST(json_of({"list", "topologies"}).size() == 4U);
  check_run({"list"}, {0, {"gemm-single-pe"}});
  for (const auto& bench : json_of({"list"})) {
    BOOST_TEST(bench.at("index").is_number());
    BOOST_TEST(bench.at("description").get<std::string>() != "");
    BOOST_TEST(bench.at("parameters").is_array());
  }
}

BOOST_AUTO_TEST_CASE(signals_are_listed_by_kind_and_by_glob) {
  const auto signals = [](const Words& more) {
    return joined({"list", "signals", "--topology", "tiny"}, more);
  };
  const ProgramResult kinds =
      check_run(signals({}), {0,
                              {"builtin.pe_gemm: ", "gemm_m", "pc{i}_queue", "to_{peer}_busy",
                               "pair{i}_credits", "(when used)", "idle, read, write", "address"}});
  BOOST_TEST(!contains(kinds.out, "sip0."), kinds.out);
  BOOST_TEST(json_of(signals({"sip0.cube0.pe0.*"})).size() == 9U);  // its engines
  const Json busy = json_of(signals({"sip0.cube0.r0c0.to_*_busy"}));
  BOOST_TEST_REQUIRE(busy.size() == 1U);
  BOOST_TEST(busy[0].at("name") == "sip0.cube0.r0c0");
  for (const auto& signal : busy[0].at("signals"))
    check_members(signal, {{"type", "flag"}, {"bits", 1}});
  check_run(signals({"*.hbm_ctrl.pe0", "--markdown"}),
            {0, {"| `pc0_address` | address |  | 51 | "}});
  // A ring of any number may be installed.
  check_run(signals({"sip0.cube0.pe0.pe_ipcq.pair7_credits"}), {0, {"pair{i}_credits"}});

  check_refused_in_a_line(signals({"sip0.cube0.pe0.pe_gem"}),
                          {"pe_gem", "did you mean 'sip0.cube0.pe0.pe_gemm'"});
  check_refused_in_a_line(
      signals({"nothing"}),
      {"error: 'nothing' matches no signal of this machine; its components are listed by"});
  check_refused_in_a_line(
      signals({"sip0.cube9.*"}),
      {"'sip0.cube9.*' matches no signal of this machine", "did you mean 'sip0.cube0."});
}

BOOST_AUTO_TEST_CASE(output_that_cannot_be_written_is_a_failure) {
  const ProgramResult result = kernbench_program({"list", "topologies"}, {}, "/dev/full");
  BOOST_TEST(result.status == 1);
  check_contains(result.err, {"standard output"});
}

// --- Keys of configuration files

namespace {

Json key_of(const Json& keys, const std::string& name) {
  const auto found =
      std::find_if(keys.begin(), keys.end(), [&](const auto& each) { return each["key"] == name; });
  BOOST_REQUIRE_MESSAGE(found != keys.end(), name << " is not listed");
  return *found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_reference_of_keys_in_the_readme_is_what_the_program_prints) {
  const std::string page = source_text("configs/README.md"), mark = "<!-- keys -->\n";
  BOOST_REQUIRE(contains(page, mark));
  const Words printed = lines_of(completed({"list", "keys", "--markdown"}).out);
  Words written = lines_of(page.substr(page.find(mark) + mark.size()));
  if (count_lines(printed, "| `rtl.") == 0)  // built without Verilator
    written.erase(
        std::remove_if(written.begin(), written.end(),
                       [](const std::string& line) { return line.rfind("| `rtl.", 0) == 0; }),
        written.end());
  // To write the reference again: see the page.
  BOOST_TEST(written == printed, boost::test_tools::per_element());
  BOOST_TEST(printed.size() > 200U);
}

BOOST_AUTO_TEST_CASE(keys_are_listed_for_every_file) {
  const Json json = json_of({"list", "keys"});
  const auto topology_key = [&](const std::string& name) {
    return key_of(json["topology.yaml"], name);
  };
  check_members(topology_key("system.flit_bytes"),
                {{"allowed", "an integer, 1 to 65536"}, {"unit", "B"}, {"default", "required"}});
  BOOST_TEST(topology_key("cube.memory_map.address_model")["default"] == "va");
  BOOST_TEST(topology_key("sip.io_chiplets.*.components.ual_ep")["allowed"] ==
             "a component with the role ual_ep");
  BOOST_TEST(topology_key("cube.pe_template.links.LINK.bw_gbs")["unit"] == "GB/s");
  BOOST_TEST(key_of(json["ccl.yaml"], "defaults.n_slots")["default"] == "4");
  key_of(json["ccl.yaml"], "algorithms.ALGORITHM.root_cube");
  key_of(json["components.yaml"], "components.*");
  check_run({"list", "keys"}, {0, {"system.flit_bytes"}});
}

BOOST_AUTO_TEST_SUITE_END()
