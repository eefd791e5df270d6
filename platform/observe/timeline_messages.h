// IPCQ operations and messages on a timeline, an arrow from a send over its message to the receive
// that consumes it.
//
// Which message a receive has consumed is told by the signals of the receiving PE_IPCQ: head counts
// the messages that came on a queue pair, tail those consumed in order. A receive that consumes
// out of order, before an earlier one, has no arrow.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/protocol/ipcq.h"
#include "platform/assembly/platform.h"
#include "platform/observe/timeline_slices.h"

namespace kernbench {

class TimelineMessages {
 public:
  // Observes the signals of `platform`; all outlive it.
  TimelineMessages(Platform& platform, TimelineTracks& tracks, TimelineSlices& slices);
  ~TimelineMessages();

  // An operation of an engine without stages.
  void executed(const ExecutedOp& op);
  // Arrow of a message that leaves; 0: none.
  std::uint64_t left(const IpcqMessage& message);
  // The message has been given back: written to its slot, or dropped.
  void ended(const PeId& destination, std::uint64_t flow);

 private:
  class PairSignal;
  struct Pair {
    std::uint64_t head = 0, tail = 0;
    std::map<std::uint64_t, std::uint64_t> arrows;  // of messages not consumed, by their numbers
  };
  struct Pe {
    std::deque<std::uint64_t> sent;  // arrows of sends whose message has not left
    std::vector<Pair> pairs;
    std::size_t arrived_pair = 0;  // of the message that came last
    bool arrived = false;
    std::uint64_t consumed = 0;  // arrow of the message that was consumed last
  };

  void head_moved(Pe& pe, std::size_t pair, std::uint64_t head);
  void tail_moved(Pe& pe, std::size_t pair, std::uint64_t tail);
  TimelineLanes& lanes_of(const std::string& node, const char* operation);

  TimelineTracks& tracks_;
  TimelineSlices& slices_;
  std::map<std::string, Pe> pes_;  // by path
  std::vector<std::unique_ptr<PairSignal>> signals_;
  std::map<std::string, std::unique_ptr<TimelineLanes>> lanes_;
};

}  // namespace kernbench
