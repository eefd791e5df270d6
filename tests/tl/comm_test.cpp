// tl.send, tl.recv and related calls: requests to PE_IPCQ, and the contents of blocks (spec 6,
// 8.1).
#include <boost/test/unit_test.hpp>
#include <cstring>

#include "models/base/errors.h"
#include "sw/tl/program.h"
#include "tests/support/error_text.h"
#include "tests/tl/fake_pe.h"

using namespace kernbench;
using kernbench::test::FakePe;
using kernbench::test::with_text;

BOOST_AUTO_TEST_SUITE(communication)

namespace {

IpcqReceived message(const std::vector<float>& values, const std::string& direction = "E") {
  return {direction,
          std::make_shared<const ByteImage>(ByteImage::copy_of(values.data(), values.size() * 4))};
}

std::vector<double> values_of(FakePe& pe, const IpcqSend& send) {
  std::vector<double> values;
  for (const std::byte byte : pe.functional_model.bytes({*send.bytes, send.shape, send.dtype, {}}))
    values.push_back(std::to_integer<int>(byte));
  return values;
}

std::vector<std::string> steps(void (*kernel)(tl::Program&), const tl::Grid& grid = {}) {
  return tl::record([kernel](tl::Program& tl) { kernel(tl); }, grid).at({0, 0, 0}).text();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_send_takes_the_bytes_as_they_are_at_the_call) {
  FakePe pe;
  tl::Program tl(pe);
  const tl::Ptr at(std::uint64_t{0x1000});
  const std::vector<std::uint8_t> before{1, 2, 3}, after{9, 9, 9};
  pe.functional_model.memory().write_bytes(0x1000, before.data(), 3);
  tl.send("E", at, {3}, i8);
  pe.functional_model.memory().write_bytes(0x1000, after.data(), 3);
  tl.send("W", tl.load(at, {3}, i8));
  BOOST_TEST(pe.sent.at(0).direction == "E");
  BOOST_TEST(values_of(pe, pe.sent.at(0)) == (std::vector<double>{1, 2, 3}));
  BOOST_TEST(values_of(pe, pe.sent.at(1)) == (std::vector<double>{9, 9, 9}));
  BOOST_TEST(pe.sent.at(0).data->places.from.at(0).pa == 0x1000u);
}

BOOST_AUTO_TEST_CASE(bytes_are_sent_as_elements_of_what_the_pointer_knows) {
  FakePe pe;
  tl::Program tl(pe);
  tl.send("E", tl::Ptr(std::uint64_t{0x1000}), 12);
  tl.send("E", tl::Ptr(tl::TensorInfo::whole("x", 0x2000, {8}, f32)), 12);
  BOOST_TEST(pe.sent.at(0).shape.str() == "{12}");
  BOOST_TEST((pe.sent.at(0).dtype == i8));
  BOOST_TEST(pe.sent.at(1).shape.str() == "{3}");
  BOOST_TEST((pe.sent.at(1).dtype == f32));
  BOOST_CHECK_EXCEPTION(tl.send("E", tl::Ptr(tl::TensorInfo::whole("x", 0x2000, {8}, f32)), 10),
                        UsageError, with_text("no multiple of the 4 of f32"));
  BOOST_CHECK_EXCEPTION(
      tl.send("E", tl::Ptr(tl::TensorInfo::whole("x", 0x2000, {8}, f32)), {2}, f16), UsageError,
      with_text("which holds f32"));
  BOOST_CHECK_EXCEPTION(tl.send("E", tl::Ptr(tl::TensorInfo::whole("x", 0x2000, {8}, f32)), 64),
                        AccessFault, with_text("are not all inside tensor 'x'"));
}

BOOST_AUTO_TEST_CASE(a_received_block_holds_the_message) {
  FakePe pe;
  tl::Program tl(pe);
  pe.answers = {message({1, 2, 3, 4}), message({5, 6}, "W")};
  const tl::Handle block = tl.recv("E", {2, 2}, f32);
  BOOST_TEST(block.data() == (std::vector<double>{1, 2, 3, 4}));
  BOOST_TEST(block.in_tcm());
  std::string from;
  BOOST_TEST(tl.recv({2}, f32, &from).data() == (std::vector<double>{5, 6}));
  BOOST_TEST(from == "W");
  BOOST_TEST(pe.received.at(0).direction == "E");
  BOOST_TEST(pe.received.at(1).direction == "");
  BOOST_CHECK_EXCEPTION(tl.recv("", {2}, f32), UsageError, with_text("a direction without a name"));
}

BOOST_AUTO_TEST_CASE(a_message_is_copied_into_the_bytes_of_a_block) {
  FakePe pe;
  tl::Program tl(pe);
  pe.answers = {message({1, 2})};
  const tl::Handle target = tl.zeros({4}, f32);
  const std::uint64_t used = pe.scratch().used_bytes();
  const tl::Handle block = tl.recv("E", {2}, f32, target);
  BOOST_TEST(pe.scratch().used_bytes() == used);
  BOOST_TEST(block.data() == (std::vector<double>{1, 2}));
  BOOST_TEST(target.data() ==
             (std::vector<double>{
                 0, 0, 0, 0}));  // a handle is a value; the result is the one that was received
  BOOST_TEST((pe.received.at(0).copy_to == MemorySpace::tcm));
  BOOST_TEST(pe.received.at(0).to.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_message_is_copied_to_memory) {
  FakePe pe;
  tl::Program tl(pe);
  pe.answers = {message({1, 2})};
  tl.recv("E", {2}, f32, tl::Ptr(std::uint64_t{0x3000}), MemorySpace::hbm);
  float there[2];
  std::memcpy(there, pe.functional_model.memory().read_bytes(0x3000, 8).data(), 8);
  BOOST_TEST(there[1] == 2);
  BOOST_TEST((pe.received.at(0).copy_to == MemorySpace::hbm));
}

BOOST_AUTO_TEST_CASE(a_future_is_received_once) {
  FakePe pe;
  tl::Program tl(pe);
  pe.answers = {message({1}), message({2})};
  const tl::RecvFuture first = tl.recv_async("E", {1}, f32), second = tl.recv_async("E", {1}, f32),
                       copy = first;
  BOOST_TEST(!first.received());
  BOOST_TEST(tl.wait(second).item() == 1);  // the fake answers in the order of the receives
  BOOST_TEST(tl.wait(first).item() == 2);
  BOOST_TEST(copy.received());
  BOOST_TEST(tl.wait(copy).item() == 2);
  BOOST_TEST(pe.received.size() == 2u);
  BOOST_TEST(pe.received.at(0).place.value() == 1u);
  BOOST_TEST(pe.received.at(1).place.value() == 0u);
  BOOST_CHECK_THROW(tl.wait(tl::RecvFuture()), UsageError);
  FakePe other;
  tl::Program elsewhere(other);
  BOOST_CHECK_EXCEPTION(elsewhere.wait(tl.recv_async("E", {1}, f32)), UsageError,
                        with_text("of another kernel"));
}

BOOST_AUTO_TEST_CASE(recv_no_consume_says_so) {
  FakePe pe;
  tl::Program tl(pe);
  tl.recv_no_consume("E", {1}, f32);
  tl.recv("E", {1}, f32);
  BOOST_TEST(!pe.received.at(0).consume);
  BOOST_TEST(pe.received.at(1).consume);
}

BOOST_AUTO_TEST_CASE(with_data_off_messages_have_sizes_but_no_values) {
  FakePe pe(false);
  tl::Program tl(pe);
  tl.send("E", tl.zeros({8}, f32));
  tl.send("E", tl::Ptr(std::uint64_t{0x1000}), {8}, f32);
  BOOST_TEST(pe.sent.at(0).nbytes() == 32u);
  BOOST_TEST(pe.sent.at(0).bytes == nullptr);
  BOOST_TEST(pe.sent.at(1).data == nullptr);
  BOOST_CHECK_THROW(tl.recv("E", {8}, f32).data(), UsageError);
}

BOOST_AUTO_TEST_CASE(questions_about_the_rings_issue_nothing) {
  FakePe pe;
  tl::Program tl(pe);
  BOOST_TEST(!tl.connected("E"));
  BOOST_CHECK_EXCEPTION(tl.slot_bytes(), UsageError,
                        with_text("tl.slot_bytes on sip0.cube1.pe2: no queue pair is installed"));
  pe.setup.queue_pairs = {{"E", {}, "W", 0, 0}, {"intra_N", {}, "intra_S", 0, 0, 8}};
  pe.setup.settings.slot_size = 512;
  BOOST_TEST(tl.connected("intra_N"));
  BOOST_TEST(!tl.connected("W"));
  BOOST_TEST(tl.slot_bytes() == 512u);
  BOOST_TEST(tl.ring_slots("E") == 4);  // of the settings
  BOOST_TEST(tl.ring_slots("intra_N") == 8);
  BOOST_CHECK_EXCEPTION(
      tl.ring_slots("W"), UsageError,
      with_text(
          "tl.ring_slots on sip0.cube1.pe2: no queue pair in direction 'W'; there are E, intra_N"));
  BOOST_TEST((pe.sent.empty() && pe.received.empty() && pe.commands.empty()));
}

// --- Recordings

BOOST_AUTO_TEST_CASE(a_recording_lists_sends_and_receives) {
  BOOST_TEST(steps([](tl::Program& tl) {
               tl.send("E", tl.zeros({2, 32}));
               const tl::RecvFuture future = tl.recv_async("W", {4}, f32);
               tl.recv("W", {4}, f32);
               tl.recv({1}, i32);
               tl.recv_no_consume("child0", {1}, i32);
               tl.recv("W", {4}, f32, tl.zeros({4}, f32));
               tl.send("parent", tl::Ptr(std::uint64_t{0x1000}), {4}, bf16);
               tl.wait(future);
             }) == (std::vector<std::string>{"send E f16{2, 32}", "recv_async W 0", "recv W f32{4}",
                                             "recv any i32{1}", "recv_no_consume child0 i32{1}",
                                             "recv W f32{4} to tcm", "send parent bf16{4}",
                                             "recv W f32{4} 0"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_recording_with_directions_knows_no_others) {
  tl::Grid grid;
  grid.directions[{0, 0, 0}] = {"E", "W"};
  grid.slot_bytes = 128;
  BOOST_TEST(steps(
                 [](tl::Program& tl) {
                   if (!tl.connected("N") && tl.connected("W"))
                     tl.send("E", tl.zeros({static_cast<std::int64_t>(tl.slot_bytes()) / 2}));
                 },
                 grid) == (std::vector<std::string>{"send E f16{64}"}),
             boost::test_tools::per_element());
  BOOST_CHECK_EXCEPTION(steps([](tl::Program& tl) { tl.send("N", tl.zeros({1})); }, grid),
                        UsageError, with_text("no queue pair in direction 'N' of sip0.cube0.pe0"));
}

BOOST_AUTO_TEST_SUITE_END()
