// The rules of the AXI4 pins (models/rtl/sv/kernbench_axi4_checker.sv): each is broken by a driver
// or by a memory, and named with its pin.
#include "models/rtl/verilator_runtime.h"
// The runtime of Verilator comes first.
#include <Vfaulty_sram.h>
#include <Vsram_64.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <map>

#include "tests/rtl/axi4_driver.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(axi4_rules_test)

namespace {

constexpr unsigned incr = 1;

using Rules = std::vector<std::string>;
bool contains(const Rules& rules, const std::string& rule) {
  return std::find(rules.begin(), rules.end(), rule) != rules.end();
}

// Rules broken by a driver that does what it should not, or by a memory that does. Responses wait
// for a while first.
template <class Model>
Rules broken(const std::vector<AddressBeat>& writes, const std::vector<DataBeat>& data,
             const std::vector<AddressBeat>& reads, unsigned gaps = 0) {
  Axi4Driver<Model> driver(8, gaps, 5);
  driver.writes.assign(writes.begin(), writes.end());
  driver.data.assign(data.begin(), data.end());
  driver.reads.assign(reads.begin(), reads.end());
  driver.takes_responses = false;
  driver.run(30);
  driver.takes_responses = true;
  driver.run(60);
  Rules rules = driver.violations;
  std::sort(rules.begin(), rules.end());
  rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
  return rules;
}

// Unanswered addresses: the memory has taken as many as it can, the next one waits.
template <class Beats>
void fill_with_addresses(Axi4Driver<Vsram_64>& driver, Beats& addresses,
                         const std::uint8_t* ready) {
  for (unsigned i = 0; i < 8; ++i) addresses.push_back({0, i * 2048 % 4096, 255, 3, incr});
  driver.takes_responses = false;
  driver.run(4);
  driver.run_until("full queue of addresses", [&] { return *ready == 0; });
  driver.cycle();
  BOOST_TEST(driver.violations.empty());
}
// Write data wait, as no response has been taken.
void fill_with_data(Axi4Driver<Vsram_64>& driver) {
  for (unsigned i = 0; i < 8; ++i) {
    driver.writes.push_back({0, i * 8, 0, 3, incr});
    driver.data.push_back(write_beat(true));
  }
  driver.takes_responses = false;
  driver.run(4);
  driver.run_until("full queue of responses",
                   [&] { return *driver.pins().wvalid != 0 && *driver.pins().wready == 0; });
  driver.cycle();
  BOOST_TEST(driver.violations.empty());
}

template <class Beat>
struct Change {
  std::string pin;
  std::function<void(Beat&)> make;
};

}  // namespace

BOOST_AUTO_TEST_CASE(rules_that_the_manager_breaks_are_named) {
  using Model = Vsram_64;
  BOOST_TEST(contains(broken<Model>({{0, 0, 0, 3, 2}}, {}, {}), "burst_is_incr awburst"));
  BOOST_TEST(
      contains(broken<Model>({{0, 0, 0, 4, incr}}, {}, {}), "beat_fits_the_data_width awsize"));
  BOOST_TEST(contains(broken<Model>({}, {}, {{0, 4088, 1, 3, incr}}), "burst_within_4_kib araddr"));
  BOOST_TEST(contains(broken<Model>({}, {}, {{0, 0, 0, 3, 2}}), "burst_is_incr arburst"));
  BOOST_TEST(
      contains(broken<Model>({}, {}, {{0, 0, 0, 4, incr}}), "beat_fits_the_data_width arsize"));
  BOOST_TEST(
      contains(broken<Model>({{0, 4088, 1, 3, incr}}, {write_beat(false), write_beat(true)}, {}),
               "burst_within_4_kib awaddr"));
  BOOST_TEST(contains(broken<Model>({{0, 0, 1, 3, incr}}, {write_beat(true), write_beat(true)}, {}),
                      "last_at_end_of_burst wlast"));
  BOOST_TEST(contains(broken<Model>({{0, 2, 0, 1, incr}}, {write_beat(true)}, {}),
                      "strobes_within_the_beat wstrb"));
  // Within them: nothing.
  BOOST_TEST(
      broken<Model>({{0, 4088, 0, 3, incr}}, {write_beat(true)}, {{0, 0, 255, 3, incr}}).empty());
  BOOST_TEST(
      broken<Model>({{0, 0, 0, 1, incr}}, {write_beat(true, 2)}, {{0, 2048, 255, 3, incr}}, 50)
          .empty());
}

