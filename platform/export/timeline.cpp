#include "platform/export/timeline.h"

#include <fmt/format.h>

#include <filesystem>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/export/chrome_timeline.h"
#include "platform/export/perfetto_timeline.h"

namespace kernbench {

TimelineName timeline_name(const std::string& path) {
  std::filesystem::path name(path);
  const bool compressed = name.extension() == ".gz";
  if (compressed) name.replace_extension();
  const std::string extension = name.extension().string();
  if (extension == ".json") return {TimelineFormat::chrome, compressed};
  if (extension == ".pftrace" || extension == ".perfetto-trace")
    return {TimelineFormat::perfetto, compressed};
  if (is_stream(path)) return {TimelineFormat::chrome, false};
  throw UsageError(fmt::format(
      "the timeline {} ends in {}: .json (Chrome's trace events), or .pftrace or .perfetto-trace "
      "for Perfetto's own format, each also with .gz behind it",
      quote(path), extension.empty() ? "nothing that names a format" : quote(extension)));
}

std::unique_ptr<TimelineWriter> timeline_writer(ResultFile file) {
  const TimelineName name = timeline_name(file.path());
  auto out = std::make_unique<GzipOutput>(std::move(file), name.compressed);
  if (name.format == TimelineFormat::chrome)
    return std::make_unique<ChromeTimeline>(std::move(out));
  return std::make_unique<PerfettoTimeline>(std::move(out));
}

Timeline::Timeline(Platform& platform, std::unique_ptr<TimelineWriter> writer, std::uint64_t limit)
    : writer_(std::move(writer)), tracks_(*writer_), slices_(*writer_, limit),
      kernels_(tracks_, slices_), commands_(tracks_, slices_, kernels_, windows_),
      messages_(platform, tracks_, slices_),
      transfers_(platform, {tracks_, slices_, kernels_, commands_, messages_}),
      signals_(platform, tracks_, slices_, windows_), resources_(platform, windows_),
      events_(platform.observation().trace_events, commands_),
      ops_(platform.observation().executed_ops, *this) {}

void Timeline::write(const ExecutedOp& op) {
  if (!commands_.executed(op)) messages_.executed(op);
}

TimelineSlices::Open Timeline::begin_call(int rank, const std::string& call,
                                          TimelineArguments arguments) {
  const std::uint32_t place = TimelineRank::rank + static_cast<std::uint32_t>(rank);
  TimelineLanes& lanes =
      ranks_.try_emplace(rank, tracks_, "", fmt::format("rank {}", rank), place).first->second;
  return slices_.begin(SliceKind::host_call, lanes, Component::now(), call, std::move(arguments));
}

void Timeline::end_call(TimelineSlices::Open call) { slices_.end(call, Component::now()); }

void Timeline::close() {
  const Fs now = Component::now();
  kernels_.close(now);
  commands_.close(now);
  signals_.close(now);
  slices_.close(now);
  const TimelineCounters counters(*writer_, tracks_, windows_, now);
  resources_.write_counters(counters);
  commands_.write_counters(counters);
  signals_.write_counters(counters);
  writer_->close();
}

}  // namespace kernbench
