// PathWalk: the walk backwards along the critical path of a launch (critical_path.h).
//
// It stands at an instant, the cursor, with something that ended there; each move adds the steps up
// to what that depended on, and goes there.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "platform/inspect/critical_path.h"
#include "platform/inspect/pe_log.h"

namespace kernbench {

class PathWalk {
 public:
  PathWalk(const OpLogReader& log, const LoggedLaunch& launch)
      : log_(log), launch_(launch), logs_(log), cursor_(launch.ended) {}
  std::vector<PathStep> steps();

 private:
  // What ended at the cursor.
  struct Position {
    enum class Kind : std::uint8_t {
      kernel,     // a stretch in which the kernel of the stream ran on the PE
      completed,  // a command
      dispatched,
      operation,
      sent,  // a message
      visible,
      consumed,
      begun  // a run
    };
    Kind kind = Kind::kernel;
    const PeLog* pe = nullptr;
    const LoggedCommand* command = nullptr;
    const LoggedOp* op = nullptr;
    const LoggedMessage* message = nullptr;
    const LoggedRun* run = nullptr;
    std::uint32_t stream = 0;  // of a kernel
    std::string after;         // how the step that comes next depends on it
  };
  using Kind = Position::Kind;

  static Position kernel_of(const PeLog& pe, std::uint32_t stream) {
    return {Kind::kernel, &pe, {}, {}, {}, {}, stream, {}};
  }
  static Position completion_of(const PeLog& pe, const LoggedCommand& command) {
    return {Kind::completed, &pe, &command, {}, {}, {}, {}, {}};
  }
  static Position dispatch_of(const PeLog& pe, const LoggedCommand& command) {
    return {Kind::dispatched, &pe, &command, {}, {}, {}, {}, "its dispatch"};
  }
  static Position op_of(const PeLog& pe, const LoggedOp& op, std::string after) {
    return {Kind::operation, &pe, {}, &op, {}, {}, {}, std::move(after)};
  }
  static Position message_at(Kind kind, const PeLog& pe, const LoggedMessage& message) {
    return {kind, &pe, {}, {}, &message, {}, {}, {}};
  }
  static Position start_of(const PeLog& pe, const LoggedRun& run) {
    return {Kind::begun, &pe, {}, {}, {}, &run, {}, {}};
  }

  // A step from `start` to the cursor, which moves there; nothing before the issue of the launch.
  void add(Fs start, PathStep::Kind kind, const std::string& resource, const std::string& where,
           const std::string& what, std::optional<std::uint64_t> op = {});
  void operation(Fs start, const std::string& resource, const std::string& where,
                 const std::string& what) {
    add(start, PathStep::Kind::operation, resource, where, what);
  }
  void wait(Fs start, const std::string& resource, const std::string& where,
            const std::string& what) {
    add(start, PathStep::Kind::wait, resource, where, what);
  }
  Position unexplained(const PeLog& pe, std::uint32_t stream, Fs since, const std::string& what);

  Position before_barrier(const LoggedWait& wait);
  const LoggedRun* last_run();
  Position answered(const LoggedRun& run);
  Position before(const Position& at);
  Position before_kernel(const PeLog& pe, std::uint32_t stream);
  Position before_end_of(const PeLog& pe, const LoggedWait& wait);
  Position before_completion(const PeLog& pe, const LoggedCommand& command);
  Position before_dispatch(const PeLog& pe, const LoggedCommand& command);
  Position before_op(const PeLog& pe, const LoggedOp& op);
  Position before_sent(const PeLog& pe, const LoggedMessage& message);
  // The credit of `freed` let `message` go.
  Position before_credit(const LoggedMessage& freed, const LoggedMessage& message);
  Position before_visible(const PeLog& pe, const LoggedMessage& message);
  Position before_consumed(const PeLog& pe, const LoggedMessage& message);
  Position before_start(const PeLog& pe, const LoggedRun& run);
  void before_issue(const LoggedLaunch& launch);
  Fs end_of_launch_on(const LoggedRun& run, Fs by);
  const LoggedLaunch* find_launch(std::uint64_t id) const;
  std::optional<Position> predecessor(const PeLog& pe, const LoggedOp& op) const;

  const OpLogReader& log_;
  const LoggedLaunch& launch_;
  PeLogs logs_;
  Fs cursor_;
  std::vector<PathStep> steps_;     // from the last one back
  std::set<std::uint64_t> walked_;  // operations
  LoggedRun last_;
};

}  // namespace kernbench
