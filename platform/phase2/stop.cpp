#include "platform/phase2/stop.h"

#include <chrono>
#include <future>
#include <memory>
#include <system_error>
#include <thread>

namespace kernbench {

std::vector<double> abandonable(const std::function<std::vector<double>()>& computation,
                                const StopQuestion& stop) {
  constexpr std::chrono::milliseconds between_questions{20};
  if (!stop) return computation();
  // Shared with the thread, which may outlive this call.
  const auto task = std::make_shared<std::packaged_task<std::vector<double>()>>(computation);
  std::future<std::vector<double>> result = task->get_future();
  try {
    std::thread([task] { (*task)(); }).detach();
  } catch (const std::system_error&) {
    return computation();
  }
  while (result.wait_for(between_questions) != std::future_status::ready) {
    if (stop()) throw StoppedError("a reference was stopped");
  }
  return result.get();
}

}  // namespace kernbench
