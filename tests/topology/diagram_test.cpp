// Diagrams (spec 11.4): what each view shows, its text in every format, utilisation as colours.
#include "platform/topology/diagram.h"

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "models/base/errors.h"
#include "platform/topology/diagram_files.h"
#include "tests/support/error_text.h"
#include "tests/topology/machines.h"
#include "tests/topology/svg_file.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(diagrams)

namespace {

constexpr std::array formats{DiagramFormat::svg, DiagramFormat::mermaid, DiagramFormat::dot};

Graph shipped(const std::string& file) { return shipped_graph(file, {}, registry()); }

const Graph& default_machine() {
  static const Graph machine = graph();
  return machine;
}

double distance_ns(const Diagram& diagram, const std::string& id) {
  return to_ns(diagram.find(id)->distance.value());
}

std::size_t count(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  return static_cast<std::size_t>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), expression), {}));
}

std::string statistics(double mesh, double hbm_channel) {
  nlohmann::json json;
  json["links"] = nlohmann::json::array();
  const auto server = [&json](const char* name, const char* kind, double utilisation) {
    json["servers"].push_back({{"name", name}, {"kind", kind}, {"utilisation", utilisation}});
  };
  const auto link = [&json](const char* src, const char* dst, double utilisation) {
    json["servers"].push_back({{"src", src}, {"dst", dst}, {"utilisation", utilisation}});
  };
  link("sip0.cube0.r0c0", "sip0.cube0.r0c1", mesh);
  link("sip1.cube2.r0c0", "sip1.cube2.r0c1", 0.25);
  server("sip0.cube0.hbm_ctrl.pe3", "rate", hbm_channel);
  server("sip0.cube0.hbm_ctrl.pe3", "rate", 0);
  server("sip0.cube1.ucie-N", "rate", 0.4);
  server("sip0.cube0.pe0.pe_gemm", "rate", 0.2);
  server("sip0.cube0.pe0.pe_dma", "slot", 0.9);
  return json.dump();
}

}  // namespace

BOOST_AUTO_TEST_CASE(system_view_has_the_switch_and_sips_with_their_io_chiplets) {
  const Diagram view = make_diagram(default_machine(), DiagramLevel::system);
  std::vector<std::string> ids;
  for (const DiagramBlock& block : view.blocks) ids.push_back(block.id);
  BOOST_TEST(ids == (std::vector<std::string>{"sip0", "sip0.io0", "sip1", "sip1.io0", "switch0"}),
             boost::test_tools::per_element());
  BOOST_TEST(view.links.size() == 4U);  // chiplet to cubes and to the switch, of each SIP
  // 50 mm at 0.1 ns/mm to the switch, 5 ns in it, 50 mm, 5 ns of the pcie_ep.
  BOOST_TEST(distance_ns(view, "sip1.io0") == 20);
}

BOOST_AUTO_TEST_CASE(sip_view_has_cubes_in_the_order_of_their_numbers) {
  const Diagram view = make_diagram(default_machine(), DiagramLevel::sip);
  BOOST_TEST(view.blocks.size() == 16 + 1 + 1U);
  BOOST_TEST(view.blocks[2].id == "cube2");
  BOOST_TEST(view.blocks[10].id == "cube10");
  // 4 rows of 3 seams, 3 of 4; 4 PHYs; the switch.
  BOOST_TEST(view.links.size() == 12 + 12 + 4 + 1U);
  // io_noc and conn take no time; io_ucie 8 ns, 2 mm, the cube's port 8 ns.
  BOOST_TEST(distance_ns(view, "cube0") == 8 + 0.2 + 8);
}

BOOST_AUTO_TEST_CASE(cube_view_has_routers_and_what_hangs_at_them) {
  const Diagram view = make_diagram(default_machine(), DiagramLevel::cube);
  BOOST_TEST(view.blocks.size() == 32 + 8 + 8 + 4 + 2U);  // routers, PEs, HBM, UCIe, M_CPU, SRAM
  // Of a 6 x 6 mesh 60 links, 12 of them end in the HBM zone; 8 PEs, 8 HBM, M_CPU, SRAM; 16 UCIe.
  BOOST_TEST(view.links.size() == 60 - 12 + 18 + 16U);
  BOOST_TEST(view.blocks[view.anchor].id == "pe0");
  BOOST_TEST(distance_ns(view, "r0c0") == 2);
  BOOST_TEST(distance_ns(view, "r0c1") == 2 + 0.25 + 2);  // 2.5 mm
  BOOST_TEST(distance_ns(view, "ucie-N") == 2 + 8);
  // Not by the shorter way through the western UCIe port (8 ns).
  BOOST_TEST(distance_ns(view, "r5c0") == 6 * 2 + 1.1);  // 11 mm, six routers
  BOOST_TEST(distance_ns(view, "m_cpu") == 3 * 2 + 0.4 + 5);
}

