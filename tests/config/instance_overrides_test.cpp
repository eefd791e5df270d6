// `overrides`: single instances that differ from their kind.
#include <rapidcheck.h>

#include <boost/test/unit_test.hpp>

#include "platform/assembly/builtin_components.h"
#include "platform/config/resolved_config.h"
#include "platform/topology/build_graph.h"
#include "platform/topology/topology_json.h"
#include "tests/support/error_text.h"
#include "tests/support/shipped_graph.h"
#include "tests/support/temporary_folder.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(instance_overrides)

namespace {

constexpr const char* gemm = "sip0.cube0.pe2.pe_gemm";

// A further GEMM engine with parameters of its own.
const ComponentRegistry& registry() {
  static const ComponentRegistry instance = [] {
    ComponentRegistry made;
    register_builtin_components(made);
    made.add({"acme.systolic",
              "a systolic array",
              {Role::pe_gemm},
              {Parameter::integer("rows", "rows of the array", "", "test").range("1", "1024"),
               Parameter::integer("columns", "columns of the array", "", "test").default_val(32),
               Parameter::integer("flit_bytes", "size of a flit", "B", "test").from_machine(),
               Parameter::duration_ns("overhead_ns", "per tile", "test").default_val(3)},
              nullptr});
    made.add({"acme.tcm", "without a size", {Role::pe_tcm}, {}, nullptr});
    made.add_alias("custom.systolic", "acme.systolic");
    made.add_alias("custom.gemm", "builtin.pe_gemm");
    return made;
  }();
  return instance;
}

MachineSpec spec_of(const std::vector<Override>& set,
                    const std::string& topology = "topology.tiny.yaml") {
  return shipped_spec(topology, set, registry());
}
Graph graph_of(const std::vector<Override>& set,
               const std::string& topology = "topology.tiny.yaml") {
  return build_graph(spec_of(set, topology));
}
Graph overridden(const std::string& entries, const std::string& topology = "topology.tiny.yaml") {
  return graph_of({{"overrides", "[" + entries + "]"}}, topology);
}

const Node& node(const Graph& graph, const std::string& name) { return graph.node(graph.at(name)); }
std::string value(const Graph& graph, const std::string& name, const std::string& attribute) {
  return format_value(node(graph, name).attributes().values().find(attribute)->second);
}

// "key: message" of the only issue.
std::string issue(const std::vector<Override>& set) {
  try {
    spec_of(set);
  } catch (const ConfigError& error) {
    if (error.issues().size() == 1) return error.issues()[0].key + ": " + error.issues()[0].message;
    return std::to_string(error.issues().size()) + " issues:\n" + error.what();
  }
  return "no issue";
}
std::string issue(const std::string& entries) {
  return issue(std::vector<Override>{{"overrides", "[" + entries + "]"}});
}

bool begins(const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; }

}  // namespace

BOOST_AUTO_TEST_CASE(attributes_of_one_instance_change_and_of_no_other) {
  const Graph plain = graph_of({});
  const Graph graph = overridden("{match: sip0.cube0.pe2.pe_gemm, attrs: {macs_per_cycle: 1024}}");
  BOOST_TEST(value(graph, gemm, "macs_per_cycle") == "1024");
  BOOST_TEST(value(graph, gemm, "clock_ghz") == value(plain, gemm, "clock_ghz"));
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    if (graph.node(id).name == gemm) continue;
    BOOST_TEST(graph.node(id).impl() == plain.node(id).impl());
    BOOST_TEST((graph.node(id).attributes().values() == plain.node(id).attributes().values()));
  }
}

