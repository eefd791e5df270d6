#include "platform/events/op_log_recorder.h"

#include <utility>

namespace kernbench {

OpLogRecorder::OpLogRecorder(ResultFile file, FunctionalModel* data, Platform& platform,
                             EventSource& events, std::uint64_t limit)
    : file_(std::move(file), data, limit),
      parameters_(platform.observation(), platform.machine(), file_) {
  if (file_.table() == nullptr) return;
  progress_.emplace(platform.observation(), *file_.table(), limit);
  rows_.emplace(events, *file_.table(), limit);
}

void OpLogRecorder::close(std::vector<LaunchRow> launches, const OpTable::Meta& meta) {
  if (progress_) {
    progress_->close(std::move(launches));
    rows_->close();
  }
  file_.close(meta);
}

}  // namespace kernbench