// The driver offers what its queue holds: an offer that waits is withdrawn, or changes.
BOOST_AUTO_TEST_CASE(addresses_hold_and_are_stable_until_they_are_taken) {
  const std::vector<Change<AddressBeat>> changes{{"id", [](AddressBeat& a) { a.id ^= 1U; }},
                                                 {"addr", [](AddressBeat& a) { a.address += 8; }},
                                                 {"len", [](AddressBeat& a) { --a.length; }},
                                                 {"size", [](AddressBeat& a) { --a.size; }},
                                                 {"burst", [](AddressBeat& a) { a.burst = 2; }}};
  for (const std::string channel : {"aw", "ar"}) {
    const auto rules_of = [&](auto disturb) {
      Axi4Driver<Vsram_64> driver(8, 0, 1);
      auto& addresses = channel == "aw" ? driver.writes : driver.reads;
      fill_with_addresses(driver, addresses,
                          channel == "aw" ? driver.pins().awready : driver.pins().arready);
      disturb(addresses);
      driver.run(2);
      return driver.violations;
    };
    BOOST_TEST(contains(rules_of([](auto& addresses) { addresses.clear(); }),
                        "valid_holds_until_ready " + channel + "valid"));
    for (const auto& change : changes)
      BOOST_TEST(contains(rules_of([&](auto& addresses) { change.make(addresses.front()); }),
                          "data_is_stable_while_waiting " + channel + change.pin));
    BOOST_TEST(rules_of([](auto&) {}).empty());
  }
}

BOOST_AUTO_TEST_CASE(write_data_hold_and_are_stable_until_they_are_taken) {
  const std::vector<Change<DataBeat>> changes{{"wdata", [](DataBeat& b) { b.bytes[3] ^= 1U; }},
                                              {"wstrb", [](DataBeat& b) { b.strobes[3] = 0; }},
                                              {"wlast", [](DataBeat& b) { b.last = false; }}};
  const auto rules_of = [](auto disturb) {
    Axi4Driver<Vsram_64> driver(8, 0, 1);
    fill_with_data(driver);
    disturb(driver.data);
    driver.run(2);
    return driver.violations;
  };
  BOOST_TEST(
      contains(rules_of([](auto& data) { data.clear(); }), "valid_holds_until_ready wvalid"));
  for (const auto& change : changes)
    BOOST_TEST(contains(rules_of([&](auto& data) { change.make(data.front()); }),
                        "data_is_stable_while_waiting " + change.pin));
  BOOST_TEST(rules_of([](auto&) {}).empty());
}

BOOST_AUTO_TEST_CASE(no_valid_is_high_in_the_first_cycle_after_a_reset) {
  const auto rules_after_reset = [](auto offer) {
    Axi4Driver<Vsram_64> driver(8, 0, 1);
    driver.data_behind_address = false;
    driver.reset();
    offer(driver);
    driver.run(1);
    return driver.violations;
  };
  BOOST_TEST(rules_after_reset([](auto& driver) {
               driver.writes.push_back({0, 0, 0, 3, incr});
             }) == Rules{"no_valid_after_reset awvalid"});
  BOOST_TEST(rules_after_reset([](auto& driver) {
               driver.reads.push_back({0, 0, 0, 3, incr});
             }) == Rules{"no_valid_after_reset arvalid"});
  BOOST_TEST(rules_after_reset([](auto& driver) { driver.data.push_back(write_beat(true)); }) ==
             Rules{"no_valid_after_reset wvalid"});

  Axi4Driver<Vfaulty_sram> driver(8, 0, 1);
  driver.reads.push_back({0, 20ULL << 27, 0, 3, incr});
  driver.run(10);
  BOOST_TEST(driver.violations.empty());
  driver.reset();
  driver.run(1);
  BOOST_TEST(contains(driver.violations, "no_valid_after_reset bvalid"));
  BOOST_TEST(contains(driver.violations, "no_valid_after_reset rvalid"));
}

