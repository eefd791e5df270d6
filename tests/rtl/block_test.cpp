// A block in RTL in its component: clock, handshakes, faults, signals, the files of its inside.
#include "models/rtl/verilated_block.h"
// The runtime of Verilator comes first.
#include <Vadder_top.h>
#include <sysc/kernel/sc_spawn.h>

#include <boost/test/unit_test.hpp>
#include <deque>
#include <filesystem>
#include <map>

#include "models/base/component_registry.h"
#include "models/base/errors.h"
#include "tests/rtl/machine_stub.h"
#include "tests/support/error_text.h"
#include "tests/support/forked.h"
#include "tests/support/signal_log.h"
#include "tests/support/temporary_folder.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(block_test)

namespace {

template <class Model>
Pins adder_pins(Model& m) {
  using Kind = Pin::Kind;
  return {{"in_valid", "operands are offered", 1, Kind::input, &m.in_valid},
          {"in_ready", "they are taken", 1, Kind::control, &m.in_ready},
          {"in_data", "two operands", 100, Kind::input, &m.in_data, 50},
          {"latency", "of a sum", 8, Kind::input, &m.latency},
          {"fault", "fault to inject", 4, Kind::input, &m.fault},
          {"out_valid", "a sum is offered", 1, Kind::control, &m.out_valid},
          {"out_ready", "the sum is accepted", 1, Kind::input, &m.out_ready},
          {"out_data", "the sum", 50, Kind::data, &m.out_data, 0, SignalType::count, &m.out_valid}};
}

struct Sum {
  std::uint64_t value;
  Fs at;
};

// Adds pairs of numbers sequentially.
class Adder final : public Component, private BlockUser {
 public:
  static constexpr const char* description = "adds";
  static constexpr std::array roles{Role::router};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    BlockParameters block{*this};
    Param<std::uint64_t> latency{
        *this, Parameter::integer("latency", "of a sum", "", "assumption").default_val(3)};
    Param<std::uint64_t> fault{
        *this, Parameter::integer("fault", "of the block", "", "assumption").default_val(0)};
  };
  explicit Adder(const ComponentInit& init)
      : Component(init), parameters_(init.attributes),
        block(*this, init.services, parameters_.block, *this, adder_pins<Vadder_top>) {}

  void add(std::uint64_t a, std::uint64_t b) {
    waiting_.push_back({a, b});
    block.work();
  }
  std::vector<Sum> sums;
  bool takes_results = true;

 private:
  void end_of_simulation() override { block.close(); }
  void declare_signals() override { block.declare_signals(); }

  bool sample() override {
    const Vadder_top& pins = block.pins();
    const bool taken = pins.in_valid && pins.in_ready, given = pins.out_valid && pins.out_ready;
    if (taken) {
      waiting_.pop_front();
      ++pending_;
    }
    if (given) {
      --pending_;
      sums.push_back({pins.out_data, now()});
    }
    return taken || given;
  }
  void drive() override {
    Vadder_top& pins = block.pins();
    pins.in_valid = waiting_.empty() ? 0 : 1;
    if (!waiting_.empty()) {
      set_bits(&pins.in_data, 0, 50, waiting_.front().first);
      set_bits(&pins.in_data, 50, 50, waiting_.front().second);
    }
    pins.latency = static_cast<CData>(*parameters_.latency);
    pins.fault = static_cast<CData>(*parameters_.fault);
    pins.out_ready = takes_results ? 1 : 0;
  }
  const char* awaited() const override {
    if (pending_ > 0) return "out_valid";
    return waiting_.empty() ? nullptr : "in_ready";
  }

  const Parameters parameters_;
  std::deque<std::pair<std::uint64_t, std::uint64_t>> waiting_;
  int pending_ = 0;

 public:
  VerilatedBlock<Vadder_top> block;
};

using Settings = std::map<std::string, std::string>;

