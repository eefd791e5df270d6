// HostLink: the runtime's side of the HostPort: assigns message ids, counts messages, and converts
// failures to LaunchError.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/errors.h"
#include "models/protocol/host_port.h"

namespace kernbench {

using HostRequests = std::vector<std::shared_ptr<HostRequest>>;

class HostLink {
 public:
  // `correlation` groups the messages of one bench.
  HostLink(HostPort& port, std::string correlation)
      : port_(port), correlation_(std::move(correlation)) {}

  HostPort& port() { return port_; }
  std::uint64_t submitted() const { return submitted_; }
  // request_id of the latest submitted message.
  std::string last_request() const { return fmt::format("{}/{}", correlation_, submitted_); }

  // Every subsequent message is refused with DeviceLostError.
  void lose_devices(std::string why) { lost_ = std::move(why); }

  // Tag of every subsequent message of all workers; none: removes the tag.
  void set_timestamp_tag(std::optional<std::string> tag) { timestamp_tag_ = std::move(tag); }

  template <class Message>
  std::shared_ptr<HostRequest> submit(Message message, const std::string& label) {
    if (!lost_.empty()) throw DeviceLostError(lost_);
    message.correlation_id = correlation_;
    ++submitted_;
    message.request_id = last_request();
    message.target_device = sip_of(message);
    message.debug_label = label;
    message.timestamp_tag = timestamp_tag_;
    return port_.submit(std::make_shared<const Message>(std::move(message)));
  }

  // Waits for all messages, then throws LaunchError with the first failure in order of submission.
  void wait(const HostRequests& requests) {
    for (const auto& request : requests) port_.wait(*request);
    for (const auto& request : requests) {
      const Completion& completion = request->response().completion;
      if (!completion.ok)
        throw LaunchError(completion.error_code,
                          fmt::format("{}: {}", request->what(), completion.error_message));
    }
  }

 private:
  static int sip_of(const MemoryWrite& message) { return message.dst.sip; }
  static int sip_of(const MemoryRead& message) { return message.src.sip; }
  static int sip_of(const PeMessage& message) { return message.targets.front().sip; }

  HostPort& port_;
  std::string correlation_;
  std::uint64_t submitted_ = 0;
  std::optional<std::string> timestamp_tag_;
  std::string lost_;  // reason why the devices refuse work
};

}  // namespace kernbench