BOOST_AUTO_TEST_CASE(a_level_is_a_pattern_and_a_kind_below_a_scope) {
  const Graph engines =
      overridden("{match: 'sip0.cube3.**.pe_gemm', attrs: {macs_per_cycle: 512}}", "topology.yaml");
  const Graph routers = overridden(
      "{match: 'sip0.cube3.**', kind: router, attrs: {overhead_ns: 7}}", "topology.yaml");
  std::size_t changed_engines = 0, changed_routers = 0;
  for (const Node& each : engines.nodes()) {
    if (each.kind != Role::pe_gemm) continue;
    const bool here = each.at.sip == 0 && each.at.cube == 3;
    BOOST_TEST((each.attributes().integer("macs_per_cycle") == 512) == here);
    changed_engines += here ? 1 : 0;
  }
  for (const Node& each : routers.nodes()) {
    if (!each.attributes().has("overhead_ns")) continue;
    const bool here = each.at.sip == 0 && each.at.cube == 3 && each.kind == Role::router;
    BOOST_TEST((each.attributes().decimal("overhead_ns") == Rational(7)) == here);
    changed_routers += here ? 1 : 0;
  }
  BOOST_TEST(changed_engines == 8U);
  BOOST_TEST(changed_routers == 32U);  // 6 x 6 without the HBM zone
}

BOOST_AUTO_TEST_CASE(instances_of_one_entry_share_their_component) {
  const Graph graph =
      overridden("{match: '**.pe_gemm', attrs: {macs_per_cycle: 512}}", "topology.yaml");
  const ComponentSpec* shared = node(graph, gemm).component;
  std::size_t count = 0;
  for (const Node& each : graph.nodes()) {
    if (each.kind != Role::pe_gemm) continue;
    ++count;
    BOOST_TEST(each.component == shared);
  }
  BOOST_TEST(count == 256U);
}

BOOST_AUTO_TEST_CASE(entries_apply_in_order) {
  const std::string all = "{match: '**.pe_gemm', attrs: {macs_per_cycle: 512, queue_depth: 3}}";
  const std::string one = "{match: sip0.cube0.pe2.pe_gemm, attrs: {macs_per_cycle: 1024}}";
  const Graph refined = overridden(all + ", " + one);
  BOOST_TEST(value(refined, gemm, "macs_per_cycle") == "1024");
  BOOST_TEST(value(refined, gemm, "queue_depth") == "3");
  const Graph covered = overridden(one + ", " + all);
  BOOST_TEST(value(covered, gemm, "macs_per_cycle") == "512");
}

BOOST_AUTO_TEST_CASE(another_implementation_has_attributes_of_its_own) {
  const Graph graph = overridden(
      "{match: sip0.cube0.pe2.pe_gemm, impl: acme.systolic, attrs: {rows: 16}}, "
      "{match: '**.pe_gemm', attrs: {overhead_ns: 5}}");
  BOOST_TEST(node(graph, gemm).impl() == "acme.systolic");
  BOOST_TEST(value(graph, gemm, "rows") == "16");
  BOOST_TEST(value(graph, gemm, "columns") == "32");
  BOOST_TEST(value(graph, gemm, "flit_bytes") == "256");  // a fact of the machine
  BOOST_TEST(value(graph, gemm, "overhead_ns") == "5");   // both know it
  BOOST_TEST(!node(graph, gemm).attributes().has("macs_per_cycle"));
  BOOST_TEST(node(graph, "sip0.cube0.pe3.pe_gemm").impl() == "builtin.pe_gemm");
}

// overhead_ns of the former implementation is 0, the default of the new one 3.
BOOST_AUTO_TEST_CASE(attributes_of_the_former_implementation_do_not_follow) {
  const Graph graph =
      overridden("{match: sip0.cube0.pe2.pe_gemm, impl: acme.systolic, attrs: {rows: 16}}");
  BOOST_TEST(value(graph, gemm, "overhead_ns") == "3");
  const Graph same =
      overridden("{match: sip0.cube0.pe2.pe_gemm, impl: custom.gemm, attrs: {queue_depth: 2}}");
  BOOST_TEST(value(same, gemm, "macs_per_cycle") == "4096");  // another name of the same
}

