// The layout of a cube beyond the default one (spec 2.9).
#include "platform/topology/cube_mesh.h"

#include <boost/test/unit_test.hpp>

#include "tests/topology/machines.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(cube_mesh_test)

namespace {

const Override one_per_corner{"cube.pe_layout.pe_per_corner", "1"};
const std::vector<Override> four_pes{one_per_corner,
                                     {"cube.memory_map.hbm_slices_per_cube", "4"},
                                     {"cube.memory_map.hbm_pseudo_channels", "32"}};

CubeSpec cube(std::vector<Override> overrides = {}) { return machine(overrides).cube; }

CubeSpec cube_of_four(std::vector<Override> more = {}) {
  std::vector<Override> all = four_pes;
  all.insert(all.end(), more.begin(), more.end());
  return cube(all);
}

std::string text(const std::vector<Rational>& values) {
  std::string all;
  for (const Rational& value : values) all += (all.empty() ? "" : " ") + value.str();
  return all;
}

std::string text(const std::vector<MeshPoint>& points) {
  std::string all;
  for (const MeshPoint& at : points)
    all += (all.empty() ? "r" : " r") + std::to_string(at.row) + "c" + std::to_string(at.col);
  return all;
}

std::string text(MeshPoint at) { return text(std::vector<MeshPoint>{at}); }

}  // namespace

BOOST_AUTO_TEST_SUITE(cube_mesh)

BOOST_AUTO_TEST_CASE(default_cube_has_the_published_columns_and_rows) {
  const CubeMesh mesh = generate_mesh(cube());
  BOOST_TEST(text(mesh.col_x_mm) == "1.5 4 7 10 13 15.5");
  BOOST_TEST(text(mesh.row_y_mm) == "1.5 4 5.5 8.5 10 12.5");
  BOOST_TEST(mesh.routers() == 32);
  BOOST_TEST(!mesh.has_router({2, 2}));
  BOOST_TEST(!mesh.has_router({3, 3}));
  BOOST_TEST(mesh.has_router({2, 1}));
  BOOST_TEST(mesh.has_router({4, 2}));
}

// 1.5 to 15.5 is 14 mm: 5 pieces of 2.8 mm.
BOOST_AUTO_TEST_CASE(relay_columns_keep_gaps_within_three_millimetres) {
  const CubeMesh mesh = generate_mesh(cube_of_four());
  BOOST_TEST(text(mesh.col_x_mm) == "1.5 4.3 7.1 9.9 12.7 15.5");
  BOOST_TEST(text(mesh.pe) == "r0c0 r1c5 r4c0 r5c5");
}

// 1.5 to 12.5 in 4 pieces of 2.75; 1.5 to 8.5 is 7 mm in 3 pieces of 2.333...: rounded to a
// micrometre.
BOOST_AUTO_TEST_CASE(interpolated_coordinates_are_whole_micrometres) {
  BOOST_TEST(text(generate_mesh(cube_of_four({{"cube.geometry.cube_mm.w", "14"}})).col_x_mm) ==
             "1.5 4.25 7 9.75 12.5");
  BOOST_TEST(text(generate_mesh(cube_of_four({{"cube.geometry.cube_mm.w", "10"}})).col_x_mm) ==
             "1.5 3.833 6.167 8.5");
}

// 3 PE rows per half: 1.5, then evenly to 1.5 mm before the HBM row at 14/2 - 1.5 = 5.5.
BOOST_AUTO_TEST_CASE(six_connections_make_three_pe_rows_per_half) {
  const CubeMesh mesh = generate_mesh(cube({{"cube.ucie.n_connections", "6"}}));
  BOOST_TEST(text(mesh.row_y_mm) == "1.5 2.75 4 5.5 8.5 10 11.25 12.5");
  BOOST_TEST(text(mesh.pe) == "r0c0 r0c1 r1c4 r1c5 r5c0 r5c1 r6c4 r6c5");
  BOOST_TEST(text(mesh.ucie[2]) == "r0c5 r1c5 r2c5 r5c5 r6c5 r7c5");  // E: PE rows 0 1 2 5 6 7
  BOOST_TEST(text(mesh.ucie[0]) ==
             "r0c0 r0c1 r0c4 r0c5 r0c0 r0c1");  // N: four PE columns, taken in turn
  BOOST_TEST(!mesh.has_router({3, 2}));
  BOOST_TEST(!mesh.has_router({4, 3}));
}

