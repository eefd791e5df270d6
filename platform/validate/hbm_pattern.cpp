#include "platform/validate/hbm_pattern.h"

#include <algorithm>
#include <array>

namespace kernbench {
namespace {

constexpr double access_bytes = 32;

class Player {
 public:
  Player(const HbmBankTiming& timing, const HbmQueuePolicy& policy, const HbmPlaces& places,
         const HbmPattern& pattern)
      : timing_(timing), places_(places),
        pattern_(pattern), halves_{Half(*this, timing, policy), Half(*this, timing, policy)} {
    for (Half& half : halves_) half.scheduler.trace(&half);
    draw();
  }

  HbmPatternResult run() {
    while (taken_ <= pattern_.warm_up + pattern_.accesses) {
      do {
        serve();
      } while (take());
      now_ = std::min(halves_[0].scheduler.next_due(), halves_[1].scheduler.next_due());
      if (has_place()) now_ = std::min(now_, born_);
    }
    return {access_bytes * static_cast<double>(pattern_.accesses) / to_ns(ended_ - began_),
            to_ns(latency_) / static_cast<double>(reads_)};
  }

 private:
  // Whether an access of the open row has left its place and is still queued.
  enum class Opened : std::uint8_t { no, by_read, by_write };
  struct Half final : HbmCommandListener {  // a pseudo-channel
    Half(Player& owner, const HbmBankTiming& timing, const HbmQueuePolicy& policy)
        : player(&owner), scheduler(timing, policy, owner.counts_, &owner.buses_),
          in_bank(timing.banks(), 0), opened(timing.banks(), Opened::no) {}
    void issued(const HbmCommandRecord& record) override { player->issued(*this, record); }

    Player* player;
    HbmBankScheduler scheduler;
    std::vector<std::size_t> in_bank;
    std::vector<Opened> opened;
  };

  void issued(Half& half, const HbmCommandRecord& record) {
    Opened& opened = half.opened[record.bank == HbmCommandRecord::every_bank ? 0 : record.bank];
    switch (record.command) {
      case HbmCommand::activate:
        if (!places_.left_by_activate) return;
        opened = record.direction == HbmDirection::write ? Opened::by_write : Opened::by_read;
        return leave(half, record.bank, opened == Opened::by_write);
      case HbmCommand::precharge:  // before the access
        if (opened == Opened::no) return;
        ++(opened == Opened::by_write ? writes_ : queued_reads_);
        ++half.in_bank[record.bank];
        opened = Opened::no;
        return;
      case HbmCommand::read:
      case HbmCommand::write: {
        const bool write = record.command == HbmCommand::write;
        if (opened != (write ? Opened::by_write : Opened::by_read))
          return leave(half, record.bank, write);
        opened = Opened::no;
        return;
      }
      case HbmCommand::refresh:
        return;
    }
  }
  void leave(Half& half, unsigned bank, bool write) {
    --(write ? writes_ : queued_reads_);
    --half.in_bank[bank];
  }

  void draw() {
    next_ = pattern_.place(drawn_);
    write_ = pattern_.third_writes && drawn_ % 3 == 2;
    born_ = pattern_.interval * drawn_;
    ++drawn_;
  }
  bool has_place() const {
    const Half& half = halves_[next_.channel];
    return (write_ ? writes_ < places_.writes && half.scheduler.has_room_for_write()
                   : queued_reads_ < places_.reads) &&
           half.in_bank[next_.bank] < places_.of_bank;
  }
  // Accesses that are ready and have a place.
  bool take() {
    bool any = false;
    for (; born_ <= now_ && has_place(); draw()) {
      any = true;
      if (taken_ == pattern_.warm_up) began_ = now_;
      if (taken_++ == pattern_.warm_up + pattern_.accesses) ended_ = now_;
      Half& half = halves_[next_.channel];
      ++(write_ ? writes_ : queued_reads_);
      ++half.in_bank[next_.bank];
      HbmAccess access;
      access.since = now_;
      access.owner = taken_ > pattern_.warm_up ? 1 : 0;
      access.row = next_.row;
      access.bank = static_cast<std::uint16_t>(next_.bank);
      access.column = static_cast<std::uint16_t>(next_.column);
      access.whole = true;
      if (write_) {
        half.scheduler.push_write(access, now_);
      } else {
        half.scheduler.push_read(access, now_);
      }
    }
    return any;
  }
  void serve() {
    const std::size_t first = halves_[0].scheduler.had_row_bus_last() ? 1 : 0;
    for (const std::size_t at : {first, 1 - first}) {
      Half& half = halves_[at];
      if (half.scheduler.next_due() > now_) continue;
      half.scheduler.serve(
          now_,
          [this](const HbmAccess& access, HbmDirection direction, const HbmSlot& slot) {
            if (direction == HbmDirection::read) count(access, slot.finish);
          },
          [this, &half](const HbmAccess& access, Fs finish) {
            leave(half, access.bank, false);
            count(access, finish);
          });
    }
  }
  void count(const HbmAccess& access, Fs finish) {
    if (access.owner == 0) return;
    ++reads_;
    latency_ += finish - access.since;
  }

  HbmBankTiming timing_;
  HbmPlaces places_;
  const HbmPattern& pattern_;
  HbmBankCounts counts_;
  HbmCommandBuses buses_;
  std::array<Half, 2> halves_;
  HbmPlace next_;
  bool write_ = false;
  Fs born_ = 0, now_ = 0, began_ = 0, ended_ = 0, latency_ = 0;
  std::uint64_t drawn_ = 0, taken_ = 0, reads_ = 0;
  std::size_t queued_reads_ = 0, writes_ = 0;
};

}  // namespace

HbmPatternResult play_hbm_pattern(const HbmBankTiming& timing, const HbmQueuePolicy& policy,
                                  const HbmPlaces& places, const HbmPattern& pattern) {
  return Player(timing, policy, places, pattern).run();
}

}  // namespace kernbench
