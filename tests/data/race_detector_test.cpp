// Races: accesses to the same bytes, one of them a write, that no launch, message, wait or barrier
// orders (spec 9).
#include "models/data/race_detector.h"

#include <rapidcheck.h>

#include <boost/test/unit_test.hpp>
#include <deque>
#include <iterator>
#include <optional>
#include <set>

#include "tests/support/error_text.h"

using namespace kernbench;
using kernbench::test::check_contains;
using Agent = RaceDetector::Agent;

BOOST_AUTO_TEST_SUITE(race_detector_test)

namespace {

constexpr std::uint32_t pe0 = 0, pe1 = 1;

struct Two {
  Two() {
    detector.add_tensor(0x1000, 0x100, "x", 0);
    detector.add_tensor(0x2000, 0x100, "x", 0x100);
  }
  std::shared_ptr<OrderedLaunch> launch(const std::string& request = "launch 1",
                                        std::vector<std::uint32_t> pes = {pe0, pe1}) {
    auto launch = detector.launched(host, request, pes);
    for (const std::uint32_t pe : pes)
      (pe == pe0 ? a : b) =
          detector.kernel_begins(pe, request, "kernel 'k' on pe" + std::to_string(pe));
    return launch;
  }
  void end(const std::string& request = "launch 1") {
    for (const std::uint32_t pe : {pe0, pe1}) detector.kernel_ends(pe, request);
  }
  void read(Agent agent, std::uint64_t pa, std::uint64_t nbytes = 16) {
    detector.note(agent, {"tl.load", {"folder/k.cpp", 41}, 2 * fs_per_ns}, {{pa, nbytes}}, false);
  }
  void write(Agent agent, std::uint64_t pa, std::uint64_t nbytes = 16) {
    detector.note(agent, {"tl.store", {"folder/k.cpp", 30}, fs_per_ns}, {{pa, nbytes}}, true);
  }

  RaceDetector detector;
  Agent host = detector.add_agent("the host");
  Agent a = 0, b = 0;
};

}  // namespace

BOOST_AUTO_TEST_CASE(accesses_of_two_kernels_of_a_launch_race_if_one_writes) {
  Two two;
  two.launch();
  two.read(two.a, 0x1000), two.read(two.b, 0x1000);
  BOOST_TEST(two.detector.pairs() == 0U);
  two.write(two.b, 0x1008, 100);
  BOOST_TEST(two.detector.pairs() == 1U);
  two.read(two.a, 0x1060, 4);
  BOOST_TEST(two.detector.pairs() == 2U);
  two.write(two.a, 0x1064, 4);
  BOOST_TEST(two.detector.pairs() == 3U);
  two.write(two.a, 0x1080);  // of no other kernel
  BOOST_TEST(two.detector.pairs() == 3U);
}

BOOST_AUTO_TEST_CASE(a_race_names_both_calls_their_lines_and_times_and_the_place) {
  Two two;
  two.launch();
  two.write(two.a, 0x20f0, 32);
  two.read(two.b, 0x20f8, 4);
  two.read(two.b, 0x20fc, 4);
  BOOST_REQUIRE(two.detector.races().size() == 1U);
  BOOST_TEST(two.detector.races().front().text() ==
             "data race on 4 bytes from 'x' + 504: tl.load (k.cpp:41) of kernel 'k' on pe1 at 2 ns "
             "reads what tl.store (k.cpp:30) of kernel 'k' on pe0 at 1 ns writes; no launch, "
             "message or barrier orders them; 2 pairs of accesses between these two calls");
  two.read(two.b, 0x2100, 4);  // behind the tensor
  BOOST_TEST(two.detector.pairs() == 3U);
}

BOOST_AUTO_TEST_CASE(launches_are_ordered_by_the_host_that_waits) {
  Two two;
  two.write(two.host, 0x1000);
  const auto first = two.launch();
  two.read(two.a, 0x1000);
  two.write(two.b, 0x2000);
  two.end();
  two.detector.joined(two.host, *first);
  two.read(two.host, 0x2000);
  BOOST_TEST(two.detector.pairs() == 0U);

  const auto second = two.launch("launch 2", {pe0});
  two.write(two.a, 0x2000);
  two.read(two.host, 0x2000);  // it has not waited
  BOOST_TEST(two.detector.pairs() == 1U);
}

// As many programs have ended before the last one as there are PEs.
BOOST_AUTO_TEST_CASE(a_launch_has_ended_with_the_last_of_the_programs_of_its_kernels) {
  Two two;
  const auto launch = two.launch();
  two.end();
  const Agent again = two.detector.kernel_begins(pe0, "launch 1", "kernel 'k' on pe0");
  two.write(again, 0x1000);
  two.detector.kernel_ends(pe0, "launch 1");
  two.detector.joined(two.host, *launch);
  two.read(two.host, 0x1000);
  BOOST_TEST(two.detector.pairs() == 0U);
}

