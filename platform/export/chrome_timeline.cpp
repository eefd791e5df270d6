// Timeline as JSON in the Trace Event Format of Chrome, which Perfetto also reads.
//
// The file is an array with one event per line. Readers accept it without the closing bracket, so
// the file of a killed program is readable. A slice is a pair of events B and E, so that rounding
// by a reader does not make neighbours overlap. "ts" is the exact decimal of microseconds. A
// process of the timeline is a process of the format, its tracks are threads; groups of tracks
// determine the order of threads only.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "platform/export/timeline_writer.h"

namespace kernbench {
namespace {

// Replaces bytes that are not valid UTF-8, as in names of kernels.
std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// "12.000345678": all digits of the femtoseconds, without trailing zeros.
std::string microseconds(Fs time) {
  constexpr Fs fs_per_us = 1000 * fs_per_ns;
  std::string text = fmt::format("{}.{:09}", time / fs_per_us, time % fs_per_us);
  while (text.back() == '0' && text[text.size() - 2] != '.') text.pop_back();
  return text;
}

std::string arguments_text(const TimelineArguments& arguments) {
  if (arguments.empty()) return "";
  std::string text;
  for (const TimelineArgument& argument : arguments) {
    text += fmt::format("{}\"{}\":", text.empty() ? "" : ",", argument.name);
    text += argument.is_text ? json_string(argument.text) : std::to_string(argument.number);
  }
  return fmt::format(",\"args\":{{{}}}", text);
}

class ChromeTimeline final : public TimelineWriter {
 public:
  explicit ChromeTimeline(std::unique_ptr<GzipOutput> out) : out_(std::move(out)) {
    out_->put("[");
  }

  void track(TimelineTrack track, const TimelineTrackInfo& info) override {
    using Kind = TimelineTrackInfo::Kind;
    constexpr std::uint64_t ranks = 100'000;
    Place place = info.parent == 0 ? Place() : places_.at(info.parent);
    const bool is_process = info.kind == Kind::process;
    if (is_process) {
      place.process = track;
      place.order = 0;
    }
    std::uint64_t& order = is_process ? place.process_order : place.order;
    order = order * ranks + info.rank;
    if (is_process || info.kind == Kind::slices) {
      const TimelineTrack thread = is_process ? 0 : track;
      const char* const what = is_process ? "process" : "thread";
      metadata(place.process, thread, what, "name", json_string(info.name));
      metadata(place.process, thread, what, "sort_index", std::to_string(order));
    }
    place.name = info.name;
    place.unit = info.unit;
    places_[track] = std::move(place);
  }

  void begin(TimelineTrack track, Fs time, std::string_view name, const char* category,
             const TimelineArguments& arguments, const TimelineFlow& flow) override {
    event('B', track, time,
          fmt::format(",\"name\":{},\"cat\":\"{}\"{}", json_string(name), category,
                      arguments_text(arguments)));
    point(track, time, flow);
  }

  void end(TimelineTrack track, Fs time, const TimelineArguments& arguments,
           const TimelineFlow& flow) override {
    point(track, time, flow);
    event('E', track, time, arguments_text(arguments));
  }

  void leave(TimelineTrack track, Fs time, std::string_view /*name*/, std::uint64_t id) override {
    point(track, time, {id, TimelineFlow::Point::first});
  }

  void counter(TimelineTrack track, Fs time, double value) override {
    const Place& place = places_.at(track);
    event('C', track, time,
          fmt::format(",\"name\":{},\"args\":{{{}:{}}}", json_string(place.name),
                      json_string(place.unit.empty() ? "value" : place.unit),
                      nlohmann::json(value).dump()));
  }

  void close() override {
    out_->put("\n]\n");
    out_->close();
  }

 private:
  struct Place {
    TimelineTrack process = 0;
    std::uint64_t process_order = 0;  // order among all processes
    std::uint64_t order = 0;          // order among the threads of the process
    std::string name, unit;           // names of a counter
  };

  void line(const std::string& text) {
    out_->put(first_ ? "\n" : ",\n");
    out_->put(text);
    first_ = false;
  }
  void event(char phase, TimelineTrack track, Fs time, const std::string& rest) {
    line(fmt::format("{{\"ph\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{}{}}}", phase,
                     places_.at(track).process, track, microseconds(time), rest));
  }
  void point(TimelineTrack track, Fs time, const TimelineFlow& flow) {
    if (flow.id == 0) return;
    constexpr const char* phases = "stf";
    const char phase = phases[static_cast<std::size_t>(flow.point)];
    event(phase, track, time,
          fmt::format(",\"name\":\"flow\",\"cat\":\"flow\",\"id\":{}{}", flow.id,
                      phase == 's' ? "" : ",\"bp\":\"e\""));
  }
  void metadata(TimelineTrack process, TimelineTrack thread, const char* what, const char* key,
                const std::string& value) {
    line(
        fmt::format("{{\"ph\":\"M\",\"pid\":{0},\"tid\":{1},\"ts\":0,\"name\":\"{2}_{3}\","
                    "\"args\":{{\"{3}\":{4}}}}}",
                    process, thread, what, key, value));
  }

  std::unique_ptr<GzipOutput> out_;
  std::map<TimelineTrack, Place> places_;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<TimelineWriter> chrome_timeline(std::unique_ptr<GzipOutput> out) {
  return std::make_unique<ChromeTimeline>(std::move(out));
}

}  // namespace kernbench