struct Testbench {
  explicit Testbench(const Settings& settings = {}) {
    Implementation implementation = implementation_of<Adder>("test.adder");
    Attributes attributes = defaults_of(implementation.schema);
    for (const Parameter& parameter : implementation.schema) {
      const auto given = settings.find(parameter.name());
      if (given != settings.end()) attributes.set(parameter.name(), parameter.parse(given->second));
    }
    component = implementation.create({"adder", 7, attributes, services});
  }
  Adder& adder() { return static_cast<Adder&>(*component); }
  void at(Fs time, std::function<void()> action) {
    sc_core::sc_spawn([time, action] {
      sc_core::wait(sc_core::sc_time::from_value(time));
      action();
    });
  }
  std::string run() {
    sc_core::sc_start();
    if (sc_core::sc_get_status() != sc_core::SC_STOPPED) sc_core::sc_stop();
    return services.fault;
  }

  struct Resolution {
    Resolution() { sc_core::sc_set_time_resolution(1, sc_core::SC_FS); }
  } resolution;
  MachineStub services;
  std::unique_ptr<Component> component;
};

constexpr Fs ns = fs_per_ns;

std::string fault_of(const Settings& settings) {
  Testbench t(settings);
  t.at(10 * ns, [&] { t.adder().add(1, 2); });
  return t.run();
}

}  // namespace

