// Blocks that break the contract of a GEMM: the run ends and names the block, what is wrong, where
// and when.
#include "models/rtl/verilated_gemm.h"
// The model.
#include <Vfaulty_mac.h>

#include <boost/test/unit_test.hpp>

#include "tests/rtl/gemm_machine.h"
#include "tests/support/error_text.h"
#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(faulty_gemm_test)

namespace {

std::string fault_of(std::int64_t rows, const Settings& settings) {
  MachineOptions options = builtin_engines();
  options.components = [](ComponentRegistry& registry) {
    registry.add(gemm_implementation("test.faulty", "faulty", {gemm_design<Vfaulty_mac>({8, 8})}));
  };
  GemmMachine m(rtl(settings, "test.faulty"), options);
  const std::uint64_t a = m.hbm({0, 0, 0}), b = a + 0x8000, out = b + 0x8000;
  m.fill(a, rows * 10, DType::i8);
  m.fill(b, 10 * 20, DType::i8);
  try {
    return m.launch([&](tl::Program& tl) {
      const tl::Handle x = tl.ref(tl::Ptr(a), {rows, 10}, DType::i8),
                       y = tl.ref(tl::Ptr(b), {10, 20}, DType::i8);
      tl.wait(tl.composite(tl::gemm(x, y).to(tl::Ptr(out)).tile({32, 16, 16})));
    });
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_block_that_breaks_the_contract_ends_the_run_by_name) {
  struct Case {
    std::int64_t rows;
    Settings settings;
    std::vector<std::string> parts;
  };
  const std::vector<Case> cases{
      {3,
       {{"check_result", "true"}},
       {"sip0.cube0.pe0.pe_gemm at ", ": a wrong result of command ",
        "tile 0: element (0, 1) of the output is ", ", expected ", ", cycle "}},
      {5,
       {{"watchdog_cycles", "100"}},
       {"sip0.cube0.pe0.pe_gemm at ", ": no handshake for 100 cycles: it waits for result_valid",
        "cycle "}},
      {7,
       {},
       {"sip0.cube0.pe0.pe_gemm at ",
        ": the block breaks the rule last_at_end_of_task at result_last, "
        "cycle "}},
      {9,
       {{"result_gaps", "60"}},
       {"the block breaks the rule valid_holds_until_ready at result_valid, cycle "}},
      {11, {}, {"sip0.cube0.pe0.pe_gemm at ", ": the block reports error 42, cycle "}},
      {13,
       {{"result_gaps", "60"}},
       {"the block breaks the rule data_is_stable_while_waiting at result_data, cycle "}},
  };
  for (const Case& each : cases) {
    const std::string fault = forked_value([&] { return fault_of(each.rows, each.settings); });
    check_contains(fault, each.parts);
    BOOST_TEST_CONTEXT(fault) {  // the time once, the cycle last
      BOOST_TEST((fault.find(" ns") == fault.rfind(" ns")));
      BOOST_TEST((fault.rfind(", cycle ") == fault.find_last_not_of("0123456789") - 7));
    }
  }
  BOOST_TEST(forked_value([] { return fault_of(4, {{"check_result", "true"}}); }) == "");
}

BOOST_AUTO_TEST_SUITE_END()
