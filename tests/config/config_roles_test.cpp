// An implementation is allowed only at its roles: Role, declared by the implementation, checked
// while the configuration is read.
#include <boost/test/unit_test.hpp>

#include "platform/config/machine_keys.h"
#include "tests/config/broken_file.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(config_roles_test)

namespace {

Implementation made_for(const std::string& name, Roles roles, ParameterSchema schema = {}) {
  return {name, "made by a test", std::move(roles), std::move(schema), nullptr};
}

// Issues of the shipped topology with overrides and implementations of a plug-in, "key: message"
// each.
std::vector<std::string> issues_with(std::vector<Implementation> more,
                                     const std::vector<Override>& overrides) {
  ComponentRegistry registry = make_registry();
  for (Implementation& implementation : more) registry.add(std::move(implementation));
  std::vector<std::string> texts;
  try {
    load_machine(default_topology, overrides, registry);
  } catch (const ConfigError& error) {
    for (const ConfigIssue& issue : error.issues())
      texts.push_back(issue.key + ": " + issue.message);
  }
  return texts;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(config_roles, BrokenFile)

BOOST_AUTO_TEST_CASE(
    an_implementation_that_is_not_made_for_a_place_is_refused_with_those_that_are) {
  const auto refused = [&](const std::string& key, const std::string& impl) {
    const std::string text = after(key, "{impl: " + impl + "}");
    return text.substr(0, text.find("; allowed"));
  };
  for (const auto& [key, impl] : std::vector<std::pair<std::string, std::string>>{
           {"cube.components.router", "builtin.pe_dma"},
           {"cube.components.m_cpu", "builtin.sram"},
           {"cube.components.hbm_ctrl", "builtin.pe_mmu"},
           {"cube.pe_template.components.pe_gemm", "builtin.pe_math"},
           {"system.switch", "builtin.hbm_ctrl"},
           {"sip.io_chiplets.0.components.pcie_ep", "builtin.noc"}}) {
    BOOST_TEST(refused(key, impl) ==
               key + ".impl: found '" + impl + "', which is not made for this place");
  }
  BOOST_TEST(after("cube.components.hbm_ctrl", "{impl: builtin.pe_mmu}") ==
             "cube.components.hbm_ctrl.impl: found 'builtin.pe_mmu', which is not made for this "
             "place; allowed are those with the "
             "role hbm_ctrl: builtin.hbm_banked, builtin.hbm_ctrl, builtin.tlm_target_bridge");
}

// A build may know an implementation that it cannot make.
BOOST_AUTO_TEST_CASE(an_implementation_that_this_build_lacks_is_refused_with_the_reason) {
  Implementation missing = made_for("rtl.gone", {Role::pe_gemm});
  missing.unavailable = "this kernbench was built without Verilator";
  const std::string key = "cube.pe_template.components.pe_gemm";
  const std::vector<std::string> issues = issues_with({missing}, {{key, "{impl: rtl.gone}"}});
  BOOST_REQUIRE(issues.size() == 1U);
  BOOST_TEST(issues[0].find(key + ".impl: found 'rtl.gone', and this kernbench was built without "
                                  "Verilator; allowed are ") == 0U);
  BOOST_TEST((issues[0].find("rtl.gone", key.size() + 30) == std::string::npos));
}

BOOST_AUTO_TEST_CASE(the_place_of_the_name_is_reported) {
  change("m_cpu: {impl: builtin.m_cpu", "m_cpu: {impl: builtin.sram");
  const ConfigIssue issue = only_issue();
  BOOST_TEST(issue.key == "cube.components.m_cpu.impl");
  BOOST_TEST(issue.line == line_of("impl: builtin.sram"));
  BOOST_TEST(issue.column == 19);  // "    m_cpu: {impl: " is 18 characters long
}

BOOST_AUTO_TEST_CASE(
    every_place_of_the_schema_has_a_role_and_every_name_of_a_transit_fits_every_transit) {
  int places = 0;
  const ConfigSchema schema = machine_schema();
  for (const ConfigKey& key : schema.keys()) {
    if (key.kind != ConfigKey::Kind::component) continue;
    ++places;
    BOOST_TEST(key.role.has_value(), key.path);
  }
  BOOST_TEST(places ==
             24);  // switch, 2 TLM bridges, 5 of an IO chiplet, 2 of UCIe, 4 of a cube, 9 engines
  for (const char* router :
       {"builtin.forwarding", "builtin.switch", "builtin.noc", "builtin.ucie", "builtin.vc_router"})
    BOOST_TEST(after("cube.ucie.port.impl", router) == "0 issues");
}

// --- What other implementations declare

BOOST_AUTO_TEST_CASE(an_implementation_of_a_plug_in_is_allowed_at_each_of_its_roles) {
  const auto twice = [] { return made_for("acme.pass", {Role::router, Role::m_cpu}); };
  BOOST_TEST(issues_with({twice()}, {{"cube.components.router", "{impl: acme.pass}"},
                                     {"cube.components.m_cpu", "{impl: acme.pass}"}})
                 .empty());
  BOOST_TEST(issues_with({twice()}, {{"cube.components.sram", "{impl: acme.pass}"}}).size() == 1U);
}

BOOST_AUTO_TEST_CASE(an_implementation_declares_what_the_machine_is_described_by) {
  BOOST_TEST(issues_with({made_for("acme.sram", {Role::sram})},
                         {{"cube.components.sram", "{impl: acme.sram}"}})
                 .at(0) ==
             "cube.components.sram.impl: found acme.sram, allowed is an implementation with an "
             "integer 'size_mb', by which the "
             "machine is described");
  const Parameter size = Parameter::integer("size_mb", "capacity", "MiB", "test").default_val(64);
  BOOST_TEST(issues_with({made_for("acme.sram", {Role::sram}, {size})},
                         {{"cube.components.sram", "{impl: acme.sram}"}})
                 .at(0) ==
             "cube.components.sram.attrs.size_mb: found 64, allowed is 0 to 32, the range of "
             "a physical address");
}

BOOST_AUTO_TEST_CASE(an_implementation_may_refuse_values_that_do_not_go_together) {
  const auto pair = [] {
    Implementation implementation = made_for(
        "acme.router", {Role::router},
        {Parameter::integer("low", "lower bound", "", "test").default_val(1).range("0", "9"),
         Parameter::integer("high", "upper bound", "", "test").range("0", "9")});
    implementation.check = [](const Attributes& attributes) -> std::optional<ParameterFault> {
      if (attributes.integer("low") == 7) throw std::runtime_error("seven");
      if (attributes.integer("low") <= attributes.integer("high")) return std::nullopt;
      return ParameterFault{
          "low", "found " + attributes.decimal("low").str() + ", allowed is at most high"};
    };
    return implementation;
  };
  const auto with = [&](const std::string& attrs) {
    return issues_with({pair()},
                       {{"cube.components.router", "{impl: acme.router, attrs: " + attrs + "}"}});
  };
  BOOST_TEST(with("{high: 1}").empty());
  BOOST_TEST(with("{low: 3, high: 2}") ==
                 (std::vector<std::string>{
                     "cube.components.router.attrs.low: found 3, allowed is at most high"}),
             boost::test_tools::per_element());
  BOOST_TEST(with("{low: 7, high: 8}") ==
                 (std::vector<std::string>{
                     "cube.components.router: acme.router refuses its attributes: seven"}),
             boost::test_tools::per_element());
  // Not asked while a value is faulty or missing.
  BOOST_TEST(
      with("{low: 3}") == (std::vector<std::string>{"cube.components.router.attrs.high: the key is "
                                                    "missing; allowed is an integer, 0 to 9"}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
