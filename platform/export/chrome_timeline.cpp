#include "platform/export/chrome_timeline.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace kernbench {
namespace {

// Bytes that are no UTF-8, of the name of a kernel, are replaced.
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

}  // namespace

ChromeTimeline::ChromeTimeline(std::unique_ptr<GzipOutput> out) : out_(std::move(out)) {
  out_->put("[");
}

void ChromeTimeline::event(const std::string& text) {
  out_->put(first_ ? "\n" : ",\n");
  out_->put(text);
  first_ = false;
}

std::string ChromeTimeline::head(char phase, TimelineTrack track, Fs time) const {
  return fmt::format("{{\"ph\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{}", phase,
                     places_.at(track).process, track, microseconds(time));
}

void ChromeTimeline::metadata(TimelineTrack process, TimelineTrack thread, const char* what,
                              const std::string& arguments) {
  event(
      fmt::format("{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"ts\":0,\"name\":\"{}\",\"args\":{{{}}}}}",
                  process, thread, what, arguments));
}

void ChromeTimeline::track(TimelineTrack track, const TimelineTrackInfo& info) {
  using Kind = TimelineTrackInfo::Kind;
  constexpr std::uint64_t ranks = 100'000;
  const Place parent = info.parent == 0 ? Place() : places_.at(info.parent);
  Place& place = places_[track];
  const bool is_process = info.kind == Kind::process;
  place.process = is_process ? track : parent.process;
  place.process_order = parent.process_order;
  (is_process ? place.process_order : place.order) =
      (is_process ? parent.process_order : parent.order) * ranks + info.rank;
  const std::string name = fmt::format("\"name\":{}", json_string(info.name));
  const std::string order =
      fmt::format("\"sort_index\":{}", is_process ? place.process_order : place.order);
  if (is_process) {
    metadata(track, 0, "process_name", name);
    metadata(track, 0, "process_sort_index", order);
  } else if (info.kind == Kind::slices) {
    metadata(place.process, track, "thread_name", name);
    metadata(place.process, track, "thread_sort_index", order);
  }
  place.name = info.name;
  place.unit = info.unit;
}

void ChromeTimeline::flow(TimelineTrack track, Fs time, const TimelineFlow& flow) {
  using Point = TimelineFlow::Point;
  const char phase = flow.point == Point::first ? 's' : flow.point == Point::between ? 't' : 'f';
  event(fmt::format("{},\"name\":\"flow\",\"cat\":\"flow\",\"id\":{}{}}}", head(phase, track, time),
                    flow.id, phase == 's' ? "" : ",\"bp\":\"e\""));
}

void ChromeTimeline::begin(TimelineTrack track, Fs time, std::string_view name,
                           const char* category, const TimelineArguments& arguments,
                           const TimelineFlows& flows) {
  event(fmt::format("{},\"name\":{},\"cat\":\"{}\"{}}}", head('B', track, time), json_string(name),
                    category, arguments_text(arguments)));
  for (const TimelineFlow& each : flows) flow(track, time, each);
}

void ChromeTimeline::end(TimelineTrack track, Fs time, const TimelineArguments& arguments,
                         const TimelineFlows& flows) {
  for (const TimelineFlow& each : flows) flow(track, time, each);
  event(fmt::format("{}{}}}", head('E', track, time), arguments_text(arguments)));
}

void ChromeTimeline::leave(TimelineTrack track, Fs time, std::string_view /*name*/,
                           std::uint64_t id) {
  flow(track, time, {id, TimelineFlow::Point::first});
}

void ChromeTimeline::counter(TimelineTrack track, Fs time, double value) {
  const Place& place = places_.at(track);
  event(fmt::format("{},\"name\":{},\"args\":{{{}:{}}}}}", head('C', track, time),
                    json_string(place.name), json_string(place.unit.empty() ? "value" : place.unit),
                    nlohmann::json(value).dump()));
}

void ChromeTimeline::close() {
  out_->put("\n]\n");
  out_->close();
}

}  // namespace kernbench
