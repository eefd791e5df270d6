// How vc_compute and vc_comm share the link of a PE_DMA (spec 2.6). One link of 256 GB/s: a flit of
// 256 bytes takes 1 ns.
#include "models/pe/virtual_channels.h"

#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>

#include "models/timing/link_state.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(virtual_channels)

namespace {

constexpr Fs ns = fs_per_ns;

// The link, notified of each hand-over to it, and the queues before it. Time goes on from call to
// call. With `runs` it takes flits that are handed over for later, and lets them be withdrawn.
struct Links {
  Links(std::uint32_t chunk_bytes, bool takes_runs) : runs(takes_runs) {
    std::vector<PathHop> hops(2);
    hops[0].bw_gbs = 256;
    hops[0].propagation_fs = 1;
    path = std::make_unique<Path>(std::move(hops), nullptr);
    if (chunk_bytes > 0) channels.use_both(chunk_bytes);
  }

  struct Output {
    Links& links;
    Fs time;
    void send(Transaction& t, FlitRun run) { links.hand_over(t, run, time, 0); }
    bool takes_runs(std::uint32_t /*port*/) const { return links.runs; }
    void send(Transaction& t, FlitRun run, Fs at, Fs spacing) {
      links.hand_over(t, run, at, spacing);
    }
    void recall(std::uint32_t, Transaction& t, std::uint32_t, std::uint32_t flit) {
      while (links.handed.back().flit >= flit) {
        BOOST_TEST(links.handed.back().transaction == &t);
        BOOST_TEST(links.handed.back().at >= time);
        links.handed.pop_back();
      }
    }
  };

  // Serves what is due before `time`, then puts a message of so many bytes; 0: a control message.
  void put(Fs time, VirtualChannel channel, char letter, std::uint64_t bytes) {
    serve_until(time);
    TransactionHandle handle = pool.make();
    RouteExtension& route = handle->route();
    route.path = path.get();
    if (bytes > 0) route.cut_flits(bytes, 256);
    route.listener_tag = static_cast<std::uint64_t>(letter);
    channels.put(channel, *handle, {0, route.flits, 0}, time, Output{*this, time});
    transactions.push_back(std::move(handle));
  }
  // Up to but without `time`.
  void serve_until(Fs time) {
    for (Fs due = channels.next_due(now); due < time; due = channels.next_due(now)) {
      now = due;
      channels.serve(due, Output{*this, due});
    }
    now = time == never_fs ? now : time;
  }
  void hand_over(Transaction& transaction, FlitRun run, Fs at, Fs spacing) {
    if (run.count == 0) handed.push_back({&transaction, 0, at});
    for (std::uint32_t i = 0; i < run.count; ++i)
      handed.push_back({&transaction, run.first + i, at + i * spacing});
  }
  const std::string& finish() {
    serve_until(never_fs);
    for (const Handed& each : handed) {
      const RouteExtension& route = each.transaction->route();
      order += static_cast<char>(route.listener_tag);
      ends.push_back(
          route.flits == 0
              ? control_departure(link, each.at)
              : advance(link, each.at, ServiceTime(256, 256).of(route.bytes_of(each.flit))));
    }
    return order;
  }

  struct Handed {
    Transaction* transaction;
    std::uint32_t flit;
    Fs at;
  };
  bool runs;
  VirtualChannels channels{256};
  std::unique_ptr<Path> path;
  TransactionPool pool;
  std::vector<TransactionHandle> transactions;
  LinkState link;
  Fs now = 0;
  std::vector<Handed> handed;
  std::string order;     // of the flits, by the letters of their messages
  std::vector<Fs> ends;  // when each has left
};

constexpr VirtualChannel compute = VirtualChannel::compute, comm = VirtualChannel::comm;

}  // namespace

// The message comes while the first flit of the store is on the link, which frees at 1 ns: then the
// message has its turn.
BOOST_AUTO_TEST_CASE(the_channels_take_turns_flit_by_chunk) {
  for (const bool runs : {false, true}) {
    Links w(256, runs);
    w.put(0, compute, 's', 5 * 256);
    w.put(ns / 2, comm, 't', 3 * 256);
    BOOST_TEST(w.finish() == "stststss");
    BOOST_TEST(w.ends.back() == 8 * ns);  // the link is never idle
  }
}

