// One HBM pseudo-channel as a test drives it: bursts that arrive at given times, commands and data
// as they happen. Times are plain numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "models/timing/hbm_bank_scheduler.h"

namespace kernbench::test {

// Four groups of four banks; refresh off. The numbers differ, so that a sum shows its terms.
inline HbmBankTiming round_times() {
  HbmBankTiming t;
  t.burst = 2;
  t.cl = 15;
  t.cwl = 5;
  t.rcd_rd = 14;
  t.rcd_wr = 12;
  t.rp = 13;
  t.ras = 34;
  t.rc = 50;
  t.wr = 16;
  t.rtp = 6;
  t.ccd_s = 3;
  t.ccd_l = 4;
  t.rrd_s = 7;
  t.rrd_l = 9;
  t.faw = 40;
  t.wtr_s = 8;
  t.wtr_l = 11;
  t.rtw = 17;
  t.refi = 1000;
  t.rfc = 100;
  t.refresh = HbmRefresh::none;
  return t;
}

struct HbmRequest {
  Fs at = 0;
  bool write = false;
  unsigned bank = 0;
  std::uint32_t row = 0;
  std::uint16_t column = 0;
};

struct HbmServed {
  std::uint32_t request = 0;
  HbmDirection direction = HbmDirection::read;
  Fs command = 0;  // 0: from the write queue
  HbmSlot data;
};

class HbmChannel final : private HbmCommandListener {
 public:
  explicit HbmChannel(const HbmBankTiming& timing = round_times(),
                      const HbmQueuePolicy& policy = {}, HbmCommandBuses* buses = nullptr)
      : scheduler(timing, policy, counts, buses) {
    scheduler.trace(this);
  }

  // Requests in order of time; a write that finds its queue full waits, and all behind it.
  void run(const std::vector<HbmRequest>& requests) {
    std::size_t next = 0;
    while (next < requests.size() || scheduler.next_due() != never_fs) {
      const Fs arrival = next == requests.size() ? never_fs : std::max(now, requests[next].at);
      const bool full = next < requests.size() && requests[next].write &&
                        !scheduler.has_room_for_write() && arrival <= now;
      now = std::max(now, full ? scheduler.next_due() : std::min(arrival, scheduler.next_due()));
      for (; next < requests.size() && requests[next].at <= now; ++next) {
        const HbmRequest& request = requests[next];
        if (request.write && !scheduler.has_room_for_write()) break;
        push(request, static_cast<std::uint32_t>(next));
      }
      scheduler.serve(
          now,
          [&](const HbmAccess& access, HbmDirection direction, const HbmSlot& slot) {
            served.push_back({access.owner, direction, now, slot});
          },
          [&](const HbmAccess& access, Fs finish) {
            served.push_back({access.owner, HbmDirection::read, 0, {finish, finish}});
          });
    }
  }
  // Ends of the data, by request; a request that was not served has 0.
  std::vector<Fs> ends() const {
    std::vector<Fs> list;
    for (const HbmServed& each : served) {
      if (list.size() <= each.request) list.resize(each.request + 1);
      list[each.request] = each.data.finish;
    }
    return list;
  }
  std::vector<std::uint32_t> order() const {
    std::vector<std::uint32_t> list;
    for (const HbmServed& each : served) list.push_back(each.request);
    return list;
  }
  std::vector<Fs> times_of(HbmCommand command) const {
    std::vector<Fs> list;
    for (const HbmCommandRecord& record : commands) {
      if (record.command == command) list.push_back(record.time);
    }
    return list;
  }

  Fs now = 0;
  HbmBankCounts counts;
  HbmBankScheduler scheduler;
  std::vector<HbmCommandRecord> commands;
  std::vector<HbmServed> served;

 private:
  void issued(const HbmCommandRecord& record) override { commands.push_back(record); }
  void push(const HbmRequest& request, std::uint32_t owner) {
    HbmAccess access;
    access.since = now;
    access.owner = owner;
    access.bank = static_cast<std::uint16_t>(request.bank);
    access.row = request.row;
    access.column = request.column;
    access.whole = true;
    if (request.write) {
      scheduler.push_write(access, now);
    } else {
      scheduler.push_read(access, now);
    }
  }
};

}  // namespace kernbench::test
