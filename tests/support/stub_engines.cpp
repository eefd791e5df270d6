#include "tests/support/stub_engines.h"

#include <algorithm>
#include <list>

#include "models/fabric/memory_service.h"
#include "models/pe/pe_components.h"
#include "models/protocol/machine_services.h"

namespace kernbench::test {
namespace {

// Answers PE messages: overhead after they came, a launch `run` after its target_start.
class StubControlEndpoint final : public FabricNode {
 public:
  StubControlEndpoint(const ComponentInit& init, StubEngines& engines)
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
    Fs due = arrivals_.control_due(overhead_);
    for (const Job& job : jobs_) due = std::min(due, job.due);
    return due;
  }

  void serve() override {
    arrivals_.take_control(now(), overhead_,
                           [this](const Arrival& arrival) { take(*arrival.transaction); });
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
        job->plan.result = Completion::failure(Completion::aborted,
                                               std::string(name()) + " was aborted on request");
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

using Create = std::function<std::unique_ptr<Component>(const ComponentInit&)>;

}  // namespace

void register_stub_engines(ComponentRegistry& registry, StubEngines& engines) {
  const auto control_end = [&engines](const ComponentInit& init) {
    return make_component<StubControlEndpoint>(init, engines);
  };
  const Create plain = [](const ComponentInit& init) { return make_component<StubEngine>(init); };
  const std::map<Role, Create> stubs{
      {Role::pe_cpu, control_end},
      {Role::pe_mmu, control_end},
      {Role::pe_dma, [](const ComponentInit& init) { return make_component<StubDma>(init); }},
      {Role::pe_tcm, [](const ComponentInit& init) { return make_component<StubTcm>(init); }}};
  // Under the names of the engines that they stand for, and with their attributes.
  ComponentRegistry engines_of_a_pe;
  register_pe_components(engines_of_a_pe);
  for (const Implementation* engine : engines_of_a_pe.list()) {
    const auto stub = stubs.find(engine->roles.front());
    registry.add({engine->name, "replaces an engine", engine->roles, engine->schema,
                  stub == stubs.end() ? plain : stub->second});
  }
}

}  // namespace kernbench::test