// One PE row per half: NE shares row 0 with NW, SE the lower row with SW. n_connections 1 counts
// as 2.
BOOST_AUTO_TEST_CASE(few_connections_make_one_pe_row_per_half) {
  const CubeMesh mesh = generate_mesh(cube({{"cube.ucie.n_connections", "1"}}));
  BOOST_TEST(text(mesh.row_y_mm) == "1.5 5.5 8.5 12.5");
  BOOST_TEST(text(mesh.pe) == "r0c0 r0c1 r0c4 r0c5 r3c0 r3c1 r3c4 r3c5");
  BOOST_TEST(text(mesh.ucie[3]) == "r0c0");
}

BOOST_AUTO_TEST_CASE(sixteen_pes_stand_four_to_a_corner) {
  const CubeMesh mesh = generate_mesh(cube({{"cube.pe_layout.pe_per_corner", "4"},
                                            {"cube.memory_map.hbm_slices_per_cube", "16"},
                                            {"cube.memory_map.hbm_pseudo_channels", "128"},
                                            {"cube.geometry.cube_mm.w", "24"}}));
  // West 1.5 4 6.5 9, east 22.5 20 17.5 15; the gap of 6 mm between 9 and 15 takes one relay
  // column.
  BOOST_TEST(text(mesh.col_x_mm) == "1.5 4 6.5 9 12 15 17.5 20 22.5");
  BOOST_TEST(mesh.pe.size() == 16U);
  BOOST_TEST(text(mesh.pe[4]) == "r1c5");
  BOOST_TEST(text(mesh.pe[15]) == "r5c8");
}

// Width 13: west 1.5 4 6.5 9, east 4 6.5 9 11.5: crossing and equal x merge.
BOOST_AUTO_TEST_CASE(crossing_columns_merge) {
  const CubeMesh mesh = generate_mesh(cube({{"cube.pe_layout.pe_per_corner", "4"},
                                            {"cube.memory_map.hbm_slices_per_cube", "16"},
                                            {"cube.memory_map.hbm_pseudo_channels", "128"},
                                            {"cube.geometry.cube_mm.w", "13"}}));
  BOOST_TEST(text(mesh.col_x_mm) == "1.5 4 6.5 9 11.5");
  BOOST_TEST(text(mesh.pe[4]) == "r1c1");  // westernmost PE of NE
}

// The zone never takes an outermost column, so that upper and lower half stay joined.
BOOST_AUTO_TEST_CASE(few_columns_leave_a_way_around_the_hbm_zone) {
  const CubeMesh two = generate_mesh(cube_of_four(
      {{"cube.geometry.cube_mm.w", "5"}, {"cube.placement.m_cpu.pos_mm", "[1.5, 5.5]"}}));
  BOOST_TEST(text(two.col_x_mm) == "1.5 3.5");
  BOOST_TEST(two.routers() == 2 * 6);
  const CubeMesh three = generate_mesh(cube_of_four({{"cube.geometry.cube_mm.w", "8"}}));
  BOOST_TEST(text(three.col_x_mm) == "1.5 4 6.5");
  BOOST_TEST(!three.has_router({2, 1}));
  BOOST_TEST(three.has_router({2, 0}));
  BOOST_TEST(three.has_router({2, 2}));
  const CubeMesh one = generate_mesh(cube_of_four({{"cube.geometry.cube_mm.w", "3"}}));
  BOOST_TEST(one.cols() == 1);
  BOOST_TEST(one.routers() == 6);
}

BOOST_AUTO_TEST_CASE(shared_parts_attach_to_an_existing_router_when_they_stand_in_the_zone) {
  const CubeMesh mesh =
      generate_mesh(cube({{"cube.placement.sram.pos_mm", "[7, 5.5]"}}));  // on the missing r2c2
  BOOST_TEST(text(mesh.sram) == "r1c2");                                  // (7, 4) is 1.5 mm away
}

