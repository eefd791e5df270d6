#include "sw/benches/bench_program.h"

#include <fmt/format.h>

#include "models/base/errors.h"
#include "models/data/functional_model.h"
#include "sw/distributed/collective_record.h"
#include "sw/distributed/distributed_state.h"

namespace kernbench {

BenchProgram::BenchProgram(const Bench& bench, BenchOptions options)
    : bench_(bench), options_(std::move(options)) {
  if (!bench_.per_device) options_.devices = {0};
  if (options_.devices.empty())
    throw UsageError(fmt::format("bench '{}': no device given", bench_.name));
}

BenchProgram::~BenchProgram() = default;

void BenchProgram::run(HostPort& port) {
  check_data(port.data());
  runtime_ = std::make_unique<Runtime>(port, bench_.name);
  distributed_ = std::make_unique<DistributedState>(*runtime_);
  distributed_->configure(options_.ccl, options_.algorithms);
  runtime_->statistics = options_.statistics;
  runtime_->call_log = options_.call_log;
  runtime_->collectives_log = options_.collectives_log;
  runtime_->calls = options_.calls;
  runtime_->launch_listener = options_.launches;
  runtime_->transfers = options_.transfers;
  runtime_->untimed_inputs = options_.untimed_inputs;
  runtime_->memory->start_reaper();
  running_ = options_.devices.size();
  if (running_ == 1) {
    run_on(options_.devices.front());
    return;
  }
  for (const int device : options_.devices) {
    port.spawn(fmt::format("bench_sip{}", device), [this, device] { run_on(device); });
  }
}

const char* BenchProgram::last_call() const {
  if (!runtime_) return "";
  if (const Worker* worker = runtime_->worker_of_thread()) return worker->last_call();
  return runtime_->workers.empty() ? runtime_->last_call
                                   : runtime_->workers.begin()->second->last_call();
}

void BenchProgram::check_data(const FunctionalModel* data) const {
  const std::string bench = fmt::format("bench '{}' ", bench_.name);
  if (bench_.needs_data == DataMode::deferred && data == nullptr) {
    throw UsageError(fmt::format(
        "{}reads the values that its kernels load; it does not run with data off", bench));
  }
  if (bench_.needs_data == DataMode::eager && (data == nullptr || !data->eager())) {
    throw UsageError(fmt::format(
        "{}branches on values that its kernels compute; it runs with --data eager only", bench));
  }
}

void BenchProgram::run_on(int device) {
  {
    Torch torch(*distributed_, device, options_.seed, options_.parameters);
    if (options_.devices.size() > 1) torch.set_label(fmt::format("sip{}:", device));
    bench_.run(torch);
    torch.wait_all();
  }
  if (--running_ == 0) finish();
}

void BenchProgram::finish() {
  ended_ = runtime_->link.port().now();
  if (runtime_->link.submitted() == 0) {
    throw LaunchError(
        "NO_REQUESTS",
        fmt::format("bench '{}' has ended with NO_REQUESTS: it submitted nothing to the machine",
                    bench_.name));
  }
  runtime_->memory->abandon();  // unreleased memory is dropped: the run is over
}

const std::vector<Expectation>& BenchProgram::expectations() const {
  static const std::vector<Expectation> none;
  return runtime_ ? runtime_->expectations : none;
}

const std::vector<LaunchRecord>& BenchProgram::launches() const {
  static const std::vector<LaunchRecord> none;
  return runtime_ ? runtime_->launches : none;
}

std::vector<ResultTable> BenchProgram::results() const {
  if (!runtime_) return {};
  std::vector<ResultTable> tables;
  ResultTable collectives = collective_table(distributed_->collectives);
  if (!collectives.rows().empty()) tables.push_back(std::move(collectives));
  tables.insert(tables.end(), runtime_->results.begin(), runtime_->results.end());
  return tables;
}

const std::vector<std::string>& BenchProgram::warnings() const {
  static const std::vector<std::string> none;
  return runtime_ ? runtime_->warnings : none;
}

std::uint64_t BenchProgram::requests() const { return runtime_ ? runtime_->link.submitted() : 0; }

}  // namespace kernbench
