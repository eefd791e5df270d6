// From a schedule to messages: what runs ahead, what is stored when, how blocks are cut.
#include "sw/collectives/schedule.h"

#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>

#include "sw/collectives/message_cut.h"
#include "sw/collectives/pipeline.h"

using namespace kernbench;
using namespace kernbench::schedules;

BOOST_AUTO_TEST_SUITE(schedule)

namespace {

// "send E 0.1": chunk 1 of block 0.
std::vector<std::string> text_of(const std::vector<MessageStep>& steps) {
  const std::vector<std::string> kinds{"send",   "pass_on", "receive", "reduce", "add",
                                       "finish", "store",   "load",    "expect"};
  std::vector<std::string> lines;
  for (const MessageStep& step : steps) {
    lines.push_back(kinds[static_cast<std::size_t>(step.kind)] + " " + step.direction +
                    (step.direction.empty() ? "" : " ") + std::to_string(step.block) + "." +
                    std::to_string(step.chunk));
  }
  return lines;
}

std::vector<std::string> text_of(const Schedule& schedule, int blocks, int chunks, int window) {
  return text_of(unroll(schedule, blocks, chunks, window));
}

using Lines = std::vector<std::string>;

}  // namespace

// A chain: each message goes on before the next one is taken.
BOOST_AUTO_TEST_CASE(what_comes_is_passed_on_message_by_message) {
  const Schedule chain{{reduce("W"), send("E")}};
  BOOST_TEST(text_of(chain, 1, 2, 4) == (Lines{"reduce W 0.0", "send E 0.0", "store 0.0",
                                               "reduce W 0.1", "send E 0.1", "store 0.1"}),
             boost::test_tools::per_element());
}

// A round of a ring with a window of 2: two messages are in flight before the first is taken, then
// one goes for each that came.
BOOST_AUTO_TEST_CASE(sends_that_open_a_phase_run_ahead_by_the_window) {
  const Schedule round{{send("E", 0), reduce("W", 1)}};
  BOOST_TEST(text_of(round, 2, 4, 2) ==
                 (Lines{"send E 0.0", "send E 0.1", "reduce W 1.0", "store 1.0",                 //
                        "send E 0.2", "reduce W 1.1", "store 1.1",                               //
                        "send E 0.3", "reduce W 1.2", "store 1.2", "reduce W 1.3", "store 1.3",  //
                        "store 0.0", "store 0.1", "store 0.2", "store 0.3"}),
             boost::test_tools::per_element());
}

