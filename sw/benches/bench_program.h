// BenchProgram: a bench as the host program: once, or one copy per device, each on its own thread
// (spec 10.3).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/protocol/host_port.h"
#include "models/protocol/transfer_meter.h"
#include "sw/benches/bench.h"

namespace kernbench {

struct BenchOptions {
  Attributes parameters;                     // resolve_parameters()
  std::vector<int> devices{0};               // SIPs; ignored for a bench that is not per device
  std::uint64_t seed = 1;                    // seed of torch.random
  CclFile ccl{};                             // configuration of torch.distributed
  StatisticsListener* statistics = nullptr;  // observer of torch.stats; null: none
  CallListener* calls = nullptr;             // observer of torch.distributed; null: none
  std::shared_ptr<const AlgorithmRegistry> algorithms = nullptr;  // null: the shipped ones
  // Log of calls of the torch API and of collectives; null: none.
  const Log* call_log = nullptr;
  const Log* collectives_log = nullptr;
  bool untimed_inputs = false;         // transfers before the first launch take no time
  LaunchListener* launches = nullptr;  // null: launches() returns them
  // For a bench that measures transfers; outlives the run.
  TransferMeter* transfers = nullptr;
};

// Must outlive the simulation. A bench that submits nothing ends with LaunchError of code
// NO_REQUESTS.
class BenchProgram final : public HostProgram {
 public:
  BenchProgram(const Bench& bench, BenchOptions options);
  ~BenchProgram() override;

  void run(HostPort& port) override;
  const char* name() const override { return bench_.name.c_str(); }
  const char* last_call() const override;

  // Valid after the run. With several devices, names start with the device: "sip1:out".
  const std::vector<Expectation>& expectations() const;
  const std::vector<LaunchRecord>& launches() const;
  // Table of its collectives, if any, then its own tables.
  std::vector<ResultTable> results() const;
  const std::vector<std::string>& warnings() const;
  std::uint64_t requests() const;  // submitted to the machine
  // End of the bench and its launches, before memory is released.
  std::optional<Fs> ended() const { return ended_; }

 private:
  // UsageError if the bench needs a higher data mode.
  void check_data(const FunctionalModel* data) const;
  void run_on(int device);
  void finish();

  const Bench& bench_;
  BenchOptions options_;
  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<DistributedState> distributed_;
  std::size_t running_ = 0;
  std::optional<Fs> ended_;
};

}  // namespace kernbench
