// IPCQ operations and messages on a timeline, an arrow from a send over its message to the receive
// that consumes it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "models/protocol/ipcq.h"
#include "models/protocol/kernel_progress.h"
#include "platform/assembly/platform.h"
#include "platform/export/timeline_slices.h"

namespace kernbench {

class TimelineMessages final : private tlm::tlm_analysis_if<MessageProgress> {
 public:
  // All outlive it.
  TimelineMessages(Platform& platform, TimelineTracks& tracks, TimelineSlices& slices);

  // An operation of an engine without stages.
  void executed(const ExecutedOp& op);
  // Arrow of a message that leaves; 0: none.
  std::uint64_t left(const IpcqMessage& message);
  // The message has been given back: written to its slot, or dropped.
  void ended(const IpcqMessage& message, std::uint64_t arrow);

 private:
  struct Pe {
    std::deque<std::uint64_t> sent;  // arrows of sends whose message has not left
    std::uint64_t consumed = 0;      // arrow of the message that was consumed last
  };
  // installation, slot, number
  using MessageId = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;

  void write(const MessageProgress& step) override;
  TimelineLanes& lanes_of(const std::string& node, const char* operation);

  TimelineTracks& tracks_;
  TimelineSlices& slices_;
  std::map<std::string, Pe> pes_;              // by path
  std::map<MessageId, std::uint64_t> arrows_;  // of messages that have not been consumed
  std::map<std::string, std::unique_ptr<TimelineLanes>> lanes_;
  AnalysisBinding<MessageProgress> progress_;
};

}  // namespace kernbench
