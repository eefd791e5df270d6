#include "platform/assembly/platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "models/base/errors.h"
#include "models/base/exception_text.h"
#include "models/data/functional_model.h"
#include "models/protocol/control_node.h"
#include "models/protocol/program_host.h"
#include "platform/assembly/program_guard.h"
#include "platform/assembly/time_resolution.h"

namespace kernbench {
namespace {

// Before the first sc_time exists, that is before any member is made.
PlatformOptions prepare(const PlatformOptions& options) {
  use_femtoseconds();
  return options;
}

}  // namespace

Platform::Platform(Graph graph, const ComponentRegistry& registry, const PlatformOptions& options)
    : options_(prepare(options)), graph_(std::move(graph)), edges_(graph_),
      machine_(describe_machine(graph_)), routes_(graph_, edges_),
      end_of_timestep_(std::make_unique<EndOfTimestep>("end_of_timestep")),
      pool_(std::make_unique<TransactionPool>(&observation_.transaction_ends)),
      modules_(std::make_unique<MachineModules>(graph_, edges_, registry,
                                                static_cast<Services&>(*this))) {
  std::vector<Injector*> pcie_eps;
  for (int sip = 0; sip < machine_.sips; ++sip) {
    const NodeId node = machine_.pcie_ep(sip);
    auto* injector = dynamic_cast<Injector*>(&modules_->component(node));
    if (injector == nullptr)
      throw UsageError(
          fmt::format("'{}': its implementation '{}' takes no transactions from the host",
                      machine_.name(node), graph_.node(node).impl()));
    pcie_eps.push_back(injector);
  }
  host_ = make_component<Host>({"host", no_node, Attributes(), *this}, std::move(pcie_eps));
}

Platform::~Platform() {
  if (options_.tear_down) {
    modules_.reset();
    return;
  }
  modules_.release();  // NOLINT(bugprone-unused-return-value): left to the end of the process, like
                       // what they refer to
  host_.release();     // NOLINT(bugprone-unused-return-value)
  pool_.release();     // NOLINT(bugprone-unused-return-value)
  end_of_timestep_.release();  // NOLINT(bugprone-unused-return-value)
}

void Platform::fatal(const sc_core::sc_object& where, const std::string& what) {
  state_.fail(std::make_exception_ptr(
      ModelError(fmt::format("{} at {}: {}", where.name(), format_ns(Component::now()), what))));
}

RunResult Platform::run(HostProgram& program, const RunLimits& limits) {
  state_.has_program = true;
  host_->set_program(program, [this](const std::exception_ptr& error) {
    if (error) return state_.fail(error);
    state_.program_ended = true;
    state_.program_ended_at = Component::now();
    sc_core::sc_pause();
  });
  return run(limits);
}

RunResult Platform::run(const RunLimits& limits) {
  const ProgramGuard guard;
  RunOutcome outcome;
  try {
    const auto idle = [this] { return pool_->outstanding() == 0; };
    const auto work = [this] { return work_done(); };
    const auto waiting = [this, idle] { return pending_waits_.any() || !idle(); };
    outcome = run_in_slices(state_, limits,
                            {idle, work, waiting, [this] { return pending_waits_.busy_until(); },
                             [this] { return end_blocked_launches(); }});
  } catch (...) {  // a SystemC error, or what left an SC_METHOD
    if (!state_.cause) state_.cause = std::current_exception();
    outcome = RunOutcome();  // the call that was left may have written to it
    outcome.status = RunStatus::failed;
  }
  return finish(outcome);
}

std::uint64_t Platform::data_races() const {
  return options_.data == nullptr ? 0 : options_.data->data_races();
}

RunResult Platform::finish(RunOutcome outcome) {
  RunResult result;
  result.status = outcome.status;
  result.cause = state_.cause;
  result.simulated = state_.program_ended ? state_.program_ended_at : Component::now();
  result.deltas = sc_core::sc_delta_count();
  result.wall_s = outcome.wall_s;
  result.stuck = outcome.stuck;
  if (outcome.status == RunStatus::deadlock) {
    result.cause = blocked(fmt::format("livelock at {}: nothing but polling and clocks for {}",
                                       format_ns(Component::now()), format_ns(outcome.quiet)));
  }
  if (outcome.starved) {
    result.cause = starvation();
    if (result.cause) result.status = RunStatus::deadlock;
  }
  // Programs may still run in a run that was cut short: they need not bear to be killed, and a
  // thread that is parked does not.
  stop_simulation((result.status == RunStatus::completed || options_.tear_down) &&
                  !ProgramGuard::any_parked());
  if (options_.data != nullptr) options_.data->resolve();
  if (result.status == RunStatus::completed && pool_->outstanding() != 0) {
    result.status = RunStatus::failed;
    result.cause = std::make_exception_ptr(ModelError(fmt::format(
        "{} transactions have not been given back at the end of the run", pool_->outstanding())));
  }
  result.error = text_of(result.cause);
  return result;
}

// The sum of what components and links have counted, and of the waits that have begun: none of
// these ever descends.
std::uint64_t Platform::work_done() const {
  std::uint64_t work = pending_waits_.opened();
  const auto add = [&work](const Component& component) {
    for (const Statistic& statistic : component.statistics()) work += *statistic.value;
  };
  for (NodeId node = 0; node < graph_.nodes().size(); ++node) add(modules_->component(node));
  add(*host_);
  for (const MachineModules::LinkInstance& entry : modules_->links())
    work += entry.link->statistics().flits + entry.link->statistics().control_messages;
  return work;
}

bool Platform::end_blocked_launches() {
  bool any = host_->end_blocked_launches();
  for (NodeId node = 0; node < graph_.nodes().size(); ++node) {
    auto* control = dynamic_cast<ControlNode*>(&modules_->component(node));
    any = (control != nullptr && control->end_blocked_launches()) || any;
  }
  return any;
}

// Called when nothing is pending; null unless the program or another wait is blocked.
std::exception_ptr Platform::starvation() const {
  const bool program_blocked = state_.has_program && !state_.program_ended;
  if (!program_blocked && !pending_waits_.any()) return nullptr;
  return blocked(fmt::format("deadlock at {}: nothing is pending", format_ns(Component::now())));
}

// Programs that wait by other means than a call of theirs are in no list.
std::string Platform::running_programs(const std::vector<PendingWaits::Waiter>& waiters) const {
  std::string text;
  const auto add = [&](const Component& component) {
    const auto* host = dynamic_cast<const ProgramHost*>(&component);
    const auto program = host == nullptr ? std::nullopt : host->running_program();
    const std::string name = component.name(), threads = name + ".";
    const auto waits = [&](const PendingWaits::Waiter& waiter) {
      return waiter.who == name || waiter.who.rfind(threads, 0) == 0;
    };
    if (!program || std::any_of(waiters.begin(), waiters.end(), waits)) return;
    const std::string call = program->last_call;
    text += fmt::format("\n  {} runs {} '{}'; last call: {}", name, program->kind, program->name,
                        call.empty() ? "none" : program->api + call);
  };
  if (!state_.program_ended) add(*host_);
  for (NodeId node = 0; node < graph_.nodes().size(); ++node) add(modules_->component(node));
  return text;
}

std::exception_ptr Platform::blocked(const std::string& how) const {
  std::string text = how + ", and";
  const std::vector<PendingWaits::Waiter> waiters = pending_waits_.waiters();
  for (const PendingWaits::Waiter& waiter : waiters) {
    text += fmt::format("\n  {} waits for {} since {}", waiter.who, waiter.what,
                        format_ns(waiter.since));
    if (waiter.state) text += waiter.state();
  }
  text += running_programs(waiters);
  if (!pending_waits_.any() && pool_->outstanding() != 0)
    text += fmt::format("\n  {} transactions are under way", pool_->outstanding());
  return std::make_exception_ptr(DeadlockError(text));
}

}  // namespace kernbench
