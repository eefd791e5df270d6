#include "platform/export/timeline.h"

#include <fmt/format.h>

#include "platform/export/timeline_pes.h"

namespace kernbench {

Timeline::Timeline(Platform& platform, std::unique_ptr<TimelineWriter> writer, std::uint64_t limit)
    : out_(std::move(writer), limit),
      pes_(std::make_unique<TimelinePes>(platform.observation(), out_)),
      transfers_(timeline_transfers(platform, *pes_, out_)),
      signals_(timeline_signals(platform, out_)), resources_(timeline_resources(platform, out_)) {}

Timeline::~Timeline() = default;

TimelineRecorder::Open Timeline::begin_call(int rank, const std::string& call,
                                            TimelineArguments arguments) {
  TimelineLanes*& lanes = ranks_[rank];
  if (lanes == nullptr)
    lanes = &out_.lanes("", fmt::format("rank {}", rank),
                        TimelineRank::rank + static_cast<std::uint32_t>(rank));
  return out_.begin(SliceKind::host_call, *lanes, Component::now(), call, std::move(arguments));
}

void Timeline::end_call(TimelineRecorder::Open call) { out_.end(call, Component::now()); }

void Timeline::close(const std::function<void(TimelineRecorder& out)>& write_counters) {
  const Fs now = Component::now();
  pes_->close(now);
  signals_->close(now);
  out_.end_slices(now);
  resources_->write_counters();
  pes_->write_counters();
  signals_->write_counters();
  if (write_counters) write_counters(out_);
  out_.close();
}

}  // namespace kernbench
