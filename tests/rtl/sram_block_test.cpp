// The memory in SystemVerilog by itself: random bursts against an array of bytes, its times, and
// what it answers with an error.
#include "models/rtl/verilator_runtime.h"
// The runtime of Verilator comes first.
#include <Vsram_512.h>
#include <Vsram_64.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "tests/rtl/axi4_driver.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(sram_block_test)

namespace {

constexpr std::uint64_t memory_bytes = 16 * 1024;
constexpr unsigned okay = 0, error = 2, incr = 1;

struct Range {
  std::uint64_t begin = 0, end = 0;
  bool write = false;
  bool conflicts(const Range& other) const {
    return (write || other.write) && begin < other.end && other.begin < end;
  }
};

// Random bursts of random sizes, lengths and strobes; two that overlap, one of them a write, are
// never outstanding together.
template <class Model>
class RandomBursts {
 public:
  RandomBursts(unsigned data_bytes, unsigned gaps, unsigned seed)
      : data_bytes_(data_bytes), random_(seed), driver_(data_bytes, gaps, seed + 1),
        reference_(memory_bytes, 0) {}

  void run(unsigned bursts) {
    while (begun_ < bursts || !in_flight_[0].empty() || !in_flight_[1].empty()) {
      if (begun_ < bursts) begin();
      driver_.cycle();
      check_answers();
      BOOST_REQUIRE(driver_.cycles < 400U * bursts);
    }
    BOOST_TEST(driver_.violations.empty());
    BOOST_TEST(errors_ > 0U);
  }

 private:
  struct Burst {
    AddressBeat address;
    Range range;
    std::vector<Answer> answers;
    std::vector<std::pair<unsigned, unsigned>> lanes;  // of each beat that are compared
  };

  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }

  Burst random_burst() {
    Burst burst;
    AddressBeat& a = burst.address;
    a.id = below(16);
    a.size = below(2) == 0 ? log2_bytes() : below(log2_bytes() + 1);
    const unsigned bytes = 1U << a.size;
    a.address = below(8) == 0 ? memory_bytes - 128 + below(256) : below(memory_bytes);
    const auto room = static_cast<unsigned>((4096 - a.address % 4096 + bytes - 1) / bytes);
    a.length = below(std::min(room, below(10) == 0 ? 256U : 9U));
    const std::uint64_t aligned = a.address / bytes * bytes;
    burst.range = {aligned, aligned + (a.length + 1) * bytes, below(2) == 0};
    return burst;
  }

  void begin() {
    Burst burst = random_burst();
    for (const auto& direction : in_flight_) {
      for (const Burst& other : direction)
        if (other.range.conflicts(burst.range)) return;
    }
    ++begun_;
    unsigned resp = okay;
    for (unsigned beat = 0; beat <= burst.address.length; ++beat) {
      const bool last = beat == burst.address.length;
      const unsigned bytes = 1U << burst.address.size;
      const std::uint64_t begin =
          beat == 0 ? burst.address.address : burst.range.begin + beat * bytes;
      const std::uint64_t end = burst.range.begin + (beat + 1) * bytes;
      const std::uint64_t word = begin / data_bytes_ * data_bytes_;
      const bool inside = begin < memory_bytes;
      if (burst.range.write) {
        DataBeat data{std::vector<unsigned char>(data_bytes_),
                      std::vector<unsigned char>(data_bytes_), last};
        for (unsigned char& byte : data.bytes) byte = static_cast<unsigned char>(random_());
        for (std::uint64_t at = begin; at < end; ++at) {
          data.strobes[at - word] = below(4) != 0;
          if (data.strobes[at - word] && inside) reference_[at] = data.bytes[at - word];
        }
        driver_.data.push_back(data);
        if (!inside) resp = error;
        if (last) burst.answers.push_back({burst.address.id, resp, {}, true});
      } else {
        std::vector<unsigned char> expected(data_bytes_, 0);
        for (std::uint64_t at = begin; at < end; ++at)
          if (inside) expected[at - word] = reference_[at];
        burst.answers.push_back({burst.address.id, inside ? okay : error, expected, last});
        burst.lanes.push_back(
            {static_cast<unsigned>(begin - word), static_cast<unsigned>(end - word)});
      }
      errors_ += inside ? 0 : 1;
    }
    (burst.range.write ? driver_.writes : driver_.reads).push_back(burst.address);
    in_flight_[burst.range.write ? 1 : 0].push_back(burst);
  }

  // The memory answers in order.
  void check_answers() {
    check(driver_.write_answers, in_flight_[1]);
    check(driver_.read_answers, in_flight_[0]);
  }
  void check(std::vector<Answer>& answers, std::deque<Burst>& bursts) {
    for (const Answer& answer : answers) {
      BOOST_REQUIRE(!bursts.empty());
      Burst& burst = bursts.front();
      const Answer expected = burst.answers.front();
      BOOST_TEST(answer.id == expected.id);
      BOOST_TEST(answer.resp == expected.resp);
      BOOST_TEST(answer.last == expected.last);
      if (!burst.range.write) {
        const auto [first, end] = burst.lanes.front();
        BOOST_TEST((std::equal(answer.bytes.begin() + first, answer.bytes.begin() + end,
                               expected.bytes.begin() + first)));
        burst.lanes.erase(burst.lanes.begin());
      }
      burst.answers.erase(burst.answers.begin());
      if (burst.answers.empty()) bursts.pop_front();
    }
    answers.clear();
  }
  unsigned log2_bytes() const { return data_bytes_ == 8 ? 3 : 6; }

