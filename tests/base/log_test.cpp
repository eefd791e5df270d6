// Logs of components: levels, verbosity, what is formatted.
#include "models/base/log.h"

#include <boost/test/unit_test.hpp>
#include <systemc>
#include <vector>

#include "tests/support/forked.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(logs)

namespace {

std::vector<std::string> reported;

void take_report(const sc_core::sc_report& report, const sc_core::sc_actions& /*actions*/) {
  reported.push_back(
      std::string(report.get_severity() == sc_core::SC_WARNING ? "warning" : "info") + " " +
      std::to_string(report.get_verbosity()) + " " + report.get_msg());
}

SC_MODULE(Engine) {
  SC_HAS_PROCESS(Engine);
  explicit Engine(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    SC_THREAD(run);
  }
  void run() {
    wait(sc_core::sc_time::from_value(2'500'000));
    log.warning([this] { return text("w"); });
    log.info([this] { return text("i"); });
    log.debug([this] { return text("d"); });
    log.trace([this] { return text("t"); });
  }
  std::string text(const char* what) {
    ++formatted;
    return what;
  }
  Log log{*this};
  int formatted = 0;
};

// What one pass over all levels reports.
std::vector<std::string> reports_at(LogLevel level, int& formatted) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  sc_core::sc_report_handler::set_handler(&take_report);
  sc_core::sc_report_handler::set_verbosity_level(verbosity_of(level));
  Engine engine("engine");
  engine.log.set_level(level);
  sc_core::sc_start();
  formatted = engine.formatted;
  return reported;
}

}  // namespace

BOOST_AUTO_TEST_CASE(levels_have_names_and_verbosities_in_order) {
  for (const char* name : {"error", "warning", "info", "debug", "trace"})
    BOOST_TEST(name_of(parse_log_level(name).value()) == std::string(name));
  BOOST_TEST(!parse_log_level("Info"));
  BOOST_TEST(!parse_log_level(""));
  BOOST_TEST((level_of(sc_core::SC_LOW) == LogLevel::info));
  BOOST_TEST((level_of(sc_core::SC_MEDIUM) == LogLevel::info));
  BOOST_TEST((level_of(sc_core::SC_HIGH) == LogLevel::debug));
  BOOST_TEST((level_of(sc_core::SC_DEBUG) == LogLevel::debug));
  BOOST_TEST((level_of(sc_core::SC_DEBUG + 1) == LogLevel::trace));
}

KERNBENCH_SYSTEMC_TEST(nothing_is_formatted_while_a_log_is_off) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  sc_core::sc_report_handler::set_handler(&take_report);
  Engine engine("engine");  // the default
  sc_core::sc_start();
  BOOST_TEST(engine.formatted == 0);
  BOOST_TEST(reported.empty());
}

KERNBENCH_SYSTEMC_TEST(a_level_takes_those_before_it_and_formats_no_other) {
  int formatted = 0;
  const auto lines = reports_at(LogLevel::info, formatted);
  BOOST_TEST(formatted == 2);
  BOOST_TEST(lines == (std::vector<std::string>{"warning 200 engine at 2.5 ns: w",
                                                "info 200 engine at 2.5 ns: i"}),
             boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(a_log_of_level_trace_shows_all) {
  int formatted = 0;
  const auto lines = reports_at(LogLevel::trace, formatted);
  BOOST_TEST(formatted == 4);
  BOOST_REQUIRE(lines.size() == 4U);
  BOOST_TEST(lines[2] == "info 500 engine at 2.5 ns: d");
}

KERNBENCH_SYSTEMC_TEST(a_log_is_found_by_its_owner_and_goes_with_it) {
  Engine engine("engine");
  BOOST_TEST((Log::find(engine) == &engine.log));
  BOOST_TEST((Log::find(engine, "ccl") == nullptr));
  {
    const Log second(engine, "ccl");
    BOOST_TEST((Log::find(engine, "ccl") == &second));
  }
  BOOST_TEST((Log::find(engine, "ccl") == nullptr));
}

BOOST_AUTO_TEST_SUITE_END()
