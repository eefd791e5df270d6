// Tiles on an implementation of PE_GEMM, compared with both timings of the transaction-level model.
#include "platform/rtl_compare/tile_comparison.h"

#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "models/pe/compute_engine.h"
#include "platform/assembly/builtin_components.h"
#include "platform/observe/roofline.h"
#include "tests/rtl_compare/setting_overrides.h"
#include "tests/support/forked.h"
#include "tests/support/shipped_graph.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(tile_comparison_test)

namespace {

// Seven cycles for each row, from the next edge of a clock with a period of 3 ns; it breaks down at
// 13 rows.
class SlowArray final : public ComputeEngine {
 public:
  static constexpr const char* description = "array of a test";
  static constexpr std::array roles{Role::pe_gemm};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    StageParameters stage{*this, "0"};
    Param<Fs> period{
        *this, Parameter::duration_ns("clock_period_ns", "of the clock", "test").default_val(3)};
    Param<std::uint64_t> rows{*this,
                              Parameter::integer("rows", "of cells", "", "test").default_val(4)};
    Param<std::uint64_t> columns{
        *this, Parameter::integer("columns", "of cells", "", "test").default_val(2)};
  };
  explicit SlowArray(const ComponentInit& init)
      : ComputeEngine(init, PeEngine::pe_gemm, init.attributes.as<Parameters>().stage) {}

 private:
  Fs compute_time(const Stage& stage) const override {
    if (stage.m == 13) throw ModelError("13 rows");
    const Rational ghz = Rational::fraction(1, 3);
    return end_of_cycles_from(now() + overhead(), 7 * static_cast<std::uint64_t>(stage.m), ghz) -
           now();
  }
};

// Attributes of well-known names that are no numbers; a task of any size takes 5 ns.
class NamedClockArray final : public ComputeEngine {
 public:
  static constexpr const char* description = "array of a test";
  static constexpr std::array roles{Role::pe_gemm};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    StageParameters stage{*this, "0"};
    Param<std::string> clock{
        *this, Parameter::choice("clock_ghz", "of the array", {"slow", "fast"}, "test")
                   .default_val("slow")};
    Param<std::string> rows{
        *this, Parameter::choice("rows", "of cells", {"few", "many"}, "test").default_val("few")};
    Param<bool> macs{*this,
                     Parameter::boolean("macs_per_cycle", "counted", "test").default_val(true)};
  };
  explicit NamedClockArray(const ComponentInit& init)
      : ComputeEngine(init, PeEngine::pe_gemm, init.attributes.as<Parameters>().stage) {}

 private:
  Fs compute_time(const Stage&) const override { return 5 * fs_per_ns; }
};

TimeComparison compare(const std::string& name, const std::vector<std::string>& attributes,
                       const TileOptions& options, std::vector<std::string> settings = {}) {
  ComponentRegistry registry;
  register_builtin_components(registry);
  registry.add(implementation_of<SlowArray>("test.slow_array"));
  registry.add(implementation_of<NamedClockArray>("test.named_clock_array"));
  const ComparedDevice device(registry, name, attributes);
  for (const std::string& setting : tile_settings(device)) settings.push_back(setting);
  return compare_tiles(shipped_graph("topology.tiny.yaml", overrides_of(settings), registry),
                       registry, device, options);
}

std::uint64_t macs(const ComparedTile& tile) {
  return static_cast<std::uint64_t>(tile.m * tile.k * tile.n);
}

}  // namespace

// The systolic timing compared with itself; the other model counts 8 * 16 MACs per cycle of 2 ns.
KERNBENCH_SYSTEMC_TEST(the_systolic_timing_is_as_fast_as_itself_on_every_tile) {
  TileOptions options;
  options.tiles = telling_tiles({8, 16});
  const TimeComparison found = compare(
      "builtin.pe_gemm",
      {"timing=systolic", "rows=8", "columns=16", "task_cycles=5", "clock_ghz=0.5"}, options);
  BOOST_TEST(found.works.size() == options.tiles.size());
  for (std::size_t i = 0; i < found.works.size(); ++i) {
    const ComparedWork& work = found.works[i];
    const ComparedTile& tile = options.tiles[i];
    const std::uint64_t cycles = 5 + systolic_cycles(tile.m, tile.k, tile.n, {8, 16});
    BOOST_TEST(work.time >= cycles * 2 * fs_per_ns, work.name);
    BOOST_TEST(work.time < (cycles + 1) * 2 * fs_per_ns, work.name);  // with the wait for an edge
    BOOST_TEST(*work.cycles == cycles, work.name);
    BOOST_TEST(work.models[0] == (macs(tile) + 127) / 128 * 2 * fs_per_ns, work.name);
    BOOST_TEST(work.ratio(1) == 1, work.name);
    BOOST_TEST(work.difference == "", work.name);
    BOOST_TEST(work.group == (tile.full({8, 16}) ? "full tiles" : "edge tiles"));
  }
}

