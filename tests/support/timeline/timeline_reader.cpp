#include "tests/support/timeline/timeline_reader.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

namespace kernbench::test {
namespace {

using Json = nlohmann::json;
constexpr std::size_t none = ~std::size_t{0};

void require(bool condition, const std::string& what, const std::string& where) {
  if (!condition) throw TimelineFault(what + ": " + where);
}

// Slices that are open, track by track, and arrows; common to both formats.
class Builder {
 public:
  explicit Builder(std::uint64_t unit) { read.unit = unit; }

  std::size_t begin(std::uint64_t track, ReadSlice slice) {
    const auto& open = open_[track];
    require(open.empty() || read.slices[open.back()].start <= slice.start,
            "begins before its outer", slice.name);
    read.slices.push_back(std::move(slice));
    open_[track].push_back(read.slices.size() - 1);
    return read.slices.size() - 1;
  }
  // A point of an arrow, in the place of the slice around it.
  std::size_t mark(std::uint64_t track) {
    const std::size_t outer = open_on(track);
    require(outer != none, "a point of an arrow outside", std::to_string(track));
    open_[track].push_back(outer);
    return outer;
  }
  // `none` of a mark.
  std::size_t end(std::uint64_t track, std::uint64_t time) {
    auto& open = open_[track];
    require(!open.empty(), "an end without a begin", std::to_string(track));
    const std::size_t ended = open.back();
    open.pop_back();
    if (!open.empty() && open.back() == ended) return none;
    require(time >= read.slices[ended].start, "ends before it begins", read.slices[ended].name);
    read.slices[ended].end = time;
    read.slices[ended].ended = true;
    last_end_[track] = std::max(last_end_[track], time);
    return ended;
  }
  // The innermost one.
  std::size_t open_on(std::uint64_t track) const {
    const auto found = open_.find(track);
    return found == open_.end() || found->second.empty() ? none : found->second.back();
  }
  std::uint64_t last_end(std::uint64_t track) { return last_end_[track]; }
  void point(const std::string& counter, std::uint64_t time, double value) {
    auto& points = read.counters[counter];
    require(points.empty() || points.back().time <= time, "a counter goes back in time", counter);
    points.push_back({time, value});
  }
  void check_all_ended() const {
    for (const auto& [track, open] : open_)
      require(
          open.empty(), "never ends",
          open.empty() ? "" : read.slices[open.back()].track + " " + read.slices[open.back()].name);
  }

  ReadTimeline read;

 private:
  std::map<std::uint64_t, std::vector<std::size_t>> open_;
  std::map<std::uint64_t, std::uint64_t> last_end_;
};

// --- Chrome

// fs of a decimal of microseconds, as it is written.
std::uint64_t fs_of(const std::string& line) {
  const std::size_t at = line.find("\"ts\":");
  require(at != std::string::npos, "no ts", line);
  std::size_t end = at + 5;
  while (end < line.size() &&
         (std::isdigit(static_cast<unsigned char>(line[end])) != 0 || line[end] == '.'))
    ++end;
  const std::string text = line.substr(at + 5, end - at - 5);
  const std::size_t dot = text.find('.');
  std::string digits = dot == std::string::npos ? "" : text.substr(dot + 1);
  require(digits.size() <= 9, "finer than a femtosecond", line);
  digits.resize(9, '0');
  return std::stoull(text.substr(0, dot)) * 1'000'000'000 + std::stoull(digits);
}

std::map<std::string, std::string> arguments_of(const Json& event) {
  std::map<std::string, std::string> arguments;
  const Json given = event.value("args", Json::object());
  for (const auto& [key, value] : given.items())
    arguments[key] = value.is_string() ? value.get<std::string>() : value.dump();
  return arguments;
}

class ChromeReader {
 public:
  void event(const std::string& line) {
    const Json json = Json::parse(line);
    for (const char* key : {"ph", "pid", "tid", "ts"})
      require(json.contains(key), std::string("no ") + key, line);
    const std::string phase = json.at("ph");
    const std::uint64_t pid = json.at("pid"), tid = json.at("tid"), time = fs_of(line);
    if (phase == "M") return metadata(json, pid, tid);
    require(processes_.count(pid) > 0, "a process without a name", line);
    require(phase == "E" || json.contains("name"), "no name", line);
    if (phase == "C") {
      const Json& args = json.at("args");
      require(args.size() == 1 && args.begin()->is_number(), "a counter is one number", line);
      return builder.point(json.at("name"), time, args.begin()->get<double>());
    }
    require(threads_.count(tid) > 0 && threads_.at(tid).first == pid, "a thread without a name",
            line);
    if (phase == "B") {
      if (json.at("cat") == "flow") return static_cast<void>(builder.mark(tid));
      require(time >= builder.last_end(tid), "begins before the last one has ended", line);
      builder.begin(tid, {processes_.at(pid), threads_.at(tid).second, json.at("name"),
                          json.at("cat"), time, 0, arguments_of(json), false});
    } else if (phase == "E") {
      const std::size_t ended = builder.end(tid, time);
      for (auto& [key, value] : arguments_of(json))
        builder.read.slices.at(ended).arguments[key] = value;
    } else {
      flow(json, phase, tid, line);
    }
  }

