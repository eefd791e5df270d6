// Perfetto's TracePackets.
#include <cstring>
#include <set>

#include "tests/support/timeline/protobuf_message.h"

namespace kernbench::test {
namespace {

class PerfettoReader {
 public:
  void packet(const ProtobufMessage& packet) {
    require(packet.number(10) == 1, "trusted_packet_sequence_id", std::to_string(packets_));
    // SEQ_INCREMENTAL_STATE_CLEARED in the first, SEQ_NEEDS_INCREMENTAL_STATE behind it.
    require(packet.number(13) == (packets_ == 0 ? 1U : 2U), "sequence_flags",
            std::to_string(packets_));
    ++packets_;
    if (packet.find(12) != nullptr) intern(ProtobufMessage(packet.text(12)));
    if (packet.find(60) != nullptr) return track(ProtobufMessage(packet.text(60)));
    require(packet.find(11) != nullptr && packet.find(8) != nullptr, "neither track nor event",
            std::to_string(packets_));
    event(ProtobufMessage(packet.text(11)), packet.number(8) * ns);
  }

  static constexpr std::uint64_t ns = 1'000'000;
  TimelineBuilder builder{ns};
  std::set<std::uint64_t> ended_flows;

 private:
  struct Track {
    std::string name;
    std::uint64_t parent = 0;
    bool is_counter = false, is_group = false;
  };

  void track(const ProtobufMessage& descriptor) {
    const std::uint64_t uuid = descriptor.number(1), parent = descriptor.number(5);
    require(uuid != 0 && tracks_.count(uuid) == 0, "uuid", std::to_string(uuid));
    require(parent == 0 || (tracks_.count(parent) > 0 && tracks_.at(parent).is_group),
            "a parent that orders its children", std::to_string(uuid));
    const bool counter = descriptor.find(8) != nullptr;
    tracks_[uuid] = {descriptor.text(2), parent, counter, descriptor.number(11) == 3};
    require(!tracks_[uuid].name.empty(), "a track without a name", std::to_string(uuid));
    builder.read.order[tracks_[uuid].name] =
        (parent == 0 ? 0 : builder.read.order.at(tracks_[parent].name)) * 100'000 +
        descriptor.number(12);
  }
  void intern(const ProtobufMessage& data) {
    for (const ProtobufField& field : data.fields) {
      const ProtobufMessage text(field.bytes);
      require(texts_[field.number].emplace(text.number(1), text.text(2)).second, "an iid twice",
              std::to_string(text.number(1)));
    }
  }
  // The nearest group whose name is that of a SIP, a cube or the host.
  std::string process_of(const Track& track) const {
    const Track* at = &track;
    while (at->parent != 0) {
      at = &tracks_.at(at->parent);
      const std::string leaf = at->name.substr(at->name.rfind('.') + 1);
      if (at->parent == 0 || leaf.compare(0, 4, "cube") == 0) break;
    }
    return at->name;
  }
  void event(const ProtobufMessage& event, std::uint64_t time) {
    const std::uint64_t uuid = event.number(11), type = event.number(9);
    require(tracks_.count(uuid) > 0, "an event of no track", std::to_string(uuid));
    const Track& track = tracks_.at(uuid);
    if (type == 4) {
      require(track.is_counter && event.find(44) != nullptr, "no counter", track.name);
      double value = 0;
      const std::uint64_t bits = event.number(44);
      std::memcpy(&value, &bits, sizeof value);
      return builder.point(track.name, time, value);
    }
    require(!track.is_counter && !track.is_group, "a slice elsewhere", track.name);
    std::size_t slice = TimelineBuilder::none;
    if (type == 1) {
      const std::string category = texts_[1].at(event.number(3)),
                        name = texts_[2].at(event.number(10));
      if (category == "flow") {
        slice = builder.mark(uuid);
      } else {
        require(time >= builder.last_end(uuid), "begins before the last one has ended", track.name);
        slice = builder.begin(uuid,
                              {process_of(track), track.name, name, category, time, 0, {}, false});
      }
    } else {
      require(type == 2, "an unknown type", std::to_string(type));
      slice = builder.end(uuid, time);
      if (slice == TimelineBuilder::none) return;
    }
    annotate(event, slice);
  }
  void annotate(const ProtobufMessage& event, std::size_t slice) {
    for (const ProtobufField& field : event.fields) {
      if (field.number == 4) {
        const ProtobufMessage annotation(field.bytes);
        builder.read.slices[slice].arguments[texts_[3].at(annotation.number(1))] =
            annotation.find(6) != nullptr ? annotation.text(6)
                                          : std::to_string(annotation.number(3));
      } else if (field.number == 47 || field.number == 48) {
        require(field.wire_type == 1, "flow ids are fixed64", std::to_string(field.value));
        require(ended_flows.count(field.value) == 0, "goes on behind its end",
                std::to_string(field.value));
        builder.read.flows[field.value].push_back(slice);
        if (field.number == 48) ended_flows.insert(field.value);
      }
    }
  }

  std::uint64_t packets_ = 0;
  std::map<std::uint64_t, Track> tracks_;
  std::map<unsigned, std::map<std::uint64_t, std::string>> texts_;  // by field of InternedData
};

}  // namespace

ReadTimeline read_perfetto_timeline(const std::string& bytes, bool truncated) {
  PerfettoReader reader;
  std::size_t rest = 0;
  const ProtobufMessage trace(bytes, truncated ? &rest : nullptr);
  for (const ProtobufField& field : trace.fields) {
    require(field.number == 1 && field.wire_type == 2, "no TracePacket",
            std::to_string(field.number));
    reader.packet(ProtobufMessage(field.bytes));
  }
  if (!truncated) reader.builder.check_all_ended();
  return std::move(reader.builder.read);
}

}  // namespace kernbench::test
