// Bounds of the commands that a pipelined kernel leaves in flight (PipelinedRun): on a PE whose
// sends and stores end only when the kernel waits for them.
#include "sw/collectives/pipelined_run.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "tests/tl/fake_pe.h"

using namespace kernbench;
using kernbench::test::FakePe;

BOOST_AUTO_TEST_SUITE(pipelined_run)

namespace {

constexpr std::uint64_t slot_bytes = 4096, scratch_bytes = 1 << 20;
constexpr std::int64_t messages = 1000;  // four times the scratch
constexpr std::uint64_t first_send_id = 1'000'000;

class SlowPe : public FakePe {
 public:
  SlowPe() : FakePe(false, scratch_bytes) {
    setup.settings.slot_size = slot_bytes;
    for (const char* direction : {"E", "W"}) setup.queue_pairs.push_back({direction, {}, "", 0, 0});
  }

  std::shared_ptr<CommandState> issue(Command&& command) override {
    const auto* dma = std::get_if<DmaCommand>(&command.what);
    const bool stores = dma != nullptr && dma->write;
    completes_at_once = !stores;
    const std::shared_ptr<CommandState> state = FakePe::issue(std::move(command));
    if (stores) count(stores_, most_stores, state);
    return state;
  }
  std::shared_ptr<IpcqOperation> ipcq_begin(IpcqSend message) override {
    const auto state = std::make_shared<CommandState>(first_send_id + sends);
    count(sends_, most_sends, state);
    ++sends;
    return std::make_shared<IpcqOperation>(IpcqOperation{state, message.direction, {}});
  }
  std::shared_ptr<IpcqOperation> ipcq_begin(IpcqReceive request) override {
    return FakePe::ipcq_begin(std::move(request));
  }

  std::size_t sends = 0, most_sends = 0, most_stores = 0;  // in flight at a time
  bool all_ended() const { return in_flight(sends_) + in_flight(stores_) == 0; }

 private:
  using States = std::vector<std::shared_ptr<CommandState>>;
  static std::size_t in_flight(const States& states) {
    return static_cast<std::size_t>(std::count_if(
        states.begin(), states.end(), [](const auto& state) { return !state->done(); }));
  }
  static void count(States& states, std::size_t& most, const std::shared_ptr<CommandState>& state) {
    states.push_back(state);
    most = std::max(most, in_flight(states));
  }

  States sends_, stores_;
};

// Carries out the schedule of one block of so many messages.
void run(SlowPe& pe, const Schedule& schedule, bool from, bool to) {
  constexpr std::int64_t elements = messages * static_cast<std::int64_t>(slot_bytes) / 2;
  ScheduleOptions options;
  options.scratch_bytes = scratch_bytes;
  const tl::Ptr data(std::uint64_t{0x1000000});
  BlockPosition block{elements, {}, {}};
  if (from) block.from = data;
  if (to) block.to = data;
  tl::Program tl(pe);
  run_schedule(tl, schedule, {block}, options);
}

// A sixteenth of the scratch is room for 16 messages: twice as many are in flight when one more is
// begun.
constexpr std::size_t most = 2 * (scratch_bytes / 16 / slot_bytes) + 1;

}  // namespace

// The root of a broadcast; without a bound there would be 1000 at a time.
BOOST_AUTO_TEST_CASE(sends_in_flight_are_bounded) {
  SlowPe pe;
  run(pe, {{schedules::send("E")}}, true, false);
  BOOST_TEST(pe.sends == static_cast<std::size_t>(messages));
  BOOST_TEST(pe.most_sends == most);
  BOOST_TEST(pe.all_ended());
}

// The last rank of a broadcast.
BOOST_AUTO_TEST_CASE(stores_in_flight_are_bounded) {
  SlowPe pe;
  run(pe, {{schedules::receive("W")}}, false, true);
  BOOST_TEST(pe.sends == 0U);
  BOOST_TEST(pe.most_stores == most);
  BOOST_TEST(pe.all_ended());
}

// One in between passes on what it stores: each has a bound of its own.
BOOST_AUTO_TEST_CASE(sends_and_stores_are_bounded_each) {
  SlowPe pe;
  run(pe, {{schedules::receive("W"), schedules::send("E")}}, false, true);
  BOOST_TEST(pe.sends == static_cast<std::size_t>(messages));
  BOOST_TEST(pe.most_sends == most);
  BOOST_TEST(pe.most_stores == most);
  BOOST_TEST(pe.all_ended());
}

BOOST_AUTO_TEST_SUITE_END()
