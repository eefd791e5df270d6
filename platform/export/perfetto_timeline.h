// Timeline in Perfetto's protobuf format: a sequence of TracePackets with TrackDescriptors and
// TrackEvents (protos/perfetto/trace/track_event of Perfetto; stable public API).
//
// Perfetto counts whole nanoseconds: times are cut to them, and the arguments start_fs and dur_fs
// of a slice are exact. Names, categories and names of arguments are interned. Packets follow one
// another: what is in the file when the program is killed can be read.
#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "platform/export/gzip_output.h"
#include "platform/export/protobuf_text.h"
#include "platform/export/timeline_writer.h"

namespace kernbench {

class PerfettoTimeline final : public TimelineWriter {
 public:
  explicit PerfettoTimeline(std::unique_ptr<GzipOutput> out) : out_(std::move(out)) {}

  void track(TimelineTrack track, const TimelineTrackInfo& info) override;
  void begin(TimelineTrack track, Fs time, std::string_view name, const char* category,
             const TimelineArguments& arguments, const TimelineFlows& flows) override;
  void end(TimelineTrack track, Fs time, const TimelineArguments& arguments,
           const TimelineFlows& flows) override;
  void leave(TimelineTrack track, Fs time, std::string_view name, std::uint64_t flow) override;
  void counter(TimelineTrack track, Fs time, double value) override;
  void close() override { out_->close(); }

 private:
  // Texts that events refer to by number, per field of InternedData.
  class Interned {
   public:
    explicit Interned(unsigned field) : field_(field) {}
    // Number of the text; a new one is added to `data`.
    std::uint64_t number_of(std::string_view text, ProtobufText& data);

   private:
    unsigned field_;
    std::unordered_map<std::string, std::uint64_t> numbers_;  // looked up only
  };

  void add_name(ProtobufText& event, std::string_view name, const char* category);
  void add(ProtobufText& event, const TimelineArguments& arguments);
  void put_event(Fs time, const ProtobufText& event);
  void put(ProtobufText packet);

  std::unique_ptr<GzipOutput> out_;
  Interned categories_{1}, names_{2}, argument_names_{3};
  ProtobufText new_texts_;  // of the event at hand
  bool first_ = true;
};

}  // namespace kernbench
