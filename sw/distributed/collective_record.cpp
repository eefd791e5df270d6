#include "sw/distributed/collective_record.h"

#include <algorithm>

#include "models/base/errors.h"

namespace kernbench {

std::optional<Fs> CollectiveRecord::time() const {
  Fs time = 0;
  for (const LaunchHandle& launch : launches) {
    if (!launch.waited_for()) return std::nullopt;
    time = std::max(time, launch.metrics().merged.pe_exec);
  }
  return time;
}

void Work::wait() { worker_->wait(launch()); }

const LaunchHandle& Work::launch() const {
  if (record_ == nullptr) throw UsageError("a Work that is no collective's");
  return launch_;
}

const CollectiveRecord& Work::record() const {
  launch();
  return *record_;
}

}  // namespace kernbench
