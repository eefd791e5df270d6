// `include:` and `--set` (spec 1.3).
#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "tests/topology/machines.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(include_and_set_test)

namespace {

std::vector<ConfigIssue> issues_of(const std::string& path,
                                   const std::vector<Override>& overrides = {}) {
  try {
    load_machine(path, overrides, registry());
  } catch (const ConfigError& error) {
    return error.issues();
  }
  return {};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(include)

BOOST_AUTO_TEST_CASE(sections_are_merged_key_by_key_and_lists_replaced) {
  const TemporaryFolder dir;
  const std::string path = dir.write(
      "machine.yaml",
      "include: " + default_topology +
          "\ncube:\n  ucie: {n_connections: 6}\n  pe_layout: {corners: [SE, SW, NE, NW]}\n");
  const MachineSpec spec = load_machine(path, {}, registry());
  BOOST_TEST(spec.cube.ucie_connections == 6);
  BOOST_TEST(spec.cube.ucie_per_connection_bw_gbs->str() ==
             "128");  // its neighbour in the section stays
  BOOST_TEST(spec.cube.pe_layout.corners.front() == "SE");
  BOOST_TEST(spec.cube.pe_layout.pe_per_corner == 2);
  BOOST_TEST(spec.source_path == path);
}

BOOST_AUTO_TEST_CASE(the_path_is_relative_to_the_file_that_includes) {
  const TemporaryFolder dir;
  std::filesystem::create_directory(dir.file("below"));
  dir.write("below/base.yaml", "include: " + default_topology + "\nsystem: {flit_bytes: 128}\n");
  const std::string path =
      dir.write("machine.yaml", "include: below/base.yaml\nsystem: {ns_per_mm: 0.2}\n");
  const MachineSpec spec = load_machine(path, {}, registry());
  BOOST_TEST(spec.system.flit_bytes == 128);
  BOOST_TEST(spec.system.ns_per_mm.str() == "0.2");
}

BOOST_AUTO_TEST_CASE(errors_name_the_file_that_holds_the_key) {
  const TemporaryFolder dir;
  const std::string base =
      dir.write("base.yaml", "include: " + default_topology + "\nsystem:\n  flit_bytes: none\n");
  const std::string path =
      dir.write("machine.yaml", "include: base.yaml\nsystem: {ns_per_mm: none}\n");
  const auto found = issues_of(path);
  BOOST_REQUIRE(found.size() == 2U);
  BOOST_TEST(found[0].file == base);
  BOOST_TEST(found[0].line == 3);
  BOOST_TEST(found[1].file == path);
  BOOST_TEST(found[1].line == 2);
}

// A contradiction is blamed on the value that was given last, also where the key is in the base
// already.
BOOST_AUTO_TEST_CASE(contradictions_name_the_file_that_holds_the_value) {
  const TemporaryFolder dir;
  const std::string path =
      dir.write("machine.yaml", "include: " + default_topology +
                                    "\ncube: {memory_map: {hbm_pseudo_channels: 60}}\n");
  const auto found = issues_of(path);
  BOOST_REQUIRE(found.size() == 1U);
  BOOST_TEST(found[0].file == path);
  BOOST_TEST(found[0].line == 2);
  BOOST_TEST(issues_of(default_topology, {{"cube.memory_map.hbm_pseudo_channels", "60"}})[0].file ==
             "--set cube.memory_map.hbm_pseudo_channels=60");
}

BOOST_AUTO_TEST_CASE(a_cycle_is_one_error) {
  const TemporaryFolder dir;
  dir.write("a.yaml", "include: b.yaml\nsystem: {}\n");
  const std::string b = dir.write("b.yaml", "include: ./a.yaml\n");
  const auto found = issues_of(dir.file("a.yaml"));
  BOOST_REQUIRE(found.size() == 1U);
  BOOST_TEST(found[0].file == b);
  BOOST_TEST(found[0].line == 1);
  BOOST_TEST(found[0].key == "include");
  BOOST_TEST(found[0].message.find("includes itself") != std::string::npos);
  BOOST_TEST(issues_of(dir.write("self.yaml", "include: self.yaml\n")).size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_base_that_cannot_be_read_is_one_error_at_the_include) {
  const TemporaryFolder dir;
  const auto found = issues_of(
      dir.write("machine.yaml", "# a comment\ninclude: absent.yaml\nsystem: {flit_bytes: 128}\n"));
  BOOST_REQUIRE(found.size() == 1U);
  BOOST_TEST(found[0].line == 2);
  BOOST_TEST(found[0].message.find("cannot be read") != std::string::npos);
  BOOST_TEST(issues_of(dir.write("machine.yaml", "include: [a, b]\n"))[0].message ==
             "found a list, allowed is the name of a file");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(set)

BOOST_AUTO_TEST_CASE(a_key_is_replaced_by_its_path) {
  const MachineSpec spec = machine({{"system.sips.count", "1"},
                                    {"cube.placement.sram.pos_mm", "[4, 8.5]"},
                                    {"cube.components.router.attrs.overhead_ns", "3.5"}});
  BOOST_TEST(spec.system.sips.count == 1);
  BOOST_TEST(spec.cube.sram_pos_mm.x.str() == "4");
  BOOST_TEST(spec.cube.router.attributes.decimal("overhead_ns").str() == "3.5");
}

BOOST_AUTO_TEST_CASE(the_last_one_of_a_key_counts) {
  BOOST_TEST(machine({{"system.sips.count", "1"}, {"system.sips.count", "3"}}).system.sips.count ==
             3);
}

BOOST_AUTO_TEST_CASE(a_list_is_indexed_by_number_or_by_id) {
  const MachineSpec spec = machine({{"sip.io_chiplets.io0.links.n_connections", "2"},
                                    {"sip.io_chiplets.0.cube_ports.1.distance_mm", "3.5"}});
  BOOST_TEST(spec.sip.io_chiplets[0].n_connections == 2);
  BOOST_TEST(spec.sip.io_chiplets[0].cube_ports[1].distance_mm.str() == "3.5");
}

BOOST_AUTO_TEST_CASE(a_key_that_the_file_leaves_out_can_be_given) {
  const MachineSpec spec = machine({{"cube.pe_template.links.pe_dma_to_pe_tcm.bw_gbs", "512"},
                                    {"cube.components.hbm_ctrl.attrs.num_pcs", "16"}});
  BOOST_TEST(spec.cube.pe_links.at("pe_dma_to_pe_tcm").bw_gbs->str() == "512");
  BOOST_TEST(spec.cube.hbm_ctrl.attributes.integer("num_pcs") ==
             16);  // what the user gives goes before hbm_channels_per_pe
}

BOOST_AUTO_TEST_CASE(errors_say_that_they_came_from_set) {
  const auto found = issues_of(default_topology, {{"cube.ucie.n_connections", "9"}});
  BOOST_REQUIRE(found.size() == 1U);
  BOOST_TEST(found[0].file == "--set cube.ucie.n_connections=9");
  BOOST_TEST(found[0].line == 0);
  BOOST_TEST(ConfigError(found).what() ==
             std::string("--set cube.ucie.n_connections=9: cube.ucie.n_connections: found 9, "
                         "allowed is an integer, 1 to 8"));
}

BOOST_AUTO_TEST_CASE(keys_and_elements_that_do_not_exist_are_errors) {
  const auto message = [](const std::string& key, const std::string& value) {
    const auto found = issues_of(default_topology, {{key, value}});
    return found.size() == 1 ? found[0].message : std::to_string(found.size()) + " issues";
  };
  BOOST_TEST(message("cube.uice.n_connections", "2").find("unknown key; did you mean 'ucie'?") ==
             0U);
  BOOST_TEST(message("sip.io_chiplets.io1.side", "N") ==
             "the list has no element 'io1'; it has 1 element(s), ids io0; did you mean 'io0'?");
  BOOST_TEST(message("sip.io_chiplets.1.side", "N") ==
             "the list has no element '1'; it has 1 element(s), ids io0");
  BOOST_TEST(message("system.ns_per_mm.x", "1") == "'x' is a key inside a single value, '0.1'");
  BOOST_TEST(message("system..x", "1") == "an empty step in the key");
  BOOST_TEST(message("system.flit_bytes", "[1").find("not valid YAML") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
