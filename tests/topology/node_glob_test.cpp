// Patterns of node names: what stays within a step, and what goes over steps.
#include <boost/test/unit_test.hpp>

#include "platform/topology/instance_overrides.h"

using kernbench::NodeGlob;

BOOST_AUTO_TEST_SUITE(node_glob)

BOOST_AUTO_TEST_CASE(a_name_matches_itself_alone) {
  const NodeGlob glob("sip0.cube3.pe2.pe_gemm");
  BOOST_TEST(glob.is_literal());
  BOOST_TEST(glob.matches("sip0.cube3.pe2.pe_gemm"));
  BOOST_TEST(!glob.matches("sip0.cube3.pe2.pe_gemm2"));
  BOOST_TEST(!glob.matches("sip0.cube3.pe2"));
}

BOOST_AUTO_TEST_CASE(characters_stay_within_a_step) {
  BOOST_TEST(NodeGlob("sip0.cube*.pe2.pe_gemm").matches("sip0.cube13.pe2.pe_gemm"));
  BOOST_TEST(!NodeGlob("sip0.*.pe_gemm").matches("sip0.cube13.pe2.pe_gemm"));
  BOOST_TEST(NodeGlob("sip?.cube[0-3].sram").matches("sip1.cube2.sram"));
  BOOST_TEST(!NodeGlob("sip?.cube[0-3].sram").matches("sip1.cube4.sram"));
  BOOST_TEST(!NodeGlob("sip?.cube[0-3].sram").matches("sip1.cube13.sram"));
  BOOST_TEST(NodeGlob("sip0.cube0.ucie-[NS].conn*").matches("sip0.cube0.ucie-N.conn3"));
  BOOST_TEST(!NodeGlob("sip0.cube0.pe**").matches("sip0.cube0.pe0.pe_gemm"));  // no step of its own
}

BOOST_AUTO_TEST_CASE(two_stars_are_any_number_of_steps) {
  for (const char* name : {"sip0.cube3.m_cpu", "sip0.cube3.pe2.pe_gemm", "sip0.cube3"})
    BOOST_TEST(NodeGlob("sip0.cube3.**").matches(name), name);
  BOOST_TEST(NodeGlob("sip0.cube3.**.m_cpu").matches("sip0.cube3.m_cpu"));
  BOOST_TEST(NodeGlob("**.pe_gemm").matches("sip1.cube15.pe7.pe_gemm"));
  BOOST_TEST(NodeGlob("**").matches("fabric.switch0"));
  BOOST_TEST(NodeGlob("sip0.**.pe[12].**.pe_dma").matches("sip0.cube0.pe1.pe_dma"));
  BOOST_TEST(!NodeGlob("sip0.cube3.**").matches("sip0.cube31.sram"));
  BOOST_TEST(!NodeGlob("**.pe_gemm").matches("sip1.cube15.pe7.pe_math"));
}

BOOST_AUTO_TEST_CASE(every_match_begins_with_the_literal_part) {
  BOOST_TEST(NodeGlob("sip0.cube*.sram").literal_prefix() == "sip0.cube");
  BOOST_TEST(NodeGlob("sip0.cube3.**").literal_prefix() == "sip0.cube3");  // sip0.cube3 itself, too
  BOOST_TEST(NodeGlob("**.sram").literal_prefix() == "");
}

BOOST_AUTO_TEST_CASE(an_empty_step_is_in_no_name) {
  BOOST_TEST(!NodeGlob("sip0..sram").matches("sip0.sram"));
  BOOST_TEST(!NodeGlob("sip0.").matches("sip0"));
  BOOST_TEST(!NodeGlob("").matches("sip0"));
}

BOOST_AUTO_TEST_SUITE_END()
