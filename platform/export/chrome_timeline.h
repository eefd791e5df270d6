// Timeline as JSON in the Trace Event Format of Chrome, which Perfetto reads too.
//
// One event per line in an array, whose end a reader may miss: what is in the file when the program
// is killed can be read. A slice is a pair of events B and E, so that rounding by a reader moves no
// slice over its neighbour; "ts" is the exact decimal of microseconds. Processes and groups of
// tracks: a process is one of ours, tracks are its threads.
#pragma once

#include <map>
#include <string>

#include "platform/export/gzip_output.h"
#include "platform/export/timeline_writer.h"

namespace kernbench {

class ChromeTimeline final : public TimelineWriter {
 public:
  explicit ChromeTimeline(std::unique_ptr<GzipOutput> out);

  void track(TimelineTrack track, const TimelineTrackInfo& info) override;
  void begin(TimelineTrack track, Fs time, std::string_view name, const char* category,
             const TimelineArguments& arguments, const TimelineFlows& flows) override;
  void end(TimelineTrack track, Fs time, const TimelineArguments& arguments,
           const TimelineFlows& flows) override;
  void leave(TimelineTrack track, Fs time, std::string_view name, std::uint64_t flow) override;
  void counter(TimelineTrack track, Fs time, double value) override;
  void close() override;

 private:
  struct Place {
    TimelineTrack process = 0;
    std::uint64_t process_order = 0;  // among all processes
    std::uint64_t order = 0;          // among the threads of the process
    std::string name, unit;           // of a counter
  };

  void event(const std::string& text);
  std::string head(char phase, TimelineTrack track, Fs time) const;
  void flow(TimelineTrack track, Fs time, const TimelineFlow& flow);
  void metadata(TimelineTrack process, TimelineTrack thread, const char* what,
                const std::string& arguments);

  std::unique_ptr<GzipOutput> out_;
  std::map<TimelineTrack, Place> places_;
  bool first_ = true;
};

}  // namespace kernbench
