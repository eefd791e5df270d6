#include "platform/validate/played_requests.h"

#include <deque>
#include <utility>

namespace kernbench {
namespace {

class Requests final : public TrafficSource {
 public:
  Requests(std::vector<TrafficRequest> first, FollowUp follow_up)
      : waiting_(first.begin(), first.end()), follow_up_(std::move(follow_up)) {}

  bool next(TrafficRequest& request) override {
    if (waiting_.empty()) return false;
    request = waiting_.front();
    request.id = id_++;
    waiting_.pop_front();
    return true;
  }
  void ended(const TrafficResult& result) override {
    if (!follow_up_) return;
    for (TrafficRequest& request : follow_up_(result)) {
      request.issue = result.end;
      waiting_.push_back(request);
    }
  }

 private:
  std::deque<TrafficRequest> waiting_;
  FollowUp follow_up_;
  std::uint32_t id_ = 0;
};

class Results final : public TrafficListener {
 public:
  void in_order(const TrafficResult& result) override { list.push_back(result); }
  std::vector<TrafficResult> list;
};

}  // namespace

std::vector<TrafficResult> play_requests(Platform& platform, std::vector<TrafficRequest> first,
                                         FollowUp follow_up) {
  Requests requests(std::move(first), std::move(follow_up));
  Results results;
  TrafficPlayer player("traffic", platform, requests, results);
  const RunResult result = platform.run();
  if (result.cause) std::rethrow_exception(result.cause);
  player.check_all_ended();
  return std::move(results.list);
}

}  // namespace kernbench
