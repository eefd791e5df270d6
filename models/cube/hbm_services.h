// Transactions in service at an HBM controller, and the order in which their flits leave.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/fabric/atomic_service.h"
#include "models/protocol/arrival_queue.h"

namespace kernbench {

// Transactions in flight at an HBM controller, and their departures in order of time; departures of
// one instant are in order of the arrivals that caused them. Read: bytes of a read, see HbmTiming.
template <class Read>
class HbmServices {
 public:
  // Lifetime: from the arrival of its first flit, or the booking of its bursts, to its end at the
  // memory.
  struct Service {
    Transaction* transaction = nullptr;
    Arrival cause;                // the command, or the write's last flit
    Fs commit = 0;                // write: latest finish so far
    std::uint32_t next_flit = 0;  // read: the flit that leaves next
    std::uint32_t flits = 0;      // read
    Read read;
    std::vector<Fs> ready;  // read: ready time by flit
  };

  std::uint32_t open(Transaction& transaction) {
    if (idle_.empty()) {
      idle_.push_back(static_cast<std::uint32_t>(services_.size()));
      services_.emplace_back();
    }
    const std::uint32_t index = idle_.back();
    idle_.pop_back();
    Service& service = services_[index];
    service.transaction = &transaction;
    service.commit = 0;
    service.next_flit = 0;
    return index;
  }
  void close(std::uint32_t index) { idle_.push_back(index); }
  Service& operator[](std::uint32_t index) { return services_[index]; }
  const Service& operator[](std::uint32_t index) const { return services_[index]; }

  // Schedules a flit of the service, or its commit, at a known instant.
  void schedule(Fs time, std::uint32_t index) {
    departures_.push_back({time, index});
    std::push_heap(departures_.begin(), departures_.end(),
                   [this](const Departure& a, const Departure& b) { return later(a, b); });
  }
  // Takes back the departure of a service, if one is scheduled.
  void withdraw(std::uint32_t index) {
    const auto found =
        std::find_if(departures_.begin(), departures_.end(),
                     [index](const Departure& each) { return each.service == index; });
    if (found == departures_.end()) return;
    departures_.erase(found);
    std::make_heap(departures_.begin(), departures_.end(),
                   [this](const Departure& a, const Departure& b) { return later(a, b); });
  }
  // Whether a departure of the service at `time` precedes all departures with flits that are
  // scheduled.
  bool precedes_all(Fs time, std::uint32_t index) const {
    return std::all_of(departures_.begin(), departures_.end(), [&](const Departure& each) {
      return !has_flits(each.service) || !later({time, index}, each);
    });
  }
  bool precedes(Fs time, std::uint32_t index, Fs other_time, std::uint32_t other) const {
    return !later({time, index}, {other_time, other});
  }
  // Whether flits leave, not an acknowledgement.
  bool has_flits(std::uint32_t index) const {
    const Transaction& transaction = *services_[index].transaction;
    return transaction.is_read() || is_atomic(transaction);
  }
  Fs next_due() const { return departures_.empty() ? never_fs : departures_.front().time; }
  std::uint32_t take_first() {
    const std::uint32_t index = departures_.front().service;
    std::pop_heap(departures_.begin(), departures_.end(),
                  [this](const Departure& a, const Departure& b) { return later(a, b); });
    departures_.pop_back();
    return index;
  }

 private:
  struct Departure {
    Fs time = never_fs;
    std::uint32_t service = 0;
  };
  bool later(const Departure& a, const Departure& b) const {
    if (a.time != b.time) return a.time > b.time;
    return earlier(services_[b.service].cause, services_[a.service].cause);
  }

  std::vector<Service> services_;
  std::vector<std::uint32_t> idle_;
  std::vector<Departure> departures_;  // heap, earliest first
};

}  // namespace kernbench
