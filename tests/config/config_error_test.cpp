// What is wrong in a topology file is found, named and placed (spec 1.3, style: configuration
// errors).
#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "platform/config/machine_keys.h"
#include "tests/config/broken_file.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_FIXTURE_TEST_SUITE(config_errors, BrokenFile)

BOOST_AUTO_TEST_SUITE(config_error_test)

BOOST_AUTO_TEST_CASE(the_shipped_file_has_none) { BOOST_TEST(issues().empty()); }

BOOST_AUTO_TEST_CASE(an_unknown_key_names_file_line_column_path_and_nearest_key) {
  change("  ns_per_mm: 0.1 ", "  ns_per_mn: 0.1\n  ns_per_mm: 0.1 ");
  const ConfigIssue issue = only_issue();
  BOOST_TEST(issue.file == dir.file("machine.yaml"));
  BOOST_TEST(issue.line == line_of("ns_per_mn"));
  BOOST_TEST(issue.column == 3);
  BOOST_TEST(issue.key == "system.ns_per_mn");
  BOOST_TEST(issue.message ==
             "unknown key; did you mean 'ns_per_mm'?; known here: ns_per_mm, flit_bytes, "
             "channel_classes, cyclic_buffers, sips, switch, links, tlm_initiators, tlm_targets");
}

// No key is accepted that does nothing: views are not drawn, and a PE_DMA has one read and one
// write channel.
BOOST_AUTO_TEST_CASE(keys_that_would_do_nothing_are_unknown) {
  BOOST_TEST(after("visualization.emit_views", "[system]").find("visualization: unknown key") ==
             0U);
  const std::string dma = "cube.pe_template.components.pe_dma.attrs.rd_engines";
  BOOST_TEST(after(dma, "1").find(dma + ": unknown attribute of builtin.pe_dma") == 0U);
}

BOOST_AUTO_TEST_CASE(a_missing_key_is_reported_at_its_section) {
  change("  flit_bytes: 256", "  #");
  const ConfigIssue issue = only_issue();
  BOOST_TEST(issue.key == "system.flit_bytes");
  BOOST_TEST(issue.line == line_of("ns_per_mm"));  // where the section's content begins
  BOOST_TEST(issue.message == "the key is missing; allowed is an integer, 1 to 65536 (B)");
}

BOOST_AUTO_TEST_CASE(a_missing_section_is_one_error) {
  change("  cube_mesh: {w: 4, h: 4} ", "  # ");
  expect("sip.cube_mesh", "the key is missing; allowed is a section");
}

BOOST_AUTO_TEST_CASE(a_value_of_the_wrong_type_is_shown) {
  BOOST_TEST(found_in("sip.cube_mesh.w", "four") == "'four', allowed is an integer, 1 to 16");
  BOOST_TEST(found_in("sip.cube_mesh.w", "'4'") == "the text '4', allowed is an integer, 1 to 16");
  BOOST_TEST(found_in("sip.cube_mesh.w", "[4]") == "a list, allowed is an integer, 1 to 16");
  BOOST_TEST(found_in("sip.cube_mesh.w", "") == "nothing, allowed is an integer, 1 to 16");
  BOOST_TEST(found_in("sip.cube_mesh.w", "2.5") == "2.5, allowed is an integer, 1 to 16");
  BOOST_TEST(after("sip.cube_mesh", "4").find("sip.cube_mesh: found '4', allowed is a section") ==
             0U);
  BOOST_TEST(
      after("sip.io_chiplets", "{}").find("sip.io_chiplets: found a section, allowed is a list") ==
      0U);
  BOOST_TEST(found_in("cube.placement.m_cpu.pos_mm", "[1.5]") ==
             "a list of 1, allowed are 2 elements");
}

BOOST_AUTO_TEST_CASE(a_value_out_of_range_is_shown_with_the_range) {
  BOOST_TEST(found_in("sip.cube_mesh.h", "17") == "17, allowed is an integer, 1 to 16");
  BOOST_TEST(found_in("cube.ucie.n_connections", "0") == "0, allowed is an integer, 1 to 8");
  BOOST_TEST(found_in("cube.pe_layout.pitch_mm", "0") ==
             "0, allowed is a number, above 0, 0 to 1000 (mm)");
  BOOST_TEST(found_in("system.ns_per_mm", "-0.1") ==
             "-0.1, allowed is a number, 0 to 1000 (ns/mm)");
}

