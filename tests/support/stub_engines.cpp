#include "tests/support/stub_engines.h"

#include <algorithm>
#include <list>

#include "models/pe/pe_cpu.h"
#include "models/pe/pe_dma.h"
#include "models/pe/pe_fetch_store.h"
#include "models/pe/pe_gemm.h"
#include "models/pe/pe_ipcq.h"
#include "models/pe/pe_math.h"
#include "models/pe/pe_mmu.h"
#include "models/pe/pe_scheduler.h"
#include "models/pe/pe_tcm.h"
#include "models/protocol/machine_services.h"
#include "models/timing/terminal_memory.h"

namespace kernbench::test {
namespace {

// Answers PE messages: overhead after they came, a launch `run` after its target_start.
class StubControlEnd final : public FabricNode {
 public:
  StubControlEnd(const ComponentInit& init, StubEngines& engines)
      : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward), engines_(engines),
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
      request.route().make_response();
      send(request, 0, 0, 0, now());
    }
  }

  void take(Transaction& request) {
    const std::shared_ptr<const Message> message = request.route().message;
    if (const auto* abort = dynamic_cast<const LaunchAbort*>(message.get())) {
      const auto job = std::find_if(jobs_.begin(), jobs_.end(),
                                    [&](const Job& j) { return j.message == abort->launch; });
      if (job == jobs_.end()) {
        ++engines_.ignored_aborts;
      } else {
        engines_.launches[job->launch].aborted = true;
        if (job->plan.obeys) job->due = now();
        job->plan.result =
            Completion::failure(Completion::aborted, std::string(name()) + " was told to end");
      }
      return request.route().listener->completed(request);
    }
    const StubEngines::Plan plan = engines_.plans[name()];
    if (const auto* launch = dynamic_cast<const KernelLaunch*>(message.get())) {
      const Fs target_start = launch->target_start.value_or(0);
      const Fs start = std::max(now(), target_start);
      jobs_.push_back({&request, message, engines_.launches.size(),
                       plan.answers ? start + plan.run : never_fs, plan});
      engines_.launches.push_back({name(), now(), target_start});
    } else {
      jobs_.push_back(
          {&request, message, ~std::size_t{0}, plan.answers ? now() + plan.run : never_fs, plan});
      engines_.maps.push_back(
          {name(), now(), dynamic_cast<const PeMessage&>(*message).type_name()});
    }
  }

  StubEngines& engines_;
  Fs overhead_;
  std::list<Job> jobs_;
};

// Lets what goes to and from the TCM pass at the very same instant.
class StubDma final : public FabricNode {
 public:
  explicit StubDma(const ComponentInit& init)
      : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward) {}

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
      : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward),
        memory_(arrivals_, ns_to_fs(init.attributes.decimal("overhead_ns")), 256) {}

 private:
  Fs next_due() const override { return memory_.next_due(); }
  void serve() override {
    memory_.serve(
        now(),
        [this](Transaction& transaction, std::uint32_t flit, std::uint32_t count) {
          send(transaction, flit, count, 0, now());
        },
        [](const Arrival&) {});
  }

  TerminalMemory memory_;
};

class StubEngine final : public Component {
 public:
  explicit StubEngine(const ComponentInit& init) : Component(init) {}
};

// Under the name of the engine that it stands for, and with its attributes.
template <class Engine>
void add(ComponentRegistry& registry,
         std::function<std::unique_ptr<Component>(const ComponentInit&)> create) {
  for (const Role role : Engine::roles)
    registry.add({"builtin." + std::string(name_of(role)),
                  "stands for an engine",
                  {role},
                  SchemaOf<Engine>::schema(),
                  create});
}

}  // namespace

void register_stub_engines(ComponentRegistry& registry, StubEngines& engines) {
  const auto control_end = [&engines](const ComponentInit& init) {
    return make_component<StubControlEnd>(init, engines);
  };
  const auto plain = [](const ComponentInit& init) { return make_component<StubEngine>(init); };
  add<PeCpu>(registry, control_end);
  add<PeMmu>(registry, control_end);
  add<PeDma>(registry, [](const ComponentInit& init) { return make_component<StubDma>(init); });
  add<PeTcm>(registry, [](const ComponentInit& init) { return make_component<StubTcm>(init); });
  add<PeScheduler>(registry, plain);
  add<PeFetchStore>(registry, plain);
  add<PeGemm>(registry, plain);
  add<PeMath>(registry, plain);
  add<PeIpcq>(registry, plain);
}

}  // namespace kernbench::test
