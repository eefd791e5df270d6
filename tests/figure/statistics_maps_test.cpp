// Heat maps of the statistics of a run (spec 10.7).
#include "platform/figure/statistics_maps.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "models/base/errors.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(statistics_maps_test)

namespace {

std::string link(const std::string& from, const std::string& to, const std::string& kind,
                 double utilisation, double bytes = 64) {
  return R"({"src": ")" + from + R"(", "dst": ")" + to + R"(", "kind": ")" + kind +
         R"(", "utilisation": )" + std::to_string(utilisation) + R"(, "bytes": )" +
         std::to_string(bytes) + "}";
}

// Two routers of two cubes, of which the second is busier; cubes in a square; channels 0 and 10 of
// a partition.
std::string statistics() {
  std::string text = R"({"links": [)";
  text += link("sip0.cube0.r0c0", "sip0.cube0.r0c1", "router_mesh", 0.25);
  text += ", " + link("sip0.cube10.r0c0", "sip0.cube10.r0c1", "router_mesh", 0.5, 128);
  text += ", " + link("sip0.cube10.r0c1", "sip0.cube10.r0c0", "router_mesh", 0.75);
  text += ", " + link("sip0.cube10.r0c1", "sip0.cube10.r1c1", "router_mesh", 0);
  text += ", " + link("sip0.cube0.ucie-E", "sip0.cube1.ucie-W", "ucie_mesh", 0.125);
  text += ", " + link("sip0.cube2.ucie-N", "sip0.cube0.ucie-S", "ucie_mesh", 0.5);
  text += ", " + link("sip0.cube0.ucie-S", "sip0.cube2.ucie-N", "ucie_mesh", 0.25);
  text += R"(], "hbm_channels": [)";
  text += R"({"name": "sip0.cube10.hbm_ctrl.pe0", "channel": 10, "utilisation": 0.5}, )";
  text += R"({"name": "sip0.cube2.hbm_ctrl.pe0", "channel": 2, "utilisation": 0.25}]})";
  return text;
}

std::vector<StatisticsMap> maps_of(const std::string& text, const std::string& scope = "") {
  const TemporaryFile file("stats.json", text);
  return statistics_maps(file.path(), scope);
}

}  // namespace

BOOST_AUTO_TEST_CASE(channels_have_a_row_per_cube_in_the_order_of_numbers) {
  const Figure figure = maps_of(statistics()).at(0).figure;
  BOOST_TEST(figure.y.categories[0] == "sip0.cube2");
  BOOST_TEST(figure.y.categories[1] == "sip0.cube10");
  BOOST_TEST(figure.x.categories[0] == "pe0.2");
  BOOST_TEST(figure.x.categories[1] == "pe0.10");
  BOOST_TEST(figure.cells[0][0] == 0.25);
  BOOST_TEST(figure.cells[1][0] == 0);  // idle
}

BOOST_AUTO_TEST_CASE(links_are_between_their_nodes_in_the_busier_direction) {
  const auto maps = maps_of(statistics());
  BOOST_TEST_REQUIRE(maps.size() == 3U);
  BOOST_TEST(maps[1].name == "links-sip0.cube10");
  // Routers at the even places of 3 x 3; the link from r0c1 to r1c1 is at row 1, column 2.
  const auto& cells = maps[1].figure.cells;
  BOOST_TEST_REQUIRE(cells.size() == 3U);
  BOOST_TEST(cells[0][1] == 0.75);
  BOOST_TEST(cells[1][2] == 0);
  BOOST_TEST(std::isnan(cells[0][0]));
  BOOST_TEST(std::isnan(cells[2][1]));
}

BOOST_AUTO_TEST_CASE(cubes_are_placed_by_the_directions_of_their_links) {
  const auto maps = maps_of(statistics());
  BOOST_TEST(maps[2].name == "links-sip0");
  const auto& cells = maps[2].figure.cells;  // cube 1 to the east of cube 0, cube 2 to the south
  BOOST_TEST(cells[0][1] == 0.125);
  BOOST_TEST(cells[1][0] == 0.5);
}

BOOST_AUTO_TEST_CASE(a_scope_selects_a_cube_or_sip) {
  const auto cube = maps_of(statistics(), "sip0.cube0");
  BOOST_TEST_REQUIRE(cube.size() == 1U);  // without an access of its HBM
  BOOST_TEST(cube[0].name == "links-sip0.cube0");
  BOOST_TEST(maps_of(statistics(), "sip0").at(1).name == "links-sip0");
}

BOOST_AUTO_TEST_CASE(what_has_no_map_is_refused) {
  const auto refusal = [](const std::string& text, const std::string& scope = "") {
    return error_of<UsageError>([&] { maps_of(text, scope); });
  };
  check_contains(refusal("{"), {"stats.json", "--stats"});
  check_contains(refusal(R"({"links": [], "hbm_channels": []})"), {"in use"});
  check_contains(refusal(R"({"links": [{}], "hbm_channels": []})"), {"without its numbers"});
  check_contains(refusal(statistics(), "sip9"), {"--scope 'sip9'", "like sip0.cube"});
  BOOST_TEST(
      contains(error_of<UsageError>([] { statistics_maps("/none.json", ""); }), "cannot be read"));
}

BOOST_AUTO_TEST_SUITE_END()