BOOST_AUTO_TEST_CASE(nor_do_they_for_a_whole_kind) {
  const std::string kind = "cube.pe_template.components.pe_gemm";
  const Graph graph = graph_of({{kind + ".impl", "acme.systolic"}, {kind + ".attrs.rows", "8"}});
  BOOST_TEST(value(graph, gemm, "overhead_ns") == "3");
  BOOST_TEST(issue({{kind + ".impl", "acme.systolic"}}) ==
             kind + ".attrs.rows: the key is missing; allowed is an integer, 1 to 1024");
  BOOST_TEST(value(graph_of({{kind + ".impl", "custom.gemm"}}), gemm, "macs_per_cycle") == "4096");

  // Given by --set, they are meant for what is to stand there, in either order.
  BOOST_TEST(value(graph_of({{kind + ".attrs.rows", "8"}, {kind + ".impl", "acme.systolic"}}), gemm,
                   "rows") == "8");
  for (const bool first : {true, false}) {
    std::vector<Override> settings{{kind + ".impl", "acme.systolic"}, {kind + ".attrs.rows", "8"}};
    settings.insert(first ? settings.begin() : settings.end(),
                    {kind + ".attrs.macs_per_cycle", "64"});
    const std::string refused = issue(settings);
    BOOST_TEST(
        refused.find(kind + ".attrs.macs_per_cycle: unknown attribute of acme.systolic") == 0,
        refused);
  }

  const TemporaryFolder folder;
  for (const char* file : {"topology.yaml", "topology.tiny.yaml"})
    folder.write(file, read_file(topology_path(file)));
  const std::string path =
      folder.write("mine.yaml",
                   "include: topology.tiny.yaml\ncube: {pe_template: {components: {pe_gemm: {impl: "
                   "acme.systolic, attrs: {rows: 4}}}}}\n");
  const Graph included = build_graph(load_machine(path, {}, registry()));
  BOOST_TEST(value(included, gemm, "rows") == "4");
  BOOST_TEST(value(included, gemm, "overhead_ns") == "3");
}

BOOST_AUTO_TEST_CASE(facts_of_the_machine_are_filled_in) {
  const Graph graph = overridden(
      "{match: sip0.cube0.hbm_ctrl.pe1, impl: builtin.hbm_ctrl, attrs: {efficiency: 0.5}}, "
      "{match: sip0.cube0.hbm_ctrl.pe2, attrs: {num_pcs: 4}}");
  BOOST_TEST(value(graph, "sip0.cube0.hbm_ctrl.pe1", "link_bw_gbs") == "256");
  BOOST_TEST(value(graph, "sip0.cube0.hbm_ctrl.pe1", "num_pcs") == "8");
  BOOST_TEST(value(graph, "sip0.cube0.hbm_ctrl.pe2", "num_pcs") == "4");
}

BOOST_AUTO_TEST_CASE(an_sram_has_a_size_of_its_own) {
  const Graph graph = overridden("{match: sip0.cube5.sram, attrs: {size_mb: 4}}", "topology.yaml");
  const std::string json = topology_json(graph);
  const std::size_t at = json.find("{\"name\": \"sip0.cube5.sram\"");
  BOOST_TEST(contains(json.substr(at, json.find('\n', at) - at), "\"size_bytes\": 4194304"));
}

// --- --set

