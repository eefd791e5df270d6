// Tiles of a comparison, and the implementation that is compared.
#include "platform/rtl_compare/compared_tile.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <functional>

#include "models/base/errors.h"
#include "platform/assembly/builtin_components.h"
#include "platform/config/known_attributes.h"
#include "platform/rtl_compare/compared_device.h"
#include "platform/rtl_compare/tile_comparison.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(compared_tile)

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

// Operands of 15 and 35 bytes at multiples of 16, a product of 21 elements of 4 bytes.
BOOST_AUTO_TEST_CASE(a_tile_needs_room_for_its_operands_and_its_product) {
  BOOST_TEST((TileRoom{100, DType::i8}.bytes_of({3, 5, 7})) == 16U + 48 + 84);
  BOOST_TEST((TileRoom{100, DType::f16}.bytes_of({3, 5, 7})) == 32U + 80 + 84);
  BOOST_TEST((TileRoom{148, DType::i8}.holds({3, 5, 7})));
  BOOST_TEST(!(TileRoom{147, DType::i8}.holds({3, 5, 7})));
  BOOST_TEST(error_text([] {
               check_tiles({{1, 1, 1}, {3, 5, 7}}, {147, DType::i8});
             })
                 .find("--shapes: found 3x5x7, whose operands and product take 148 bytes; allowed "
                       "are at most 147") == 0U);
  BOOST_TEST(error_text([] { check_tiles({{3, 5, 7}}, {148, DType::i8}); }) == "no error");
}

// An array of 256 x 256: its fold of k = 64 takes 16 + 16 + 256 KiB and stays; two by two of them
// take 1 MiB for the product alone, and are halved once.
BOOST_AUTO_TEST_CASE(tiles_for_which_there_is_no_room_are_cut) {
  const TileRoom room{1 << 20, DType::i8};
  const MacArray array{256, 256};
  const auto text = [](const std::vector<ComparedTile>& tiles) {
    std::string text;
    for (const ComparedTile& tile : tiles) text += tile.str() + " ";
    return text;
  };
  const std::string telling = text(telling_tiles(array, room));
  BOOST_TEST(telling.find("256x64x256 256x256x256 256x1024x256 256x64x512 ") != std::string::npos,
             telling);
  for (const MacArray& large : {array, MacArray{4096, 4096}, MacArray{65536, 1}}) {
    for (const auto& tiles : {telling_tiles(large, room), random_tiles(100, 1, large, room)}) {
      BOOST_TEST(tiles.size() > 5U);
      for (const ComparedTile& tile : tiles) BOOST_TEST(room.holds(tile), tile.str());
    }
  }
  BOOST_TEST(text(telling_tiles({8, 16}, room)) == text(telling_tiles({8, 16})));
  BOOST_TEST(text(random_tiles(100, 1, {8, 16}, room)) == text(random_tiles(100, 1, {8, 16})));
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

// The period is exact where both are given; one of 0 is none.
BOOST_AUTO_TEST_CASE(the_clock_is_that_of_the_period_or_the_frequency) {
  const auto clock = [](const std::vector<std::pair<std::string, ParameterValue>>& values) {
    Attributes attributes;
    for (const auto& [name, value] : values) attributes.set(name, value);
    return clock_ghz_of(attributes);
  };
  BOOST_TEST((clock({{"clock_period_ns", Rational(4)}, {"clock_ghz", Rational(2)}}) ==
              Rational::fraction(1, 4)));
  BOOST_TEST(
      (clock({{"clock_period_ns", Rational(0)}, {"clock_ghz", Rational(2)}}) == Rational(2)));
  BOOST_TEST((clock({{"clock_ghz", std::string("fast")}}) == std::nullopt));
  BOOST_TEST((clock({}) == std::nullopt));
}

BOOST_AUTO_TEST_CASE(an_array_that_the_models_cannot_have_is_an_error) {
  const auto error = [](const std::vector<std::string>& attributes) {
    return error_text([&] { array_of(ComparedDevice(registry(), "builtin.pe_gemm", attributes)); });
  };
  BOOST_TEST(error({"rows=65536", "columns=15258"}) == "no error");
  BOOST_TEST(error({"rows=65536", "columns=65536"}) ==
             "builtin.pe_gemm: found 65536 rows of 65536 columns; an array to compare has at most "
             "1000000000 cells");
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
