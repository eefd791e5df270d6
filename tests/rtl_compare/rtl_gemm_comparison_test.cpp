// `timing: systolic` compared with the array in RTL: within 5 % on every tile, exactly on full
// ones; the products are those of the reference.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "platform/assembly/builtin_components.h"
#include "platform/rtl_compare/tile_comparison.h"
#include "tests/rtl_compare/setting_overrides.h"
#include "tests/support/forked.h"
#include "tests/support/shipped_graph.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(rtl_gemm_comparison_test)

namespace {

void check_array(const std::vector<std::string>& attributes, const TileOptions& options) {
  ComponentRegistry registry;
  register_builtin_components(registry);
  const ComparedDevice device(registry, "rtl.pe_gemm", attributes);
  const TimeComparison found = compare_tiles(
      shipped_graph("topology.tiny.yaml", overrides_of(tile_settings(device)), registry), registry,
      device, options);
  BOOST_TEST(found.values.find("phase 2") == std::string::npos, found.values);
  for (std::size_t i = 0; i < found.works.size(); ++i) {
    const ComparedWork& work = found.works[i];
    if (options.tiles[i].full(array_of(device))) BOOST_TEST(work.time == work.models[1], work.name);
    BOOST_TEST(std::fabs(work.ratio(1) - 1) <= 0.05, work.name << ": " << work.ratio(1));
    BOOST_TEST(work.time >= work.models[0], work.name);  // never faster than its MACs
    BOOST_TEST(work.difference == "", work.name);
  }
}

TileOptions telling(const MacArray& array, DType dtype) {
  TileOptions options;
  options.tiles = telling_tiles(array);
  options.dtype = dtype;
  return options;
}

TileOptions drawn(std::size_t count, std::uint64_t seed, const MacArray& array, DType dtype) {
  TileOptions options;
  options.tiles = random_tiles(count, seed, array);
  options.dtype = dtype;
  options.seed = seed;
  return options;
}

const std::vector<std::string> small{"rows=8", "columns=8"}, large{"rows=32", "columns=32"};

}  // namespace

KERNBENCH_SYSTEMC_TEST(i8_tiles_on_8_x_8_cells) { check_array(small, telling({8, 8}, DType::i8)); }

KERNBENCH_SYSTEMC_TEST(f16_tiles_on_8_x_8_cells) {
  check_array(small, telling({8, 8}, DType::f16));
}

KERNBENCH_SYSTEMC_TEST(i8_tiles_on_32_x_32_cells) {
  TileOptions options;
  options.tiles = {{32, 1, 32},  {32, 64, 32}, {64, 64, 64},
                   {33, 65, 31}, {1, 1, 1},    {32, 1024, 32}};
  check_array(large, options);
}

KERNBENCH_SYSTEMC_TEST(drawn_tiles) { check_array(small, drawn(60, 11, {8, 8}, DType::i8)); }

// A period that is no decimal number of GHz, and a stage that is ready between two edges.
KERNBENCH_SYSTEMC_TEST(any_clock_and_overhead) {
  check_array({"rows=8", "columns=8", "clock_period_ns=0.7", "overhead_ns=0.3"},
              drawn(20, 5, {8, 8}, DType::f16));
}

BOOST_AUTO_TEST_SUITE_END()
