#include "models/timing/hbm_bank_scheduler.h"

namespace kernbench {

HbmBankScheduler::HbmBankScheduler(const HbmBankTiming& timing, const HbmQueuePolicy& policy,
                                   HbmBankCounts& counts, HbmCommandBuses* buses)
    : timing_(timing), policy_(policy), banks_(timing.banks()),
      groups_(std::size_t{1} << timing.group_bits), counts_(counts), buses_(buses) {
  if (timing_.refresh != HbmRefresh::none) next_refresh_ = timing_.refi;
}

void HbmBankScheduler::push_write(const HbmAccess& access, Fs now) {
  append(write, access);
  counts_.write_depth = std::max<std::uint64_t>(counts_.write_depth, size_[write]);
  if (!draining_ && size_[write] >= policy_.high) {
    due_ = std::min(due_, now);
    return;
  }
  if (!draining_ && read_depth() != 0) return;  // reads precede it
  Fs time = row_time(access.bank, write);
  if (time == never_fs) {
    time = std::max({column_ok_[write], column_free(), banks_[access.bank].column_ok[write],
                     groups_[timing_.group_of(access.bank)].column_ok[write]});
  }
  due_ = std::min(due_, std::max(now, std::min(time, next_refresh_)));
}

// --- Queues

bool HbmBankScheduler::covered_by_write(const HbmAccess& access) const {
  for (std::uint32_t i = banks_[access.bank].queues[write].first; i != none; i = entries_[i].next) {
    const HbmAccess& queued = entries_[i].access;
    if (queued.whole && queued.row == access.row && queued.column == access.column) return true;
  }
  return false;
}

void HbmBankScheduler::append(Direction direction, const HbmAccess& access) {
  if (idle_.empty()) {
    idle_.push_back(static_cast<std::uint32_t>(entries_.size()));
    entries_.emplace_back();
  }
  const std::uint32_t index = idle_.back();
  idle_.pop_back();
  Bank& bank = banks_[access.bank];
  Queue& queue = bank.queues[direction];
  entries_[index] = {access, next_number_++, none, queue.last};
  (queue.last == none ? queue.first : entries_[queue.last].next) = index;
  queue.last = index;
  if (queue.hit == none && bank.is_open && bank.row == access.row) queue.hit = index;
  ++size_[direction];
  waiting_[direction] |= std::uint64_t{1} << access.bank;
}

void HbmBankScheduler::remove(Direction direction, std::uint32_t index) {
  const Entry& entry = entries_[index];
  Queue& queue = banks_[entry.access.bank].queues[direction];
  (entry.previous == none ? queue.first : entries_[entry.previous].next) = entry.next;
  (entry.next == none ? queue.last : entries_[entry.next].previous) = entry.previous;
  if (queue.first == none) waiting_[direction] &= ~(std::uint64_t{1} << entry.access.bank);
  --size_[direction];
  idle_.push_back(index);
}

void HbmBankScheduler::find_hit(Bank& bank, Direction direction) {
  Queue& queue = bank.queues[direction];
  std::uint32_t i = queue.first;
  while (i != none && entries_[i].access.row != bank.row) i = entries_[i].next;
  queue.hit = i;
}

HbmBankScheduler::Direction HbmBankScheduler::direction() {
  if (!draining_ && size_[write] >= policy_.high) {
    draining_ = true;
    ++counts_.drains;
  }
  if (draining_ && size_[write] <= policy_.low) draining_ = false;
  return draining_ || size_[read] == 0 ? write : read;
}

// --- Choice

namespace {

Fs later(Fs a, Fs b) { return a > b ? a : b; }

}  // namespace

HbmBankScheduler::Candidates HbmBankScheduler::candidates(Direction direction) const {
  Candidates best;
  const Direction other = direction == read ? write : read;
  const std::uint64_t opened = opened_[other];  // precede all reads or writes of `direction`
  const Fs row_free = this->row_free();
  const Fs column_ok = opened != 0 ? never_fs : later(column_ok_[direction], column_free());
  const Fs activate_ok = later(activate_ok_, last_activates_[oldest_activate_]);
  for (std::uint64_t left = (waiting_[direction] & ~(closing_ | opened)) | opened_[direction];
       left != 0; left &= left - 1) {
    const auto at = static_cast<unsigned>(__builtin_ctzll(left));
    const Bank& bank = banks_[at];
    const Queue& queue = bank.queues[direction];
    const Group& group = groups_[timing_.group_of(at)];
    if (queue.hit != none && !is_capped(bank, queue)) {  // hits are of open rows
      const Fs time =
          later(later(group.column_ok[direction], bank.column_ok[direction]), column_ok);
      best.column.improve(time, entries_[queue.hit].number, at);
    } else {
      const Fs time = bank.is_open ? bank.precharge_ok
                                   : later(later(group.activate_ok, bank.activate_ok), activate_ok);
      best.row.improve(later(time, row_free), entries_[queue.first].number, at);
    }
  }
  best.columns = opened != 0 ? other : direction;
  if (opened == 0) return best;
  const Fs other_ok = later(column_ok_[other], column_free());
  for (std::uint64_t left = opened; left != 0; left &= left - 1) {
    const auto at = static_cast<unsigned>(__builtin_ctzll(left));
    const Bank& bank = banks_[at];
    const Fs group = groups_[timing_.group_of(at)].column_ok[other];
    best.column.improve(later(later(group, bank.column_ok[other]), other_ok),
                        entries_[bank.queues[other].hit].number, at);
  }
  return best;
}

Fs HbmBankScheduler::row_time(unsigned at, Direction direction) const {
  const Bank& bank = banks_[at];
  const Queue& queue = bank.queues[direction];
  if (queue.first == none || (queue.hit != none && !is_capped(bank, queue))) return never_fs;
  if (bank.is_open) return later(bank.precharge_ok, row_free());
  return std::max({row_free(), activate_ok_, last_activates_[oldest_activate_],
                   groups_[timing_.group_of(at)].activate_ok, bank.activate_ok});
}

// --- Commands

void HbmBankScheduler::row_command(unsigned at, Direction direction, Fs now) {
  Bank& bank = banks_[at];
  if (buses_ != nullptr) {
    buses_->row_free = now + (bank.is_open ? timing_.precharge_bus : timing_.activate_bus);
    buses_->last_of_row = this;
  }
  if (!bank.is_open) return activate(at, direction, now);
  precharge(at, now);
  bank.had_other_row = true;
}

void HbmBankScheduler::activate(unsigned at, Direction direction, Fs now) {
  Bank& bank = banks_[at];
  Group& group = groups_[timing_.group_of(at)];
  bank.is_open = true;
  ++open_;
  bank.row = entries_[bank.queues[direction].first].access.row;
  opened_[direction] |= std::uint64_t{1} << at;
  bank.hits_over_older = 0;
  bank.opening = bank.had_other_row ? Opening::conflict : Opening::miss;
  bank.column_ok[read] = now + timing_.rcd_rd;
  bank.column_ok[write] = now + timing_.rcd_wr;
  bank.precharge_ok = now + timing_.ras;
  bank.activate_ok = now + timing_.rc;
  group.activate_ok = now + timing_.rrd_l;
  activate_ok_ = now + timing_.rrd_s;
  last_activates_[oldest_activate_] = now + timing_.faw;
  oldest_activate_ = (oldest_activate_ + 1) % 4;
  find_hit(bank, read);
  find_hit(bank, write);
  ++counts_.activates;
  record(HbmCommand::activate, at, bank.row, now, name_of(direction));
}

void HbmBankScheduler::precharge(unsigned at, Fs time) {
  Bank& bank = banks_[at];
  bank.is_open = false;
  --open_;
  bank.had_other_row = false;
  bank.queues[read].hit = bank.queues[write].hit = none;
  bank.activate_ok = std::max(bank.activate_ok, time + timing_.rp);
  ++counts_.precharges;
  record(HbmCommand::precharge, at, bank.row, time);
}

HbmSlot HbmBankScheduler::column_command(unsigned at, Direction direction, Fs now) {
  Bank& bank = banks_[at];
  Group& group = groups_[timing_.group_of(at)];
  Queue& queue = bank.queues[direction];
  const std::uint32_t index = queue.hit;
  const Fs data = now + (direction == read ? timing_.cl : timing_.cwl);
  const HbmSlot slot{data, data + timing_.burst};
  if (direction == read) {
    column_ok_[write] = std::max(column_ok_[write], now + timing_.rtw);
    bank.precharge_ok = std::max(bank.precharge_ok, now + timing_.rtp);
    counts_.read_wait_fs += now - entries_[index].access.since;
  } else {
    column_ok_[read] = std::max(column_ok_[read], slot.finish + timing_.wtr_s);
    group.column_ok[read] = std::max(group.column_ok[read], slot.finish + timing_.wtr_l);
    bank.precharge_ok = std::max(bank.precharge_ok, slot.finish + timing_.wr);
    counts_.write_wait_fs += now - entries_[index].access.since;
  }
  if (buses_ != nullptr) buses_->column_free = now + timing_.column_bus;
  column_ok_[direction] = now + timing_.ccd_s;
  group.column_ok[direction] = now + timing_.ccd_l;

  if (bank.opening == Opening::none) {
    ++counts_.hits;
  } else {  // what the row has been opened for
    ++(bank.opening == Opening::miss ? counts_.misses : counts_.conflicts);
    bank.opening = Opening::none;
    opened_[direction] &= ~(std::uint64_t{1} << at);
  }
  bank.hits_over_older = index != queue.first ? bank.hits_over_older + 1 : 0;
  const HbmDirection towards = name_of(direction);
  if (last_ != HbmDirection::none && last_ != towards) ++switches_;
  last_ = towards;
  record(direction == read ? HbmCommand::read : HbmCommand::write, at, bank.row, now);

  remove(direction, index);
  find_hit(bank, direction);
  if (timing_.closed_page && queue.hit == none) precharge(at, bank.precharge_ok);
  return slot;
}

// --- Refresh

// All refreshes that are due by `now`. Those of a long idle time end before it and leave closed
// banks: only the last round of them is carried out. One whose banks have been opened for a request
// waits until it has been served.
void HbmBankScheduler::refresh_until(Fs now) {
  const bool per_bank = timing_.refresh == HbmRefresh::per_bank;
  const std::uint64_t round = per_bank ? banks_.size() : 1;
  if (listener_ == nullptr && now - next_refresh_ > 2 * round * timing_.refi) {
    const std::uint64_t rounds = (now - next_refresh_) / timing_.refi / round - 1;
    counts_.refreshes += rounds * round;
    next_refresh_ += rounds * round * timing_.refi;
  }
  for (; next_refresh_ <= now; next_refresh_ += timing_.refi) {
    Fs start = next_refresh_;
    const unsigned first = per_bank ? refreshed_bank_ : 0;
    const unsigned last = per_bank ? refreshed_bank_ : static_cast<unsigned>(banks_.size()) - 1;
    closing_ = per_bank ? std::uint64_t{1} << first : ~std::uint64_t{0};
    if (((opened_[read] | opened_[write]) & closing_) != 0) return;
    closing_ = 0;
    for (unsigned at = first; at <= last; ++at) {
      Bank& bank = banks_[at];
      if (bank.is_open) precharge(at, std::max(next_refresh_, bank.precharge_ok));
      start = std::max(start, bank.activate_ok);
    }
    for (unsigned at = first; at <= last; ++at) {
      banks_[at].activate_ok = start + timing_.rfc;
      banks_[at].had_other_row = false;
    }
    if (per_bank) refreshed_bank_ = (refreshed_bank_ + 1) % static_cast<unsigned>(banks_.size());
    ++counts_.refreshes;
    record(HbmCommand::refresh, per_bank ? first : HbmCommandRecord::every_bank, 0, start);
  }
}

}  // namespace kernbench
