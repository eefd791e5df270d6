#include "platform/export/timeline_tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kernbench {
namespace {

constexpr const char* host = "host";
constexpr std::uint32_t lanes_of_rank = 100;

// Order of the groups in one: by kind, then by number.
std::uint32_t rank_of_group(const std::string& name) {
  constexpr std::array<const char*, 7> kinds{host,   "hot links", "hot HBM channels", "sip", "io",
                                             "cube", "pe"};
  const std::string kind = name.substr(0, name.find_first_of("0123456789"));
  const std::string number = name.substr(kind.size());
  const auto place = std::find(kinds.begin(), kinds.end(), kind) - kinds.begin();
  const bool is_number = !number.empty() && number.size() < 4 &&
                         number.find_first_not_of("0123456789") == std::string::npos;
  return static_cast<std::uint32_t>(place * 1000) +
         (is_number ? static_cast<std::uint32_t>(std::stoul(number)) : 0U);
}

bool is_process(const std::string& path, const std::string& name) {
  return path == name || name.compare(0, 4, "cube") == 0;
}

}  // namespace

TimelineTrack TimelineTracks::add(TimelineTrackInfo info) {
  writer_.track(++last_, info);
  return last_;
}

TimelineTrack TimelineTracks::group(const std::string& given) {
  const std::string& path = given.empty() ? host : given;
  if (const auto known = groups_.find(path); known != groups_.end()) return known->second;
  const std::size_t dot = path.rfind('.');
  const TimelineTrack parent = dot == std::string::npos ? 0 : group(path.substr(0, dot));
  const std::string name = dot == std::string::npos ? path : path.substr(dot + 1);
  using Kind = TimelineTrackInfo::Kind;
  return groups_[path] = add({is_process(path, name) ? Kind::process : Kind::group, path, parent,
                              rank_of_group(name), ""});
}

TimelineTrack TimelineTracks::slices(const std::string& group_path, const std::string& name,
                                     std::uint32_t rank) {
  return add({TimelineTrackInfo::Kind::slices, name, group(group_path), rank, ""});
}

TimelineTrack TimelineTracks::counter(const std::string& group_path, const std::string& name,
                                      const char* unit, std::uint32_t rank) {
  return add(
      {TimelineTrackInfo::Kind::counter, name, group(group_path), rank * lanes_of_rank, unit});
}

std::size_t TimelineLanes::take(Fs start) {
  const auto free = std::find_if(lanes_.begin(), lanes_.end(),
                                 [start](const Lane& lane) { return lane.free_at <= start; });
  const auto lane = static_cast<std::size_t>(free - lanes_.begin());
  if (free == lanes_.end()) {
    const std::string name = lane == 0 ? name_ : fmt::format("{} ({})", name_, lane + 1);
    const auto place = static_cast<std::uint32_t>(std::min<std::size_t>(lane, lanes_of_rank - 1));
    lanes_.push_back({tracks_.slices(group_, name, rank_ * lanes_of_rank + place)});
  }
  lanes_[lane].free_at = never_fs;
  return lane;
}

}  // namespace kernbench