  unsigned data_bytes_;
  std::mt19937 random_;
  Axi4Driver<Model> driver_;
  std::vector<unsigned char> reference_;
  std::deque<Burst> in_flight_[2];
  unsigned begun_ = 0, errors_ = 0;
};

// Cycles from the edge that takes the address of a read to that which takes its last beat.
template <class Model>
std::uint64_t read_cycles(unsigned data_bytes, unsigned beats) {
  Axi4Driver<Model> driver(data_bytes, 0, 1);
  driver.reads.push_back({1, 0, beats - 1, data_bytes == 8 ? 3U : 6U, incr});
  driver.run_until("arready", [&] { return driver.reads.empty(); });
  const std::uint64_t taken = driver.cycles;
  driver.run_until("last beat", [&] { return driver.read_answers.size() == beats; });
  return driver.cycles - taken;
}

}  // namespace

BOOST_AUTO_TEST_CASE(random_bursts_read_what_an_array_of_bytes_holds) {
  RandomBursts<Vsram_64>(8, 0, 1).run(2000);
  RandomBursts<Vsram_64>(8, 40, 2).run(2000);
  RandomBursts<Vsram_512>(64, 0, 3).run(1000);
  RandomBursts<Vsram_512>(64, 70, 4).run(1000);
}

// READ_LATENCY is 2 and 5; a beat per cycle behind it, from one burst to the next, too.
BOOST_AUTO_TEST_CASE(a_read_takes_its_latency_and_a_cycle_for_each_further_beat) {
  BOOST_TEST(read_cycles<Vsram_64>(8, 1) == 2U);
  BOOST_TEST(read_cycles<Vsram_64>(8, 100) == 2U + 99U);
  BOOST_TEST(read_cycles<Vsram_512>(64, 1) == 5U);
  BOOST_TEST(read_cycles<Vsram_512>(64, 64) == 5U + 63U);
}

BOOST_AUTO_TEST_CASE(bursts_follow_one_another_without_a_gap) {
  Axi4Driver<Vsram_64> driver(8, 0, 1);
  for (unsigned i = 0; i < 8; ++i) {
    driver.writes.push_back({0, i * 32, 3, 3, incr});
    driver.reads.push_back({0, 4096 + i * 32, 3, 3, incr});
    for (unsigned b = 0; b < 4; ++b) driver.data.push_back(write_beat(b == 3));
  }
  driver.run_until("last answer", [&] {
    return driver.read_answers.size() == 32 && driver.write_answers.size() == 8;
  });
  // Address, 32 beats, answer; address, latency of 2, of which the first beat takes a part.
  BOOST_TEST(driver.cycles == 1U + 32U + 1U);
  BOOST_TEST(driver.violations.empty());
}

// A request that breaks a manager rule is also answered with SLVERR, and is not written.
BOOST_AUTO_TEST_CASE(a_burst_that_is_not_incr_is_answered_with_an_error) {
  constexpr unsigned wrap = 2, fixed = 0;
  Axi4Driver<Vsram_64> driver(8, 0, 1);
  driver.writes = {{1, 0, 1, 3, wrap}};
  driver.data = {write_beat(false), write_beat(true)};
  driver.run_until("answer", [&] { return driver.write_answers.size() == 1; });
  BOOST_TEST(driver.write_answers[0].resp == error);
  driver.reads = {{1, 0, 1, 3, incr}, {2, 0, 1, 3, fixed}};
  driver.run_until("last beat", [&] { return driver.read_answers.size() == 4; });
  for (unsigned i = 0; i < 4; ++i) {
    const Answer& answer = driver.read_answers[i];
    BOOST_TEST(answer.resp == (i < 2 ? okay : error));
    BOOST_TEST(answer.bytes == std::vector<unsigned char>(8, 0), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(a_misplaced_last_beat_is_answered_with_an_error) {
  for (const bool early : {true, false}) {
    Axi4Driver<Vsram_64> driver(8, 0, 1);
    driver.data_behind_address = false;
    driver.writes = {{1, 0, 1, 3, incr}, {2, 64, 0, 3, incr}};
    driver.data = {write_beat(early), write_beat(early), write_beat(true)};
    driver.run_until("answer", [&] { return driver.write_answers.size() == 2; });
    BOOST_TEST(driver.write_answers[0].id == 1U);
    BOOST_TEST(driver.write_answers[0].resp == error);
    BOOST_TEST(driver.write_answers[1].resp == okay);  // the next burst is sound
    BOOST_TEST(driver.violations == std::vector<std::string>{"last_at_end_of_burst wlast"});
  }
}

BOOST_AUTO_TEST_SUITE_END()
