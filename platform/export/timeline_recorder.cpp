#include "platform/export/timeline_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "models/base/component.h"

namespace kernbench {
namespace {

constexpr const char* host = "host";
constexpr std::uint32_t lanes_of_rank = 100;

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

// Order of sibling groups: by kind, then by number.
std::uint32_t rank_of_group(const std::string& name) {
  constexpr std::array<const char*, 7> kinds_in_order{
      host, "hot links", "hot HBM channels", "sip", "io", "cube", "pe"};
  const std::string kind = name.substr(0, name.find_first_of("0123456789"));
  const std::string number = name.substr(kind.size());
  const auto place =
      std::find(kinds_in_order.begin(), kinds_in_order.end(), kind) - kinds_in_order.begin();
  const bool is_number = !number.empty() && number.size() < 4 &&
                         number.find_first_not_of("0123456789") == std::string::npos;
  return static_cast<std::uint32_t>(place * 1000) +
         (is_number ? static_cast<std::uint32_t>(std::stoul(number)) : 0U);
}

}  // namespace

// --- Tracks

TimelineTrack TimelineRecorder::add(TimelineTrackInfo info) {
  writer_->track(++last_track_, info);
  return last_track_;
}

TimelineTrack TimelineRecorder::group(const std::string& given) {
  const std::string& path = given.empty() ? host : given;
  if (const auto known = groups_.find(path); known != groups_.end()) return known->second;
  const std::size_t dot = path.rfind('.');
  const TimelineTrack parent = dot == std::string::npos ? 0 : group(path.substr(0, dot));
  const std::string name = dot == std::string::npos ? path : path.substr(dot + 1);
  const bool is_process = path == name || name.compare(0, 4, "cube") == 0;
  using Kind = TimelineTrackInfo::Kind;
  return groups_[path] =
             add({is_process ? Kind::process : Kind::group, path, parent, rank_of_group(name), ""});
}

std::size_t TimelineRecorder::take_lane(TimelineLanes& of, Fs start) {
  const auto free =
      std::find_if(of.lanes.begin(), of.lanes.end(),
                   [start](const TimelineLanes::Lane& lane) { return lane.free_at <= start; });
  const auto number = static_cast<std::size_t>(free - of.lanes.begin());
  if (free == of.lanes.end()) {
    const std::string name = number == 0 ? of.name : fmt::format("{} ({})", of.name, number + 1);
    const auto place = static_cast<std::uint32_t>(std::min<std::size_t>(number, lanes_of_rank - 1));
    of.lanes.push_back({add({TimelineTrackInfo::Kind::slices, name, group(of.group),
                             of.rank * lanes_of_rank + place, ""})});
  }
  of.lanes[number].free_at = never_fs;
  return number;
}

// --- Slices

bool TimelineRecorder::Slice::operator<(const Slice& other) const {
  const auto order = [](const Slice& of) {
    return std::tie(of.start, of.lanes->group, of.lanes->rank, of.lanes->name);
  };
  if (order(*this) != order(other)) return order(*this) < order(other);
  if (kind == SliceKind::host_call) return false;  // nested calls, in the order of their thread
  const auto has_less = [](const TimelineArguments& a, const TimelineArguments& b) {
    return std::lexicographical_compare(
        a.begin(), a.end(), b.begin(), b.end(),
        [](const TimelineArgument& left, const TimelineArgument& right) {
          return std::tie(left.number, left.text) < std::tie(right.number, right.text);
        });
  };
  if (has_less(arguments, other.arguments)) return true;
  return !has_less(other.arguments, arguments) && name < other.name;
}

void TimelineRecorder::enter_instant() {
  if (Component::now() == instant_) return;
  end_instant();
  instant_ = Component::now();
}

TimelineRecorder::Open TimelineRecorder::begin(SliceKind kind, TimelineLanes& lanes, Fs start,
                                               const std::string& name, TimelineArguments arguments,
                                               TimelineArrowPoint arrow) {
  enter_instant();
  arguments.emplace_back("start_fs", start);
  const auto [entry, is_new] = open_.emplace(
      ++last_slice_,
      Slice{kind, &lanes, start, start, 0, false, name, std::move(arguments), std::move(arrow)});
  begun_.push_back(&*entry);
  return entry->first;
}

TimelineRecorder::Slice* TimelineRecorder::reported(Open slice) {
  enter_instant();
  const auto found = open_.find(slice);
  if (found == open_.end()) return nullptr;
  Slice& of = found->second;
  if (of.is_written && of.marks.empty() && !of.ending) changed_.push_back(&*found);
  return &of;
}

void TimelineRecorder::end(Open slice, Fs end, TimelineArguments arguments,
                           TimelineArrowPoint arrow) {
  if (Slice* const ended = reported(slice))
    ended->ending = Ending{end, std::move(arguments), std::move(arrow)};
}

TimelineArrowPoint TimelineRecorder::arrow(Open slice, Fs time, const std::string& name) {
  Slice* const source = reported(slice);
  if (source == nullptr) return {};
  const auto arrow = std::make_shared<TimelineArrow>(TimelineArrow{slice, 0});
  source->marks.push_back({time, name, {arrow, TimelineFlow::Point::first}});
  return {arrow, TimelineFlow::Point::last};
}

void TimelineRecorder::arrive(Open slice, Fs time, const std::string& name,
                              std::shared_ptr<TimelineArrow> arrow) {
  if (Slice* const target = reported(slice))
    target->marks.push_back({time, name, {std::move(arrow), TimelineFlow::Point::last}});
}

// --- The end of an instant

bool TimelineRecorder::has_room_for(SliceKind kind) const {
  return written_ < limit_ && (kind <= SliceKind::command || details_ < limit_ - limit_ / 8);
}

// Counts the slices that begin. Those beyond the limit are forgotten.
void TimelineRecorder::apply_limit() {
  std::vector<Entry*> kept;
  for (Entry* entry : begun_) {
    const Slice& slice = entry->second;
    if (has_room_for(slice.kind)) {
      ++written_;
      if (slice.kind > SliceKind::command) ++details_;
      kept.push_back(entry);
    } else {
      ++left_out_.at(static_cast<std::size_t>(slice.kind));
      left_out_from_ = std::min(left_out_from_, slice.start);
      open_.erase(entry->first);
    }
  }
  begun_ = std::move(kept);
}

// An arrow without its source or, if it is known now, its target, has no number.
void TimelineRecorder::number_arrows() {
  for (const Entry* entry : begun_) {
    const Slice& slice = entry->second;
    TimelineArrow* const reaches = slice.arrow.arrow.get();
    if (reaches != nullptr && open_.count(reaches->source) > 0) reaches->number = ++arrows_;
    if (slice.ending && slice.ending->arrow.arrow != nullptr)
      slice.ending->arrow.arrow->number = ++arrows_;
  }
}

void TimelineRecorder::write_begin(Slice& slice) {
  slice.lane = take_lane(*slice.lanes, slice.start);
  writer_->begin(slice.track(), slice.start, slice.name,
                 kinds.at(static_cast<std::size_t>(slice.kind)).category, slice.arguments,
                 slice.arrow.flow());
  slice.is_written = true;
  slice.name = {};
  slice.arguments = {};
  slice.arrow = {};
}

void TimelineRecorder::write_reports(Entry& entry) {
  Slice& slice = entry.second;
  const auto order = [](const Mark& mark) { return std::pair(mark.time, mark.arrow.flow().id); };
  std::sort(slice.marks.begin(), slice.marks.end(),
            [order](const Mark& a, const Mark& b) { return order(a) < order(b); });
  for (const Mark& mark : slice.marks) {
    const TimelineFlow flow = mark.arrow.flow();
    if (flow.id == 0) continue;
    slice.latest = std::max(slice.latest, mark.time);
    if (flow.point == TimelineFlow::Point::first) {
      writer_->leave(slice.track(), slice.latest, mark.name, flow.id);
    } else {
      writer_->mark(slice.track(), slice.latest, mark.name, flow);
    }
  }
  slice.marks.clear();
  if (!slice.ending) return;
  Ending& ending = *slice.ending;
  const Fs end = std::max(ending.end, slice.latest);
  ending.arguments.emplace_back("dur_fs", end - slice.start);
  writer_->end(slice.track(), end, ending.arguments, ending.arrow.flow());
  slice.lanes->lanes[slice.lane].free_at = end;
  open_.erase(entry.first);
}

void TimelineRecorder::end_instant() {
  std::stable_sort(begun_.begin(), begun_.end(),
                   [](const Entry* a, const Entry* b) { return a->second < b->second; });
  apply_limit();
  number_arrows();
  std::sort(changed_.begin(), changed_.end(),
            [](const Entry* a, const Entry* b) { return a->second.track() < b->second.track(); });
  for (Entry* entry : changed_) write_reports(*entry);
  for (Entry* entry : begun_) {
    write_begin(entry->second);
    write_reports(*entry);
  }
  changed_.clear();
  begun_.clear();
}

void TimelineRecorder::end_slices(Fs end) {
  end_instant();
  for (const auto& [slice, of] : open_) this->end(slice, end, {{"complete", "false"}});
  end_instant();
  end_ = end;
}

std::string TimelineRecorder::left_out() const {
  std::string text;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (left_out_.at(i) > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", left_out_.at(i), kinds.at(i).plural);
  }
  return text.empty() ? "" : fmt::format("{} from {} on", text, format_ns(left_out_from_));
}

// --- Windows of counters

std::uint64_t TimelineWindows::Series::sum() const {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

void TimelineWindows::double_width() {
  width_ *= 2;
  for (Series& series : series_) {
    Values& values = series.values;
    for (std::size_t i = 0; 2 * i < values.size(); ++i) {
      const std::uint64_t second = 2 * i + 1 < values.size() ? values[2 * i + 1] : 0;
      values[i] = series.is_level ? std::max(values[2 * i], second) : values[2 * i] + second;
    }
    values.resize((values.size() + 1) / 2);
  }
}

std::uint64_t* TimelineWindows::cover(Series& series, Fs from, Fs to) {
  while ((to - 1) / width_ >= most) double_width();
  const auto last = static_cast<std::size_t>((to - 1) / width_);
  if (series.values.size() <= last) series.values.resize(last + 1);
  return &series.values[static_cast<std::size_t>(from / width_)];
}

void TimelineWindows::add_time(Series& series, Fs from, Fs to) {
  if (from >= to) return;
  std::uint64_t* value = cover(series, from, to);
  while (from < to) {
    const Fs next = std::min(to, (from / width_ + 1) * width_);
    *value++ += next - from;
    from = next;
  }
}

void TimelineWindows::add_level(Series& series, Fs from, Fs to, std::uint64_t level) {
  if (from >= to) return;
  std::uint64_t* value = cover(series, from, to);
  for (Fs window = from / width_; window <= (to - 1) / width_; ++window, ++value)
    *value = std::max(*value, level);
}

Fs TimelineWindows::length(std::size_t window, Fs end) const {
  const Fs begin = window * width_;
  return begin >= end ? 0 : std::min(width_, end - begin);
}

// --- Counters

TimelineTrack TimelineRecorder::counter(const std::string& group_path, const std::string& name,
                                        const char* unit, std::uint32_t rank) {
  return add(
      {TimelineTrackInfo::Kind::counter, name, group(group_path), rank * lanes_of_rank, unit});
}

// Writes a point at each change of the value, and 0 at the end.
template <class Value>
void TimelineRecorder::write_changes(const std::string& group, const std::string& name,
                                     const char* unit, std::uint32_t rank, std::size_t count,
                                     Value value) {
  TimelineTrack track = 0;
  double last = 0;
  for (std::size_t i = 0; i < count && windows.length(i, end_) > 0; ++i) {
    const double present = value(i);
    if (present == last) continue;
    if (track == 0) track = counter(group, name, unit, rank);
    writer_->counter(track, i * windows.width(), last = present);
  }
  if (last != 0) writer_->counter(track, std::min<Fs>(end_, count * windows.width()), 0);
}

double TimelineRecorder::percent(const TimelineWindows::Values& times, std::size_t window,
                                 std::size_t servers) const {
  const Fs most = windows.length(window, end_) * servers;  // more may be booked ahead
  return 100.0 * static_cast<double>(std::min(times[window], most)) / static_cast<double>(most);
}

void TimelineRecorder::share(const std::string& group, const std::string& name,
                             const TimelineWindows::Values& times, std::size_t servers) {
  write_changes(group, name, "%", TimelineRank::busy, times.size(),
                [&](std::size_t window) { return percent(times, window, servers); });
}

void TimelineRecorder::whole_share(const std::string& group, const std::string& name,
                                   std::uint32_t rank, const TimelineWindows::Values& times) {
  const TimelineTrack track = counter(group, name, "%", rank);
  for (std::size_t i = 0; windows.length(i, end_) > 0; ++i)
    writer_->counter(track, i * windows.width(), i < times.size() ? percent(times, i, 1) : 0);
}

void TimelineRecorder::level(const std::string& group, const std::string& name, const char* unit,
                             const TimelineWindows::Values& levels) {
  write_changes(group, name, unit, TimelineRank::level, levels.size(),
                [&](std::size_t window) { return static_cast<double>(levels[window]); });
}

void TimelineRecorder::points(const std::string& group, const std::string& name, const char* unit,
                              const Points& points) {
  const TimelineTrack track = counter(group, name, unit, TimelineRank::level);
  double last = -1;
  for (const auto& [time, value] : points) {
    if (value != last) writer_->counter(track, time, last = value);
  }
  if (last != 0) writer_->counter(track, end_, 0);
}

}  // namespace kernbench
