// Globs over dotted names, and the names that are near one that matches nothing.
#include "platform/config/glob.h"

#include <boost/test/unit_test.hpp>

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(glob_test)

namespace {

const std::vector<std::string> names{"sip0",
                                     "sip0.cube0",
                                     "sip0.cube0.pe0.pe_dma",
                                     "sip0.cube0.pe0.pe_gemm",
                                     "sip0.cube0.pe1.pe_dma",
                                     "sip0.cube0.pe1.pe_gemm",
                                     "sip0.cube0.pe2.pe_gemm",
                                     "sip0.cube0.pe3.pe_gemm"};

std::vector<std::string> near(const char* pattern) { return nearest_to_glob(pattern, names, 3); }

}  // namespace

BOOST_AUTO_TEST_CASE(a_star_takes_dots) {
  BOOST_TEST(glob_matches("sip0.*.pe_dma", "sip0.cube0.pe0.pe_dma"));
  BOOST_TEST(glob_matches("sip?.cube[0-3]*", "sip1.cube2.m_cpu"));
  BOOST_TEST(!glob_matches("sip0", "sip0.cube0"));
  BOOST_TEST(!glob_matches("*.PE_DMA", "sip0.pe_dma"));
}

// Of equally near ones the first three; what a star takes costs nothing.
BOOST_AUTO_TEST_CASE(the_nearest_names_are_those_of_the_fewest_edits) {
  using Names = std::vector<std::string>;
  BOOST_TEST((near("sip0.cube0.pe0.pe_gem") == Names{"sip0.cube0.pe0.pe_gemm"}));
  BOOST_TEST((near("sip0.*.pe_gem") ==
              Names{"sip0.cube0.pe0.pe_gemm", "sip0.cube0.pe1.pe_gemm", "sip0.cube0.pe2.pe_gemm"}));
  BOOST_TEST((near("sip0.cube0.pe[17].pe_dna") ==
              Names{"sip0.cube0.pe0.pe_dma", "sip0.cube0.pe1.pe_dma"}));
  BOOST_TEST((near("something.else.altogether") == Names{}));
  BOOST_TEST((near(std::string(100'000, 'x').c_str()) == Names{}));
}

BOOST_AUTO_TEST_CASE(suggestions_are_a_question) {
  BOOST_TEST(did_you_mean_of_glob("sip0.*.pe_dna", names) ==
             "; did you mean 'sip0.cube0.pe0.pe_dma' or 'sip0.cube0.pe1.pe_dma'?");
  BOOST_TEST(did_you_mean_of_glob("sip", names) == "; did you mean 'sip0'?");
  BOOST_TEST(did_you_mean_of_glob("other", names) == "");
}

BOOST_AUTO_TEST_SUITE_END()
