// Conditions of --trace-when: errors name the allowed values.
#include "platform/export/trace_trigger.h"

#include "models/base/errors.h"
#include "platform/observe/object_tree.h"
#include "tests/observe/fake_machine.h"
#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(trace_trigger_test)

namespace {

TraceTrigger trigger(const std::string& text) {
  return TraceTrigger(text, objects_of<Component>());
}

void check_refused(const std::string& text, const std::vector<std::string>& parts) {
  BOOST_CHECK_EXCEPTION(trigger(text), UsageError, [&](const auto& error) {
    const std::string what = error.what();
    for (const std::string& part : parts)
      BOOST_TEST(what.find(part) != std::string::npos, what << " has no " << part);
    return true;
  });
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(wrong_conditions_are_reported) {
  const FakeMachine machine;
  for (const std::string text : {"", "x", "sip0.pe0.pe_dma.busy", "busy>1",
                                 "sip0.pe0.pe_dma.busy=1", "sip0.pe0.pe_dma.busy!1"})
    check_refused(text, {"is not COMPONENT.NAME OPERATOR NUMBER", "> >= < <= == !="});
  check_refused("sip0.pe0.pe_dmb.busy>0",
                {"no component 'sip0.pe0.pe_dmb'", "did you mean 'sip0.pe0.pe_dma'?"});
  check_refused("sip0.pe0.pe_dma.buzy>0",
                {"has no signal or statistic 'buzy'", "did you mean 'busy'?",
                 "signals busy, queue_depth, stage", "statistics busy_ns, transferred_bytes"});
  check_refused("sip0.pe0.pe_dma.stage==READ", {"found 'READ'", "IDLE, DMA_READ, GEMM"});
  for (const std::string number : {"", "-1", "1.5", "0x", "ten", "18446744073709551616"})
    check_refused("sip0.pe0.pe_dma.queue_depth>" + number, {"allowed is a whole number"});
  check_refused("sip0.pe0.pe_dma.busy_ns>soon", {"'soon' is not a time in ns"});
}

KERNBENCH_SYSTEMC_TEST(operators_compare) {
  const FakeMachine machine;
  const auto holds = [](const char* condition, std::uint64_t value) {
    return trigger(std::string("sip0.pe0.pe_dma.queue_depth") + condition).holds(value);
  };
  BOOST_TEST(holds("> 3", 4));
  BOOST_TEST(!holds("> 3", 3));
  BOOST_TEST(holds(">=3", 3));
  BOOST_TEST(!holds(">=3", 2));
  BOOST_TEST(holds("<0x10", 15));
  BOOST_TEST(!holds("<0x10", 16));
  BOOST_TEST(holds("<=16", 16));
  BOOST_TEST(holds("==0", 0));
  BOOST_TEST(!holds("==0", 1));
  BOOST_TEST(holds("!=0", 1));
}

// A signal before a statistic of the same name; times in ns.
KERNBENCH_SYSTEMC_TEST(names_are_those_of_signals_and_statistics) {
  const FakeMachine machine;
  BOOST_TEST(trigger("sip0.pe0.pe_dma.busy>0").signal() == &machine.dma->busy);
  const TraceTrigger time = trigger("sip0.pe0.pe_dma.busy_ns>=12.5");
  BOOST_TEST(time.signal() == nullptr);
  BOOST_TEST(!time.holds(12'499'999));
  BOOST_TEST(time.holds(12'500'000));
  machine.dma->bytes = 77;
  BOOST_TEST(trigger("sip0.pe0.pe_dma.transferred_bytes>0").statistic_now() == 77U);
  BOOST_TEST(trigger("sip0.pe0.pe_dma.transferred>0").statistic_now() == 77U);
}

BOOST_AUTO_TEST_SUITE_END()
