// A resource that one request holds at a time, or several of its servers each: accel_slot, the
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
  // Its first request came before that of another one; both have one.
  bool first_before(const SerialResource& other) const {
    return goes_before(waiting_.front(), other.waiting_.front());
  }

  // Before the first request: how many hold it at most at a time.
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
  // With several servers: `granted`, when this one was.
  void release(Fs granted, Fs now) {
    --held_;
    grants_ -= granted;
    held_time_ += now - granted;
  }

  // Time that a request has waited for it elsewhere, in the queue of its initiator.
  void add_stall(Fs time) { stalled_ += time; }

  // All holds together, up to now.
  Fs held_time(Fs now) const { return held_time_ + held_ * now - grants_; }
  const Fs& ended_holds() const { return held_time_; }
  // Time that requests waited for it, up to now.
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
  Fs since_ = 0;   // of the last grant
  Fs grants_ = 0;  // sum of the instants of those that hold it
  Fs held_time_ = 0;
  Fs stalled_ = 0;  // of those that it has been granted to
};

}  // namespace kernbench
