// Options of `kernbench run`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/units.h"
#include "platform/assembly/run.h"
#include "platform/report/report.h"
#include "sc_main/machine_options.h"
#include "sw/benches/bench.h"

namespace CLI {
class App;
}

namespace kernbench {

struct RunOptions {
  std::string bench;  // empty: the machine's plain TLM-2.0 initiators run
  std::string device = "sip:0";
  std::vector<std::string> params;
  std::uint64_t seed = 1;
  MachineOptions machine;
  std::string elaborate = "all";  // or reachable
  std::string verify_data;  // text from CLI11: empty: nothing; "true": outputs; "ops": outputs and
                            // every operation
  std::string data;  // off, deferred or eager; empty: as required by verify_data and the bench
  std::string data_memory;  // a size; empty: the default
  std::string until_ns;
  std::string max_wall_s;
  std::string deadlock_after_ns = "1000000";
  std::string results;  // file for the bench's tables; empty: none
  ReportSet reports;
  bool check_protocol = false, check_races = false;
  std::string fabric = "runs";
  std::uint64_t max_deltas = RunLimits().max_deltas;  // 0: no limit
  bool print_config = false, json = false;
  bool untimed_inputs = false;  // transfers before the first launch take no time
  const CLI::App* command = nullptr;

  void add_to(CLI::App& command);

  // All throw UsageError.
  void check() const;  // contradictory options
  std::vector<int> devices(int sips) const;
  std::optional<Fs> until() const;
  std::optional<Fs> deadlock_after() const;
  std::optional<double> max_wall() const;
  DataMode data_mode(DataMode needed_by_bench) const;
  std::uint64_t data_memory_bytes() const;
  RunLimits limits() const;
  bool elaborates_all() const { return elaborate == "all"; }
  bool verifies() const { return !verify_data.empty(); }
  bool verifies_ops() const { return verify_data == "ops"; }

 private:
  void check_without_bench() const;
};

}  // namespace kernbench
