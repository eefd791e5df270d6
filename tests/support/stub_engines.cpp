#include "tests/support/stub_engines.h"

#include <algorithm>
#include <list>

#include "models/protocol/machine_services.h"
#include "models/timing/terminal_memory.h"

namespace kernbench::test {
namespace {

// Answers PE messages: overhead after they came, a launch `run` after its target_start.
class StubControlEnd final : public FabricNode {
 public:
  StubControlEnd(const ComponentInit& init, StubEngines& engines)
      : FabricNode(init, ArrivalQueue::Keep::last_flit), engines_(engines),
        overhead_(ns_to_fs(init.attributes.decimal("overhead_ns"))) {}

 private:
  struct Job {
    Transaction* request;
    std::shared_ptr<const Message> message;
    std::size_t launch;  // in engines_.launches
    Fs due;
    StubEngines::Plan plan;
  };

  Fs next_due() const override {
    Fs due = arrivals_.control() == nullptr ? never_fs : arrivals_.control()->time + overhead_;
    for (const Job& job : jobs_) due = std::min(due, job.due);
    return due;
  }

  void serve() override {
    while (arrivals_.control() != nullptr && arrivals_.control()->time + overhead_ <= now()) {
      Transaction& request = *arrivals_.control()->transaction;
      arrivals_.pop_control();
      take(request);
    }
    for (auto job = jobs_.begin(); job != jobs_.end();) {
      if (job->due > now()) {
        ++job;
        continue;
      }
      if (job->launch < engines_.launches.size()) engines_.launches[job->launch].answered = now();
      auto response = std::make_shared<HostResponse>();
      response->completion = job->plan.result;
      response->metrics = job->plan.metrics;
      Transaction& request = *job->request;
      job = jobs_.erase(job);
      request.route().message = response;
      request.route().turn_round();
      send(request, 0, 0, 0, now());
    }
  }

  void take(Transaction& request) {
    const std::shared_ptr<const Message> message = request.route().message;
    if (const auto* abort = dynamic_cast<const LaunchAbort*>(message.get())) {
      const auto job = std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& j) { return j.message == abort->launch; });
      if (job == jobs_.end()) {
        ++engines_.ignored_aborts;
      } else {
        engines_.launches[job->launch].aborted = true;
        if (job->plan.obeys) job->due = now();
        job->plan.result = Completion::failure(Completion::aborted, std::string(name()) + " was told to end");
      }
      return request.route().owner->completed(request);
    }
    const StubEngines::Plan plan = engines_.plans[name()];
    if (const auto* launch = dynamic_cast<const KernelLaunch*>(message.get())) {
      const Fs target_start = launch->target_start.value_or(0);
      const Fs start = std::max(now(), target_start);
      jobs_.push_back({&request, message, engines_.launches.size(), plan.answers ? start + plan.run : never_fs, plan});
      engines_.launches.push_back({name(), now(), target_start});
    } else {
      jobs_.push_back({&request, message, ~std::size_t{0}, plan.answers ? now() + plan.run : never_fs, plan});
      engines_.maps.push_back({name(), now(), dynamic_cast<const PeMessage&>(*message).type_name()});
    }
  }

  StubEngines& engines_;
  Fs overhead_;
  std::list<Job> jobs_;
};

// Lets what goes to and from the TCM pass at the very same instant.
class StubDma final : public FabricNode {
 public:
  explicit StubDma(const ComponentInit& init) : FabricNode(init, ArrivalQueue::Keep::last_flit) {}

 private:
  void accepted(std::uint32_t, Transaction& transaction, FlitRun run, Fs arrival) override {
    send(transaction, run.first, run.count, run.position, arrival);
  }
  Fs next_due() const override { return never_fs; }
  void serve() override {}
};

class StubTcm final : public FabricNode {
 public:
  explicit StubTcm(const ComponentInit& init)
      : FabricNode(init, ArrivalQueue::Keep::last_flit), memory_(arrivals_, ns_to_fs(init.attributes.decimal("overhead_ns")), 256) {
  }

 private:
  Fs next_due() const override { return memory_.next_due(); }
  void serve() override {
    memory_.serve(
        now(),
        [this](Transaction& transaction, std::uint32_t flit, std::uint32_t count) { send(transaction, flit, count, 0, now()); },
        [](const Arrival&) {});
  }

  TerminalMemory memory_;
};

class StubEngine final : public Component {
 public:
  explicit StubEngine(const ComponentInit& init) : Component(init) {}
};

Parameter number(const char* name, const char* value) {
  return Parameter::decimal(name, "a number", "", "test").default_val(value);
}
Parameter count(const char* name, std::int64_t value) { return Parameter::integer(name, "a count", "", "test").default_val(value); }

}  // namespace

void register_stub_engines(ComponentRegistry& registry, StubEngines& engines) {
  using Create = std::function<std::unique_ptr<Component>(const ComponentInit&)>;
  const auto add = [&](Role engine, ParameterSchema schema, Create create) {
    schema.push_back(number("overhead_ns", "0"));
    registry.add({"builtin." + std::string(name_of(engine)), "stands for an engine", {engine}, std::move(schema), std::move(create)});
  };
  const Create control_end = [&engines](const ComponentInit& init) { return make_component<StubControlEnd>(init, engines); };
  const Create plain = [](const ComponentInit& init) { return make_component<StubEngine>(init); };
  add(Role::pe_cpu, {number("clock_ghz", "1"), count("kernel_stack_bytes", 1), count("dispatch_cycles", 0), count("scratch_bytes", 1)},
      control_end);
  add(Role::pe_mmu, {count("page_bytes", 4096), number("tlb_overhead_ns", "0")}, control_end);
  add(Role::pe_dma, {count("queue_depth", 8), count("rd_engines", 1), count("wr_engines", 1)},
      [](const ComponentInit& init) { return make_component<StubDma>(init); });
  add(Role::pe_tcm, {count("size_mb", 2), count("reserved_kb", 512), number("read_bw_gbs", "512"), number("write_bw_gbs", "512")},
      [](const ComponentInit& init) { return make_component<StubTcm>(init); });
  add(Role::pe_scheduler, {count("tile_m", 32), count("tile_k", 64), count("tile_n", 32)}, plain);
  add(Role::pe_fetch_store, {count("register_file_bytes", 65536), count("queue_depth", 8)}, plain);
  add(Role::pe_gemm, {count("macs_per_cycle", 4096), number("clock_ghz", "1"), count("queue_depth", 8)}, plain);
  add(Role::pe_math, {count("lanes", 128), number("clock_ghz", "1"), count("queue_depth", 8)}, plain);
  add(Role::pe_ipcq, {}, plain);
}

}  // namespace kernbench::test
