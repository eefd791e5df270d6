// HbmController with a timing from outside (tests/rules/open_page.h), in femtoseconds: flits and
// bursts of 16 B, rows of two bursts; a burst takes 10 fs, opening a row 3 fs, closing it 2 fs.
#include "tests/rules/open_page.h"

#include <boost/test/unit_test.hpp>

#include "models/base/component_registry.h"
#include "models/base/errors.h"
#include "models/cube/hbm_controller.h"
#include "tests/support/forked.h"
#include "tests/support/mini_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(open_page)

namespace {

using OpenPageHbm = HbmController<OpenPage>;

struct Memory {
  explicit Memory(const std::string& num_pcs) {
    h = &machine.add<OpenPageHbm>("h", {{"num_pcs", num_pcs},
                                        {"burst_bytes", "16"},
                                        {"row_bytes", "32"},
                                        {"banks", "2"},
                                        {"t_burst_ns", "0.00001"},
                                        {"t_rcd_ns", "0.000003"},
                                        {"t_rp_ns", "0.000002"}});
    machine.connect("a", "h");
    machine.elaborate();
  }
  std::uint64_t statistic(const std::string& name) const {
    for (const Statistic& statistic : h->statistics()) {
      if (statistic.name == name) return statistic.at(Component::now());
    }
    throw std::logic_error(name);
  }
  MiniMachine machine{{"a", "h"}, 16};
  StubNode& a{machine.stub("a")};
  OpenPageHbm* h = nullptr;
};

struct Bookings final : tlm::tlm_analysis_if<HbmBooking> {
  void write(const HbmBooking& booking) override {
    seen.push_back({booking.channel, booking.start, booking.first_finish, booking.finish});
  }
  std::vector<std::array<Fs, 4>> seen;
};

struct RowSignal final : tlm::tlm_analysis_if<TraceSignal> {
  void write(const TraceSignal& signal) override { seen.push_back(signal.value()); }
  std::vector<std::uint64_t> seen;
};

// A timing that books before `now`.
struct Past : HbmTiming {
  static constexpr const char* description = "books the past";
  using Parameters = HbmParameters;
  explicit Past(const Parameters&) {}
  HbmSlot book(const HbmBurst&, Fs now) { return {now - 1, now}; }
};

// A timing with a statistic, or a signal, of a name that the controller has.
template <bool Signal>
class Taken : public OpenPage {
 public:
  using OpenPage::OpenPage;
  void observe(Observables& to) {
    if (Signal) {
      to.add_signal("inbox", "rows in flight", SignalFormat::count("rows", 4));
    } else {
      to.add_statistic("reads", "row activations", Quantity::count, count_);
    }
  }

