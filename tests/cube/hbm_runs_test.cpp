// Accesses of several runs at the HBM controller (spec 2.5, 2.6), in femtoseconds: flits of 16 B,
// bursts of 32 B that take 16 fs (4 channels behind a link of 8e6 GB/s); links are unlimited.
#include <boost/test/unit_test.hpp>
#include <map>
#include <random>

#include "models/cube/hbm_controller.h"
#include "tests/support/forked.h"
#include "tests/support/mini_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(hbm_runs)

namespace {

constexpr std::uint32_t flit_bytes = 16, burst_bytes = 32, channels = 4;
constexpr Fs burst_time = 16;
using Runs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // offset, bytes

struct Memory {
  Memory() : machine({"a", "h"}, flit_bytes) {
    machine.add<HbmCtrl>("h", {{"num_pcs", "4"}, {"burst_bytes", "32"}, {"link_bw_gbs", "8e6"}});
    machine.connect("a", "h");
    machine.elaborate();
  }
  Transaction& access(bool write, const Runs& runs) {
    auto list = std::make_shared<FlitList>(flit_bytes);
    for (const auto& [offset, bytes] : runs) list->add(offset, bytes, list->bytes());
    const auto bytes = static_cast<unsigned>(list->bytes());
    Transaction& transaction = write ? machine.write("a", "h", runs.front().first, bytes)
                                     : machine.read("a", "h", runs.front().first, bytes);
    transaction.route().list = std::move(list);
    if (write) transaction.route().cut_flits(bytes, flit_bytes);
    return transaction;
  }
  MiniMachine machine;
  StubNode& a{machine.stub("a")};
};

// What the page says, byte by byte: a flit ends at a multiple of its size and at the end of a run
// that the next one does not continue.
struct NaiveFlit {
  std::uint64_t first = 0, last = 0;
};
std::vector<NaiveFlit> naive_flits(const Runs& runs) {
  std::vector<NaiveFlit> flits;
  for (const auto& [offset, bytes] : runs) {
    for (std::uint64_t at = offset; at < offset + bytes; ++at) {
      const bool continues = !flits.empty() && flits.back().last + 1 == at && at % flit_bytes != 0;
      if (continues) {
        flits.back().last = at;
      } else {
        flits.push_back({at, at});
      }
    }
  }
  return flits;
}

// When each flit of a read leaves, its command having come at `at`: bursts in the order of the
// bytes, a burst again only where another has come between.
std::vector<Fs> naive_read(const Runs& runs, Fs at) {
  std::map<std::uint64_t, Fs> free_at;
  std::vector<Fs> ready;
  Fs latest = at;
  std::optional<std::uint64_t> current;
  for (const NaiveFlit& flit : naive_flits(runs)) {
    for (std::uint64_t byte = flit.first; byte <= flit.last; ++byte) {
      const std::uint64_t burst = byte / burst_bytes;
      if (current == burst) continue;
      current = burst;
      Fs& channel = free_at[burst % channels];
      channel = std::max(channel, at) + burst_time;
      latest = std::max(latest, channel);
    }
    ready.push_back(latest);
  }
  return ready;
}

// Commit of a write whose flits all come at `at`.
Fs naive_write(const Runs& runs, Fs at) {
  std::map<std::uint64_t, Fs> free_at;
  Fs latest = at;
  for (const NaiveFlit& flit : naive_flits(runs)) {
    Fs& channel = free_at[flit.first / burst_bytes % channels];
    channel = std::max(channel, at) + burst_time;
    latest = std::max(latest, channel);
  }
  return latest;
}

Runs random_runs(std::mt19937& random) {
  Runs runs;
  const auto below = [&random](std::uint64_t end) { return random() % end; };
  const std::uint64_t count = 2 + below(12);
  for (std::uint64_t i = 0; i < count; ++i) {
    const bool adjacent = i > 0 && below(4) == 0;
    runs.emplace_back(adjacent ? runs.back().first + runs.back().second : below(1000),
                      1 + below(70));
  }
  return runs;
}

}  // namespace

// Runs of 8 B at 0, 16 and 40, 32 and 200: bursts 0, 0 (shared), 1, 1 (shared), 6.
KERNBENCH_SYSTEMC_TEST(consecutive_runs_share_a_burst) {
  Memory t;
  t.a.send_at(t.access(false, {{0, 8}, {16, 8}, {40, 8}, {32, 8}, {200, 8}}), 100);
  t.machine.run();
  // Command at 101; bursts 0, 1 and 6 on channels 0, 1 and 2 end at 117; 1 fs back.
  BOOST_TEST(t.a.times() == std::vector<Fs>(5, 118), boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(a_burst_to_which_a_read_comes_back_is_read_again) {
  Memory t;
  t.a.send_at(t.access(false, {{0, 8}, {32, 8}, {8, 8}}), 100);
  t.machine.run();
  BOOST_TEST(t.a.times() == (std::vector<Fs>{118, 118, 134}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(random_runs_take_the_time_of_a_count_byte_by_byte) {
  std::mt19937 random(20);
  for (int sample = 0; sample < 40; ++sample) {
    const Runs runs = random_runs(random);
    const std::vector<Fs> read = forked_value([&] {
      Memory t;
      t.a.send_at(t.access(false, runs), 100);
      t.machine.run();
      return t.a.times();
    });
    std::vector<Fs> expected = naive_read(runs, 101);
    for (Fs& time : expected) ++time;
    BOOST_TEST(read == expected, boost::test_tools::per_element());
    const std::vector<Fs> write = forked_value([&] {
      Memory t;
      t.a.send_at(t.access(true, runs), 100);
      t.machine.run();
      return std::vector<Fs>{t.machine.completed_at(0)};
    });
    BOOST_TEST(write.front() == naive_write(runs, 101) + 1);
  }
}

BOOST_AUTO_TEST_SUITE_END()