BOOST_AUTO_TEST_CASE(a_chunk_is_as_many_flits_as_it_holds_and_at_least_one) {
  for (const bool runs : {false, true}) {
    for (const auto& [chunk, order] :
         std::vector<std::pair<std::uint32_t, std::string>>{{100, "stststststss"},
                                                            {256, "stststststss"},
                                                            {511, "stststststss"},
                                                            {512, "sttsttstssss"},
                                                            {1024, "sttttstsssss"}}) {
      Links w(chunk, runs);
      w.put(0, compute, 's', 7 * 256);
      w.put(ns / 2, comm, 't', 5 * 256);
      BOOST_TEST(w.finish() == order, "chunk " << chunk << ": " << w.order);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_chunk_ends_with_its_message) {
  for (const bool runs : {false, true}) {
    Links w(1024, runs);
    w.put(0, compute, 's', 4 * 256);
    w.put(ns / 2, comm, 't', 2 * 256);
    w.put(ns / 2, comm, 'u', 2 * 256);
    BOOST_TEST(w.finish() == "sttsuuss");
  }
}

// Compute DMA is not starved, and messages do not wait for the end of a long store.
BOOST_AUTO_TEST_CASE(no_channel_waits_longer_than_one_turn_of_the_other) {
  for (const bool runs : {false, true}) {
    Links w(256, runs);
    w.put(0, comm, 't', 100 * 256);
    w.put(5 * ns + 1, compute, 's', 256);
    w.finish();
    BOOST_TEST(w.order.substr(0, 8) == "ttttttst");
  }
}

// The command of a read takes no time: it leaves when the link is free, and uses up no turn.
BOOST_AUTO_TEST_CASE(a_control_message_leaves_when_the_link_is_free) {
  for (const bool runs : {false, true}) {
    Links w(256, runs);
    w.put(0, compute, 's', 2 * 256);
    w.put(1, comm, 't', 2 * 256);
    w.put(2, compute, 'r', 0);
    BOOST_TEST(w.finish() == "stsrt");  // behind the store, which is first in its channel
    BOOST_TEST(w.ends[3] == 3 * ns);
    Links alone(256, runs);
    alone.put(0, comm, 't', 3 * 256);
    alone.put(ns / 2, compute, 'r', 0);
    BOOST_TEST(alone.finish() == "trtt");
    BOOST_TEST(alone.ends[1] == 1 * ns);
  }
}

// What a PE without rings does, flit by flit.
RC_BOOST_PROP(with_one_channel_in_use_it_is_first_come_first_served, ()) {
  const bool is_comm = *rc::gen::arbitrary<bool>();
  Links fifo(0, false);
  Links shared(*rc::gen::inRange<std::uint32_t>(1, 2000), *rc::gen::arbitrary<bool>());
  Fs time = 0;
  for (int i = *rc::gen::inRange(1, 12); i > 0; --i) {
    time += *rc::gen::inRange<Fs>(0, 6 * ns);
    // Not a multiple of the flit: the last one is short. Messages have at least one byte.
    const auto bytes = *rc::gen::inRange<std::uint64_t>(is_comm ? 1 : 0, 2000);
    const char letter = static_cast<char>('a' + i);
    for (Links* w : {&fifo, &shared}) w->put(time, is_comm ? comm : compute, letter, bytes);
  }
  fifo.finish();
  shared.finish();
  RC_ASSERT(fifo.order == shared.order);
  RC_ASSERT(fifo.ends == shared.ends);
}

// Whatever comes when: every flit leaves once, each channel keeps its order, the link is never idle
// while something waits. Flits handed over as runs leave at the same times.
RC_BOOST_PROP(nothing_is_lost_and_the_link_is_never_idle_while_something_waits, ()) {
  const auto chunk = *rc::gen::inRange<std::uint32_t>(1, 2000);
  Links w(chunk, false), runs(chunk, true);
  Fs time = 0, busy_until = 0;
  std::string expected[2];
  for (int i = *rc::gen::inRange(1, 12); i > 0; --i) {
    time += *rc::gen::inRange<Fs>(0, 6 * ns);
    const bool is_comm = *rc::gen::arbitrary<bool>();
    const auto flits = *rc::gen::inRange<std::uint64_t>(1, 8);
    const char letter = static_cast<char>((is_comm ? 'A' : 'a') + i);
    const auto bytes = flits * 256 - *rc::gen::element<std::uint64_t>(0, 0, 100);
    for (Links* each : {&w, &runs}) each->put(time, is_comm ? comm : compute, letter, bytes);
    expected[is_comm ? 1 : 0] += std::string(flits, letter);
    busy_until = std::max(busy_until, time) + ServiceTime(256, 256).of(256) * (flits - 1) +
                 ServiceTime(256, 256).of(bytes - 256 * (flits - 1));
  }
  w.finish();
  runs.finish();
  RC_ASSERT(w.order == runs.order);
  RC_ASSERT(w.ends == runs.ends);
  std::string seen[2];
  for (const char letter : w.order) seen[letter < 'a' ? 1 : 0] += letter;
  RC_ASSERT(seen[0] == expected[0] && seen[1] == expected[1]);
  RC_ASSERT(w.ends.back() == busy_until);
}

BOOST_AUTO_TEST_SUITE_END()
