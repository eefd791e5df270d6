// The resolved configuration is a topology.yaml that gives the same machine again, default for
// default.
#include "platform/config/resolved_config.h"

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "platform/assembly/builtin_components.h"
#include "platform/topology/load_machine.h"
#include "tests/support/temporary_folder.h"
#include "tests/topology/machines.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(resolved_config_test)

namespace {

std::string resolved_of(const std::string& path, const std::vector<Override>& overrides = {}) {
  ComponentRegistry registry;
  register_builtin_components(registry);
  return resolved_config(load_machine(path, overrides, registry), registry);
}

std::string shipped(const std::string& name) {
  return std::string(KERNBENCH_SOURCE_DIR) + "/configs/" + name;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_resolved_configuration_resolves_to_itself) {
  for (const std::string name :
       {"topology.yaml", "topology.tiny.yaml", "topology.six_sip.yaml", "topology.hw.yaml"}) {
    const std::string resolved = resolved_of(shipped(name));
    const TemporaryFolder dir;
    BOOST_TEST(resolved_of(dir.write("resolved.yaml", resolved)) == resolved, name);
  }
}

BOOST_AUTO_TEST_CASE(a_ual_end_point_is_resolved_with_its_links) {
  const std::string resolved =
      resolved_of(shipped("topology.yaml"),
                  {{"sip.io_chiplets.io0.components.ual_ep", "{impl: builtin.ual_ep}"},
                   {"sip.io_chiplets.io0.links.ual_ep_to_noc_bw_gbs", "192"},
                   {"system.links.io_ual_to_switch", "{bw_gbs: 128, distance_mm: 25}"}});
  const TemporaryFolder dir;
  BOOST_TEST(resolved_of(dir.write("resolved.yaml", resolved)) == resolved);
  for (const std::string part :
       {"io_ual_to_switch: {bw_gbs: 128, distance_mm: 25}\n", "ual_ep_to_noc_bw_gbs: 192\n",
        "ual_ep: {impl: builtin.ual_ep, attrs: {cut_through: false, flit_occupancy_ns: 0, "
        "latency_ns: 0, occupancy_ns: 0, overhead_ns: 0, servers: node}}\n"})
    BOOST_TEST(resolved.find(part) != std::string::npos, resolved);
}

// An alias is known to the components file of the run alone.
BOOST_AUTO_TEST_CASE(an_alias_is_written_as_its_implementation) {
  ComponentRegistry registry;
  register_builtin_components(registry);
  registry.add_alias("custom.router", "builtin.noc");
  const std::string resolved =
      resolved_config(load_machine(shipped("topology.tiny.yaml"),
                                   {{"cube.components.router.impl", "custom.router"}}, registry),
                      registry);
  BOOST_TEST(resolved.find("router: {impl: builtin.noc, ") != std::string::npos, resolved);
  const TemporaryFolder dir;
  BOOST_TEST(resolved_of(dir.write("resolved.yaml", resolved)) == resolved);
}

BOOST_AUTO_TEST_CASE(defaults_and_overrides_are_resolved) {
  const std::string resolved =
      resolved_of(shipped("topology.yaml"),
                  {{"cube.pe_template.components.pe_gemm.attrs.macs_per_cycle", "8192"},
                   {"system.ns_per_mm", "0.125"}});
  const auto has = [&](const std::string& part) {
    return resolved.find(part) != std::string::npos;
  };
  BOOST_TEST(has("ns_per_mm: 0.125\n"), resolved);
  BOOST_TEST(has("macs_per_cycle: 8192"), resolved);
  BOOST_TEST(has("num_pcs: 8"), resolved);  // not in the file: from hbm_channels_per_pe
}

BOOST_AUTO_TEST_SUITE_END()
