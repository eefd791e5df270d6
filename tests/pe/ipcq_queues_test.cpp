// The counters of a queue pair (spec 8.1): what may be sent, what may be received, when a slot is
// free again.
#include "models/pe/ipcq_queues.h"

#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>
#include <set>

#include "models/base/errors.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(ipcq_queue)

namespace {

constexpr std::uint64_t rx = 0x1000, peer_rx = 0x8000, slot = 256;

QueuePairState queue(std::uint32_t n_slots = 4) {
  return {{"E", {0, 0, 1}, "W", rx, peer_rx}, n_slots, slot};
}

IpcqMessage message(std::uint64_t seq, std::uint64_t nbytes = 16) {
  IpcqMessage message;
  message.sender_seq = seq;
  message.nbytes = nbytes;
  message.shape = {static_cast<std::int64_t>(nbytes / 2)};
  return message;
}

}  // namespace

BOOST_AUTO_TEST_CASE(head_minus_tail_stays_within_the_slots) {
  QueuePairState q = queue(2);
  BOOST_TEST(q.credits() == 2u);
  BOOST_TEST(q.send() == 0u);
  BOOST_TEST(q.send() == 1u);
  BOOST_TEST(q.credits() == 0u);
  BOOST_CHECK_THROW(q.send(), ModelError);
  q.credit(1);
  BOOST_TEST(q.credits() == 1u);
  BOOST_TEST(q.send() == 2u);
}

BOOST_AUTO_TEST_CASE(the_tail_cache_is_the_largest_that_came) {
  QueuePairState q = queue();
  for (int i = 0; i < 4; ++i) q.send();
  q.credit(3);
  q.credit(2);
  BOOST_TEST(q.tail_cache() == 3u);
  BOOST_CHECK_THROW(q.credit(5), ModelError);  // of a message that was not sent
}

BOOST_AUTO_TEST_CASE(slots_are_used_in_turn_and_found_by_their_addresses) {
  const QueuePairState q = queue(4);
  BOOST_TEST(q.peer_slot(0) == peer_rx);
  BOOST_TEST(q.peer_slot(5) == peer_rx + slot);
  BOOST_TEST(q.slot(7) == rx + 3 * slot);
  BOOST_TEST(!q.owns(rx - 1));
  BOOST_TEST(q.owns(rx));
  BOOST_TEST(q.owns(rx + 4 * slot - 1));
  BOOST_TEST(!q.owns(rx + 4 * slot));
}

BOOST_AUTO_TEST_CASE(messages_come_in_order_and_not_over_others) {
  QueuePairState q = queue(2);
  q.arrived(message(0));
  BOOST_CHECK_THROW(q.arrived(message(2)), ModelError);
  q.arrived(message(1));
  BOOST_CHECK_THROW(q.arrived(message(2)), ModelError);  // slot 0 has not been consumed
  q.consume(q.reserve());
  q.arrived(message(2, 32));
  BOOST_TEST(q.message(2).nbytes == 32u);
  BOOST_TEST(q.head_cache() == 3u);
}

// The later one is consumed first: its slot stays taken until the earlier one is free too.
BOOST_AUTO_TEST_CASE(the_tail_moves_over_what_is_consumed_in_order) {
  QueuePairState q = queue();
  for (std::uint64_t seq = 0; seq < 3; ++seq) q.arrived(message(seq));
  const std::uint64_t first = q.reserve(), second = q.reserve();
  q.consume(second);
  BOOST_TEST(q.tail() == 0u);
  BOOST_TEST(q.next_open() == 2u);
  q.consume(first);
  BOOST_TEST(q.tail() == 2u);
  BOOST_TEST(q.next_open() == 2u);
}

BOOST_AUTO_TEST_CASE(claims_that_are_given_back_are_reserved_again) {
  QueuePairState q = queue();
  BOOST_TEST(q.reserve() == 0u);
  BOOST_TEST(q.reserve() == 1u);
  BOOST_TEST(q.reserve() == 2u);
  q.give_back(1);
  BOOST_TEST(q.reserve() == 1u);
  q.arrived(message(0));
  q.arrived(message(1));
  q.consume(1);
  q.give_back_all();
  BOOST_TEST(q.reserve() == 0u);
  BOOST_TEST(q.reserve() == 2u);  // 1 has been consumed
}

BOOST_AUTO_TEST_CASE(a_queue_is_idle_when_nothing_is_on_its_way_or_waits) {
  QueuePairState q = queue();
  BOOST_TEST(q.idle());
  q.send();
  BOOST_TEST(!q.idle());
  q.credit(1);
  BOOST_TEST(q.idle());
  q.arrived(message(0));
  BOOST_TEST(!q.idle());
  q.consume(q.reserve());
  BOOST_TEST(q.idle());
  q.reserve();
  BOOST_TEST(!q.idle());
}

BOOST_AUTO_TEST_CASE(a_report_names_both_ends_and_counts) {
  QueuePairState q = queue();
  for (int i = 0; i < 4; ++i) q.send();
  q.credit(1);
  q.arrived(message(0));
  BOOST_TEST(
      q.str() ==
      "E <-> sip0.cube0.pe1 W: sent head 4, tail 1, credits 1 of 4; received head 1, tail 0");
}

// Two ends with a link that keeps the order and credits that take their time, in any interleaving:
// no slot is written before it has been consumed, the counters stay within the slots, every message
// is consumed once.
RC_BOOST_PROP(no_slot_is_written_before_it_has_been_consumed, ()) {
  const auto n_slots = *rc::gen::inRange<std::uint32_t>(1, 6);
  QueuePairState sender = queue(n_slots), receiver = queue(n_slots);
  std::deque<IpcqMessage> link;
  std::deque<std::uint64_t> credits;
  std::vector<std::uint64_t> reserved;
  std::set<std::uint64_t> consumed;
  for (const int action : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 6))) {
    if (action <= 1 && sender.credits() > 0) {
      link.push_back(message(sender.send()));
    } else if (action == 2 && !link.empty()) {
      receiver.arrived(
          link.front());  // throws ModelError over a message that has not been consumed
      link.pop_front();
    } else if (action == 3 && reserved.size() < 4) {
      reserved.push_back(receiver.reserve());
    } else if (action == 4) {
      const auto ready = std::find_if(reserved.begin(), reserved.end(),
                                      [&](std::uint64_t seq) { return receiver.has(seq); });
      if (ready == reserved.end()) continue;
      const auto picked =
          *rc::gen::arbitrary<bool>() && receiver.has(reserved.back()) ? reserved.end() - 1 : ready;
      RC_ASSERT(consumed.insert(*picked).second);
      receiver.consume(*picked);
      reserved.erase(picked);
      credits.push_back(receiver.tail());
    } else if (action == 5 && !credits.empty()) {
      sender.credit(credits.front());
      credits.pop_front();
    }
    RC_ASSERT(sender.head() - sender.tail_cache() <= n_slots);
    RC_ASSERT(receiver.head_cache() - receiver.tail() <= n_slots);
    RC_ASSERT(sender.tail_cache() <= receiver.tail() && receiver.head_cache() <= sender.head());
  }
}

BOOST_AUTO_TEST_SUITE_END()
