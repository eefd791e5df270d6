// A machine inside a user's module, all its outputs recorded, and a program for it.
#pragma once

#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "platform/export/request_trace.h"
#include "platform/observe/run_statistics.h"
#include "platform/observe/statistics_regions.h"
#include "platform/observe/waiting_times.h"
#include "tests/support/observed_transfers.h"
#include "tests/support/whole_machine.h"

namespace kernbench::test {

// A machine in a module of the test's own.
class Shell final : public sc_core::sc_module {
 public:
  Shell(const sc_core::sc_module_name& name, const std::string& topology,
        const std::vector<Override>& overrides = {})
      : sc_module(name) {
    MachineOptions options(MachineOptions::Engines::builtin);
    options.records = true;
    machine = std::make_unique<WholeMachine>(topology, overrides, options);
    trace = std::make_unique<RequestTrace>(platform(), lines);
    platform().observation().executed_ops.bind(windows);
    regions = std::make_unique<StatisticsRegions>(platform());
    waiting = std::make_unique<WaitingTimes>(platform());
    transfers = std::make_unique<ObservedTransfers>(platform());
  }

  Platform& platform() const { return *machine->platform; }
  // All that a run leaves: request trace, statistics, times.
  std::string results(const RunResult& result) {
    trace->close();
    std::ostringstream text;
    text << name_of(result.status) << ' ' << result.simulated << '\n' << lines.str();
    const RunStatistics statistics(platform(), windows, result.simulated);
    write_json_lines(text,
                     statistics.json(regions->json(), *waiting, transfers->sums.statistics_json()));
    for (const OpRecord& record : machine->op_log.records())
      text << record.op.name << ' ' << record.op.t_start << ' ' << record.op.t_end << '\n';
    return text.str();
  }

  std::unique_ptr<WholeMachine> machine;
  std::ostringstream lines;
  std::unique_ptr<RequestTrace> trace;
  ActivityWindows windows;
  std::unique_ptr<StatisticsRegions> regions;
  std::unique_ptr<WaitingTimes> waiting;
  std::unique_ptr<ObservedTransfers> transfers;
};

using Body = std::function<void(HostPort&, WholeMachine&)>;

struct Program final : HostProgram {
  Program(Shell& shell_, Body body_) : shell(shell_), body(std::move(body_)) {}
  void run(HostPort& port) override { body(port, *shell.machine); }
  Shell& shell;
  Body body;
};

}  // namespace kernbench::test
