// What viewers show: groups in the order of the data path, colours and radix by type.
#include "platform/export/wave_views.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "platform/observe/object_tree.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(wave_views_test)

namespace {

using Kind = WaveVariable::Kind;

WaveItem item(const std::string& scope, bool changed = true) {
  return {{scope, "busy", Kind::bits, 1, SignalType::flag}, changed};
}

std::vector<std::string> scopes_of(const std::vector<WaveGroup>& groups) {
  std::vector<std::string> scopes;
  for (const WaveGroup& group : groups) scopes.push_back(group.scope);
  return scopes;
}

const std::vector<WaveItem> dma{
    {{"sip0.pe_dma", "state", Kind::text, 1, SignalType::enumeration}, true},
    {{"sip0.pe_dma", "busy", Kind::bits, 1, SignalType::flag}, false},
    {{"sip0.pe_dma", "queue", Kind::bits, 16, SignalType::count}, true},
    {{"sip0.pe_dma", "at", Kind::bits, 48, SignalType::address}, true},
    {{"sip0.pe_dma", "command", Kind::bits, 32, SignalType::id}, true},
    {{"sip0.pe_gemm", "busy", Kind::bits, 1, SignalType::flag}, false}};

}  // namespace

BOOST_AUTO_TEST_CASE(groups_follow_the_data_path) {
  std::vector<WaveItem> items;
  const std::vector<std::string> expected{"host",
                                          "sip0.io0.pcie_ep",
                                          "sip0.io0.io_noc",
                                          "sip0.io0.io_ucie-P0",
                                          "sip0.io0.io_cpu",
                                          "sip0.cube0.pe0.pe_dma",
                                          "sip0.cube0.pe0.pe_gemm",
                                          "sip0.cube0.pe0.pe_gemm.rtl",
                                          "sip0.cube0.pe0.pe_cpu",
                                          "sip0.cube0.pe0.pe_scheduler",
                                          "sip0.cube0.pe2.pe_cpu",
                                          "sip0.cube0.pe10.pe_cpu",
                                          "sip0.cube0.r0c2",
                                          "sip0.cube0.r0c10",
                                          "sip0.cube0.hbm_ctrl.pe0",
                                          "sip0.cube0.sram",
                                          "sip0.cube0.ucie-E",
                                          "sip0.cube0.ucie-E.conn0",
                                          "sip0.cube0.m_cpu",
                                          "sip0.cube1.m_cpu",
                                          "sip1.cube0.m_cpu",
                                          "fabric.switch0",
                                          "SystemC"};
  for (const std::string& scope : expected) items.push_back(item(scope));
  std::sort(items.begin(), items.end(), [](const WaveItem& a, const WaveItem& b) {
    return scope_order(a.variable.scope, b.variable.scope);
  });
  const auto scopes = scopes_of(wave_layout(items));
  BOOST_TEST(scopes == expected, boost::test_tools::per_element());
}

// Quiet groups are there, but closed; so are those beyond a few screens.
BOOST_AUTO_TEST_CASE(groups_with_changes_are_open) {
  const auto groups = wave_layout(dma);
  BOOST_TEST_REQUIRE(groups.size() == 2U);
  BOOST_TEST(groups[0].open);
  BOOST_TEST(!groups[1].open);
  std::vector<WaveItem> many;
  for (int i = 0; i < 500; ++i) many.push_back(item("sip0.cube0.pe" + std::to_string(i)));
  std::size_t open = 0;
  for (const WaveGroup& group : wave_layout(many)) open += group.open ? 1 : 0;
  BOOST_TEST(open == 120U);
}

// A whole machine has thousands of groups, of which a run uses a few.
BOOST_AUTO_TEST_CASE(quiet_groups_of_a_large_file_are_left_out) {
  std::vector<WaveItem> items;
  for (int i = 0; i < 3000; ++i) items.push_back(item("r" + std::to_string(i), i % 100 == 7));
  const auto groups = wave_layout(items);
  BOOST_TEST(groups.size() == 30U);
  BOOST_TEST(groups.front().scope == "r7");
}

BOOST_AUTO_TEST_CASE(gtkwave_gets_groups_colours_and_radix) {
  const std::string text = gtkw_text("a/wave.vcd", wave_layout(dma), 1000, 4'916'200);
  BOOST_TEST(text ==
             "[dumpfile] \"wave.vcd\"\n[savefile] \"wave.gtkw\"\n[timestart] 1000\n"
             "*-19.965784 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 "
             "-1 -1 -1\n"
             "[size] 1600 1000\n[pos] -1 -1\n[sst_width] 200\n[signals_width] 330\n[sst_expanded] "
             "1\n[sst_vpaned_height] 300\n"
             "@800200\n-sip0.pe_dma\n"
             "@820\n[color] 2\nsip0.pe_dma.state\n"
             "@28\n[color] 4\nsip0.pe_dma.busy\n"
             "@24\n[color] 3\nsip0.pe_dma.queue[15:0]\n"
             "@22\n[color] 5\nsip0.pe_dma.at[47:0]\n"
             "@24\n[color] 7\nsip0.pe_dma.command[31:0]\n"
             "@1000200\n-sip0.pe_dma\n"
             "@c00200\n-sip0.pe_gemm\n"
             "@28\n[color] 4\nsip0.pe_gemm.busy\n"
             "@1401200\n-sip0.pe_gemm\n"
             "[pattern_trace] 1\n[pattern_trace] 0\n");
}

BOOST_AUTO_TEST_CASE(surfer_gets_what_changes) {
  const std::string text = surfer_text("a/wave.fst", wave_layout(dma));
  BOOST_TEST(text ==
             "# surfer wave.fst --command-file wave.sucl\n"
             "divider_add sip0_pe_dma\n"
             "variable_add sip0.pe_dma.state\n"
             "variable_add sip0.pe_dma.busy\n"
             "variable_add sip0.pe_dma.queue\n"
             "variable_add sip0.pe_dma.at\n"
             "variable_add sip0.pe_dma.command\n"
             "item_focus b_sip0.pe_dma.state\nitem_set_color Orange\n"
             "item_focus c_sip0.pe_dma.busy\nitem_set_color Green\n"
             "item_focus d_sip0.pe_dma.queue\nitem_set_color Yellow\nitem_set_format Unsigned\n"
             "item_focus e_sip0.pe_dma.at\nitem_set_color Blue\nitem_set_format Hexadecimal\n"
             "item_focus f_sip0.pe_dma.command\nitem_set_color Pink\nitem_set_format Unsigned\n"
             "item_unfocus\nzoom_fit\n");
}

BOOST_AUTO_TEST_SUITE_END()