BOOST_AUTO_TEST_CASE(launches_with_a_pe_in_common_run_sequentially) {
  Two two;
  two.launch();  // on both; the host waits for neither
  two.write(two.b, 0x1000);
  two.end();
  two.launch("launch 2", {pe0});
  two.read(two.a, 0x1000);
  BOOST_TEST(two.detector.pairs() == 0U);
  two.launch("launch 3", {pe1});
  two.write(two.b, 0x1000);  // concurrently with launch 2
  BOOST_TEST(two.detector.pairs() == 1U);
}

BOOST_AUTO_TEST_CASE(a_message_orders_what_is_before_its_send_and_behind_its_receive) {
  Two two;
  two.launch();
  two.write(two.a, 0x1000);
  two.detector.passes_slot(two.a, 1, 0x9000);  // send
  two.write(two.a, 0x2000);                    // behind it
  two.detector.passes_slot(two.b, 1, 0x9000);  // receive
  two.read(two.b, 0x1000);
  BOOST_TEST(two.detector.pairs() == 0U);
  two.read(two.b, 0x2000);
  BOOST_TEST(two.detector.pairs() == 1U);
}

// As the k-th receive of a channel of capacity C comes before the end of its (k+C)-th send.
BOOST_AUTO_TEST_CASE(a_send_into_a_slot_that_has_been_received_comes_behind_that_receive) {
  Two two;
  two.launch();
  two.detector.passes_slot(two.a, 1, 0x9000);  // send
  two.write(two.b, 0x1000);
  two.detector.passes_slot(two.b, 1, 0x9000);  // receive
  two.write(two.b, 0x2000);                    // behind it
  two.detector.passes_slot(two.a, 1, 0xa000);  // another slot orders nothing
  two.detector.passes_slot(two.a, 1, 0x9000);
  two.read(two.a, 0x1000);
  BOOST_TEST(two.detector.pairs() == 0U);
  two.read(two.a, 0x2000);
  BOOST_TEST(two.detector.pairs() == 1U);
}

// And that was before it has taken what it found there.
BOOST_AUTO_TEST_CASE(a_slot_holds_what_its_last_user_has_left) {
  Two two;
  two.launch();
  const Agent third = two.detector.kernel_begins(2, "launch 1", "kernel 'k' on pe2");
  two.write(two.a, 0x1000);
  two.write(two.b, 0x2000);
  two.detector.passes_slot(two.a, 1, 0x9000);
  two.detector.passes_slot(two.b, 1, 0x9000);
  two.detector.passes_slot(third, 1, 0x9000);
  two.read(third, 0x2000);
  BOOST_TEST(two.detector.pairs() == 0U);
  two.read(third, 0x1000);
  BOOST_TEST(two.detector.pairs() == 1U);
}

BOOST_AUTO_TEST_CASE(a_command_is_ordered_by_its_wait) {
  Two two;
  two.launch();
  const Agent command = two.detector.fork(two.a);
  two.write(command, 0x1000);
  two.detector.passes_slot(two.a, 1, 0x9000);  // a message before the wait
  two.detector.passes_slot(two.b, 1, 0x9000);
  two.read(two.b, 0x1000);
  BOOST_TEST(two.detector.pairs() == 1U);
  two.detector.join(two.a, command);
  BOOST_TEST(two.detector.fork(two.a) == command);
  two.detector.passes_slot(two.a, 1, 0xa000);
  two.detector.passes_slot(two.b, 1, 0xa000);
  two.write(two.b, 0x1000);
  BOOST_TEST(two.detector.pairs() == 1U);
}

BOOST_AUTO_TEST_CASE(bytes_of_a_new_tensor_have_no_past) {
  Two two;
  two.launch();
  two.write(two.a, 0x1000);
  two.detector.remove_tensor(0x1000);
  two.detector.add_tensor(0x1000, 16, "y", 0);
  two.write(two.b, 0x1000);
  BOOST_TEST(two.detector.pairs() == 0U);
}

namespace {

// A random run of PEs, their commands and messages, and what is known of it without any clock: the
// graph of its events, searched for a way from one access to the other.
class RandomRun {
 public:
  explicit RandomRun(int pes) : pes_(pes) {
    std::vector<std::uint32_t> all;
    for (int pe = 0; pe < pes; ++pe) all.push_back(static_cast<std::uint32_t>(pe));
    host_ = detector_.add_agent("the host");
    detector_.launched(host_, "launch", all);
    for (const std::uint32_t pe : all) {
      agents_.push_back(detector_.kernel_begins(pe, "launch", "pe" + std::to_string(pe)));
      latest_.push_back(event());
    }
    commands_.resize(static_cast<std::size_t>(pes));
  }

