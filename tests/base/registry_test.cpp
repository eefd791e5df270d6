// Names of implementations.
#include <boost/test/unit_test.hpp>
#include <string>

#include "models/base/component_registry.h"
#include "models/base/errors.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(registry_test)

namespace {

Implementation implementation(const std::string& name) {
  return {name, "a stub", {Role::sram}, {}, nullptr};
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_implementation_is_found_by_its_name) {
  ComponentRegistry registry;
  registry.add(implementation("builtin.sram"));
  BOOST_REQUIRE(registry.find("builtin.sram") != nullptr);
  BOOST_TEST(registry.find("builtin.sram")->description == "a stub");
  BOOST_TEST(registry.find("builtin.dram") == nullptr);
}

BOOST_AUTO_TEST_CASE(implementations_are_listed_by_name) {
  ComponentRegistry registry;
  for (const char* name : {"b", "c", "a"}) registry.add(implementation(name));
  std::string names;
  for (const Implementation* each : registry.list()) names += each->name;
  BOOST_TEST(names == "abc");
}

BOOST_AUTO_TEST_CASE(a_name_is_registered_once) {
  ComponentRegistry registry;
  registry.add(implementation("builtin.sram"));
  BOOST_CHECK_THROW(registry.add(implementation("builtin.sram")), UsageError);
  BOOST_CHECK_THROW(registry.add_alias("builtin.sram", "builtin.sram"), UsageError);
}

BOOST_AUTO_TEST_CASE(an_alias_is_an_implementation_of_its_own_name) {
  ComponentRegistry registry;
  registry.add(implementation("builtin.sram"));
  registry.add_alias("fast_sram", "builtin.sram");
  BOOST_REQUIRE(registry.find("fast_sram") != nullptr);
  BOOST_TEST(registry.find("fast_sram")->name == "fast_sram");
  BOOST_TEST(registry.find("fast_sram")->factory == "builtin.sram");
  registry.add_alias("faster_sram", "fast_sram");
  BOOST_TEST(registry.find("faster_sram")->factory == "builtin.sram");
  BOOST_CHECK_THROW(registry.add_alias("other", "builtin.dram"), UsageError);
}

BOOST_AUTO_TEST_CASE(implementations_are_found_by_the_place_that_they_are_made_for) {
  ComponentRegistry registry;
  registry.add(implementation("builtin.sram"));
  registry.add({"acme.memory", "a stub", {Role::hbm_ctrl, Role::sram}, {}, nullptr});
  BOOST_TEST(
      registry.names_for(Role::sram) == (std::vector<std::string>{"acme.memory", "builtin.sram"}),
      boost::test_tools::per_element());
  BOOST_TEST(registry.names_for(Role::hbm_ctrl) == (std::vector<std::string>{"acme.memory"}),
             boost::test_tools::per_element());
  BOOST_TEST(registry.names_for(Role::m_cpu).empty());
}

BOOST_AUTO_TEST_SUITE_END()