// Fault 17: addresses are taken, nothing is answered.
BOOST_AUTO_TEST_CASE(more_than_255_bursts_in_flight_are_named) {
  for (const unsigned bursts : {255U, 256U}) {
    for (const std::string channel : {"aw", "ar"}) {
      Axi4Driver<Vfaulty_sram> driver(8, 0, 1);
      auto& addresses = channel == "aw" ? driver.writes : driver.reads;
      addresses.assign(bursts, {3, 17ULL << 27, 0, 3, incr});
      driver.run_until("address taken", [&] { return addresses.empty(); });
      driver.cycle();
      BOOST_TEST(
          driver.violations ==
          (bursts == 255 ? Rules{} : Rules{"at_most_255_bursts_in_flight " + channel + "valid"}));
    }
  }
}

// Fault 18: write data are always taken. The memory itself waits for their address.
BOOST_AUTO_TEST_CASE(write_data_are_taken_behind_their_address) {
  Axi4Driver<Vfaulty_sram> driver(8, 0, 1);
  driver.data_behind_address = false;
  driver.reads.push_back({0, 18ULL << 27, 0, 3, incr});
  driver.data.push_back(write_beat(true));
  driver.run(10);
  BOOST_TEST(driver.violations == Rules{"no_write_data_without_address wready"});

  Axi4Driver<Vsram_64> sound(8, 0, 1);
  sound.data_behind_address = false;
  sound.data.push_back(write_beat(true));
  sound.run(10);
  sound.writes.push_back({0, 0, 0, 3, incr});
  sound.run_until("answer", [&] { return sound.write_answers.size() == 1; });
  BOOST_TEST(sound.violations.empty());
}

// sv/faulty_sram.sv
BOOST_AUTO_TEST_CASE(rules_that_a_memory_breaks_are_named) {
  const auto of_read = [](std::uint64_t fault) {
    return broken<Vfaulty_sram>({}, {}, {{3, fault << 27, 7, 3, incr}}, 50);
  };
  const auto of_write = [](std::uint64_t fault) {
    return broken<Vfaulty_sram>({{3, fault << 27, 1, 3, incr}},
                                {write_beat(false), write_beat(true)}, {}, 50);
  };
  BOOST_TEST(of_read(0).empty());
  BOOST_TEST(of_write(0).empty());
  const std::map<std::uint64_t, std::string> reads{
      {1, "valid_holds_until_ready rvalid"},      {2, "data_is_stable_while_waiting rdata"},
      {3, "last_at_end_of_burst rlast"},          {6, "no_read_data_without_request rvalid"},
      {14, "data_is_stable_while_waiting rresp"}, {15, "data_is_stable_while_waiting rid"},
      {16, "data_is_stable_while_waiting rlast"}, {19, "response_is_okay_or_error rresp"}};
  const std::map<std::uint64_t, std::string> writes{{4, "response_after_last_write_beat bvalid"},
                                                    {5, "response_is_okay_or_error bresp"},
                                                    {11, "valid_holds_until_ready bvalid"},
                                                    {12, "data_is_stable_while_waiting bid"},
                                                    {13, "data_is_stable_while_waiting bresp"}};
  for (const auto& [fault, rule] : reads)
    BOOST_TEST(contains(of_read(fault), rule), fault << ": " << rule);
  for (const auto& [fault, rule] : writes)
    BOOST_TEST(contains(of_write(fault), rule), fault << ": " << rule);
}

BOOST_AUTO_TEST_SUITE_END()
