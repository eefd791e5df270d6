// Command scheduler of one HBM pseudo-channel with banks (spec 2.5). Without SystemC.
//
// Policy: FR-FCFS with a cap. Of the commands that are legal first, a read or write of an open row
// (column command) precedes activates and precharges (row commands), then the older request. A bank
// with a row open serves its oldest request of this row, at most max_row_hits in series while an
// older request for another row waits; then it is precharged. Reads precede writes, until `high`
// writes are queued: these drain down to `low`; without reads they drain at once. A read that a
// queued write covers is served from the queue. Refreshes are due at multiples of their interval
// and precede other commands; an idle pseudo-channel catches up when it has work again.
//
// A request whose row has been opened for it is served before its bank is precharged: reads or
// writes of the new direction and the refresh of the bank wait for it, row commands of other banks
// do not. There is at most one of them in a bank, so that it delays others by a bounded time.
//
// Commands are issued at the earliest legal instant, with femtosecond resolution; serve() runs at
// next_due() and never in between: there is no clock. A command occupies the row or the column
// command bus, which the two pseudo-channels of a channel share, from its issue on. Refreshes and
// the precharges that belong to one, or to a read or write, occupy none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/protocol/ring_buffer.h"
#include "models/timing/hbm_bank_timing.h"
#include "models/timing/hbm_burst.h"

namespace kernbench {

// A burst in a queue; `owner` and `part` are the caller's own.
struct HbmAccess {
  Fs since = 0;  // arrival at the queues
  std::uint32_t owner = 0;
  std::uint32_t part = 0;
  std::uint32_t row = 0;
  std::uint16_t bank = 0;
  std::uint16_t column = 0;
  bool whole = false;  // a write of all bytes of the burst
};

enum class HbmCommand : std::uint8_t { activate, precharge, read, write, refresh };

// A command as issued. Of a precharge by a read or write itself (closed page) and of one for a
// refresh, `time` is that of the precharge, which may be ahead of the call. A refresh of all banks
// has bank every_bank.
struct HbmCommandRecord {
  static constexpr std::uint16_t every_bank = 0xffff;
  Fs time = 0;
  HbmCommand command = HbmCommand::activate;
  std::uint16_t bank = 0;
  std::uint32_t row = 0;
  HbmDirection direction = HbmDirection::none;  // activate: of the request that it is for
};

class HbmCommandListener {
 public:
  virtual void issued(const HbmCommandRecord& record) = 0;

 protected:
  ~HbmCommandListener() = default;
};

// Command buses of a channel. Of pseudo-channels that wait for the row bus at the same instant, the
// one that did not have it last is to be served first.
struct HbmCommandBuses {
  Fs row_free = 0, column_free = 0;
  const void* last_of_row = nullptr;  // scheduler of the last activate or precharge
};

// Counts of the pseudo-channels of a partition together.
struct HbmBankCounts {
  std::uint64_t hits = 0, misses = 0, conflicts = 0;  // bursts: row open, bank closed, other row
  std::uint64_t forwarded = 0;                        // reads served from the write queue
  std::uint64_t activates = 0, precharges = 0, refreshes = 0;
  std::uint64_t drains = 0;                           // begun at `high`
  std::uint64_t read_wait_fs = 0, write_wait_fs = 0;  // queueing time of issued bursts
  std::uint64_t read_depth = 0, write_depth = 0;      // most bursts queued
};

class HbmBankScheduler {
 public:
  // `buses` outlives the scheduler; null: commands need none.
  HbmBankScheduler(const HbmBankTiming& timing, const HbmQueuePolicy& policy, HbmBankCounts& counts,
                   HbmCommandBuses* buses = nullptr);

  // Queues a read; of many, the first policy.reads are those among which it chooses.
  void push_read(const HbmAccess& access, Fs now) {
    reads_ahead_.push_back(access);
    counts_.read_depth = std::max<std::uint64_t>(counts_.read_depth, read_depth());
    due_ = std::min(due_, now);
  }
  bool has_room_for_write() const { return size_[write] < policy_.writes; }
  // Queues a write, whether there is room or not (an atomic access does not wait).
  void push_write(const HbmAccess& access, Fs now);

