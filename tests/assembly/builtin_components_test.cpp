// What the implementations that are compiled in declare.
#include "platform/assembly/builtin_components.h"

#include <boost/test/unit_test.hpp>
#include <set>

#include "platform/config/machine_keys.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(builtin_components)

namespace {

std::vector<const Implementation*> builtin(ComponentRegistry& registry) {
  register_builtin_components(registry);
  return registry.list();
}

bool accepts(const Parameter& parameter, const char* text) {
  try {
    parameter.parse(text);
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_number_has_bounds) {
  ComponentRegistry registry;
  for (const Implementation* implementation : builtin(registry)) {
    for (const Parameter& parameter : implementation->schema) {
      if (parameter.type() != Parameter::Type::integer &&
          parameter.type() != Parameter::Type::decimal)
        continue;
      const std::string name = implementation->name + " " + parameter.name();
      BOOST_TEST(!accepts(parameter, "-1"), name);
      BOOST_TEST(!accepts(parameter, "1e12"), name);
      const bool is_period = parameter.name() == "clock_period_ns";
      if (parameter.unit() == "ns") {
        BOOST_TEST(parameter.allowed() ==
                       (is_period ? "a number, 0.000001 to 1000000" : "a number, 0 to 1000000000"),
                   name);
      }
      if (parameter.unit() == "GHz")
        BOOST_TEST(parameter.allowed() == "a number, 0.001 to 1000", name);
      if (parameter.unit() == "GB/s")
        BOOST_TEST(parameter.allowed().find("a number, 0.001 to 1000000") != std::string::npos,
                   name);
    }
  }
}

BOOST_AUTO_TEST_CASE(every_place_has_an_implementation_and_every_implementation_a_place) {
  ComponentRegistry registry;
  std::set<Role> places;
  const ConfigSchema schema = machine_schema();
  for (const ConfigKey& key : schema.keys()) {
    if (key.role) places.insert(*key.role);
  }
  for (const Implementation* implementation : builtin(registry)) {
    BOOST_TEST(!implementation->roles.empty(), implementation->name);
    for (const Role role : implementation->roles)
      BOOST_TEST(places.count(role) == 1U, implementation->name);
  }
  for (const Role role : places) BOOST_TEST(!registry.names_for(role).empty(), name_of(role));
}

// With a link of 0.5 GB/s and an efficiency of 0.001, a burst of 1 MiB on one of 1024
// pseudo-channels takes 2^20 * 2^10 / 0.0005 ns = 2.1 * 10^12 ns.
BOOST_AUTO_TEST_CASE(a_burst_of_the_hbm_takes_at_most_a_second) {
  ComponentRegistry registry;
  register_builtin_components(registry);
  const Implementation& hbm = *registry.find("builtin.hbm_ctrl");
  Attributes attributes = defaults_of(hbm.schema);
  attributes.set("flit_bytes", Rational(256));
  attributes.set("link_bw_gbs", Rational(256));
  BOOST_TEST(!hbm.check(attributes).has_value());
  attributes.set("burst_bytes", Rational(1 << 20));
  attributes.set("num_pcs", Rational(1024));
  attributes.set("link_bw_gbs", Rational::parse("0.5"));
  attributes.set("efficiency", Rational::parse("0.001"));
  const auto fault = hbm.check(attributes);
  BOOST_REQUIRE(fault.has_value());
  BOOST_TEST(fault->parameter == "efficiency");
  BOOST_TEST(fault->message ==
             "found 0.001, allowed is that a burst of 1048576 B on one of 1024 pseudo-channels of "
             "a link of 0.5 GB/s takes at most "
             "1e9 ns, exactly");
}

BOOST_AUTO_TEST_SUITE_END()
