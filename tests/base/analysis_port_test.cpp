// Analysis ports: order of binding, unbinding, and no call without a subscriber.
#include "models/base/analysis_port.h"

#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/support/forked.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(analysis_port)

namespace {

struct Named final : tlm::tlm_analysis_if<int> {
  Named(std::string name, std::string& log) : name_(std::move(name)), log_(log) {}
  void write(const int& event) override { log_ += name_ + std::to_string(event) + " "; }

 private:
  std::string name_;
  std::string& log_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(subscribers_are_notified_in_the_order_of_binding) {
  std::string log;
  Named a("a", log), b("b", log);
  AnalysisPort<int> port;
  BOOST_TEST(!port.observed());
  port.write(0);
  port.bind(b);
  port.bind(a);
  BOOST_TEST(port.observed());
  port.write(1);
  BOOST_TEST(log == "b1 a1 ");
}

BOOST_AUTO_TEST_CASE(an_unbound_subscriber_is_no_longer_notified) {
  std::string log;
  Named a("a", log), b("b", log);
  AnalysisPort<int> port;
  port.bind(a);
  port.bind(b);
  BOOST_TEST(port.unbind(a));
  BOOST_TEST(!port.unbind(a));
  port.write(1);
  BOOST_TEST(log == "b1 ");
  BOOST_TEST(port.unbind(b));
  BOOST_TEST(!port.observed());
}

BOOST_AUTO_TEST_CASE(a_binding_ends_with_its_object) {
  std::string log;
  Named a("a", log);
  AnalysisPort<int> port;
  {
    const AnalysisBinding<int> binding(port, a);
    port.write(1);
  }
  port.write(2);
  BOOST_TEST(log == "a1 ");
}

// Which hands events on to the analysis components of a testbench.
KERNBENCH_SYSTEMC_TEST(a_plain_analysis_port_of_tlm_can_subscribe) {
  std::string log;
  Named a("a", log);
  tlm::tlm_analysis_port<int> plain("plain");
  plain.bind(a);
  AnalysisPort<int> port;
  port.bind(plain);
  port.write(7);
  BOOST_TEST(log == "a7 ");
}

BOOST_AUTO_TEST_SUITE_END()
