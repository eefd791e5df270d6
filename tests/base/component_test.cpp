// A component as an observer and a deadlock report see it.
#include "models/base/component.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <systemc>
#include <vector>

#include "models/base/component_registry.h"
#include "models/base/errors.h"
#include "tests/support/fake_services.h"
#include "tests/support/forked.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(component_test)

namespace {

// Waits for `go` and then counts.
class Counter : public Component {
 public:
  static constexpr const char* description = "counts";
  static constexpr std::array roles{Role::router};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    Param<Fs> delay{*this,
                    Parameter::decimal("delay_ns", "time before it counts", "ns", "assumption")
                        .range("0", "")
                        .default_val("2.5")};
  };

  SC_HAS_PROCESS(Counter);
  explicit Counter(const ComponentInit& init)
      : Component(init), go("go"),
        depth_(add_signal("depth", "things counted", SignalFormat::count("things", 8))),
        delay_(*Parameters(init.attributes).delay) {
    add_statistic("counted", "things counted", Quantity::count, counted_);
    SC_THREAD(run);
  }

  sc_core::sc_event go;
  struct Group final : SignalGroup {
    void begin_observation() override { ++begun; }
    void end_observation() override { ++ended; }
    int begun = 0, ended = 0;
  };
  Group group;
  void use() { add_signal("used", "for what is used", SignalFormat::id()); }

 private:
  void declare_signals() override {
    add_signal("first", "of the group", SignalFormat::flag(), &group);
    add_signal("second", "of the group", SignalFormat::flag(), &group);
  }
  void run() {
    await(go, "the signal to go");
    wait(fs(delay_));
    ++counted_;
    depth_.set(counted_);
    depth_.set(counted_);
  }

  TraceSignal& depth_;
  Fs delay_;
  std::uint64_t counted_ = 0;
};

struct Changes : tlm::tlm_analysis_if<TraceSignal> {
  void write(const TraceSignal& signal) override {
    seen.push_back(signal.name() + "=" + std::to_string(signal.value()) + " at " +
                   format_ns(Component::now()));
  }
  std::vector<std::string> seen;
};

struct Testbench {
  Testbench() {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    component = implementation.create({"counter", 7, attributes, services});
  }
  Counter& counter() { return static_cast<Counter&>(*component); }

  kernbench::test::FakeServices services;
  Implementation implementation = implementation_of<Counter>("test.counter");
  Attributes attributes = defaults_of(implementation.schema);
  std::unique_ptr<Component> component;
};

}  // namespace

KERNBENCH_SYSTEMC_FIXTURE_TEST(a_component_has_its_leaf_name_node_and_parameters, Testbench) {
  BOOST_TEST(counter().name() == std::string("counter"));
  BOOST_TEST(counter().node() == 7u);
  BOOST_TEST((counter().attributes().decimal("delay_ns") == Rational::parse("2.5")));
}

KERNBENCH_SYSTEMC_FIXTURE_TEST(events_and_processes_are_children_of_their_component, Testbench) {
  BOOST_TEST(counter().go.name() == std::string("counter.go"));
  BOOST_TEST(sc_core::sc_find_object("counter.run") != nullptr);
}

KERNBENCH_SYSTEMC_FIXTURE_TEST(a_waiting_component_is_listed_until_its_event, Testbench) {
  counter().go.notify(4, sc_core::SC_NS);
  sc_core::sc_start(3, sc_core::SC_NS);
  const auto waiters = services.pending_waits().waiters();
  BOOST_REQUIRE(waiters.size() == 1u);
  BOOST_TEST(waiters[0].who == "counter");
  BOOST_TEST(waiters[0].what == "the signal to go");
  BOOST_TEST(waiters[0].since == 0u);
  sc_core::sc_start(2, sc_core::SC_NS);
  BOOST_TEST(!services.pending_waits().any());
}

