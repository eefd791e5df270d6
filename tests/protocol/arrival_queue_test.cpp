// Order of what reaches a node (spec 2.3), and the ring buffer under it.
#include "models/protocol/arrival_queue.h"

#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>
#include <deque>

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(arrival_queue)

namespace {

Transaction& message(TransactionPool& pool, std::vector<TransactionHandle>& keep, TieKey key,
                     std::uint32_t flits) {
  keep.push_back(pool.make());
  keep.back()->route().key = key;
  keep.back()->route().flits = flits;
  return *keep.back();
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_head_is_the_earliest_over_all_ports) {
  TransactionPool pool;
  std::vector<TransactionHandle> keep;
  ArrivalQueue queue(ArrivalQueue::Forwarding::cut_through);
  queue.add_port(3);
  queue.add_port(7);
  Transaction& a = message(pool, keep, {0, 3, 0}, 2);
  Transaction& b = message(pool, keep, {0, 7, 0}, 2);
  BOOST_TEST(queue.push(1, b, {0, 1, 1}, 20));
  BOOST_TEST(!queue.push(1, b, {1, 1, 1}, 30));
  BOOST_TEST(queue.push(0, a, {0, 1, 1}, 20));  // the same instant, a smaller upstream
  BOOST_TEST(!queue.push(0, a, {1, 1, 1}, 25));
  std::vector<Fs> order;
  for (; queue.data() != nullptr; queue.pop_data())
    order.push_back(queue.data()->time * 10 + queue.data()->upstream);
  BOOST_TEST(order == (std::vector<Fs>{203, 207, 253, 307}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(whole_messages_arrive_with_their_last_flit) {
  TransactionPool pool;
  std::vector<TransactionHandle> keep;
  ArrivalQueue queue(ArrivalQueue::Forwarding::store_and_forward);
  queue.add_port(3);
  Transaction& a = message(pool, keep, {0, 3, 0}, 2);
  BOOST_TEST(!queue.push(0, a, {0, 1, 1}, 10));
  BOOST_TEST(queue.control() == nullptr);
  BOOST_TEST(queue.push(0, a, {1, 1, 1}, 20));
  BOOST_TEST(queue.control()->time == 20U);
  BOOST_TEST(queue.data() == nullptr);
  BOOST_TEST(queue.depth() == 1U);
}

BOOST_AUTO_TEST_CASE(what_starts_at_a_node_counts_that_node_as_its_upstream) {
  TransactionPool pool;
  std::vector<TransactionHandle> keep;
  ArrivalQueue queue(ArrivalQueue::Forwarding::cut_through);
  queue.add_port(3);
  queue.push(0, message(pool, keep, {0, 3, 0}, 0), {0, 0, 1}, 10);
  BOOST_TEST(queue.push_message(2, message(pool, keep, {9, 2, 0}, 5), {}, 10));
  BOOST_TEST(queue.control()->upstream == 2U);
}

BOOST_AUTO_TEST_CASE(control_messages_are_taken_when_their_delay_is_over) {
  TransactionPool pool;
  std::vector<TransactionHandle> keep;
  ArrivalQueue queue(ArrivalQueue::Forwarding::cut_through);
  queue.add_port(3);
  BOOST_TEST(queue.control_due(5) == never_fs);
  for (const std::uint32_t number : {0U, 1U, 2U})
    queue.push(0, message(pool, keep, {0, 3, number}, 0), {0, 0, 1}, 10 + 10 * number);
  std::vector<Fs> taken;
  const auto take = [&](const Arrival& arrival) {
    taken.push_back(arrival.time);
    BOOST_TEST((queue.control() == nullptr || queue.control()->time > arrival.time));
  };
  BOOST_TEST(queue.control_due(5) == 15U);
  queue.take_control(14, 5, take);
  BOOST_TEST(taken.empty());
  queue.take_control(25, 5, take);
  BOOST_TEST(taken == (std::vector<Fs>{10, 20}), boost::test_tools::per_element());
  BOOST_TEST(queue.control_due() == 30U);
}

namespace {

template <class Ring>
void check_against_deque(const std::vector<std::pair<bool, int>>& steps) {
  Ring ring;
  std::deque<int> reference;
  for (const auto& [pop, value] : steps) {
    if (pop && !reference.empty()) {
      reference.pop_front();
      ring.pop_front();
    } else {
      const auto at = std::upper_bound(reference.begin(), reference.end(), value);
      const auto index = static_cast<std::size_t>(at - reference.begin());
      reference.insert(at, value);
      RC_ASSERT(ring.insert_sorted(value, [](int a, int b) { return a < b; }) == index);
    }
    RC_ASSERT(ring.size() == reference.size());
    for (std::size_t i = 0; i < reference.size(); ++i) RC_ASSERT(ring[i] == reference[i]);
    if (!reference.empty()) RC_ASSERT(ring.back() == reference.back());
  }
}

}  // namespace

RC_BOOST_PROP(the_ring_buffer_is_a_sorted_fifo, (const std::vector<std::pair<bool, int>>& steps)) {
  check_against_deque<RingBuffer<int>>(steps);
}

RC_BOOST_PROP(a_ring_buffer_with_room_in_place_grows_beyond_it,
              (const std::vector<std::pair<bool, int>>& steps)) {
  check_against_deque<RingBuffer<int, 2>>(steps);
}

BOOST_AUTO_TEST_SUITE_END()