BOOST_AUTO_TEST_CASE(a_wrong_choice_suggests_the_nearest) {
  BOOST_TEST(
      found_in("system.sips.topology", "ring_2d") ==
      "'ring_2d', allowed is one of ring_1d, torus_2d, mesh_2d_no_wrap; did you mean 'ring_1d'?");
  BOOST_TEST(found_in("cube.ucie.lane_select", "nearest") ==
             "'nearest', allowed is one of spread, first");
}

BOOST_AUTO_TEST_CASE(an_unknown_implementation_suggests_the_nearest) {
  BOOST_TEST(
      found_in("cube.components.router.impl", "builtin.forwardin") ==
      "'builtin.forwardin', which is not known; allowed are those with the role router: "
      "builtin.forwarding, builtin.noc, builtin.switch, builtin.ucie, builtin.vc_router; did "
      "you mean 'builtin.forwarding'?");
}

BOOST_AUTO_TEST_CASE(attributes_are_checked_against_the_implementation) {
  const std::string hbm = "cube.components.hbm_ctrl.attrs.";
  BOOST_TEST(after(hbm + "num_pc", "8") ==
             hbm +
                 "num_pc: unknown attribute of builtin.hbm_ctrl; did you mean 'num_pcs'?; it knows "
                 "overhead_ns, num_pcs, "
                 "burst_bytes, switch_penalty_ns, efficiency");
  BOOST_TEST(found_in(hbm + "num_pcs", "6") == "6, allowed is an integer, a power of two");
  BOOST_TEST(found_in(hbm + "burst_bytes", "abc") ==
             "'abc', allowed is an integer, a power of two");
  BOOST_TEST(found_in(hbm + "link_bw_gbs", "256") ==
             "'256', but this is a fact of the machine that the topology fills in; leave it out");
  BOOST_TEST(found_in("cube.components.router.attrs", "[]") == "a list, allowed is a section");
  BOOST_TEST(
      after("cube.components.router.atrs", "{}") ==
      "cube.components.router.atrs: unknown key; did you mean 'attrs'?; known here: impl, attrs");
  BOOST_TEST(
      after("cube.components.sram.attrs", "{}") ==
      "cube.components.sram.attrs.size_mb: the key is missing; allowed is an integer, at least 0");
}

BOOST_AUTO_TEST_CASE(channels_that_do_not_multiply_up_are_contradictory) {
  BOOST_TEST(found_in("cube.memory_map.hbm_pseudo_channels", "60") ==
             "60, allowed is hbm_channels_per_pe x hbm_slices_per_cube = 8 x 8 = 64");
  BOOST_TEST(found_in("cube.links.hbm_to_router_bw_gbs", "255.9") ==
             "255.9 GB/s, allowed is hbm_channels_per_pe x hbm_channel_bw_gbs = 8 x 32 = 256");
  // Three times 0.1 is exactly 0.3 here, unlike in binary floating point.
  BOOST_TEST(issues({{"cube.memory_map.hbm_channel_bw_gbs", "0.1"},
                     {"cube.links.hbm_to_router_bw_gbs", "0.8"}})
                 .empty());
}

BOOST_AUTO_TEST_CASE(partitions_must_match_the_pes) {
  const std::vector<ConfigIssue> found = issues({{"cube.pe_layout.pe_per_corner", "1"}});
  BOOST_REQUIRE(found.size() == 1U);
  BOOST_TEST(found[0].message == "found 8, allowed is one per PE: corners x pe_per_corner = 4");
}

BOOST_AUTO_TEST_CASE(the_number_of_pseudo_channels_must_suit_the_controller) {
  // 6 channels per PE agree with 48 in all and 192 GB/s, but num_pcs takes its default from them.
  const std::vector<ConfigIssue> found = issues({{"cube.memory_map.hbm_channels_per_pe", "6"},
                                                 {"cube.memory_map.hbm_pseudo_channels", "48"},
                                                 {"cube.links.hbm_to_router_bw_gbs", "192"}});
  BOOST_REQUIRE(found.size() == 1U);
  BOOST_TEST(found[0].key == "cube.memory_map.hbm_channels_per_pe");
  BOOST_TEST(found[0].message ==
             "found 6, allowed is an integer, a power of two (it becomes 'num_pcs' of "
             "cube.components.hbm_ctrl)");
}

