// Timeline in Perfetto's protobuf format: a sequence of TracePackets with TrackDescriptors and
// TrackEvents (protos/perfetto/trace/track_event of Perfetto; stable public API).
//
// Perfetto uses whole nanoseconds: times are truncated to them, and the arguments start_fs and
// dur_fs of a slice are exact. Names, categories and names of arguments are interned. The file is a
// plain sequence of packets, so the file of a killed program is readable.
#include <unordered_map>

#include "platform/export/protobuf_text.h"
#include "platform/export/timeline_writer.h"

namespace kernbench {
namespace {

// Field numbers of the messages, under their Perfetto names.
namespace trace {
constexpr unsigned packet = 1;
}
namespace trace_packet {
constexpr unsigned timestamp = 8, trusted_packet_sequence_id = 10, track_event = 11,
                   interned_data = 12, sequence_flags = 13, track_descriptor = 60;
constexpr std::uint64_t incremental_state_cleared = 1, needs_incremental_state = 2;
}  // namespace trace_packet
namespace track_descriptor {
constexpr unsigned uuid = 1, name = 2, parent_uuid = 5, counter = 8, child_ordering = 11,
                   sibling_order_rank = 12;
constexpr std::uint64_t explicit_ordering = 3;
}  // namespace track_descriptor
namespace counter_descriptor {
constexpr unsigned unit_name = 6;
}
namespace track_event {
constexpr unsigned category_iids = 3, debug_annotations = 4, type = 9, name_iid = 10,
                   track_uuid = 11, double_counter_value = 44, flow_ids = 47,
                   terminating_flow_ids = 48;
constexpr std::uint64_t slice_begin = 1, slice_end = 2, counter = 4;
}  // namespace track_event
namespace debug_annotation {
constexpr unsigned name_iid = 1, uint_value = 3, string_value = 6;
}
namespace interned {  // EventCategory, EventName, DebugAnnotationName
constexpr unsigned iid = 1, name = 2;
}

// Texts that events refer to by number.
class Interned {
 public:
  explicit Interned(unsigned field) : field_(field) {}  // field of InternedData
  // Number of the text; adds a new text to `data`.
  std::uint64_t number_of(std::string_view text, ProtobufText& data) {
    const auto [entry, is_new] = numbers_.try_emplace(std::string(text), numbers_.size() + 1);
    if (is_new)
      data.add(field_, ProtobufText().add(interned::iid, entry->second).add(interned::name, text));
    return entry->second;
  }

 private:
  unsigned field_;
  std::unordered_map<std::string, std::uint64_t> numbers_;  // looked up only
};

class PerfettoTimeline final : public TimelineWriter {
 public:
  explicit PerfettoTimeline(std::unique_ptr<GzipOutput> out) : out_(std::move(out)) {}

  void track(TimelineTrack track, const TimelineTrackInfo& info) override {
    using namespace track_descriptor;
    ProtobufText descriptor;
    descriptor.add(uuid, track).add(name, info.name).add(sibling_order_rank, info.rank);
    if (info.parent != 0) descriptor.add(parent_uuid, info.parent);
    if (info.kind == TimelineTrackInfo::Kind::counter) {
      descriptor.add(track_descriptor::counter,
                     ProtobufText().add(counter_descriptor::unit_name, info.unit));
    } else if (info.kind != TimelineTrackInfo::Kind::slices) {
      descriptor.add(child_ordering, explicit_ordering);
    }
    put(ProtobufText().add(trace_packet::track_descriptor, descriptor));
  }

  void begin(TimelineTrack track, Fs time, std::string_view name, const char* category,
             const TimelineArguments& arguments, const TimelineFlow& flow) override {
    ProtobufText event = event_of(track_event::slice_begin, track);
    event.add(track_event::category_iids, categories_.number_of(category, new_texts_));
    event.add(track_event::name_iid, names_.number_of(name, new_texts_));
    put_slice(time, event, arguments, flow);
  }

  void end(TimelineTrack track, Fs time, const TimelineArguments& arguments,
           const TimelineFlow& flow) override {
    ProtobufText event = event_of(track_event::slice_end, track);
    put_slice(time, event, arguments, flow);
  }

  // The slice is already in the file: a mark inside it carries the arrow.
  void leave(TimelineTrack track, Fs time, std::string_view name, std::uint64_t flow) override {
    mark(track, time, name, {flow, TimelineFlow::Point::first});
  }

  void counter(TimelineTrack track, Fs time, double value) override {
    ProtobufText event = event_of(track_event::counter, track);
    put_event(time, event.add_double(track_event::double_counter_value, value));
  }

  void close() override { out_->close(); }

 private:
  static ProtobufText event_of(std::uint64_t type, TimelineTrack track) {
    ProtobufText event;
    event.add(track_event::type, type).add(track_event::track_uuid, track);
    return event;
  }

  void put_slice(Fs time, ProtobufText& event, const TimelineArguments& arguments,
                 const TimelineFlow& flow) {
    for (const TimelineArgument& argument : arguments) {
      ProtobufText annotation;
      annotation.add(debug_annotation::name_iid,
                     argument_names_.number_of(argument.name, new_texts_));
      if (argument.is_text) {
        annotation.add(debug_annotation::string_value, argument.text);
      } else {
        annotation.add(debug_annotation::uint_value, argument.number);
      }
      event.add(track_event::debug_annotations, annotation);
    }
    if (flow.id != 0)
      event.add_fixed64(flow.point == TimelineFlow::Point::last ? track_event::terminating_flow_ids
                                                                : track_event::flow_ids,
                        flow.id);
    put_event(time, event);
  }

  void put_event(Fs time, const ProtobufText& event) {
    ProtobufText packet;
    packet.add(trace_packet::timestamp, time / fs_per_ns);
    if (!new_texts_.bytes().empty()) packet.add(trace_packet::interned_data, new_texts_);
    new_texts_ = {};
    put(std::move(packet.add(trace_packet::track_event, event)));
  }

  void put(ProtobufText packet) {
    packet.add(trace_packet::trusted_packet_sequence_id, 1);
    packet.add(trace_packet::sequence_flags, first_ ? trace_packet::incremental_state_cleared
                                                    : trace_packet::needs_incremental_state);
    first_ = false;
    out_->put(ProtobufText().add(trace::packet, packet).bytes());
  }

  std::unique_ptr<GzipOutput> out_;
  Interned categories_{1}, names_{2}, argument_names_{3};
  ProtobufText new_texts_;  // interned texts of the current event
  bool first_ = true;
};

}  // namespace

std::unique_ptr<TimelineWriter> perfetto_timeline(std::unique_ptr<GzipOutput> out) {
  return std::make_unique<PerfettoTimeline>(std::move(out));
}

}  // namespace kernbench
