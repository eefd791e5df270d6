// Two logs side by side: settings and times that differ.
#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "platform/report/log_comparison.h"
#include "tests/report/hand_made_log.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(comparison_test)

namespace {

const std::string pe0 = "sip0.cube0.pe0";

// The length of its only read makes the difference between two of them.
HandMadeLog& with_read(HandMadeLog& log, Fs time, const std::string& tile) {
  log.launch("k", 0, 20 + time, {pe0}, 10, 10 + time);
  log.awaited_command(pe0, 1, 10, 10, 10 + time);
  log.ops = {{pe0 + ".pe_dma", "dma_read", 10, 10 + time, 1}};
  log.meta = {{"bench", "gemm M=32 tile=" + tile},
              {"status", "completed"},
              {"configuration", R"({"cube": {"depth": )" + tile + R"(, "names": ["a", "b"]}})"}};
  return log;
}

}  // namespace

BOOST_AUTO_TEST_CASE(settings_and_times_that_differ_are_listed) {
  HandMadeLog left, right;
  LogPlayer a(with_read(left, 40, "8").write()), b(with_read(right, 10, "32").write());
  LogComparison comparison(a, b);
  a.play();
  b.play();
  comparison.close();
  BOOST_TEST(comparison.settings().csv() == "key,a,b\n--param tile,8,32\ncube.depth,8,32\n");
  BOOST_TEST(comparison.times().csv() ==
             "what,name,a_count,b_count,a_ns,b_ns,difference_ns,b_to_a\n"
             "launches,k,1,1,0.00006,0.00003,-0.00003,0.500000\n"
             "critical_path,pe_dma dma_read,1,1,0.00004,0.00001,-0.00003,0.250000\n"
             "critical_path,launch answer,1,1,0.00001,0.00001,0,1.000000\n"
             "critical_path,launch dispatch,1,1,0.00001,0.00001,0,1.000000\n"
             "engines,pe_dma dma_read,1,1,0.00004,0.00001,-0.00003,0.250000\n"
             "operations,pe_dma dma_read,1,1,0.00004,0.00001,-0.00003,0.250000\n");
}

BOOST_AUTO_TEST_CASE(a_log_compared_with_itself_has_no_difference) {
  HandMadeLog log;
  LogPlayer a(with_read(log, 40, "8").write()), b(a.path());
  LogComparison comparison(a, b);
  a.play();
  b.play();
  comparison.close();
  BOOST_TEST(comparison.settings().empty());
  BOOST_TEST(comparison.text(10).find("all settings are equal") != std::string::npos);
}

// A run that was stopped has no times that say anything about the change.
BOOST_AUTO_TEST_CASE(times_of_a_run_that_was_stopped_are_not_compared) {
  HandMadeLog left, right;
  with_read(left, 40, "8");
  with_read(right, 10, "32").meta.emplace_back("error", "no room\nsecond line");
  right.meta[1] = {"status", "failed"};
  LogPlayer a(left.write()), b(right.write());
  LogComparison comparison(a, b);
  a.play();
  b.play();
  comparison.close();
  BOOST_TEST(comparison.refusal() == "the run of b has not completed (failed: no room)");
  BOOST_TEST(comparison.times().empty());
  BOOST_TEST(comparison.text(10).find("times are not compared: the run of b") != std::string::npos);
  BOOST_TEST(comparison.json().at("not_compared") == comparison.refusal());
}

BOOST_AUTO_TEST_CASE(logs_of_different_benches_are_refused) {
  HandMadeLog left, right;
  left.meta = {{"bench", "gemm M=1"}};
  right.meta = {{"bench", "softmax M=1"}};
  LogPlayer a(left.write()), b(right.write());
  BOOST_CHECK_EXCEPTION(LogComparison(a, b), UsageError, [](const UsageError& error) {
    const std::string what = error.what();
    return what.find("logs of different benches cannot be compared: '") == 0 &&
           what.find("is of 'gemm'") != std::string::npos &&
           what.find("of 'softmax'") != std::string::npos;
  });
}

BOOST_AUTO_TEST_SUITE_END()