 private:
  std::uint64_t count_ = 0;
};

template <class Timing>
std::string refusal() {
  MiniMachine machine({"a", "h"}, 16);
  try {
    machine.add<HbmController<Timing>>("h", {{"num_pcs", "1"}, {"burst_bytes", "16"}})
        .signals();  // its own are created on the first look-up
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(a_statistic_of_a_name_that_is_taken_is_refused_with_both) {
  BOOST_TEST(refusal<Taken<false>>() ==
             "'h': it has two statistics named 'reads': 'reads booked' and 'row activations'");
}
KERNBENCH_SYSTEMC_TEST(a_signal_of_a_name_that_is_taken_is_refused_with_both) {
  BOOST_TEST(refusal<Taken<true>>() ==
             "'h': it has two signals named 'inbox': 'rows in flight' and 'flits and messages "
             "queued in the inbox'");
}

// The command comes at 101. Row 0 of bank 0: miss 104 to 114, hit to 124; row 1 of bank 1: miss 127
// to 137, hit to 147; 1 fs back. Row 2 is of bank 0 again, where row 0 is open: 2 + 3 fs more.
KERNBENCH_SYSTEMC_TEST(flits_of_a_read_leave_when_the_timing_says_that_their_bursts_have_finished) {
  Memory t("1");
  t.a.send_at(t.machine.read("a", "h", 0, 64), 100);
  t.a.send_at(t.machine.write("a", "h", 64, 16), 200);
  Bookings bookings;
  t.machine.observation().hbm_bookings.bind(bookings);
  t.machine.run();
  BOOST_TEST(t.a.times() == (std::vector<Fs>{115, 125, 138, 148, 201 + 5 + 10 + 1}),
             boost::test_tools::per_element());
  using Rows = std::vector<std::array<Fs, 4>>;
  BOOST_TEST((bookings.seen == Rows{{0, 104, 114, 114},
                                    {0, 114, 124, 124},
                                    {0, 127, 137, 137},
                                    {0, 137, 147, 147},
                                    {0, 206, 216, 216}}));
}

KERNBENCH_SYSTEMC_TEST(statistics_and_signals_of_the_timing_are_those_of_the_component) {
  Memory t("1");
  RowSignal rows;
  for (TraceSignal& signal : t.h->signals()) {
    if (signal.name() == "pc0_row") signal.changes().bind(rows);
  }
  t.a.send_at(t.machine.read("a", "h", 0, 64), 100);
  t.a.send_at(t.machine.write("a", "h", 64, 16), 200);
  t.machine.run();
  BOOST_TEST(t.statistic("row_hits") == 2U);
  BOOST_TEST(t.statistic("row_misses") == 2U);
  BOOST_TEST(t.statistic("row_conflicts") == 1U);
  BOOST_TEST(t.statistic("reads") == 1U);
  BOOST_TEST(t.statistic("bytes_written") == 16U);
  BOOST_TEST(t.statistic("pc0_busy") == 50U);  // without the time of the rows
  BOOST_TEST(rows.seen == (std::vector<std::uint64_t>{1, 0, 1, 0, 2}),
             boost::test_tools::per_element());
}

// Bytes of a channel lie densely: bursts 0 and 2 of the partition are a row of channel 0.
KERNBENCH_SYSTEMC_TEST(a_timing_sees_the_bursts_of_a_channel_as_they_lie_there) {
  Memory t("2");
  t.a.send_at(t.machine.read("a", "h", 0, 64), 100);
  t.machine.run();
  BOOST_TEST(t.statistic("row_misses") == 2U);
  BOOST_TEST(t.statistic("row_hits") == 2U);
  BOOST_TEST(t.machine.completed_at(0) == 101U + 3 + 10 + 10 + 1);
}

BOOST_AUTO_TEST_CASE(parameters_of_the_timing_are_those_of_the_implementation) {
  ComponentRegistry registry;
  registry.add(implementation_of<OpenPageHbm>("test.open_page"));
  const Implementation& open_page = *registry.find("test.open_page");
  BOOST_TEST(open_page.description == std::string(OpenPage::description));
  std::string names;
  for (const Parameter& parameter : open_page.schema) names += parameter.name() + " ";
  BOOST_TEST(names ==
             "overhead_ns num_pcs burst_bytes banks row_bytes t_burst_ns t_rcd_ns t_rp_ns "
             "flit_bytes ");
  Attributes attributes = defaults_of(open_page.schema);
  attributes.set("flit_bytes", Rational(256));
  BOOST_TEST(!open_page.check(attributes).has_value());
  attributes.set("row_bytes", Rational(300));
  BOOST_TEST(open_page.check(attributes)->message ==
             "found 300, allowed is a multiple of burst_bytes (256)");
}

KERNBENCH_SYSTEMC_TEST(a_timing_that_books_the_past_is_named) {
  MiniMachine machine({"a", "h"}, 16);
  StubNode& a = machine.stub("a");
  machine.add<HbmController<Past>>("h", {{"num_pcs", "1"}, {"burst_bytes", "16"}});
  machine.connect("a", "h");
  machine.elaborate();
  a.send_at(machine.write("a", "h", 0, 16), 100);
  BOOST_CHECK_EXCEPTION(machine.run(), std::exception, [](const std::exception& error) {
    return std::string(error.what())
               .find("the timing of h books pseudo-channel 0 from 0.0001 ns") != std::string::npos;
  });
}

BOOST_AUTO_TEST_SUITE_END()