KERNBENCH_SYSTEMC_TEST(random_f16_tiles_on_the_macs_timing_have_the_products_of_the_reference) {
  TileOptions options;
  options.tiles = random_tiles(20, 7, {4, 4});
  options.dtype = DType::f16;
  const TimeComparison found =
      compare("builtin.pe_gemm", {"rows=4", "columns=4", "macs_per_cycle=16"}, options);
  for (const ComparedWork& work : found.works) {
    BOOST_TEST(work.ratio(0) == 1, work.name);
    BOOST_TEST(work.ratio(1) < 1, work.name);
    BOOST_TEST(work.difference == "", work.name);
  }
}

// Of the implementation that the topology has already, too: attributes that are not given have
// their defaults on all three engines.
KERNBENCH_SYSTEMC_TEST(attributes_of_the_topology_do_not_make_the_engines_differ) {
  TileOptions options;
  options.tiles = {{2, 5, 2}, {40, 9, 33}};
  const std::string engine = "cube.pe_template.components.pe_gemm.attrs.";
  const TimeComparison found = compare("builtin.pe_gemm", {"timing=systolic"}, options,
                                       {engine + "clock_ghz=2", engine + "overhead_ns=3"});
  for (const ComparedWork& work : found.works) BOOST_TEST(work.ratio(1) == 1, work.name);
}

// The models take over array, clock and overhead: 14 cycles of 3 ns behind the next edge, in the
// systolic timing 1 of the task and 5 + 2 * 4 + 2 - 2 = 13; macs: 20 MACs on 8 cells, 3 cycles.
KERNBENCH_SYSTEMC_TEST(the_models_have_the_array_and_the_clock_of_the_implementation) {
  TileOptions options;
  options.tiles = {{2, 5, 2}};
  const TimeComparison found = compare("test.slow_array", {"overhead_ns=0.5"}, options);
  const ComparedWork& work = found.works.at(0);
  BOOST_TEST(*work.cycles == 14U);
  BOOST_TEST(work.time >= fs_per_ns / 2 + 14 * 3 * fs_per_ns);
  BOOST_TEST(work.time < fs_per_ns / 2 + 15 * 3 * fs_per_ns);
  BOOST_TEST(work.models.at(0) == fs_per_ns / 2 + 9 * fs_per_ns);
  BOOST_TEST(work.models.at(1) == work.time);
}

// No clock and no array are known of it: the models have 1 GHz and 32 x 32 cells, and take the 2 ns
// of 32 * 32 * 2 MACs, and 1 + 2 + 2 * 32 + 32 - 2 = 97 cycles.
KERNBENCH_SYSTEMC_TEST(attributes_that_are_no_numbers_tell_nothing) {
  TileOptions options;
  options.tiles = {{32, 2, 32}};
  const TimeComparison found =
      compare("test.named_clock_array", {"clock_ghz=fast", "rows=many"}, options);
  const ComparedWork& work = found.works.at(0);
  BOOST_TEST(work.time == 5 * fs_per_ns);
  BOOST_TEST(work.models.at(0) == 2 * fs_per_ns);
  BOOST_TEST(work.models.at(1) >= 97 * fs_per_ns);
  BOOST_TEST(work.models.at(1) < 98 * fs_per_ns);  // with the wait for an edge
}

BOOST_AUTO_TEST_CASE(peak_rates_of_an_engine_without_a_clock_in_numbers_are_not_known) {
  ComponentRegistry registry;
  register_builtin_components(registry);
  registry.add(implementation_of<NamedClockArray>("test.named_clock_array"));
  const Graph graph = shipped_graph(
      "topology.tiny.yaml", {{"sip0.cube0.pe0.pe_gemm.impl", "test.named_clock_array"}}, registry);
  BOOST_TEST(mac_rate(graph, "sip0.cube0.pe0").macs_per_cycle == 0U);
  BOOST_TEST(mac_rate(graph, "sip0.cube0.pe1").macs_per_cycle == 4096U);
  BOOST_TEST((mac_rate(graph, "sip0.cube0.pe1").clock_ghz == Rational(1)));
}

KERNBENCH_SYSTEMC_TEST(a_fault_of_the_implementation_names_the_tile) {
  TileOptions options;
  options.tiles = {{2, 5, 2}, {13, 4, 1}, {3, 3, 3}};
  BOOST_CHECK_EXCEPTION(compare("test.slow_array", {}, options), ModelError,
                        [](const ModelError& error) {
                          const std::string text = error.what();
                          return text.rfind("tile 13x4x1: sip0.cube0.pe0.pe_gemm at ", 0) == 0 &&
                                 text.find(": 13 rows") != std::string::npos;
                        });
}

BOOST_AUTO_TEST_SUITE_END()