  Builder builder{1};
  std::set<std::uint64_t> ended_flows;

 private:
  void metadata(const Json& json, std::uint64_t pid, std::uint64_t tid) {
    const std::string what = json.at("name");
    const Json& args = json.at("args");
    if (what == "process_name") processes_[pid] = args.at("name");
    if (what == "thread_name") threads_[tid] = {pid, args.at("name")};
    if (what == "process_sort_index")
      builder.read.order[processes_.at(pid)] = args.at("sort_index");
    if (what == "thread_sort_index")
      builder.read.order[threads_.at(tid).second] = args.at("sort_index");
  }
  // s begins an arrow, t goes on, f with "bp": "e" ends at the enclosing slice.
  void flow(const Json& json, const std::string& phase, std::uint64_t tid,
            const std::string& line) {
    require(phase == "s" || phase == "t" || phase == "f", "an unknown phase", line);
    const std::size_t slice = builder.open_on(tid);
    require(slice != none, "an arrow without a slice", line);
    ReadFlow& points = builder.read.flows[json.at("id").get<std::uint64_t>()];
    require(points.empty() == (phase == "s"), "an arrow begins once, with s", line);
    require(phase == "s" || json.value("bp", "") == "e", "binds to the next slice", line);
    require(ended_flows.count(json.at("id")) == 0, "goes on behind its end", line);
    if (phase == "f") ended_flows.insert(json.at("id").get<std::uint64_t>());
    points.push_back(slice);
  }

  std::map<std::uint64_t, std::string> processes_;
  std::map<std::uint64_t, std::pair<std::uint64_t, std::string>> threads_;
};

// --- Protobuf wire format

struct Field {
  unsigned number = 0, wire_type = 0;
  std::uint64_t value = 0;  // of varint and fixed64
  std::string bytes;
};

class Message {
 public:
  // `rest`: how many bytes at the end are no whole field; null: there may be none.
  explicit Message(const std::string& bytes, std::size_t* rest = nullptr) : bytes_(bytes) {
    std::size_t whole = 0;
    try {
      while (at_ < bytes_.size()) {
        fields.push_back(next());
        whole = at_;
      }
    } catch (const TimelineFault&) {
      if (rest == nullptr) throw;
    }
    if (rest != nullptr) *rest = bytes_.size() - whole;
  }
  const Field* find(unsigned number) const {
    for (const Field& field : fields)
      if (field.number == number) return &field;
    return nullptr;
  }
  std::uint64_t number(unsigned field, std::uint64_t otherwise = 0) const {
    const Field* found = find(field);
    return found == nullptr ? otherwise : found->value;
  }
  std::string text(unsigned field) const {
    const Field* found = find(field);
    return found == nullptr ? "" : found->bytes;
  }
  std::vector<Field> fields;

 private:
  Field next() {
    Field field;
    const std::uint64_t key = varint();
    field.number = static_cast<unsigned>(key >> 3);
    field.wire_type = static_cast<unsigned>(key & 7);
    if (field.wire_type == 0) {
      field.value = varint();
    } else if (field.wire_type == 1) {
      require(bytes_.size() - at_ >= 8, "cut off", "fixed64");
      for (int i = 7; i >= 0; --i)
        field.value = field.value << 8 |
                      static_cast<unsigned char>(bytes_[at_ + static_cast<std::size_t>(i)]);
      at_ += 8;
    } else {
      require(field.wire_type == 2, "an unknown wire type", std::to_string(field.wire_type));
      const std::uint64_t length = varint();
      require(bytes_.size() - at_ >= length, "cut off", "bytes");
      field.bytes = bytes_.substr(at_, length);
      at_ += length;
    }
    return field;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      require(at_ < bytes_.size() && shift < 64, "cut off", "varint");
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
  }
  const std::string& bytes_;
  std::size_t at_ = 0;
};

// --- Perfetto

class PerfettoReader {
 public:
  void packet(const Message& packet) {
    require(packet.number(10) == 1, "trusted_packet_sequence_id", std::to_string(packets_));
    // SEQ_INCREMENTAL_STATE_CLEARED in the first, SEQ_NEEDS_INCREMENTAL_STATE behind it.
    require(packet.number(13) == (packets_ == 0 ? 1U : 2U), "sequence_flags",
            std::to_string(packets_));
    ++packets_;
    if (packet.find(12) != nullptr) intern(Message(packet.text(12)));
    if (packet.find(60) != nullptr) return track(Message(packet.text(60)));
    require(packet.find(11) != nullptr && packet.find(8) != nullptr, "neither track nor event",
            std::to_string(packets_));
    event(Message(packet.text(11)), packet.number(8) * ns);
  }

