// docs/contracts: every kind of end has a page, and the statistics, signals and sockets that the
// pages name are those of the machine. Parameters are in configs/README.md, which is generated.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <regex>

#include "models/noc/link.h"
#include "platform/observe/component_statistics.h"
#include "tests/docs/contract_tables.h"
#include "tests/docs/doc_rules.h"
#include "tests/support/forked.h"
#include "tests/support/whole_machine.h"

using namespace kernbench;
using namespace kernbench::docs;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(contracts)

namespace {

namespace fs = std::filesystem;
const fs::path root = KERNBENCH_SOURCE_DIR;

// By implementation, of all pages together; the index has the tables that several share.
std::map<std::string, ContractTables> documented() {
  std::map<std::string, ContractTables> all, shared;
  for (const Page& page : read_pages(root, [](const std::string& path) {
         return path.compare(0, 15, "docs/contracts/") == 0 && fs::path(path).extension() == ".md";
       })) {
    const bool is_index = page.path == "docs/contracts/README.md";
    for (const auto& [name, tables] : contract_tables(page.text)) {
      BOOST_TEST((is_index || all.count(name) == 0U),
                 page.path + ": " + name + " has a second page");
      (is_index ? shared : all)[name] = tables;
    }
  }
  BOOST_TEST(shared.size() > 15U);
  for (const auto& [name, tables] : shared) {
    BOOST_TEST(all.count(name) == 1U, "docs/contracts/README.md: " + name + " has no page");
    for (const auto& [kind, rows] : tables) {
      std::vector<std::string>& of_page = all[name][kind];
      of_page.insert(of_page.end(), rows.begin(), rows.end());
    }
  }
  return all;
}

// Real components everywhere, a UAL end point and an HBM with banks too.
const std::vector<Override> everything{
    {"sip0.cube0.hbm_ctrl.pe1.impl", "builtin.hbm_banked"},
    {"sip.io_chiplets.io0.components.ual_ep", "{impl: builtin.ual_ep, attrs: {overhead_ns: 3}}"},
    {"sip.io_chiplets.io0.links.ual_ep_to_noc_bw_gbs", "256"},
    {"system.links.io_ual_to_switch", "{bw_gbs: 128, distance_mm: 25}"}};

// And those in RTL, where this build has them.
std::vector<Override> with_rtl() {
  ComponentRegistry registry;
  register_builtin_components(registry);
  std::vector<Override> overrides = everything;
  for (const auto& [instance, impl] : std::vector<std::pair<std::string, std::string>>{
           {"sip0.cube0.pe1.pe_gemm", "rtl.pe_gemm"}}) {
    if (registry.find(impl)->unavailable.empty()) overrides.push_back({instance + ".impl", impl});
  }
  return overrides;
}

using Names = std::set<std::string>;

void compare(const std::string& implementation, const char* kind, const ContractTables& tables,
             const Names& declared) {
  const auto rows = tables.find(kind);
  for (const std::string& fault :
       differences(rows == tables.end() ? std::vector<std::string>() : rows->second, declared))
    BOOST_TEST(false, "docs/contracts, " << implementation << ", " << kind << "s: " << fault);
}

Names children(const sc_core::sc_object& module) {
  Names names;
  for (const sc_core::sc_object* child : module.get_child_objects())
    names.insert(child->basename());
  return names;
}

// A page need not name every socket; those that it names are there.
void check_sockets(const std::string& implementation, const ContractTables& tables,
                   const sc_core::sc_object& module) {
  const auto rows = tables.find("socket");
  if (rows == tables.end()) return;
  const Names there = children(module);
  for (const std::string& pattern : rows->second) {
    BOOST_TEST(std::any_of(there.begin(), there.end(),
                           [&](const std::string& name) { return matches(pattern, name); }),
               "docs/contracts, " << implementation << ": no socket " << pattern);
  }
}

void check_component(const std::string& name, const ContractTables& tables, Component& component) {
  Names statistics, signals;
  for (const Statistic& statistic : component.statistics()) statistics.insert(statistic.name);
  for (const Ratio& ratio : component.ratios()) statistics.insert(ratio.name);
  for (const TraceSignal& signal : component.signals()) signals.insert(signal.name());
  for (const SignalDeclaration& later : component.signals_when_used())
    signals.insert(std::regex_replace(later.name, std::regex(R"(\{i\})"), "0"));
  BOOST_TEST(tables.count("parameter") == 0U, name + " has a table of parameters");
  compare(name, "statistic", tables, statistics);
  compare(name, "signal", tables, signals);
  check_sockets(name, tables, component);
}

}  // namespace

// TLM bridges stand for modules of others (spec 2.1).
BOOST_AUTO_TEST_CASE(every_kind_of_end_has_a_page) {
  ComponentRegistry registry;
  register_builtin_components(registry);
  const auto pages = documented();
  for (const Implementation* implementation : registry.list()) {
    if (implementation->name.find("tlm_") != std::string::npos) continue;
    BOOST_TEST(pages.count(implementation->name) == 1U, implementation->name + " has no page");
  }
  BOOST_TEST(pages.count("link") == 1U);
  BOOST_TEST(pages.size() > 15U);
}

KERNBENCH_SYSTEMC_TEST(what_the_pages_name_is_what_the_components_have) {
  const auto pages = documented();
  WholeMachine m("topology.tiny.yaml", with_rtl(), WholeMachine::Engines::builtin);
  std::map<std::string, Component*> instances;
  for (NodeId id = 0; id < m.platform->graph().nodes().size(); ++id) {
    const std::string& impl = m.platform->graph().node(id).impl();
    if (instances.count(impl) == 0) instances[impl] = &m.platform->component(id);
  }
  BOOST_TEST(instances.size() > 15U);
  for (const auto& [name, component] : instances) {
    const auto page = pages.find(name);
    BOOST_REQUIRE_MESSAGE(page != pages.end(), name << " has no page");
    check_component(name, page->second, *component);
  }
  Names statistics;
  const auto rows = links_json(m.platform->graph(), m.platform->links(), 0);
  for (const auto& [key, value] : rows.front().items())
    if (value.is_number()) statistics.insert(key);
  compare("link", "statistic", pages.at("link"), statistics);
}

BOOST_AUTO_TEST_CASE(a_list_of_implementations_owns_the_tables_below_it) {
  const auto tables = contract_tables(
      "## All\n\nImplementations: `a`,\n`b`.\n\n| signal |\n|---|\n| `{lane}_m` |\n\n## None\n\n"
      "text `c`\n\n| signal |\n|---|\n| `d` |\n");
  BOOST_TEST(tables.size() == 2U);
  BOOST_TEST(tables.at("b").at("signal") == std::vector<std::string>{"{lane}_m"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(tables_belong_to_the_implementation_above_them) {
  const auto tables = contract_tables(
      "# A\n| statistic | is |\n|---|---|\n| `none` | x |\n\n## `a`, `b`: two\n\ntext `c`\n\n"
      "| statistic | is |\n|---|---|\n| `pc{i}_busy`, `reads` | y |\n\n| other |\n|---|\n| `o` "
      "|\n");
  BOOST_TEST(tables.size() == 2U);
  BOOST_TEST(tables.at("b").at("statistic") == (std::vector<std::string>{"pc{i}_busy", "reads"}),
             boost::test_tools::per_element());
  BOOST_TEST(differences({"pc{i}_busy", "gone"}, {"pc0_busy", "pc1_busy", "new"}) ==
                 (std::vector<std::string>{"lacks new", "no gone"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
