// Checks a list of HBM commands against the times of the standard, pair by pair. Shares no code
// with the scheduler.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "models/timing/hbm_bank_scheduler.h"

namespace kernbench::test {

class HbmCommandChecker {
 public:
  HbmCommandChecker(const HbmBankTiming& timing, std::vector<HbmCommandRecord> commands)
      : t_(timing), commands_(std::move(commands)) {
    std::stable_sort(commands_.begin(), commands_.end(),
                     [](const auto& a, const auto& b) { return a.time < b.time; });
  }

  // The first violation; empty: none.
  std::string violation() {
    for (std::size_t i = 0; i < commands_.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        const Fs least = least_between(commands_[k], commands_[i]);
        if (commands_[i].time < commands_[k].time + least) return text(k, i, least);
      }
    }
    const std::string window = four_activates();
    return window.empty() ? rows() : window;
  }

 private:
  using Command = HbmCommand;

  Fs least_between(const HbmCommandRecord& a, const HbmCommandRecord& b) const {
    const bool all =
        b.bank == HbmCommandRecord::every_bank || a.bank == HbmCommandRecord::every_bank;
    const bool bank = all || a.bank == b.bank;
    const bool group = bank || a.bank >> t_.bank_bits == b.bank >> t_.bank_bits;
    const Fs written = t_.cwl + t_.burst;
    switch (a.command) {
      case Command::activate:
        if (b.command == Command::activate)
          return std::max({t_.rrd_s, group ? t_.rrd_l : 0, bank ? t_.rc : 0});
        if (!bank) return 0;
        if (b.command == Command::read) return t_.rcd_rd;
        if (b.command == Command::write) return t_.rcd_wr;
        return b.command == Command::precharge ? t_.ras : t_.rc;
      case Command::read:
        if (b.command == Command::read) return group ? t_.ccd_l : t_.ccd_s;
        if (b.command == Command::write) return t_.rtw;
        if (!bank) return 0;
        return b.command == Command::precharge ? t_.rtp : t_.rtp + t_.rp;
      case Command::write:
        if (b.command == Command::write) return group ? t_.ccd_l : t_.ccd_s;
        if (b.command == Command::read) return written + (group ? t_.wtr_l : t_.wtr_s);
        if (!bank) return 0;
        return written + t_.wr + (b.command == Command::precharge ? 0 : t_.rp);
      case Command::precharge:
        return bank ? t_.rp : 0;
      case Command::refresh:
        return bank ? t_.rfc : 0;
    }
    return 0;
  }

  std::string four_activates() const {
    std::vector<Fs> times;
    for (const HbmCommandRecord& each : commands_) {
      if (each.command == Command::activate) times.push_back(each.time);
    }
    for (std::size_t i = 4; i < times.size(); ++i) {
      if (times[i] < times[i - 4] + t_.faw) return "tFAW at " + std::to_string(times[i]);
    }
    return "";
  }

  // Rows are open when they are read or written, and banks are closed when they are activated.
  std::string rows() const {
    std::map<unsigned, std::uint32_t> open;
    for (const HbmCommandRecord& each : commands_) {
      const std::string at = " at " + std::to_string(each.time);
      const auto row = open.find(each.bank);
      switch (each.command) {
        case Command::activate:
          if (row != open.end()) return "activate of an open bank" + at;
          open[each.bank] = each.row;
          break;
        case Command::precharge:
          if (row == open.end()) return "precharge of a closed bank" + at;
          open.erase(row);
          break;
        case Command::read:
        case Command::write:
          if (row == open.end() || row->second != each.row) return "access to a closed row" + at;
          break;
        case Command::refresh:
          if (each.bank == HbmCommandRecord::every_bank ? !open.empty() : row != open.end())
            return "refresh of an open bank" + at;
      }
    }
    return "";
  }

  std::string text(std::size_t k, std::size_t i, Fs least) const {
    const auto name = [this](std::size_t at) {
      const HbmCommandRecord& each = commands_[at];
      return std::to_string(static_cast<int>(each.command)) + " of bank " +
             std::to_string(each.bank) + " at " + std::to_string(each.time);
    };
    return "command " + name(i) + " is less than " + std::to_string(least) + " after " + name(k);
  }

  HbmBankTiming t_;
  std::vector<HbmCommandRecord> commands_;
};

}  // namespace kernbench::test
