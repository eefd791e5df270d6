// LeakReport: messages that no kernel has received, commands never waited for, and races between
// accesses. A later kernel may receive a message, so messages are counted at the end of the run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models/protocol/host_messages.h"
#include "models/protocol/observation.h"

namespace kernbench {

class FunctionalModel;

// Leak of one kernel, over all of its PEs.
struct Leak {
  enum class Kind : std::uint8_t { message, command };
  Kind kind = Kind::message;
  std::string kernel, request;  // its first launch with a leak
  std::string where;            // the first PE: "sip0.cube0.pe0"
  // "a message in direction 'E' to sip0.cube0.pe1", "1 command, tl.composite(gemm) (k.cpp:39)"
  std::string what;
  std::uint64_t count = 1;  // messages; kernels on PEs that left commands
  std::string text() const;
};

class LeakReport final : private tlm::tlm_analysis_if<KernelRun>,
                         private tlm::tlm_analysis_if<MessageProgress> {
 public:
  explicit LeakReport(Observation& observation)
      : runs_(observation.kernel_runs, *this), steps_(observation.message_progress, *this) {}

  // Leaks so far: commands first, then messages, each in the order of the first.
  std::vector<Leak> leaks() const;

 private:
  using MessageKey = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;
  struct Message {
    std::uint64_t number = 0;     // in the order of sending
    std::string kernel, request;  // set when its kernel has ended
    PeId source, destination;
    std::string direction;
  };
  void write(const KernelRun& run) override;
  void write(const MessageProgress& step) override;

  std::map<MessageKey, Message> messages_;  // messages not yet received
  std::uint64_t sent_ = 0;
  // Messages of the kernel that runs on a PE in a stream, by the PE's scope; for look-up only.
  std::map<std::pair<const sc_core::sc_object*, std::uint32_t>, std::vector<MessageKey>>
      of_running_;
  std::vector<Leak> commands_;
  AnalysisBinding<KernelRun> runs_;
  AnalysisBinding<MessageProgress> steps_;
};

// Races found in a run, for its report (`--check-races`).
struct RaceReport {
  std::vector<std::string> texts;  // one for each two calls that race
  std::uint64_t pairs = 0;         // pairs of accesses
};

// None: races were not checked.
std::optional<RaceReport> race_report(const FunctionalModel& data);

}  // namespace kernbench
