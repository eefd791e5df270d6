// Transactions under way at an HBM controller, and their departures in order of time; those of one
// instant in order of the arrivals that caused them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/protocol/arrival_queue.h"

namespace kernbench {

// Read: what a read knows of its bytes, see HbmTiming.
template <class Read>
class HbmServices {
 public:
  // From the arrival of its first flit, or the booking of its bursts, to its end at the memory.
  struct Service {
    Transaction* transaction = nullptr;
    Arrival cause;                // the command, or the write's last flit
    Fs commit = 0;                // write: latest finish so far
    std::uint32_t next_flit = 0;  // read: that leaves next
    Read read;
    std::vector<Fs> ready;  // a read of several runs: by flit
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

  // A flit of the service, or its commit, at a known instant.
  void schedule(Fs time, std::uint32_t index) {
    departures_.push_back({time, index});
    std::push_heap(departures_.begin(), departures_.end(),
                   [this](const Departure& a, const Departure& b) { return later(a, b); });
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