BOOST_AUTO_TEST_CASE(one_to_one_asks_for_an_hbm_with_as_many_pseudo_channels_as_links) {
  const Override mode{"cube.memory_map.hbm_mapping_mode", "one_to_one"};
  std::vector<ConfigIssue> found = issues({mode, {"cube.components.hbm_ctrl.attrs.num_pcs", "16"}});
  BOOST_REQUIRE(found.size() == 1U);
  BOOST_TEST(found[0].key == "cube.components.hbm_ctrl.attrs.num_pcs");
  BOOST_TEST(found[0].message ==
             "found 16, allowed with hbm_mapping_mode one_to_one is hbm_channels_per_pe = 8");
  found = issues(
      {mode,
       {"cube.components.hbm_ctrl", "{impl: builtin.tlm_target_bridge, attrs: {size_mb: 6144}}"}});
  BOOST_REQUIRE(found.size() == 1U);
  BOOST_TEST(found[0].key == "cube.components.hbm_ctrl.impl");
  BOOST_TEST(found[0].message ==
             "found builtin.tlm_target_bridge, which has no pseudo-channels; allowed with "
             "hbm_mapping_mode one_to_one is an "
             "implementation with num_pcs and burst_bytes");
}

BOOST_AUTO_TEST_CASE(sip_grid_must_hold_the_sips) {
  const auto issue = [&](std::vector<Override> overrides) {
    const auto found = issues(overrides);
    return found.size() == 1 ? found[0].message : std::to_string(found.size()) + " issues";
  };
  BOOST_TEST(issue({{"system.sips.w", "3"}, {"system.sips.h", "2"}}) ==
             "found w x h = 3 x 2, allowed is w * h = count = 2");
  BOOST_TEST(issue({{"system.sips.topology", "torus_2d"}, {"system.sips.count", "6"}}) ==
             "found 6, which is no square; a torus_2d of it needs w and h");
  BOOST_TEST(issue({{"system.sips.topology", "torus_2d"}, {"system.sips.count", "9"}}) ==
             "0 issues");
}

BOOST_AUTO_TEST_CASE(cube_ports_must_exist_be_on_the_rim_and_have_one_peer) {
  const std::string port = "sip.io_chiplets.io0.cube_ports.3.";
  BOOST_TEST(after(port + "cube.xy", "[4, 0]") ==
             "sip.io_chiplets.0.cube_ports.3.cube.xy: found cube [4, 0], which does not exist; the "
             "mesh is 4 x 4");
  BOOST_TEST(after(port + "cube.xy", "[3, 1]") ==
             "sip.io_chiplets.0.cube_ports.3.cube_side: found side N of cube [3, 1], which is "
             "joined to the neighbouring cube; "
             "allowed are ports on the rim of the mesh");
  BOOST_TEST(after(port + "cube.xy", "[2, 0]") ==
             "sip.io_chiplets.0.cube_ports.3.cube_side: found side N of cube [2, 0] a second time; "
             "a UCIe port has one peer");
  BOOST_TEST(
      after(port + "phy", "P0") ==
      "sip.io_chiplets.0.cube_ports.3.phy: found 'P0' a second time; PHYs of a chiplet are unique");
  BOOST_TEST(after(port + "phy", "P.0") ==
             "sip.io_chiplets.0.cube_ports.3.phy: found 'P.0', allowed is a name of at most 64 "
             "letters, digits, '_' and '-'");
}

// Spec 3.1: io{die - 16} in names, the die number in addresses; the host uses io0.
BOOST_AUTO_TEST_CASE(io_chiplets_are_numbered_in_the_order_of_the_list) {
  BOOST_TEST(found_in("sip.io_chiplets.0.id", "io1") ==
             "'io1', allowed is io0: chiplets are io0, io1, ... in the order of the list");
  BOOST_TEST(after("sip.io_chiplets.0.id", "cube7")
                 .find("sip.io_chiplets.0.id: found 'cube7', allowed is io0") == 0U);
  BOOST_TEST(found_in("sip.io_chiplets", "[]") == "a list of 0, allowed are 1 to 5 elements");
}

BOOST_AUTO_TEST_CASE(io_chiplets_have_room_at_their_side_and_ports_of_their_own) {
  const std::size_t begin = text.find("    - id: io0");
  const std::string chiplet = text.substr(begin, text.find("cube:\n", text.find("P3")) - begin);
  text.insert(begin,
              chiplet + chiplet);  // three alike: wrong ids twice, side N thrice, eight ports twice
  const std::vector<ConfigIssue> found = issues();
  const auto count = [&](const std::string& part) {
    return std::count_if(found.begin(), found.end(), [&](const ConfigIssue& issue) {
      return issue.message.find(part) != std::string::npos;
    });
  };
  BOOST_TEST(count("found 'io0', allowed is io1") == 1);
  BOOST_TEST(count("found 'io0', allowed is io2") == 1);
  BOOST_TEST(count("found a third IO chiplet on side N; allowed are two per side") == 1);
  BOOST_TEST(count("a UCIe port has one peer") == 8);
  BOOST_TEST(found.size() == 11U);
}