  std::size_t read_depth() const { return reads_ahead_.size() + size_[read]; }
  std::size_t write_depth() const { return size_[write]; }
  bool is_draining() const { return draining_; }
  std::size_t open_banks() const { return open_; }
  // Refreshes up to `now` that are not counted yet: the pseudo-channel is idle.
  std::uint64_t refreshes_due(Fs now) const {
    return next_refresh_ > now ? 0 : (now - next_refresh_) / timing_.refi + 1;
  }
  const std::uint64_t& switches() const { return switches_; }  // changes of direction
  void trace(HbmCommandListener* listener) { listener_ = listener; }

  bool had_row_bus_last() const { return buses_ != nullptr && buses_->last_of_row == this; }
  // Instant of the next command or admission, or an earlier one if another pseudo-channel has taken
  // the bus since; never_fs if the queues are empty.
  Fs next_due() const { return due_; }
  // Issues all commands that are due at `now`, which is not later than next_due(). Calls
  // served(access, direction, slot) for each burst at its command: its data are on the bus in
  // `slot`; and forwarded(access, finish) for each read from the write queue.
  template <class Served, class Forwarded>
  void serve(Fs now, Served served, Forwarded forwarded);

 private:
  enum Direction : std::uint8_t { read, write };
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct Entry {
    HbmAccess access;
    std::uint64_t number = 0;  // age
    std::uint32_t next = none, previous = none;
  };
  struct Queue {  // entries of a bank in one direction, by age
    std::uint32_t first = none, last = none;
    std::uint32_t hit = none;  // the oldest of the open row
  };
  enum class Opening : std::uint8_t { none, miss, conflict };
  struct Bank {
    Queue queues[2];
    bool is_open = false;
    bool had_other_row = false;       // precharged for another row
    Opening opening = Opening::none;  // cause of the activate, until the first access
    std::uint32_t row = 0;
    std::uint32_t hits_over_older = 0;  // hits in series while an older request waits
    Fs column_ok[2] = {0, 0};           // read, write after the activate
    Fs precharge_ok = 0, activate_ok = 0;
  };
  struct Group {
    Fs column_ok[2] = {0, 0};
    Fs activate_ok = 0;
  };
  struct Candidate {
    Fs time = never_fs;
    std::uint64_t number = 0;
    unsigned bank = 0;
    void improve(Fs other_time, std::uint64_t other_number, unsigned other_bank) {
      if (other_time > time || (other_time == time && other_number > number)) return;
      time = other_time;
      number = other_number;
      bank = other_bank;
    }
  };
  struct Candidates {
    Candidate column, row;
    Direction columns = read;  // direction of `column`
  };

  // Returns the earliest row command for what it has admitted.
  template <class Forwarded>
  Fs admit(Fs now, Forwarded forwarded);
  bool covered_by_write(const HbmAccess& read) const;
  void append(Direction direction, const HbmAccess& access);
  void remove(Direction direction, std::uint32_t index);
  void find_hit(Bank& bank, Direction direction);
  Direction direction();
  static HbmDirection name_of(Direction direction) {
    return direction == read ? HbmDirection::read : HbmDirection::write;
  }
  Candidates candidates(Direction direction) const;
  Fs row_free() const { return buses_ != nullptr ? buses_->row_free : 0; }
  Fs column_free() const { return buses_ != nullptr ? buses_->column_free : 0; }
  // Earliest row command for the bank; never_fs if it needs none.
  Fs row_time(unsigned bank, Direction direction) const;
  bool is_capped(const Bank& bank, const Queue& queue) const {
    return bank.hits_over_older >= policy_.max_row_hits && queue.hit != queue.first;
  }
  void row_command(unsigned bank, Direction direction, Fs now);
  HbmSlot column_command(unsigned bank, Direction direction, Fs now);
  void activate(unsigned bank, Direction direction, Fs now);
  void precharge(unsigned bank, Fs at);
  void refresh_until(Fs now);
  void record(HbmCommand command, unsigned bank, std::uint32_t row, Fs at,
              HbmDirection direction = HbmDirection::none) const {
    if (listener_ != nullptr)
      listener_->issued({at, command, static_cast<std::uint16_t>(bank), row, direction});
  }