  static constexpr std::uint64_t ns = 1'000'000;
  Builder builder{ns};
  std::set<std::uint64_t> ended_flows;

 private:
  struct Track {
    std::string name;
    std::uint64_t parent = 0;
    bool is_counter = false, is_group = false;
  };

  void track(const Message& descriptor) {
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
  void intern(const Message& data) {
    for (const Field& field : data.fields) {
      const Message text(field.bytes);
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
  void event(const Message& event, std::uint64_t time) {
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
    std::size_t slice = none;
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
      if (slice == none) return;
    }
    annotate(event, slice);
  }
  void annotate(const Message& event, std::size_t slice) {
    for (const Field& field : event.fields) {
      if (field.number == 4) {
        const Message annotation(field.bytes);
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

std::vector<const ReadSlice*> ReadTimeline::of_category(const std::string& category) const {
  std::vector<const ReadSlice*> found;
  for (const ReadSlice& slice : slices)
    if (slice.category == category) found.push_back(&slice);
  return found;
}

std::uint64_t ReadTimeline::busy(const std::string& track) const {
  std::uint64_t sum = 0;
  for (const ReadSlice& slice : slices) {
    if (slice.track == track || slice.track.compare(0, track.size() + 2, track + " (") == 0)
      sum += slice.number("dur_fs");
  }
  return sum;
}

std::vector<const ReadSlice*> ReadTimeline::behind(const ReadSlice& slice) const {
  std::vector<const ReadSlice*> found;
  for (const auto& [id, points] : flows) {
    for (std::size_t i = 0; i + 1 < points.size(); ++i)
      if (&slices[points[i]] == &slice) found.push_back(&slices[points[i + 1]]);
  }
  return found;
}

ReadTimeline read_chrome_timeline(const std::string& text, bool truncated) {
  ChromeReader reader;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  require(line == "[", "no array", line);
  bool closed = false;
  while (std::getline(lines, line)) {
    if (line == "]") {
      closed = true;
      break;
    }
    if (lines.eof() && truncated) break;
    if (!line.empty() && line.back() == ',') line.pop_back();
    reader.event(line);
  }
  if (!truncated) {
    require(closed && Json::parse(text).is_array(), "no end", line);
    reader.builder.check_all_ended();
  }
  return std::move(reader.builder.read);
}

ReadTimeline read_perfetto_timeline(const std::string& bytes, bool truncated) {
  PerfettoReader reader;
  std::size_t rest = 0;
  const Message trace(bytes, truncated ? &rest : nullptr);
  for (const Field& field : trace.fields) {
    require(field.number == 1 && field.wire_type == 2, "no TracePacket",
            std::to_string(field.number));
    reader.packet(Message(field.bytes));
  }
  if (!truncated) reader.builder.check_all_ended();
  return std::move(reader.builder.read);
}

std::string gunzip(const std::string& bytes) {
  z_stream stream{};
  require(inflateInit2(&stream, 15 + 16) == Z_OK, "zlib", "");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  std::array<char, 65536> out{};
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = out.size();
    state = inflate(&stream, Z_NO_FLUSH);
    text.append(out.data(), out.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  require(state == Z_STREAM_END, "not compressed by gzip", std::to_string(state));
  return text;
}

ReadTimeline read_timeline(const std::string& name, const std::string& bytes) {
  const auto ends = [](const std::string& text, const std::string& end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
  };
  if (ends(name, ".gz")) return read_timeline(name.substr(0, name.size() - 3), gunzip(bytes));
  return ends(name, ".json") ? read_chrome_timeline(bytes) : read_perfetto_timeline(bytes);
}

}  // namespace kernbench::test