BOOST_AUTO_TEST_CASE(pe_view_has_nine_engines_and_two_ports) {
  const Diagram view = make_diagram(default_machine(), DiagramLevel::pe);
  BOOST_TEST(view.blocks.size() == 9 + 2U);
  BOOST_TEST(view.links.size() == 16 + 3 + 1U);  // between engines, to the router, to the HBM
  BOOST_TEST(view.find("router") != nullptr);
  BOOST_TEST(view.blocks[view.anchor].id == "pe_cpu");
  // Of every PE of the machine.
  BOOST_TEST(view.find("pe_gemm")->nodes.size() == 2 * 16 * 8U);
}

BOOST_AUTO_TEST_CASE(an_instance_has_its_own_nodes_alone) {
  const Graph& machine = default_machine();
  const DiagramScope scope = parse_diagram_scope(machine, "sip1.cube3.pe2");
  BOOST_TEST(make_diagram(machine, DiagramLevel::pe, scope).find("pe_gemm")->nodes.size() == 1U);
  const Diagram cube = make_diagram(machine, DiagramLevel::cube, scope);
  BOOST_REQUIRE(cube.find("r0c0")->nodes.size() == 1U);
  BOOST_TEST(machine.node(cube.find("r0c0")->nodes[0]).name == "sip1.cube3.r0c0");
  BOOST_TEST(cube.title.find("sip1.cube3") != std::string::npos);
  BOOST_CHECK_EXCEPTION(parse_diagram_scope(machine, "sip0.cube16"), UsageError,
                        with_text<UsageError>("did you mean 'sip0.cube1'?"));
}