BOOST_AUTO_TEST_CASE(corners_are_numbered_in_the_order_given) {
  const CubeMesh mesh = generate_mesh(cube({{"cube.pe_layout.corners", "[SE, NW, SW, NE]"}}));
  BOOST_TEST(text(mesh.pe) == "r5c4 r5c5 r0c0 r0c1 r4c0 r4c1 r1c4 r1c5");
}

// Geometry, pe_layout, n_connections, mapping mode and placement are in the hash; nothing else is.
BOOST_AUTO_TEST_CASE(hash_covers_exactly_what_the_layout_depends_on) {
  const std::string base = mesh_source_hash(cube());
  BOOST_TEST(base.size() == 16U);
  for (const Override& change :
       std::vector<Override>{{"cube.geometry.cube_mm.w", "18"},
                             {"cube.geometry.cube_mm.h", "15"},
                             {"cube.pe_layout.pitch_mm", "2.4"},
                             {"cube.pe_layout.corners", "[NE, NW, SW, SE]"},
                             {"cube.ucie.n_connections", "5"},
                             {"cube.memory_map.hbm_mapping_mode", "one_to_one"},
                             {"cube.placement.sram.pos_mm", "[1.5, 8.4]"}}) {
    BOOST_TEST(mesh_source_hash(cube({change})) != base, change.key);
  }
  for (const Override& change :
       std::vector<Override>{{"cube.links.router_link_bw_gbs", "128"},
                             {"cube.components.router.attrs.overhead_ns", "3"},
                             {"cube.memory_map.hbm_total_gb_per_cube", "96"},
                             {"sip.cube_mesh.h", "2"}}) {
    BOOST_TEST(mesh_source_hash(cube({change})) == base, change.key);
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(cube_mesh_file)

struct StoredMesh {
  TemporaryFolder dir;
  CubeSpec spec = cube();
  CubeMesh mesh = generate_mesh(spec);
  std::string path = dir.file("cube_mesh.yaml");
  std::string good = mesh_file_text(spec, mesh);
};

BOOST_FIXTURE_TEST_CASE(is_written_next_to_the_topology_when_the_graph_is_built, StoredMesh) {
  const std::string topology =
      dir.write("machine.yaml", "include: " + default_topology + "\nsystem: {sips: {count: 1}}\n");
  build_graph(load_machine(topology, {}, registry()));
  BOOST_TEST(read_file(path) == good);
}

BOOST_FIXTURE_TEST_CASE(is_left_alone_when_it_is_current, StoredMesh) {
  BOOST_TEST((keep_mesh_file(path, spec, mesh) == MeshFile::written));
  const auto written_at = std::filesystem::last_write_time(path);
  BOOST_TEST((keep_mesh_file(path, spec, mesh) == MeshFile::current));
  BOOST_TEST((std::filesystem::last_write_time(path) == written_at));
}

BOOST_FIXTURE_TEST_CASE(is_regenerated_when_stale_damaged_or_edited, StoredMesh) {
  std::string edited = good;  // the right hash over the wrong content
  edited.replace(edited.find("r4c1"), 4, "r0c0");
  const std::string stale = mesh_file_text(cube({{"cube.ucie.n_connections", "6"}}), mesh);
  for (const std::string& bad : {std::string(), good.substr(0, good.size() / 2),
                                 std::string("{]: not yaml"), edited, stale}) {
    dir.write("cube_mesh.yaml", bad);
    const std::string topology = dir.write(
        "machine.yaml", "include: " + default_topology + "\nsystem: {sips: {count: 1}}\n");
    const Graph built = build_graph(load_machine(topology, {}, registry()));
    BOOST_TEST((built.mesh().pe == mesh.pe));
    BOOST_TEST(read_file(path) == good);
  }
}

BOOST_FIXTURE_TEST_CASE(may_be_unwritable, StoredMesh) {
  std::filesystem::create_directory(
      path);  // also for root, to whom a read-only directory is writable
  dir.write("cube_mesh.yaml/inhabitant", "");
  BOOST_TEST((keep_mesh_file(path, spec, mesh) == MeshFile::not_writable));
  BOOST_TEST(
      (keep_mesh_file(dir.file("absent/cube_mesh.yaml"), spec, mesh) == MeshFile::not_writable));
  std::size_t files = 0;  // no temporary file stays behind
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path + "/.."))
    ++files;
  BOOST_TEST(files == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
