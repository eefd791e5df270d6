#include "sw/benches/bench_program.h"

#include "models/base/errors.h"
#include "models/data/functional_model.h"
#include "sw/distributed/collective_table.h"

namespace kernbench {

BenchProgram::BenchProgram(const Bench& bench, BenchOptions options)
    : bench_(bench), options_(std::move(options)) {
  if (!bench_.per_device) options_.devices = {0};
  if (options_.devices.empty()) throw UsageError("bench '" + bench_.name + "': no device given");
}

BenchProgram::~BenchProgram() = default;

void BenchProgram::run(HostPort& port) {
  check_data(port.data());
  runtime_ = std::make_unique<Runtime>(port, bench_.name);
  runtime_->distributed.configure(options_.ccl, nullptr);
  runtime_->statistics = options_.statistics;
  runtime_->memory->start_reaper();
  running_ = options_.devices.size();
  if (running_ == 1) {
    run_on(options_.devices.front());
    return;
  }
  for (const int device : options_.devices) {
    port.spawn("bench_sip" + std::to_string(device), [this, device] { run_on(device); });
  }
}

const char* BenchProgram::last_call() const {
  if (!runtime_) return "";
  if (const Worker* worker = runtime_->worker_of_thread()) return worker->last_call();
  return runtime_->workers.empty() ? runtime_->last_call
                                   : runtime_->workers.begin()->second->last_call();
}

void BenchProgram::check_data(const FunctionalModel* data) const {
  const std::string bench = "bench '" + bench_.name + "' ";
  if (bench_.needs_data == DataMode::deferred && data == nullptr) {
    throw UsageError(bench +
                     "reads the values that its kernels load; it does not run with data off");
  }
  if (bench_.needs_data == DataMode::eager && (data == nullptr || !data->eager())) {
    throw UsageError(bench +
                     "branches on values that its kernels compute; it runs with --data eager only");
  }
}

void BenchProgram::run_on(int device) {
  {
    Torch torch(*runtime_, device, options_.seed, options_.parameters);
    if (options_.devices.size() > 1) torch.set_label("sip" + std::to_string(device) + ":");
    bench_.run(torch);
    torch.wait_all();
  }
  if (--running_ == 0) finish();
}

void BenchProgram::finish() {
  ended_ = runtime_->link.port().now();
  if (runtime_->link.submitted() == 0) {
    throw LaunchError("NO_REQUESTS",
                      "bench '" + bench_.name +
                          "' has ended with NO_REQUESTS: it submitted nothing to the machine");
  }
  runtime_->memory->close();
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
  std::vector<ResultTable> tables(runtime_->results.begin(), runtime_->results.end());
  ResultTable collectives = collective_table(runtime_->distributed.collectives);
  if (!collectives.rows().empty()) tables.push_back(std::move(collectives));
  return tables;
}

const std::vector<std::string>& BenchProgram::warnings() const {
  static const std::vector<std::string> none;
  return runtime_ ? runtime_->warnings : none;
}

std::uint64_t BenchProgram::requests() const { return runtime_ ? runtime_->link.submitted() : 0; }

}  // namespace kernbench
