// What kernels have left behind: messages that nobody has received, commands that have never been
// waited for. A message may be received by a later kernel, so that messages are counted when the
// run has ended.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models/protocol/host_messages.h"
#include "models/protocol/observation.h"

namespace kernbench {

// Of one kernel, on all of its PEs.
struct KernelRemainder {
  enum class Kind : std::uint8_t { message, command };
  Kind kind = Kind::message;
  std::string kernel, request;  // of its first launch that has left some
  std::string where;            // the first PE: "sip0.cube0.pe0"
  // "a message in direction 'E' to sip0.cube0.pe1", "1 command, tl.composite(gemm) (k.cpp:39)"
  std::string what;
  std::uint64_t count = 1;  // messages; kernels on PEs that have left commands
  std::string text() const;
};

class KernelRemains final : private tlm::tlm_analysis_if<KernelRun>,
                            private tlm::tlm_analysis_if<MessageProgress> {
 public:
  explicit KernelRemains(Observation& observation)
      : runs_(observation.kernel_runs, *this), steps_(observation.message_progress, *this) {}

  // So far. Commands first, then messages, each in the order of the first.
  std::vector<KernelRemainder> remainders() const;

 private:
  using MessageKey = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;
  struct Message {
    std::uint64_t number = 0;     // in the order of sending
    std::string kernel, request;  // once its kernel has ended
    PeId source, destination;
    std::string direction;
  };
  void write(const KernelRun& run) override;
  void write(const MessageProgress& step) override;

  std::map<MessageKey, Message> messages_;  // that have not been received
  std::uint64_t sent_ = 0;
  // Of the kernel that runs on a PE in a stream, by the PE's scope; for look-up only.
  std::map<std::pair<const sc_core::sc_object*, std::uint32_t>, std::vector<MessageKey>>
      of_running_;
  std::vector<KernelRemainder> commands_;
  AnalysisBinding<KernelRun> runs_;
  AnalysisBinding<MessageProgress> steps_;
};

}  // namespace kernbench