BOOST_AUTO_TEST_CASE(settings_reach_entries_and_instances) {
  const Graph by_number =
      graph_of({{"overrides", "[{match: sip0.cube0.pe2.pe_gemm, attrs: {macs_per_cycle: 1024}}]"},
                {"overrides.0.attrs.macs_per_cycle", "2048"}});
  BOOST_TEST(value(by_number, gemm, "macs_per_cycle") == "2048");
  const Graph alone = graph_of({{std::string(gemm) + ".attrs.macs_per_cycle", "1024"}});
  BOOST_TEST(value(alone, gemm, "macs_per_cycle") == "1024");
  const Graph other = graph_of({{std::string(gemm) + ".impl", "acme.systolic"},
                                {"sip0.cube0.pe3.pe_gemm.impl", "acme.systolic"},
                                {std::string(gemm) + ".attrs.rows", "8"},
                                {"sip0.cube0.pe3.pe_gemm.attrs", "{rows: 4}"}});
  BOOST_TEST(value(other, gemm, "rows") == "8");
  BOOST_TEST(value(other, "sip0.cube0.pe3.pe_gemm", "rows") == "4");
  const Graph level = graph_of({{"sip0.cube0.**.pe_gemm.attrs.macs_per_cycle", "64"}});
  BOOST_TEST(value(level, "sip0.cube0.pe7.pe_gemm", "macs_per_cycle") == "64");
  const Graph tray = graph_of({{"fabric.switch0.attrs.overhead_ns", "9"}});
  BOOST_TEST(value(tray, "fabric.switch0", "overhead_ns") == "9");
}

BOOST_AUTO_TEST_CASE(what_a_setting_says_of_an_instance_is_checked) {
  BOOST_TEST(issue({{"sip0.cube0.pe2.pe_gemm.macs_per_cycle", "1"}}) ==
             "sip0.cube0.pe2.pe_gemm.macs_per_cycle: found the name of an instance; allowed after "
             "it are .impl, .attrs.KEY and .attrs");
  BOOST_TEST(
      begins(issue({{"sip0.cube0.pe2.pe_gem.attrs.macs_per_cycle", "1"}}),
             "sip0.cube0.pe2.pe_gem: found 'sip0.cube0.pe2.pe_gem', which matches no node of "
             "this machine; nearest: sip0.cube0.pe2.pe_gemm, "));
  BOOST_TEST(begins(issue({{"sip0.cube0.pe2.pe_gemm.attrs.macs_per_cycle", "fast"}}),
                    "sip0.cube0.pe2.pe_gemm.attrs.macs_per_cycle: found 'fast', allowed is "));
  BOOST_TEST(begins(issue({{"sip0.**.pe_gemm.attrs.lanes", "8"}}),
                    "sip0.**.pe_gemm.attrs.lanes: sip0.cube0.pe0.pe_gemm: unknown attribute of "));
}

// --- What is wrong

BOOST_AUTO_TEST_CASE(what_matches_nothing_is_an_error_with_the_nearest_names) {
  const std::string found = issue("{match: sip0.cube0.pe9.pe_gemm, attrs: {macs_per_cycle: 1}}");
  BOOST_TEST(found ==
             "overrides.0.match: found 'sip0.cube0.pe9.pe_gemm', which matches no node of this "
             "machine; nearest: sip0.cube0.pe0.pe_gemm, sip0.cube0.pe1.pe_gemm, "
             "sip0.cube0.pe2.pe_gemm");
  BOOST_TEST(contains(issue("{match: 'sip0.*.pe_gemm', attrs: {macs_per_cycle: 1}}"),
                      "; * stays within one step of a name, ** matches any number of steps"));
  BOOST_TEST(begins(issue("{match: sip0.cube0.sram, kind: router, attrs: {overhead_ns: 1}}"),
                    "overrides.0.match: found 'sip0.cube0.sram', which matches no node of kind "
                    "router of this machine; sip0.cube0.sram is a sram"));
  BOOST_TEST(begins(issue("{match: 'sip0..sram', attrs: {overhead_ns: 1}}"),
                    "overrides.0.match: found 'sip0..sram', which matches no node"));
}

BOOST_AUTO_TEST_CASE(an_implementation_of_another_role_is_an_error_with_the_node) {
  // And those in RTL, where this build has them.
  BOOST_TEST(
      begins(issue("{match: sip0.cube0.pe2.pe_gemm, impl: builtin.pe_math}"),
             "overrides.0.impl: sip0.cube0.pe2.pe_gemm: found 'builtin.pe_math', which is not made "
             "for this place; allowed are those with the role pe_gemm: acme.systolic, "
             "builtin.pe_gemm, custom.gemm, custom.systolic"));
  BOOST_TEST(contains(issue("{match: sip0.cube0.pe2.pe_gemm, impl: acme.systolik}"),
                      "did you mean 'acme.systolic'?"));
}