// Two sends and two receives per chunk: the window counts messages, not chunks.
BOOST_AUTO_TEST_CASE(the_window_counts_messages) {
  const Schedule exchange{{send("E", 0), send("E", 1), receive("W", 2), receive("W", 3)}};
  const Lines steps = text_of(exchange, 4, 2, 1);
  const Lines expected{"send E 0.0", "receive W 2.0", "send E 1.0", "receive W 3.0",
                       "store 2.0",  "store 3.0",     "send E 0.1", "receive W 2.1",
                       "send E 1.1", "receive W 3.1", "store 2.1",  "store 3.1"};
  BOOST_TEST(Lines(steps.begin(), steps.begin() + 12) == expected,
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_phase_that_only_sends_sends_in_order) {
  const Schedule root{{send("E"), send("S")}};
  BOOST_TEST(text_of(root, 1, 2, 1) == (Lines{"send E 0.0", "send S 0.0", "send E 0.1",
                                              "send S 0.1", "store 0.0", "store 0.1"}),
             boost::test_tools::per_element());
}

// Changed in the first phase and again in the second: stored in the second, behind what is sent on.
BOOST_AUTO_TEST_CASE(a_chunk_is_stored_when_no_later_phase_changes_it) {
  const Schedule schedule{{reduce("W"), send("E")}, {receive("E"), send("W")}};
  BOOST_TEST(text_of(schedule, 1, 1, 4) ==
                 (Lines{"reduce W 0.0", "send E 0.0", "receive E 0.0", "send W 0.0", "store 0.0"}),
             boost::test_tools::per_element());
}

// Two rounds of a ring: the sends of the second round, of what the first one reduces, go while the
// first one still takes.
BOOST_AUTO_TEST_CASE(pipelined_sends_go_as_soon_as_their_block_is_there) {
  const Schedule rounds{{send("E", 0), reduce("W", 1)}, {send("E", 1), receive("W", 0)}};
  BOOST_TEST(
      text_of(pipeline(rounds, {2, 2, 2, 1, 1, {false, false}})) ==
          (Lines{"load 0.0",      "load 0.1",     "expect W 1.0", "send E 0.0",    "load 1.0",
                 "send E 0.1",    "load 1.1",     "reduce W 1.0", "expect W 1.1",  "store 1.0",
                 "send E 1.0",    "reduce W 1.1", "expect W 0.0", "store 1.1",     "send E 1.1",
                 "receive W 0.0", "expect W 0.1", "store 0.0",    "receive W 0.1", "store 0.1"}),
      boost::test_tools::per_element());
}

// Two blocks stay unchanged; the one with a different place is copied while messages are in flight.
BOOST_AUTO_TEST_CASE(pipelined_copies_go_between_messages) {
  const Schedule root{{send("E", 0)}};
  BOOST_TEST(
      text_of(pipeline(root, {2, 2, 2, 4, 2, {false, true}})) ==
          (Lines{"load 0.0", "load 1.0", "send E 0.0", "store 1.0", "send E 0.1", "store 1.1"}),
      boost::test_tools::per_element());
}

RC_BOOST_PROP(parts_differ_by_one_element_and_leave_none_out, ()) {
  const auto elements = *rc::gen::inRange<std::int64_t>(0, 1000),
             parts = *rc::gen::inRange<std::int64_t>(1, 20);
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < parts; ++i) {
    const ElementRange part = part_of({0, elements}, i, parts);
    RC_ASSERT(part.begin == at);
    RC_ASSERT(part.elements() == elements / parts || part.elements() == elements / parts + 1);
    at = part.end;
  }
  RC_ASSERT(at == elements);
}

// 100000 elements of 2 bytes in slots of 4096 bytes: 49 messages of at most 2041 elements, 4082
// bytes. A section of 65536 bytes for one block: 4 sections of 25000, 13 messages each.
BOOST_AUTO_TEST_CASE(messages_fill_slots_and_sections_fill_their_share_of_the_scratch) {
  const MessageCut one = MessageCut::of(100'000, 1, 2, 1 << 20, 4096);
  BOOST_TEST(one.sections == 1);
  BOOST_TEST(one.chunks == 49);
  const MessageCut four = MessageCut::of(100'000, 1, 2, 65'536, 4096);
  BOOST_TEST(four.sections == 4);
  BOOST_TEST(four.chunks == 13);
  const MessageCut small = MessageCut::of(3, 6, 4, 1 << 20, 4096);
  BOOST_TEST(small.sections == 1);
  BOOST_TEST(small.chunks == 1);
}

RC_BOOST_PROP(no_chunk_is_larger_than_a_slot_and_no_section_larger_than_its_share, ()) {
  const auto elements = *rc::gen::inRange<std::int64_t>(0, 5000),
             blocks = *rc::gen::inRange<std::int64_t>(1, 20);
  const std::uint64_t size = *rc::gen::element<std::uint64_t>(2, 4);
  const auto slot = *rc::gen::inRange<std::uint64_t>(4, 200),
             share = *rc::gen::inRange<std::uint64_t>(100, 5000);
  const MessageCut cut = MessageCut::of(elements, blocks, size, share, slot);
  for (std::int64_t s = 0; s < cut.sections; ++s) {
    const ElementRange section = cut.section(elements, s);
    const auto bytes = static_cast<std::uint64_t>(section.elements() * blocks) * size;
    RC_ASSERT(bytes <= share || section.elements() == 1);
    for (std::int64_t c = 0; c < cut.chunks; ++c)
      RC_ASSERT(static_cast<std::uint64_t>(cut.chunk(section, c).elements()) * size <= slot);
  }
}

BOOST_AUTO_TEST_SUITE_END()