BOOST_AUTO_TEST_CASE(every_format_shows_every_block_and_link_once) {
  for (const char* file : {"topology.yaml", "topology.tiny.yaml", "topology.six_sip.yaml"}) {
    const Graph machine = shipped(file);
    for (const DiagramLevel level : diagram_levels) {
      const Diagram view = make_diagram(machine, level);
      BOOST_TEST_CONTEXT(file << " " << name_of(level)) {
        const SvgFile svg(diagram_text(machine, view, DiagramFormat::svg));
        BOOST_TEST(svg.block_ids.size() == view.blocks.size());
        BOOST_TEST(std::set<std::string>(svg.block_ids.begin(), svg.block_ids.end()).size() ==
                   view.blocks.size());
        BOOST_TEST(svg.link_ends.size() == view.links.size());
        const std::string mermaid = diagram_text(machine, view, DiagramFormat::mermaid);
        BOOST_TEST(count(mermaid, "\n    n_\\w+\\[") == view.blocks.size());
        BOOST_TEST(count(mermaid, "\n  n_\\w+ (---|-\\.-)") == view.links.size());
        const std::string dot = diagram_text(machine, view, DiagramFormat::dot);
        BOOST_TEST(count(dot, "\n    n_\\w+ \\[") == view.blocks.size());
        BOOST_TEST(count(dot, "\n  n_\\w+ -- ") == view.links.size());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(nothing_overlaps) {
  for (const char* file : {"topology.yaml", "topology.tiny.yaml", "topology.six_sip.yaml"}) {
    const Graph machine = shipped(file);
    const Utilisation heat = Utilisation::parse(R"({"links": []})", "F", machine);
    for (const Utilisation* with : {static_cast<const Utilisation*>(nullptr), &heat}) {
      for (const DiagramLevel level : diagram_levels) {
        const Diagram view = make_diagram(machine, level);
        const SvgFile svg(diagram_text(machine, view, DiagramFormat::svg, with));
        BOOST_TEST_CONTEXT(file << " " << name_of(level)) {
          BOOST_TEST(first_overlap(svg.blocks) == "");
          BOOST_TEST(first_overlap(svg.texts) == "");
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(svg_keeps_the_places_of_the_topology) {
  const Graph& machine = default_machine();
  const Diagram view = make_diagram(machine, DiagramLevel::cube);
  const SvgFile svg(diagram_text(machine, view, DiagramFormat::svg));
  const auto [x, y] = svg.middles.at("r0c0");
  BOOST_REQUIRE(svg.px_per_mm > 0);
  for (const Node& node : machine.nodes()) {
    if (node.kind != Role::router || node.at.sip != 0 || node.at.cube != 0) continue;
    const auto [px, py] = svg.middles.at(node.name.substr(node.name.rfind('.') + 1));
    BOOST_TEST((px - x) / svg.px_per_mm == node.x_mm.to_double() - 1.5,
               boost::test_tools::tolerance(1e-3));
    BOOST_TEST((py - y) / svg.px_per_mm == node.y_mm.to_double() - 1.5,
               boost::test_tools::tolerance(1e-3));
  }
  const Diagram sip = make_diagram(machine, DiagramLevel::sip);
  const SvgFile cubes(diagram_text(machine, sip, DiagramFormat::svg));
  const double apart = cubes.middles.at("cube5").first - cubes.middles.at("cube4").first;
  BOOST_TEST(apart / cubes.px_per_mm == 18,  // 17 mm and the seam
             boost::test_tools::tolerance(1e-3));
}

BOOST_AUTO_TEST_CASE(texts_are_the_same_every_time) {
  for (const DiagramLevel level : diagram_levels) {
    for (const DiagramFormat format : formats) {
      const Graph again = graph();
      BOOST_TEST((diagram_text(again, make_diagram(again, level), format) ==
                  diagram_text(default_machine(), make_diagram(default_machine(), level), format)));
    }
  }
}

BOOST_AUTO_TEST_CASE(many_distances_become_ranges_of_a_round_width) {
  const std::string dot = diagram_text(
      default_machine(), make_diagram(default_machine(), DiagramLevel::cube), DiagramFormat::dot);
  BOOST_TEST(count(dot, "layer_\\d+ \\[shape=plaintext") <= 12U);
  BOOST_TEST(dot.find("label=\"from 5 ns\"") != std::string::npos);
  const std::string few = diagram_text(
      default_machine(), make_diagram(default_machine(), DiagramLevel::pe), DiagramFormat::dot);
  BOOST_TEST(few.find("label=\"1 ns\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(heat_takes_the_highest_of_the_instances_and_names_it) {
  const Graph& machine = default_machine();
  const Utilisation heat = Utilisation::parse(statistics(0.5, 0.6), "F", machine);
  const Diagram view = make_diagram(machine, DiagramLevel::cube);
  const auto hottest = heat.hottest(view, 3);
  BOOST_REQUIRE(hottest.size() == 2U);
  BOOST_TEST(hottest[0].name == "sip0.cube0.r0c0 > sip0.cube0.r0c1");
  BOOST_TEST(hottest[0].utilisation == 0.5);
  BOOST_TEST(hottest[1].name == "sip1.cube2.r0c0 > sip1.cube2.r0c1");
  // Two channels, one of them busy for 60 %.
  BOOST_TEST(heat.of_nodes(view.find("hbm_ctrl.pe3")->nodes).value() == 0.3);
  BOOST_TEST(heat.of_nodes(view.find("ucie-N")->nodes).value() == 0.4);
  BOOST_TEST(heat.of_nodes(view.find("r0c0")->nodes).value() == 0.0);
  // Its channels are held while others work.
  BOOST_TEST(heat.of_nodes(view.find("pe0")->nodes).value() == 0.2);
  BOOST_TEST(!heat.of_nodes(view.find("m_cpu")->nodes));
  // They are the use of the engine itself; an engine without servers in use was idle.
  const Diagram engines = make_diagram(machine, DiagramLevel::pe);
  BOOST_TEST(heat.of_nodes(engines.find("pe_dma")->nodes).value() == 0.9);
  BOOST_TEST(heat.of_nodes(engines.find("pe_math")->nodes).value() == 0.0);
  BOOST_TEST(!heat.of_nodes(engines.find("pe_cpu")->nodes));
  BOOST_TEST(heat.highest() == 0.5);
  BOOST_TEST(heat.scale_of(view) == 0.5);
  const std::string svg = diagram_text(machine, view, DiagramFormat::svg, &heat);
  BOOST_TEST(svg.find("50 %  sip0.cube0.r0c0 &gt; sip0.cube0.r0c1") != std::string::npos);
  BOOST_TEST(svg.find("#2b0b57") != std::string::npos);  // the top of the scale

  const Diagram other =
      make_diagram(machine, DiagramLevel::cube, parse_diagram_scope(machine, "sip1.cube2"));
  BOOST_TEST(heat.hottest(other, 3).at(0).utilisation == 0.25);
}

BOOST_AUTO_TEST_CASE(statistics_of_another_machine_are_refused) {
  const Graph machine = shipped("topology.tiny.yaml");
  const auto message = [&](const std::string& text) {
    try {
      Utilisation::parse(text, "s.json", machine);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  BOOST_TEST(message("[1]").find("s.json: is not a JSON object; --heat accepts") == 0U);
  BOOST_TEST(message("{}").find("s.json: has no list 'links'") == 0U);
  BOOST_TEST(
      message(statistics(0.1, 1)).find("s.json: this machine has no node 'sip1.cube2.r0c0'") == 0U);
  BOOST_TEST(message(R"({"links": [{"src": "sip0.cube0.r0c0", "dst": "sip0.cube0.r5c5",
                          "utilisation": 0}]})")
                 .find("the link from sip0.cube0.r0c0 to sip0.cube0.r5c5 is not in this machine") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_file_that_would_not_change_is_left_alone) {
  const TemporaryFolder folder;
  const std::string path = folder.file("cube_view.svg");
  BOOST_TEST(write_if_changed(path, "one"));
  BOOST_TEST(!write_if_changed(path, "one"));
  BOOST_TEST(write_if_changed(path, "two"));
  BOOST_CHECK_THROW(write_if_changed(folder.file("none/f.svg"), "x"), UsageError);
}

BOOST_AUTO_TEST_SUITE_END()