BOOST_AUTO_TEST_CASE(an_attribute_that_a_matched_role_does_not_know_is_an_error) {
  const std::string found = issue("{match: 'sip0.cube0.pe2.pe_[gm]*', attrs: {lanes: 8}}");
  BOOST_TEST(contains(found,
                      "overrides.0.attrs.lanes: sip0.cube0.pe2.pe_gemm: unknown attribute of "
                      "builtin.pe_gemm"),
             found);
  BOOST_TEST(contains(issue("{match: sip0.cube0.pe2.pe_gemm, attrs: {macs_per_cycle: fast}}"),
                      "overrides.0.attrs.macs_per_cycle: sip0.cube0.pe2.pe_gemm: found 'fast'"));
}

BOOST_AUTO_TEST_CASE(a_required_attribute_is_asked_for_at_the_entry) {
  BOOST_TEST(issue("{match: sip0.cube0.pe2.pe_gemm, impl: acme.systolic}") ==
             "overrides.0.attrs.rows: sip0.cube0.pe2.pe_gemm: the key is missing; allowed is an "
             "integer, 1 to 1024");
}

BOOST_AUTO_TEST_CASE(an_entry_says_something_and_nothing_unknown) {
  BOOST_TEST(issue("{match: sip0.cube0.sram}") ==
             "overrides.0: found neither impl nor attrs; allowed is one of them, or both");
  BOOST_TEST(begins(issue("{match: sip0.cube0.sram, atrs: {overhead_ns: 1}}"),
                    "overrides.0.atrs: unknown key; did you mean 'attrs'?"));
  BOOST_TEST(begins(issue("{attrs: {overhead_ns: 1}}"), "overrides.0.match: the key is missing"));
  BOOST_TEST(begins(issue("{match: sip0.cube0.sram, kind: ram, attrs: {overhead_ns: 1}}"),
                    "overrides.0.kind: found 'ram', allowed is one of pe_cpu, "));
  BOOST_TEST(begins(issue({{"overrides", "7"}}), "overrides: found '7', allowed is a list"));
}

BOOST_AUTO_TEST_CASE(what_the_machine_has_one_of_is_the_same_everywhere) {
  const auto refused = [](const std::string& name, const std::string& attribute,
                          const std::string& number) {
    return issue("{match: sip0.cube0.pe1." + name + ", attrs: {" + attribute + ": " + number +
                 "}}");
  };
  BOOST_TEST(refused("pe_mmu", "page_bytes", "8192") ==
             "overrides.0.attrs.page_bytes: sip0.cube0.pe1.pe_mmu: found 8192, allowed is 4096, "
             "that of all pe_mmu: a device has one virtual address space, and its allocator one "
             "page size");
  for (const auto& [name, attribute, number] :
       std::vector<std::array<std::string, 3>>{{"pe_tcm", "size_mb", "1"},
                                               {"pe_tcm", "reserved_kb", "256"},
                                               {"pe_cpu", "scratch_bytes", "4096"}})
    BOOST_TEST(
        contains(refused(name, attribute, number), "a kernel finds the same TCM in every PE"));
  BOOST_TEST(contains(issue("{match: sip0.cube0.pe1.pe_tcm, impl: acme.tcm}"),
                      "overrides.0.impl: sip0.cube0.pe1.pe_tcm: found acme.tcm, allowed is an "
                      "implementation with an integer 'size_mb'"));
  BOOST_TEST(contains(issue({{"cube.memory_map.address_model", "la"},
                             {"sip0.cube0.hbm_ctrl.pe1.attrs.num_pcs", "4"}}),
                      "allowed with address_model la is 8, that of all hbm_ctrl"));
}

