// Operation logs made by hand, with the tables that a run writes. Times in femtoseconds.
#pragma once

#include <string>
#include <vector>

#include "platform/events/op_log_player.h"
#include "platform/events/progress_log.h"
#include "tests/support/temporary_folder.h"

namespace kernbench::test {

struct HandMadeOp {
  std::string node, name;
  Fs start = 0, end = 0;
  std::uint64_t command = 0;
  std::int64_t tile = -1;
  std::uint64_t bytes = 0;
  std::uint32_t stream = 0;
};

struct HandMadeLog {
  std::vector<HandMadeOp> ops;  // ids from 1 on
  ProgressRows progress;
  std::vector<LaunchRow> launches;
  OpTable::Meta meta{{"bench", "by-hand M=1"}, {"configuration", "{}"}, {"status", "completed"}};

  // A launch with one kernel on each of these PEs, all from `start` to `returned`.
  void launch(const std::string& kernel, Fs issued, Fs ended, const std::vector<std::string>& pes,
              Fs start, Fs returned, std::uint32_t stream = 0);
  // A command that its kernel waits for from its submission to its completion.
  void awaited_command(const std::string& pe, std::uint64_t command, Fs submitted, Fs dispatched,
                       Fs completed, std::uint32_t stream = 0);

  // The file's path; it lives as long as the log.
  std::string write(const std::string& name = "log.sqlite") const;

 private:
  TemporaryFolder folder_;
};

// A log, played back to a report.
template <class Report>
struct Played {
  template <class... Options>
  explicit Played(const std::string& path, Options... options)
      : log(path), report(log.observation(), std::move(options)...) {
    log.play();
  }
  LogPlayer log;
  Report report;
};

}  // namespace kernbench::test