// Work at 10.3 ns: operands from the edge at 11 ns, taken at 12 ns; the latency is 3 cycles more,
// so that valid is high from 16 ns on and the sum is taken at 17 ns. The edges at 11 to 17 ns
// alone.
KERNBENCH_SYSTEMC_TEST(a_block_works_on_the_edges_of_its_clock_and_only_while_there_is_work) {
  Testbench t;
  const std::uint64_t big = (std::uint64_t{1} << 49) + 12345;
  t.at(10 * ns + 300'000, [&] { t.adder().add(big, 678); });
  t.at(1000 * ns, [&] { t.adder().add(1, 2); });
  BOOST_TEST(t.run() == "");
  BOOST_REQUIRE(t.adder().sums.size() == 2U);
  BOOST_TEST(t.adder().sums[0].value == big + 678);
  BOOST_TEST(t.adder().sums[0].at == 17 * ns);
  BOOST_TEST(t.adder().sums[1].at == 1006 * ns);
  BOOST_TEST(t.adder().block.cycle() == 14U);
}

// In the instant of the last edge, which has passed: driven at once.
KERNBENCH_SYSTEMC_TEST(work_in_the_instant_of_an_edge_is_driven_in_it) {
  Testbench t;
  t.at(10 * ns, [&] { t.adder().add(1, 2); });
  t.at(16 * ns, [&] {
    sc_core::wait(sc_core::SC_ZERO_TIME);
    sc_core::wait(sc_core::SC_ZERO_TIME);
    t.adder().add(3, 4);
  });
  BOOST_TEST(t.run() == "");
  BOOST_REQUIRE(t.adder().sums.size() == 2U);
  BOOST_TEST(t.adder().sums[0].at == 16 * ns);
  BOOST_TEST(t.adder().sums[1].at == 22 * ns);
}

KERNBENCH_SYSTEMC_TEST(a_clock_has_any_period_of_femtoseconds) {
  Testbench t(Settings{{"clock_period_ns", "0.000007"}});
  t.at(10, [&] { t.adder().add(1, 2); });
  BOOST_TEST(t.run() == "");
  BOOST_TEST(t.adder().sums.at(0).at == 14U + 6 * 7);
}

BOOST_AUTO_TEST_CASE(broken_rules_and_what_a_block_ends_itself_by_end_the_run_by_name) {
  struct Case {
    Settings settings;
    std::string message;
  };
  const std::vector<Case> cases{
      {{{"fault", "2"}, {"watchdog_cycles", "50"}},
       "adder: no handshake for 50 cycles: it waits for in_ready (watchdog_cycles), cycle 50"},
      {{{"fault", "5"}}, "$finish at "},
      {{{"fault", "4"}}, "operands are not wanted"},
      {{{"fault", "6"}}, "no more"},
      {{{"fault", "7"}}, "adder: the block has ended the run by $error, $fatal or $stop at "},
      {{{"fault", "3"}, {"check_unknown", "true"}},
       "adder: output out_data is unknown: it depends on signals that are neither driven nor "
       "reset"},
  };
  for (const Case& each : cases) {
    const std::string fault = forked_value([&] { return fault_of(each.settings); });
    check_contains(fault, {each.message, ", cycle "});
  }
  BOOST_TEST(forked_value([&] { return fault_of({{"check_unknown", "true"}}); }) == "");
  BOOST_TEST(forked_value([&] { return fault_of({{"fault", "3"}}); }) == "");
}

// Valid is high from 15 ns and is withdrawn at 16 ns: seen at the edge at 17 ns.
KERNBENCH_SYSTEMC_TEST(an_assertion_names_block_rule_pin_and_cycle_at_its_time) {
  Testbench t(Settings{{"fault", "1"}});
  t.adder().takes_results = false;
  t.at(10 * ns, [&] { t.adder().add(1, 2); });
  BOOST_TEST(t.run() ==
             "adder: the block breaks the rule valid_holds_until_ready at out_valid, cycle 8");
  BOOST_TEST(sc_core::sc_time_stamp().value() == 17 * ns);
}

// Before there is any time, and before the machine knows the component.
BOOST_AUTO_TEST_CASE(a_block_that_ends_itself_in_its_reset_is_named) {
  const std::string fault = forked_value([] {
    return error_of<ModelError>([] { Testbench t(Settings{{"reset_cycles", "10"}}); });
  });
  BOOST_TEST_CONTEXT(fault) {
    BOOST_TEST(
        fault.rfind("adder: the block has ended the run by $error, $fatal or $stop at ", 0) == 0U);
    BOOST_TEST((fault.find("a reset of ten cycles, in its reset") != std::string::npos));
    BOOST_TEST((fault.find("cycle ") == std::string::npos));
    BOOST_TEST((fault.find(" ns") == std::string::npos));
  }
}

KERNBENCH_SYSTEMC_TEST(pins_are_signals_of_the_component_wide_ones_by_lanes) {
  Testbench t(Settings{{"latency", "0"}});
  SignalLog log(t.adder());
  t.at(10 * ns, [&] { t.adder().add(5, 6); });
  BOOST_TEST(t.run() == "");
  BOOST_TEST(log.of("in_valid") == "0 at 0, 1 at 10000000, 0 at 11000000");
  BOOST_TEST(log.of("in_data_0") == "0 at 0, 5 at 10000000");
  BOOST_TEST(log.of("in_data_1") == "0 at 0, 6 at 10000000");
  BOOST_TEST(log.of("out_valid") == "0 at 0, 1 at 12000000, 0 at 13000000");
  BOOST_TEST(log.of("clk").substr(0, 43) == "0 at 0, 1 at 10000000, 0 at 10500000, 1 at ");
}

KERNBENCH_SYSTEMC_TEST(the_inside_goes_to_a_waveform_and_to_a_coverage_file) {
  const TemporaryFolder folder;
  const auto there = std::filesystem::current_path();
  std::filesystem::current_path(folder.root);
  Testbench t(Settings{{"trace_inside", "true"}, {"coverage", "true"}});
  t.at(10 * ns, [&] { t.adder().add(5, 6); });
  BOOST_TEST(t.run() == "");
  BOOST_TEST(t.adder().sums.at(0).at == 16 * ns);  // as without
  BOOST_TEST(std::filesystem::file_size("adder.fst") > 100U);
  check_contains(folder.read("adder.coverage.dat"), {"design_under_test"});
  std::filesystem::current_path(there);
}

BOOST_AUTO_TEST_SUITE_END()
