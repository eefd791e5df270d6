// Resource that one request holds at a time, or several requests, one per server: accel_slot, the
// channels of a DMA, a TCM channel (spec 5).
//
// First come, first served; requests of one instant in the WorkOrder. So that all requests of an
// instant are known, the owner grants at the instant's end (EndOfTimestep).
#pragma once

#include <cstddef>

#include "models/base/units.h"
#include "models/protocol/ring_buffer.h"
#include "models/protocol/tile_task.h"
#include "models/timing/stall_time.h"

namespace kernbench {

template <class Request>
class SerialResource {
 public:
  void request(const Request& request, const WorkOrder& order, Fs now) {
    waiting_.insert_sorted(Entry{request, order, now}, goes_before);
  }
  // Whether its first request precedes the first request of `other`; both have one.
  bool first_before(const SerialResource& other) const {
    return goes_before(waiting_.front(), other.waiting_.front());
  }

  // Sets the number of concurrent holders. Call before the first request.
  void set_servers(std::uint32_t servers) { servers_ = servers; }

  bool grantable() const { return held_ < servers_ && !waiting_.empty(); }
  std::uint32_t held() const { return held_; }
  std::size_t waiting() const { return waiting_.size(); }

  Request grant(Fs now) {
    const Request request = waiting_.front().request;
    stalled_ += now - waiting_.front().since;
    waiting_.pop_front();
    ++held_;
    grants_ += now;
    since_ = now;
    return request;
  }

  void release(Fs now) { release(since_, now); }
  // With several servers: `granted` is the instant at which this server was granted.
  void release(Fs granted, Fs now) {
    --held_;
    grants_ -= granted;
    held_time_ += now - granted;
  }

  // Adds stall time of a request that was queued elsewhere, at its initiator.
  void add_stall(Fs time) { stalled_ += time; }

  // Total hold time up to now.
  Fs held_time(Fs now) const { return held_time_ + held_ * now - grants_; }
  const Fs& ended_holds() const { return held_time_; }
  // Stall time of requests up to now.
  Fs stalled(Fs now) const { return stalled_ + stalled_in(waiting_, now); }

 private:
  struct Entry {
    Request request{};
    WorkOrder order;
    Fs since = 0;
  };
  static bool goes_before(const Entry& a, const Entry& b) {
    return a.since != b.since ? a.since < b.since : a.order < b.order;
  }

  RingBuffer<Entry, 2> waiting_;
  std::uint32_t servers_ = 1, held_ = 0;
  Fs since_ = 0;   // last grant
  Fs grants_ = 0;  // sum of the instants of those that hold it
  Fs held_time_ = 0;
  Fs stalled_ = 0;  // stall time of granted requests
};

}  // namespace kernbench