  HbmBankTiming timing_;
  HbmQueuePolicy policy_;
  HbmCommandListener* listener_ = nullptr;
  Fs due_ = never_fs;
  RingBuffer<HbmAccess> reads_ahead_;  // reads outside the window of `policy.reads`
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> idle_;
  std::uint64_t next_number_ = 0;
  std::size_t size_[2] = {0, 0};
  std::uint64_t waiting_[2] = {0, 0};  // banks with entries, a bit each
  std::uint64_t opened_[2] = {0, 0};   // banks with a row opened for their first entry, a bit each
  std::uint64_t closing_ = 0;          // banks whose refresh waits for such entries
  std::vector<Bank> banks_;
  std::vector<Group> groups_;
  Fs column_ok_[2] = {0, 0};
  Fs activate_ok_ = 0;
  Fs last_activates_[4] = {0, 0, 0, 0};  // their faw ends
  unsigned oldest_activate_ = 0;
  bool draining_ = false;
  HbmDirection last_ = HbmDirection::none;
  std::size_t open_ = 0;
  Fs next_refresh_ = never_fs;
  unsigned refreshed_bank_ = 0;  // next, bank by bank
  std::uint64_t switches_ = 0;
  HbmBankCounts& counts_;
  HbmCommandBuses* buses_;
};

template <class Served, class Forwarded>
void HbmBankScheduler::serve(Fs now, Served served, Forwarded forwarded) {
  for (;;) {
    if (next_refresh_ <= now) refresh_until(now);
    admit(now, forwarded);
    const Direction towards = direction();
    if (waiting_[towards] == 0) {
      due_ = never_fs;
      return;
    }
    const Candidates next = candidates(towards);
    if (next.column.time <= now) {
      const unsigned bank = next.column.bank;
      const HbmAccess access = entries_[banks_[bank].queues[next.columns].hit].access;
      const HbmSlot slot = column_command(bank, next.columns, now);
      served(access, name_of(next.columns), slot);
      if (next.columns != towards || closing_ != 0) continue;
      // Nothing is legal before these: other banks were just looked at, and their times only rise.
      const Fs rows = std::min({next.row.time, row_time(bank, towards), admit(now, forwarded)});
      const Fs due = std::min({std::max(column_ok_[towards], column_free()), rows, next_refresh_});
      if (due > now && direction() == towards && waiting_[towards] != 0) {
        due_ = due;
        return;
      }
    } else if (next.row.time <= now) {
      row_command(next.row.bank, towards, now);
    } else {
      due_ = std::min({next.column.time, next.row.time, closing_ == 0 ? next_refresh_ : never_fs});
      return;
    }
  }
}

template <class Forwarded>
Fs HbmBankScheduler::admit(Fs now, Forwarded forwarded) {
  Fs rows = never_fs;
  while (!reads_ahead_.empty() && size_[read] < policy_.reads) {
    const HbmAccess& next = reads_ahead_.front();
    if ((waiting_[write] >> next.bank & 1) == 0 || !covered_by_write(next)) {
      append(read, next);
      rows = std::min(rows, row_time(next.bank, read));
      reads_ahead_.pop_front();
      continue;
    }
    const HbmAccess access = next;
    reads_ahead_.pop_front();
    ++counts_.forwarded;
    counts_.read_wait_fs += now - access.since;
    forwarded(access, now + timing_.least_read());
  }
  return rows;
}

}  // namespace kernbench
