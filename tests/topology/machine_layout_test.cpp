// Layouts of all levels for viewers: nesting, names and geometry.
#include "platform/topology/machine_layout.h"

#include <boost/test/unit_test.hpp>
#include <map>
#include <set>

#include "platform/topology/diagram_files.h"
#include "platform/topology/diagram_layout.h"
#include "tests/topology/machines.h"

using namespace kernbench;
using namespace kernbench::test;
using Json = nlohmann::ordered_json;

BOOST_AUTO_TEST_SUITE(machine_layouts)

namespace {

// Visits every block of the nested map with the name of its scope, "" or "sip0." and so on.
template <class Visit>
void visit_blocks(const Json& machine, std::size_t level, const std::string& scope,
                  const Visit& visit) {
  const Json& layout = machine["layouts"][std::string(name_of(diagram_levels.at(level)))];
  for (const Json& block : layout["blocks"]) {
    if (block["reference"]) continue;
    if (block.contains("only")) {
      const std::string here = scope.substr(0, scope.empty() ? 0 : scope.size() - 1);
      if (std::find(block["only"].begin(), block["only"].end(), here) == block["only"].end())
        continue;
    }
    visit(block, scope);
    if (!block["child"].is_null())
      visit_blocks(machine, level + 1, scope + block["child"].get<std::string>() + ".", visit);
  }
}

void check_nodes(const Graph& graph) {
  std::map<std::string, int> found;
  visit_blocks(machine_layout(graph), 0, "", [&](const Json& block, const std::string& scope) {
    for (const Json& name : block["nodes"]) ++found[scope + name.get<std::string>()];
  });
  for (const Node& node : graph.nodes()) BOOST_TEST(found[node.name] == 1, node.name);
  BOOST_TEST(found.size() == graph.nodes().size());
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_node_is_in_one_block_of_the_deepest_level_that_shows_it) {
  for (const char* file : {"topology.yaml", "topology.tiny.yaml", "topology.six_sip.yaml"})
    check_nodes(shipped_graph(file, {}, registry()));
}

BOOST_AUTO_TEST_CASE(layouts_are_those_of_the_diagrams) {
  const Graph machine = graph();
  const Json json = machine_layout(machine);
  for (const DiagramLevel level : diagram_levels) {
    const Diagram diagram = make_diagram(machine, level);
    const Json& layout = json["layouts"][std::string(name_of(level))];
    BOOST_TEST(layout["blocks"].size() == diagram.blocks.size());
    BOOST_TEST(layout["links"].size() == diagram.links.size());
    const DiagramPicture picture = diagram_picture(machine, diagram);
    BOOST_TEST(picture.svg == diagram_svg(machine, diagram));
    for (std::size_t i = 0; i < diagram.blocks.size(); ++i) {
      BOOST_TEST(layout["blocks"][i]["id"] == diagram.blocks[i].id);
      BOOST_TEST(std::abs(layout["blocks"][i]["x"].get<double>() - picture.layout.blocks[i].x) <
                 0.01);
      BOOST_TEST(layout["blocks"][i]["w"].get<double>() > 0);
    }
    for (const Json& link : layout["links"]) BOOST_TEST(link["points"].size() >= 2u);
  }
}

BOOST_AUTO_TEST_CASE(links_of_every_instance_have_the_names_of_edges) {
  const Graph machine = graph();
  const Json json = machine_layout(machine);
  const std::map<std::string, std::string> scopes{
      {"system", ""}, {"sip", "sip1."}, {"cube", "sip1.cube5."}, {"pe", "sip1.cube5.pe2."}};
  for (const auto& [level, scope] : scopes) {
    for (const Json& link : json["layouts"][level]["links"]) {
      for (const char* direction : {"forward", "backward"}) {
        for (const Json& ends : link[direction]) {
          const auto resolved = [&, prefix = scope](const Json& name) {
            const auto text = name.get<std::string>();
            return machine.find(text) ? machine.at(text) : machine.at(prefix + text);
          };
          BOOST_TEST(machine.find_edge(resolved(ends[0]), resolved(ends[1])) != nullptr);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(cubes_fill_their_sip_and_modules_are_in_the_cube_that_has_them) {
  const Json json = machine_layout(graph());
  const Json& area = json["layouts"]["sip"]["area"];
  for (const Json& block : json["layouts"]["sip"]["blocks"]) {
    const bool inside = block["x"] >= area["x"] && block["y"] >= area["y"] &&
                        block["y"].get<double>() + block["h"].get<double>() <=
                            area["y"].get<double>() + area["h"].get<double>() + 0.1;
    BOOST_TEST(inside != block["reference"].get<bool>());
  }
}

BOOST_AUTO_TEST_SUITE_END()