BOOST_AUTO_TEST_CASE(geometry_must_hold_what_stands_in_it) {
  BOOST_TEST(after("cube.geometry.cube_mm.h", "8.9")
                 .find("cube.geometry.cube_mm.h: found 8.9, but the HBM rows and 2 PE row(s) per "
                       "half need at least 9 mm") == 0U);
  BOOST_TEST(after("cube.geometry.cube_mm.w", "3.9")
                 .find("cube.geometry.cube_mm.w: found 3.9, but 2 PEs per corner at a pitch of 2.5 "
                       "mm reach 4 mm") == 0U);
  BOOST_TEST(found_in("cube.placement.m_cpu.pos_mm", "[17.1, 5]") ==
             "[17.1, 5], which is outside the cube of 17 x 14 mm");
  BOOST_TEST(after("cube.pe_layout.corners", "[NW, NE, SW, SW]") ==
             "cube.pe_layout.corners.3: found SW a second time; corners are unique");
}

BOOST_AUTO_TEST_CASE(all_errors_are_reported_together_in_order_of_lines) {
  change("ns_per_mm: 0.1", "ns_per_mm: fast");
  change("count: 2", "count: 0");
  change("builtin.switch", "builtin.swich");
  change("pitch_mm: 2.5", "pich_mm: 2.5");
  change("hbm_pseudo_channels: 64", "hbm_pseudo_channels: 65");
  change("    links: {}  ", "    links: {pe_dma_to_pe_tmc: {}}  ");
  const std::vector<ConfigIssue> found = issues();
  std::string keys;
  for (const ConfigIssue& issue : found) keys += issue.key + "\n";
  BOOST_TEST(keys ==
             "system.ns_per_mm\nsystem.sips.count\nsystem.switch.impl\ncube.pe_layout.pitch_"
             "mm\ncube.pe_layout.pich_mm\n"
             "cube.memory_map.hbm_pseudo_channels\ncube.pe_template.links.pe_dma_to_pe_tmc\n");
}

BOOST_AUTO_TEST_CASE(the_message_is_one_line_per_error_with_its_place) {
  change("count: 2", "count: 99");
  try {
    load_machine(dir.write("machine.yaml", text), {}, registry());
    BOOST_FAIL("accepted");
  } catch (const ConfigError& error) {
    BOOST_TEST(error.what() ==
               dir.file("machine.yaml") + ":" + std::to_string(line_of("count: 99")) +
                   ":17: system.sips.count: found 99, allowed is an integer, 1 to 16");
  }
}

BOOST_AUTO_TEST_CASE(text_that_is_not_yaml_is_an_error_with_its_place) {
  text = "system: {ns_per_mm: 0.1\nsip: [\n";
  const ConfigIssue issue = only_issue();
  BOOST_TEST(issue.line > 0);
  BOOST_TEST(issue.message.find("not valid YAML: ") == 0U);
  text = "- a list\n";
  BOOST_TEST(only_issue().message == "found a list, expected keys with values");
  text = "";
  BOOST_TEST(only_issue().message == "found nothing, expected keys with values");
}

BOOST_AUTO_TEST_CASE(a_key_given_twice_is_an_error) {
  change("  flit_bytes: 256", "  flit_bytes: 128\n  flit_bytes: 256");
  expect("system.flit_bytes", "the key is given twice in the same section");
}

BOOST_AUTO_TEST_CASE(a_file_that_does_not_exist_is_an_error) {
  try {
    load_machine(dir.file("absent.yaml"), {{"system.sips.count", "1"}}, registry());
    BOOST_FAIL("accepted");
  } catch (const ConfigError& error) {
    BOOST_REQUIRE(error.issues().size() == 1U);
    BOOST_TEST(error.issues()[0].message ==
               "the file '" + dir.file("absent.yaml") + "' cannot be read");
  }
}

// Every key of the declared schema says what it is.
BOOST_AUTO_TEST_CASE(the_schema_describes_every_key) {
  const ConfigSchema schema = machine_schema();
  BOOST_TEST(schema.keys().size() > 100U);
  for (const ConfigKey& key : schema.keys()) BOOST_TEST(!key.description.empty(), key.path);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