// --- --print-config

BOOST_AUTO_TEST_CASE(the_resolved_configuration_tells_what_an_instance_has) {
  const std::string text = resolved_config(
      spec_of({{"overrides",
                "[{match: '**.pe_gemm', attrs: {macs_per_cycle: 512}}, {match: "
                "sip0.cube0.pe2.pe_gemm, impl: custom.systolic, attrs: {rows: 2}}]"}}),
      registry());
  BOOST_TEST(contains(text,
                      "overrides:\n"
                      "  - {match: \"**.pe_gemm\", attrs: {macs_per_cycle: 512}}\n"
                      "  - {match: sip0.cube0.pe2.pe_gemm, impl: acme.systolic, attrs: {rows: 2}}\n"
                      "# the instances of `overrides`:\n"
                      "#   sip0.cube0.pe0.pe_gemm and 6 more: {impl: builtin.pe_gemm, attrs: "),
             text);
  BOOST_TEST(contains(text,
                      "#   sip0.cube0.pe2.pe_gemm: {impl: acme.systolic, attrs: {columns: 32, "
                      "overhead_ns: 3, rows: 2}}; of the machine: flit_bytes: 256\n"),
             text);
}

BOOST_AUTO_TEST_CASE(the_resolved_configuration_gives_the_same_machine_again) {
  const std::vector<std::string> engines{"pe_gemm", "pe_m*", "pe_ma[t]h", "pe_fetch_store"};
  const std::vector<std::string> scopes{"**.", "sip0.cube0.**.", "sip0.cube0.pe?.",
                                        "sip0.cube0.pe[0-3].", "sip0.cube0.pe5."};
  const auto entry = [&]() -> std::string {
    switch (*rc::gen::inRange(0, 5)) {
      case 0:
        return "{match: '" + *rc::gen::elementOf(scopes) +
               "pe_gemm', attrs: {queue_depth: " + std::to_string(*rc::gen::inRange(1, 9)) + "}}";
      case 1:
        return "{match: '" + *rc::gen::elementOf(scopes) + "pe_gemm', impl: " +
               "acme.systolic, attrs: {rows: " + std::to_string(*rc::gen::inRange(1, 9)) + "}}";
      case 2:
        return "{match: '" + *rc::gen::elementOf(scopes) + *rc::gen::elementOf(engines) +
               "', attrs: {overhead_ns: 1." + std::to_string(*rc::gen::inRange(0, 100)) + "}}";
      case 3:
        return "{match: 'sip0.**', kind: " +
               *rc::gen::element<std::string>("router", "ucie_conn", "io_conn") +
               ", attrs: {overhead_ns: " + std::to_string(*rc::gen::inRange(0, 9)) + "}}";
      default:
        return "{match: 'sip0.cube0.hbm_ctrl.pe*', attrs: {burst_bytes: " +
               *rc::gen::element<std::string>("128", "256", "512") + "}}";
    }
  };
  BOOST_TEST(rc::check("load(resolved_config(machine)) == machine", [&] {
    std::string entries;
    for (int left = *rc::gen::inRange(0, 6); left > 0; --left)
      entries += (entries.empty() ? "" : ", ") + entry();
    MachineSpec spec;
    try {
      spec = spec_of({{"overrides", "[" + entries + "]"}});
    } catch (const ConfigError&) {
      RC_DISCARD("queue_depth of a systolic array");
    }
    const std::string text = resolved_config(spec, registry());
    const TemporaryFolder folder;
    MachineSpec again = load_machine(folder.write("resolved.yaml", text), {}, registry());
    again.source_path.clear();
    RC_ASSERT(resolved_config(again, registry()) == text);
    RC_ASSERT(topology_json(build_graph(again)) == topology_json(build_graph(spec)));
  }));
}

BOOST_AUTO_TEST_SUITE_END()
