// Tiles of a comparison, and the implementation that is compared.
#include "platform/rtl_compare/compared_tile.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <functional>

#include "models/base/errors.h"
#include "platform/assembly/builtin_components.h"
#include "platform/rtl_compare/compared_device.h"

using namespace kernbench;

namespace {

const ComponentRegistry& registry() {
  static const ComponentRegistry instance = [] {
    ComponentRegistry registry;
    register_builtin_components(registry);
    return registry;
  }();
  return instance;
}

std::string error_text(const std::function<void()>& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(compared_tile)

BOOST_AUTO_TEST_CASE(a_tile_is_m_x_k_x_n) {
  const ComparedTile tile = parse_tile("32x64x7");
  BOOST_TEST((tile.m == 32 && tile.k == 64 && tile.n == 7));
  BOOST_TEST(tile.str() == "32x64x7");
  for (const char* wrong : {"", "32", "32x64", "32x64x", "32x64x7x", "0x1x1", "-1x1x1", "axbxc",
                            "32x64x7 ", "32X64X7", "1048577x1x1", "99999999999999999999x1x1"}) {
    BOOST_TEST(error_text([&] { parse_tile(wrong); }).find("is not MxKxN") != std::string::npos,
               wrong);
  }
}

BOOST_AUTO_TEST_CASE(a_full_tile_leaves_no_cell_idle) {
  BOOST_TEST((ComparedTile{16, 5, 8}.full({8, 4})));
  BOOST_TEST(!(ComparedTile{17, 5, 8}.full({8, 4})));
  BOOST_TEST(!(ComparedTile{16, 5, 9}.full({8, 4})));
}

BOOST_AUTO_TEST_CASE(the_telling_tiles_are_full_and_not_for_any_array) {
  for (const MacArray& array :
       {MacArray{1, 1}, MacArray{8, 8}, MacArray{32, 32}, MacArray{4, 64}}) {
    const std::vector<ComparedTile> tiles = telling_tiles(array);
    const auto full = [&](const ComparedTile& tile) { return tile.full(array); };
    BOOST_TEST(std::any_of(tiles.begin(), tiles.end(), full));
    BOOST_TEST((array.rows == 1 || !std::all_of(tiles.begin(), tiles.end(), full)));
    for (const ComparedTile& tile : tiles) BOOST_TEST((tile.m > 0 && tile.k > 0 && tile.n > 0));
  }
}

BOOST_AUTO_TEST_CASE(random_tiles_come_from_their_seed) {
  const auto text = [](std::uint64_t seed) {
    std::string text;
    for (const ComparedTile& tile : random_tiles(50, seed, {8, 16})) text += tile.str() + " ";
    return text;
  };
  BOOST_TEST(text(1) == text(1));
  BOOST_TEST(text(1) != text(2));
  for (const ComparedTile& tile : random_tiles(500, 3, {8, 16}))
    BOOST_TEST((tile.m >= 1 && tile.m <= 24 && tile.k >= 1 && tile.k <= 256 && tile.n >= 1 &&
                tile.n <= 48));
}

BOOST_AUTO_TEST_CASE(a_device_has_the_attributes_given_and_the_defaults) {
  const ComparedDevice device(registry(), "builtin.pe_gemm",
                              {"clock_ghz=0.5", "rows=8", "clock_ghz=2"});
  BOOST_TEST((device.role() == ComparedRole::gemm));
  BOOST_TEST(*device.value("rows") == "8");
  BOOST_TEST(*device.value("columns") == "32");
  BOOST_TEST(!device.value("nothing"));
  BOOST_TEST((device.clock_ghz() == Rational(2)));  // the last one
  BOOST_TEST(device.settings("sip0.x").front() == "sip0.x.impl=builtin.pe_gemm");
  BOOST_TEST(device.settings("sip0.x").at(2) == "sip0.x.attrs.rows=8");
  BOOST_TEST((ComparedDevice(registry(), "builtin.sram", {}).role() == ComparedRole::sram));
  BOOST_TEST((ComparedDevice(registry(), "builtin.forwarding", {}).role() == ComparedRole::router));
}

BOOST_AUTO_TEST_CASE(a_device_that_is_none_is_an_error) {
  const auto error = [](const char* name, const std::vector<std::string>& attributes) {
    return error_text([&] { ComparedDevice(registry(), name, attributes); });
  };
  BOOST_TEST(error("builtin.pe_gem", {}).find("did you mean 'builtin.pe_gemm'?") !=
             std::string::npos);
  BOOST_TEST(error("builtin.pe_math", {}).find("none of pe_gemm, router and sram") !=
             std::string::npos);
  BOOST_TEST(error("builtin.pe_gemm", {"rows"}).find("is not KEY=VALUE") != std::string::npos);
  BOOST_TEST(error("builtin.pe_gemm", {"row=8"}).find("did you mean 'rows'?") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_clock_is_written_as_a_decimal) {
  BOOST_TEST(decimal_text(Rational(2)) == "2");
  BOOST_TEST(decimal_text(Rational::fraction(1, 4)) == "0.25");
  BOOST_TEST(decimal_text(Rational::fraction(1, 3)) == "0.333333333333333333");
  BOOST_TEST(decimal_text(Rational::fraction(1000, 3)) == "333.333333333333333");
}

BOOST_AUTO_TEST_SUITE_END()
