// Properties of the scheduler of a pseudo-channel over random times, queues and requests.
#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>

#include "tests/timing/hbm_channel.h"
#include "tests/timing/hbm_command_checker.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(hbm_bank_property)

namespace {

Fs between(Fs least, Fs most) { return *rc::gen::inRange<Fs>(least, most + 1); }

HbmBankTiming some_times() {
  HbmBankTiming t;
  t.bank_bits = static_cast<unsigned>(between(0, 2));
  t.group_bits = static_cast<unsigned>(between(0, 2));
  t.burst = between(1, 4);
  t.cl = between(1, 20);
  t.cwl = between(1, 20);
  t.rcd_rd = between(1, 20);
  t.rcd_wr = between(1, 20);
  t.rp = between(1, 20);
  t.ras = t.rcd_rd + t.burst + between(0, 20);
  t.rc = t.ras + t.rp + between(0, 5);
  t.wr = between(1, 20);
  t.rtp = between(1, 10);
  t.ccd_s = t.burst + between(0, 2);
  t.ccd_l = t.ccd_s + between(0, 3);
  t.rrd_s = between(1, 6);
  t.rrd_l = t.rrd_s + between(0, 4);
  t.faw = 3 * t.rrd_s + between(0, 30);
  t.wtr_s = between(1, 10);
  t.wtr_l = t.wtr_s + between(0, 5);
  t.rtw = (t.cl + t.burst > t.cwl ? t.cl + t.burst - t.cwl : 0) + between(0, 6);
  t.refresh = *rc::gen::element(HbmRefresh::none, HbmRefresh::all_bank, HbmRefresh::per_bank);
  t.rfc = between(1, 60);
  t.refi = t.rfc + t.rc + std::max(t.rcd_rd, t.rcd_wr) + t.cwl + t.burst + t.wr + between(0, 300);
  t.closed_page = *rc::gen::arbitrary<bool>();
  return t;
}

HbmQueuePolicy some_policy() {
  HbmQueuePolicy policy;
  policy.reads = between(1, 16);
  policy.writes = between(1, 16);
  policy.high = between(1, policy.writes);
  policy.low = between(0, policy.high - 1);
  policy.max_row_hits = static_cast<unsigned>(between(0, 6));
  return policy;
}

std::vector<HbmRequest> some_requests(unsigned banks, Fs longest_gap) {
  std::vector<HbmRequest> requests(between(1, 80));
  Fs at = 0;
  for (HbmRequest& request : requests) {
    at += between(0, 3) == 0 ? between(0, longest_gap) : 0;
    request = {at, *rc::gen::arbitrary<bool>(), static_cast<unsigned>(between(0, banks - 1)),
               static_cast<std::uint32_t>(between(0, 3)),
               static_cast<std::uint16_t>(between(0, 7))};
  }
  return requests;
}

}  // namespace

RC_BOOST_PROP(commands_keep_all_times_and_every_request_is_served_once, ()) {
  const HbmBankTiming timing = some_times();
  HbmChannel channel(timing, some_policy());
  const auto requests = some_requests(timing.banks(), 200);
  channel.run(requests);
  RC_ASSERT(HbmCommandChecker(timing, channel.commands).violation() == "");
  std::vector<std::uint32_t> order = channel.order();
  std::sort(order.begin(), order.end());
  RC_ASSERT(order.size() == requests.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) RC_ASSERT(order[i] == i);
  const HbmBankCounts& n = channel.counts;
  RC_ASSERT(n.hits + n.misses + n.conflicts + n.forwarded == requests.size());
  RC_ASSERT(n.misses + n.conflicts == n.activates);
  RC_ASSERT(n.activates == n.precharges + channel.scheduler.open_banks());
}

// No row is opened in vain, whatever precedes: the other direction, a refresh, a full queue.
RC_BOOST_PROP(the_first_command_after_an_activate_is_the_one_it_is_for, ()) {
  const HbmBankTiming timing = some_times();
  HbmChannel channel(timing, some_policy());
  channel.run(some_requests(timing.banks(), 200));
  std::map<unsigned, HbmDirection> opened;  // by bank
  for (const HbmCommandRecord& each : channel.commands) {
    const auto found = opened.find(each.bank);
    if (found != opened.end()) {
      const bool write = found->second == HbmDirection::write;
      RC_ASSERT(each.command == (write ? HbmCommand::write : HbmCommand::read));
      opened.erase(found);
    }
    if (each.command == HbmCommand::activate) opened[each.bank] = each.direction;
  }
  RC_ASSERT(opened.empty());
}

RC_BOOST_PROP(data_of_bursts_never_overlap, ()) {
  const HbmBankTiming timing = some_times();
  HbmChannel channel(timing, some_policy());
  channel.run(some_requests(timing.banks(), 50));
  Fs free_at = 0;
  for (const HbmServed& each : channel.served) {
    if (each.command == 0 && each.data.start == each.data.finish) continue;  // forwarded
    RC_ASSERT(each.data.start >= free_at);
    free_at = each.data.finish;
  }
}

RC_BOOST_PROP(two_runs_are_equal, ()) {
  const HbmBankTiming timing = some_times();
  const HbmQueuePolicy policy = some_policy();
  const auto requests = some_requests(timing.banks(), 100);
  HbmChannel a(timing, policy), b(timing, policy);
  a.run(requests);
  b.run(requests);
  RC_ASSERT(a.order() == b.order());
  RC_ASSERT(a.ends() == b.ends());
}

// The same random rows spread over more banks: reordering may cost a little, never much.
RC_BOOST_PROP(more_banks_do_not_slow_a_random_stream, ()) {
  HbmBankTiming timing = round_times();
  const auto requests = some_requests(16, 20);
  const auto length = [&](unsigned bank_bits, unsigned mask) {
    timing.bank_bits = bank_bits;
    HbmChannel channel(timing);
    std::vector<HbmRequest> own = requests;
    for (HbmRequest& request : own) {
      request.row = request.row << 4 | request.bank;  // rows of different banks stay different
      request.bank &= mask;
    }
    channel.run(own);
    const auto ends = channel.ends();
    return *std::max_element(ends.begin(), ends.end());
  };
  const Fs few = length(0, 3), many = length(2, 15);  // 4 and 16 banks in four groups
  RC_ASSERT(many <= few + few / 10 + timing.rc);
}

BOOST_AUTO_TEST_SUITE_END()
