// A resource that one request holds at a time: accel_slot, a DMA channel, a TCM channel (spec 5).
//
// First come, first served; requests of one instant in the WorkOrder. So that all requests of an
// instant are known, the owner grants at the instant's end (EndOfTimestep).
#pragma once

#include <cstddef>

#include "models/base/units.h"
#include "models/protocol/ring_buffer.h"
#include "models/protocol/tile_task.h"

namespace kernbench {

template <class Request>
class SerialResource {
 public:
  void request(const Request& request, const WorkOrder& order, Fs now) {
    waiting_.insert_sorted(Entry{request, order, now}, [](const Entry& a, const Entry& b) {
      return a.since != b.since ? a.since < b.since : a.order < b.order;
    });
  }

  bool grantable() const { return !held_ && !waiting_.empty(); }
  bool held() const { return held_; }
  std::size_t waiting() const { return waiting_.size(); }
  Fs since() const { return since_; }  // of the grant

  Request grant(Fs now) {
    const Request request = waiting_.front().request;
    waiting_.pop_front();
    held_ = true;
    since_ = now;
    return request;
  }

  void release(Fs now) {
    held_ = false;
    held_time_ += now - since_;
  }

  // All holds together, up to now.
  Fs held_time(Fs now) const { return held_time_ + (held_ ? now - since_ : 0); }
  const Fs& ended_holds() const { return held_time_; }

 private:
  struct Entry {
    Request request{};
    WorkOrder order;
    Fs since = 0;
  };

  RingBuffer<Entry> waiting_;
  bool held_ = false;
  Fs since_ = 0;
  Fs held_time_ = 0;
};

}  // namespace kernbench