  void step() {
    const auto pe = static_cast<std::size_t>(*rc::gen::inRange(0, pes_));
    switch (*rc::gen::inRange(0, 8)) {
      case 0:
      case 1:
      case 2:
        return pass(pe);
      case 3:
        return issue(pe);
      case 4:
        return wait(pe);
      default:
        return touch(agents_[pe], latest_[pe] = event(latest_[pe]));
    }
  }

  void check() {
    std::set<std::pair<std::size_t, std::size_t>> racing;
    std::set<std::uint64_t> bytes;
    for (std::size_t j = 0; j < accesses_.size(); ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        if (!conflict(accesses_[i], accesses_[j]) ||
            reaches(accesses_[i].event, accesses_[j].event))
          continue;
        racing.insert({i, j});
      }
    }
    RC_TAG(racing.empty() ? "without a race" : "with races");
    // Each pair that is found races; where pairs race some are found.
    for (const Race& race : detector_.races()) {
      const auto i = static_cast<std::size_t>(race.earlier->site.line),
                 j = static_cast<std::size_t>(race.later->site.line);
      RC_ASSERT(racing.count({i, j}) == 1U);
    }
    RC_ASSERT((detector_.pairs() > 0) == !racing.empty());
    // The first access that races with an earlier one is found as such.
    if (racing.empty()) return;
    std::size_t first = accesses_.size();
    for (const auto& [i, j] : racing) first = std::min(first, j);
    RC_ASSERT(static_cast<std::size_t>(detector_.races().front().later->site.line) == first);
  }

 private:
  struct Access {
    std::size_t event = 0;
    std::uint64_t begin = 0, end = 0;
    bool is_write = false;
  };

  std::size_t event(std::optional<std::size_t> after = {}, std::optional<std::size_t> also = {}) {
    before_.emplace_back();
    if (after) before_.back().push_back(*after);
    if (also) before_.back().push_back(*also);
    return before_.size() - 1;
  }
  bool reaches(std::size_t from, std::size_t to) const {
    std::set<std::size_t> seen{to};
    while (!seen.empty()) {  // events come behind those before them
      const auto at = std::prev(seen.end());
      if (*at == from) return true;
      if (*at < from) return false;
      const std::size_t event = *at;
      seen.erase(at);
      seen.insert(before_[event].begin(), before_[event].end());
    }
    return false;
  }
  static bool conflict(const Access& a, const Access& b) {
    return (a.is_write || b.is_write) && a.begin < b.end && b.begin < a.end;
  }

  // `event`: of the access.
  void touch(Agent agent, std::size_t event) {
    const auto begin = static_cast<std::uint64_t>(*rc::gen::inRange(0, 12));
    const auto length = static_cast<std::uint64_t>(*rc::gen::inRange(1, 5));
    const bool is_write = *rc::gen::arbitrary<bool>();
    accesses_.push_back({event, begin, begin + length, is_write});
    detector_.note(agent, {"call", {"f", static_cast<int>(accesses_.size()) - 1}, 0},
                   {{begin, length}}, is_write);
  }
  // A send or a receive through one of three slots.
  void pass(std::size_t pe) {
    const auto slot = static_cast<std::size_t>(*rc::gen::inRange(0, 3));
    detector_.passes_slot(agents_[pe], 0, slot);
    const std::size_t call = latest_[pe];  // what it leaves is what was before the call
    latest_[pe] = event(latest_[pe], slots_[slot]);
    slots_[slot] = call;
  }
  void issue(std::size_t pe) {
    const Agent command = detector_.fork(agents_[pe]);
    const std::size_t issued = event(latest_[pe]);
    touch(command, issued);
    commands_[pe].push_back({command, issued});
    latest_[pe] = event(latest_[pe]);
  }
  void wait(std::size_t pe) {
    if (commands_[pe].empty()) return;
    const auto [command, issued] = commands_[pe].front();
    commands_[pe].pop_front();
    detector_.join(agents_[pe], command);
    latest_[pe] = event(latest_[pe], issued);
  }

  int pes_;
  RaceDetector detector_;
  Agent host_ = 0;
  std::vector<Agent> agents_;
  std::vector<std::size_t> latest_;               // event of each PE
  std::vector<std::vector<std::size_t>> before_;  // of each event
  std::map<std::size_t, std::optional<std::size_t>> slots_;
  std::vector<std::deque<std::pair<Agent, std::size_t>>> commands_;  // that are not waited for
  std::vector<Access> accesses_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(random_runs_race_as_a_search_of_their_events_says) {
  BOOST_TEST(rc::check("random runs", [] {
    RandomRun run(*rc::gen::inRange(2, 5));
    const int steps = *rc::gen::inRange(1, 40);
    for (int i = 0; i < steps; ++i) run.step();
    run.check();
  }));
}

BOOST_AUTO_TEST_SUITE_END()
