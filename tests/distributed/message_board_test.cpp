// Matching of messages between ranks: by source, tag and order, and what may begin ahead.
#include "sw/distributed/message_board.h"

#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(message_board)

namespace {

constexpr std::uint32_t ring_slots = 4;

struct Board {
  std::vector<std::string> begun;
  MessageBoard board{ring_slots, [this](MessageSide& side) {
                       begun.push_back((side.is_send ? "send " : "recv ") + side.what +
                                       (side.by_side_ring ? " aside" : ""));
                     }};

  MessageSidePtr send(int from, int to, const std::string& what, std::uint32_t slots = 1,
                      int tag = 0) {
    return post(true, from, to, what, slots, tag);
  }
  MessageSidePtr receive(int at, std::optional<int> from, const std::string& what, int tag = 0) {
    return post(false, at, from, what, 1, tag);
  }
  MessageSidePtr post(bool is_send, int rank, std::optional<int> peer, const std::string& what,
                      std::uint32_t slots, int tag) {
    const auto side = std::make_shared<MessageSide>();
    side->is_send = is_send;
    side->rank = rank;
    side->peer = peer;
    side->what = what;
    side->slots = slots;
    side->tag = tag;
    board.post(side);
    return side;
  }
};

using Lines = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_CASE(both_sides_begin_when_a_long_message_is_matched) {
  Board b;
  b.send(0, 1, "long", 5);
  BOOST_TEST(b.begun == Lines{});
  b.receive(1, 0, "long");
  BOOST_TEST(b.begun == (Lines{"send long", "recv long"}));
}

BOOST_AUTO_TEST_CASE(a_receive_waits_for_its_send) {
  Board b;
  b.receive(1, 0, "x");
  BOOST_TEST(b.begun == Lines{});
  b.send(2, 1, "y");
  b.send(0, 1, "x");
  BOOST_TEST(b.begun == (Lines{"send y", "send x", "recv x"}));
}

BOOST_AUTO_TEST_CASE(sends_begin_ahead_as_far_as_the_ring_holds_them_in_order) {
  Board b;
  b.send(0, 1, "a", 3);
  b.send(0, 1, "b", 2);
  b.send(0, 1, "c", 1);
  b.send(1, 0, "d", 4);
  BOOST_TEST(b.begun == (Lines{"send a", "send d"}));
  b.receive(1, 0, "a");
  BOOST_TEST(b.begun == (Lines{"send a", "send d", "recv a", "send b", "send c"}));
}

BOOST_AUTO_TEST_CASE(a_message_of_another_tag_goes_aside_of_those_in_the_ring) {
  Board b;
  b.send(0, 1, "a");
  b.send(0, 1, "b", 1, 7);
  BOOST_TEST(b.begun == (Lines{"send a"}));
  b.receive(1, 0, "b", 7);
  b.receive(1, 0, "a");
  BOOST_TEST(b.begun == (Lines{"send a", "send b aside", "recv b aside", "recv a"}));
}

BOOST_AUTO_TEST_CASE(a_receive_from_any_source_has_the_first_message) {
  Board b;
  b.send(2, 1, "x", 1, 3);
  b.send(2, 1, "x");
  b.send(0, 1, "x");
  BOOST_TEST(b.receive(1, {}, "x")->peer.value() == 2);
  BOOST_TEST(b.receive(1, {}, "x")->peer.value() == 0);
  BOOST_TEST(b.receive(1, {}, "x", 3)->peer.value() == 2);
}

BOOST_AUTO_TEST_CASE(what_never_comes_is_an_error) {
  Board b;
  b.receive(1, 0, "x");
  BOOST_CHECK_THROW(b.board.end(0), UsageError);
  BOOST_CHECK_THROW(b.send(1, 0, "y"), UsageError);
}

BOOST_AUTO_TEST_CASE(the_sides_have_to_be_one_message) {
  Board b;
  b.send(0, 1, "f16");
  BOOST_CHECK_THROW(b.receive(1, 0, "f32"), UsageError);
}

BOOST_AUTO_TEST_SUITE_END()
