// Preset views: a save file of GTKWave, applied to another instance (spec 11.1).
#include "platform/export/wave_preset.h"

#include <boost/test/unit_test.hpp>
#include <functional>

#include "models/base/errors.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(wave_preset_test)

namespace {

using Kind = WaveVariable::Kind;

const std::string save_file =
    "[dumpfile] \"trace.vcd\"\n[savefile] \"own.gtkw\"\n[timestart] 840\n[size] 1300 594\n"
    "*-27.2 -1 873 -1\n[markername] Afirst tile\n"
    "@800200\n-busy\n"
    "@28\n[color] 4\n+{DMA} sip0.cube0.pe0.pe_dma.dma_read_busy\n"
    "@24\n[color] 7\nsip0.cube0.pe0.pe_gemm.gemm_tile[31:0]\n"
    "@1000200\n-\n[pattern_trace] 1\n";

// Of the engines of two PEs; PE 5 of cube 3 has no GEMM, and wider numbers.
std::vector<WaveItem> items() {
  return {{{"sip0.cube0.pe0.pe_dma", "dma_read_busy", Kind::bits, 1, SignalType::flag}, true},
          {{"sip0.cube0.pe0.pe_gemm", "gemm_tile", Kind::bits, 32, SignalType::id}, true},
          {{"sip0.cube3.pe5.pe_dma", "dma_read_busy", Kind::bits, 4, SignalType::count}, true}};
}

std::string what(const std::function<void()>& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_instance_is_the_scope_that_all_signals_share) {
  const WavePreset preset("own", save_file);
  BOOST_TEST(preset.instance() == "sip0.cube0.pe0");
  const std::vector<std::string> components{"sip0.cube0.pe0.pe_dma", "sip0.cube0.pe0.pe_gemm"};
  BOOST_TEST(preset.components() == components, boost::test_tools::per_element());
  // All of one engine: still a PE.
  BOOST_TEST(WavePreset("one", "sip0.cube0.pe0.pe_dma.busy\n").instance() == "sip0.cube0.pe0");
  BOOST_TEST(WavePreset("two", "sip0.cube0.a.b\nsip1.cube0.a.b\n").instance() == "");
}

// Zoom: log2 of the femtoseconds per pixel-unit as in gtkw_text(); markers are those of another
// run.
BOOST_AUTO_TEST_CASE(a_view_follows_the_waveform) {
  WavePreset preset("own", save_file);
  const WaveView view = preset.view("a/f.vcd", items(), 1000, 2000);
  const std::string& own = view.gtkw;
  BOOST_TEST((own.find("[dumpfile] \"f.vcd\"\n[savefile] \"f.gtkw\"\n[timestart] 1000\n") == 0));
  BOOST_TEST((own.find("873") == std::string::npos));
  BOOST_TEST((own.find("[markername]") == std::string::npos));
  BOOST_TEST(
      (own.find("@28\n[color] 4\n+{DMA} sip0.cube0.pe0.pe_dma.dma_read_busy\n"
                "@24\n[color] 7\nsip0.cube0.pe0.pe_gemm.gemm_tile[31:0]\n") != std::string::npos));
  BOOST_TEST(view.missing.empty());

  preset.move_to("sip0.cube3.pe5");
  const WaveView moved_view = preset.view("a/f.vcd", items(), 1000, 2000);
  const std::string& moved = moved_view.gtkw;
  BOOST_TEST(
      (moved.find("-busy\n@28\n[color] 4\n+{DMA} "
                  "sip0.cube3.pe5.pe_dma.dma_read_busy[3:0]\n@1000200\n-\n") != std::string::npos));
  const std::vector<std::string> missing{"sip0.cube3.pe5.pe_gemm.gemm_tile"};
  BOOST_TEST(moved_view.missing == missing, boost::test_tools::per_element());
  const auto& groups = moved_view.groups;
  BOOST_TEST_REQUIRE(groups.size() == 1U);
  BOOST_TEST(groups[0].scope == "busy");
  BOOST_TEST(groups[0].items.size() == 1U);
}

BOOST_AUTO_TEST_CASE(an_instance_is_of_the_kind_that_the_view_shows) {
  WavePreset preset("own", save_file);
  BOOST_TEST(what([&] { preset.move_to("sip0.cube3"); }) ==
             "the view 'own' shows an instance such as sip0.cube0.pe0, not 'sip0.cube3'");
  BOOST_TEST(what([&] { preset.move_to(""); }) ==
             "the view 'own' shows an instance such as sip0.cube0.pe0, not ''");
  WavePreset whole("two", "sip0.cube0.a.b\nsip1.cube0.a.b\n");
  BOOST_TEST(what([&] { whole.move_to("sip1"); }) ==
             "the view 'two' shows the whole machine: without =sip1");
  BOOST_TEST(what([] { WavePreset("empty", "[size] 1 1\n@28\nnothing here\nname\n"); }) ==
             "the view 'empty' shows no signal");
}

BOOST_AUTO_TEST_SUITE_END()