KERNBENCH_SYSTEMC_FIXTURE_TEST(a_signal_tells_each_change_once_at_its_instant, Testbench) {
  Changes changes;
  counter().signals().front().changes().bind(changes);
  counter().go.notify(4, sc_core::SC_NS);
  sc_core::sc_start();
  BOOST_REQUIRE(changes.seen.size() == 1u);
  BOOST_TEST(changes.seen[0] == "depth=1 at 6.5 ns");  // 4 ns until the event, 2.5 ns of delay
}

KERNBENCH_SYSTEMC_FIXTURE_TEST(a_signal_without_a_value_is_unknown, Testbench) {
  TraceSignal address("address", "of an access", SignalFormat::address());
  BOOST_TEST(!address.known());
  Changes changes;
  address.changes().bind(changes);
  address.set(0);  // a valid address
  BOOST_TEST(address.known());
  address.set(0);
  address.clear();
  address.clear();
  BOOST_TEST(!address.known());
  BOOST_TEST(address.value() == 0U);
  BOOST_TEST(changes.seen.size() == 2U);
  BOOST_TEST(TraceSignal("depth", "of a queue", SignalFormat::count()).known());
}

BOOST_AUTO_TEST_CASE(an_enumeration_is_as_wide_as_its_labels_need) {
  const auto width = [](std::size_t labels) {
    return SignalFormat::enumeration(std::vector<std::string>(labels)).width;
  };
  BOOST_TEST(width(1) == 1U);
  BOOST_TEST(width(2) == 1U);
  BOOST_TEST(width(3) == 2U);
  BOOST_TEST(width(257) == 9U);
}

KERNBENCH_SYSTEMC_FIXTURE_TEST(a_group_is_observed_while_one_of_its_signals_is, Testbench) {
  Changes changes;
  std::deque<TraceSignal>& signals = counter().signals();
  BOOST_REQUIRE(signals.size() == 3u);  // two of them made by the call
  signals[0].changes().bind(changes);
  BOOST_TEST(!counter().group.observed());
  signals[1].changes().bind(changes);
  signals[2].changes().bind(changes);
  BOOST_TEST(counter().group.begun == 1);
  signals[1].changes().unbind(changes);
  BOOST_TEST(counter().group.observed());
  signals[2].changes().unbind(changes);
  BOOST_TEST(!counter().group.observed());
  BOOST_TEST(counter().group.ended == 1);
}

KERNBENCH_SYSTEMC_FIXTURE_TEST(a_signal_that_comes_later_is_announced, Testbench) {
  struct Added final : tlm::tlm_analysis_if<AddedSignal> {
    void write(const AddedSignal& added) override {
      seen.push_back(std::string(added.component.name()) + "." + added.signal.name());
    }
    std::vector<std::string> seen;
  } added;
  counter().signals();
  counter().added_signals().bind(added);
  counter().use();
  BOOST_TEST(added.seen == std::vector<std::string>{"counter.used"});
}

KERNBENCH_SYSTEMC_FIXTURE_TEST(an_instant_beyond_64_bits_is_a_model_error_and_never_an_earlier_one,
                               Testbench) {
  sc_core::sc_start(3, sc_core::SC_NS);
  BOOST_TEST(Component::after(5) == 3 * fs_per_ns + 5);
  BOOST_TEST(Component::after(never_fs - 3 * fs_per_ns) == never_fs);
  BOOST_CHECK_THROW(Component::after(never_fs - 3 * fs_per_ns + 1), ModelError);
  BOOST_TEST(Component::until(3 * fs_per_ns).value() == 0u);
  BOOST_TEST(Component::until(5 * fs_per_ns).value() == 2 * fs_per_ns);
  BOOST_CHECK_THROW(Component::until(3 * fs_per_ns - 1), ModelError);
}

KERNBENCH_SYSTEMC_FIXTURE_TEST(a_statistic_is_read_at_the_end, Testbench) {
  counter().go.notify(1, sc_core::SC_NS);
  sc_core::sc_start();
  BOOST_REQUIRE(counter().statistics().size() == 1u);
  BOOST_TEST(counter().statistics()[0].name == "counted");
  BOOST_TEST(*counter().statistics()[0].value == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
