#include "platform/export/timeline_slices.h"

#include <fmt/format.h>

#include <algorithm>

namespace kernbench {
namespace {

struct KindNames {
  const char *category, *plural;
};
constexpr std::array<KindNames, 10> kinds{{{"host_call", "calls of the host"},
                                           {"host_request", "requests of the host"},
                                           {"kernel", "kernels"},
                                           {"command", "commands"},
                                           {"tile", "tiles"},
                                           {"stage", "stages"},
                                           {"operation", "operations"},
                                           {"state", "states"},
                                           {"transfer", "transfers"},
                                           {"message", "messages"}}};
const KindNames& names_of(SliceKind kind) { return kinds.at(static_cast<std::size_t>(kind)); }

}  // namespace

bool TimelineSlices::has_room(SliceKind kind) const {
  return written_ < limit_ && (kind <= SliceKind::command || details_ < limit_ - limit_ / 8);
}

TimelineSlices::Open TimelineSlices::begin(SliceKind kind, TimelineLanes& lanes, Fs start,
                                           const std::string& name, TimelineArguments arguments,
                                           const TimelineFlows& flows) {
  if (!has_room(kind)) {
    ++left_out_.at(static_cast<std::size_t>(kind));
    left_out_from_ = std::min(left_out_from_, start);
    return 0;
  }
  ++written_;
  if (kind > SliceKind::command) ++details_;
  const std::size_t lane = lanes.take(start);
  arguments.emplace_back("start_fs", start);
  writer_.begin(lanes.track(lane), start, name, names_of(kind).category, arguments, flows);
  open_.emplace(++begun_, Slice{&lanes, lane, start, start});
  return begun_;
}

void TimelineSlices::end(Open slice, Fs end, TimelineArguments arguments,
                         const TimelineFlows& flows) {
  const auto found = open_.find(slice);
  if (found == open_.end()) return;
  const Slice& ended = found->second;
  end = std::max(end, ended.latest);
  arguments.emplace_back("dur_fs", end - ended.start);
  writer_.end(ended.lanes->track(ended.lane), end, arguments, flows);
  ended.lanes->give_back(ended.lane, end);
  open_.erase(found);
}

TimelineFlows TimelineSlices::arrow(Open slice, Fs time, const std::string& name, SliceKind to) {
  const auto found = open_.find(slice);
  if (found == open_.end() || !has_room(to)) return {};
  Slice& left = found->second;
  left.latest = std::max(time, left.latest);
  writer_.leave(left.lanes->track(left.lane), left.latest, name, ++flows_);
  return {{flows_, TimelineFlow::Point::last}};
}

void TimelineSlices::arrive(Open slice, Fs time, const std::string& name, std::uint64_t flow) {
  const auto found = open_.find(slice);
  if (found == open_.end()) return;
  const Slice& reached = found->second;
  writer_.mark(reached.lanes->track(reached.lane), std::max(time, reached.start), name,
               {flow, TimelineFlow::Point::last});
}

void TimelineSlices::close(Fs end) {
  while (!open_.empty()) this->end(open_.begin()->first, end, {{"complete", "false"}});
}

std::string TimelineSlices::left_out() const {
  std::string text;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (left_out_.at(i) > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", left_out_.at(i), kinds.at(i).plural);
  }
  return text.empty() ? "" : fmt::format("{} from {} on", text, format_ns(left_out_from_));
}

}  // namespace kernbench
