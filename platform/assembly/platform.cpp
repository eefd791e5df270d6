#include "platform/assembly/platform.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "models/base/errors.h"
#include "models/base/exception_text.h"
#include "models/base/group_similar_messages.h"
#include "models/data/functional_model.h"
#include "models/host/host.h"
#include "models/noc/link.h"
#include "models/protocol/control_node.h"
#include "models/protocol/fabric_calendar.h"
#include "models/protocol/host_messages.h"
#include "models/protocol/program_host.h"
#include "models/protocol/protocol_monitor.h"
#include "platform/assembly/describe_machine.h"
#include "platform/assembly/elaborated_part.h"
#include "platform/assembly/external_accesses.h"
#include "platform/assembly/machine_modules.h"
#include "platform/assembly/machine_root.h"
#include "platform/assembly/machine_routes.h"
#include "platform/assembly/shared_run.h"
#include "platform/assembly/stop_timer.h"
#include "platform/assembly/time_resolution.h"
#include "platform/topology/channel_dependencies.h"

namespace kernbench {
namespace {

// Called before the first sc_time exists, that is before any member is constructed.
PlatformOptions prepare(const PlatformOptions& options) {
  use_femtoseconds();
  return options;
}

// --- Requests of a deadlock report (spec 4.2)

using NameOfNode = std::function<std::string(NodeId)>;

// "the read of 64 bytes of sip0.cube0.pe0.pe_dma at sip0.cube0.sram", "the MmuMap of
// sip0.cube0.m_cpu to sip0.cube0.pe0.pe_mmu".
std::string request_text(const Transaction& transaction, const NameOfNode& name) {
  const Path& path = transaction.route().request_path();
  const std::string from = name(path.source()), to = name(path.target());
  if (transaction.is_read() || transaction.is_write())
    return fmt::format("the {} of {} bytes of {} at {}", access_name(transaction),
                       transaction.get_data_length(), from, to);
  const auto* message = dynamic_cast<const PeMessage*>(transaction.route().message.get());
  return fmt::format("the {} of {} to {}",
                     message == nullptr ? "control message" : message->type_name(), from, to);
}

std::string with_leg(const Transaction& transaction, const NameOfNode& name) {
  return (transaction.route().leg == Leg::request ? "" : "the answer to ") +
         request_text(transaction, name);
}

// Returns a line for each of the first transactions: the information available without monitors.
std::string outstanding_transactions(const TransactionPool& pool, const NameOfNode& name) {
  constexpr std::size_t most = 20;
  const std::vector<const Transaction*> list = pool.in_flight();
  std::string text;
  for (std::size_t i = 0; i < list.size() && i < most; ++i)
    text += fmt::format("\n  {}, issued at {}, is in flight", with_leg(*list[i], name),
                        format_ns(list[i]->route().key.issued));
  if (list.size() > most) text += fmt::format("\n  and {} more transactions", list.size() - most);
  return text + "\n  --check-protocol shows which component holds each request";
}

// Returns a line for each transaction and each service request, with the component that holds it.
std::string outstanding_requests(const TransactionPool& pool, const NameOfNode& name,
                                 const ProtocolMonitors& monitors) {
  std::string text;
  for (const Transaction* transaction : pool.in_flight()) {
    const ProtocolMonitors::Holder holder = monitors.holder_of(*transaction);
    text += fmt::format("\n  {} holds {} since {}", name(holder.node), with_leg(*transaction, name),
                        format_ns(holder.since));
  }
  for (const std::string& line : monitors.held()) text += "\n  " + line;
  return text;
}

}  // namespace

// Signals when no transaction is in flight any more.
class Platform::IdleListener final : public tlm::tlm_analysis_if<TransactionEnd> {
 public:
  explicit IdleListener(Platform& platform)
      : platform_(platform), binding_(platform.observation_.transaction_ends, *this) {}
  // Called before the pool counts the transaction as released.
  void write(const TransactionEnd& /*end*/) override {
    if (platform_.pool_->outstanding() == 1) platform_.ended_event_.notify(sc_core::SC_ZERO_TIME);
  }

 private:
  Platform& platform_;
  AnalysisBinding<TransactionEnd> binding_;
};

Platform::Platform(Graph graph, const ComponentRegistry& registry, const PlatformOptions& options)
    : options_(prepare(options)), root_(std::make_unique<MachineRoot>()),
      graph_(std::make_unique<const Graph>(std::move(graph))),
      part_(std::make_unique<const ElaboratedPart>(*graph_, options.cubes)),
      edges_(std::make_unique<const FabricEdges>(*graph_, part_.get())),
      machine_(describe_machine(*graph_)),
      routes_(std::make_unique<MachineRoutes>(*graph_, *edges_)), ended_event_(""),
      end_of_timestep_(std::make_unique<EndOfTimestep>("end_of_timestep")),
      calendar_(std::make_unique<FabricCalendar>("fabric_calendar")),
      pool_(std::make_unique<TransactionPool>(&observation_.transaction_ends)),
      monitors_(make_monitors()),
      modules_(std::make_unique<MachineModules>(*graph_, *part_, *edges_, registry,
                                                static_cast<Services&>(*this), monitors_.get())) {
  observation_.single_flits = options_.single_flits;
  check_buffers(*graph_, routes_->finder(), modules_->virtual_channels(),
                [this](NodeId node) { return part_->has(node); });
  host_ = make_component<Host>({"host", no_node, Attributes(), *this});
  for (int sip = 0; sip < machine_.sips; ++sip) {
    const NodeId node = machine_.pcie_ep(sip);
    if (!part_->has(node)) continue;
    if (!host_->to_pcie_ep(sip).bind_to(modules_->component(node), Role::pcie_ep, "host",
                                        monitors_.get()))
      throw UsageError(
          fmt::format("'{}': its implementation '{}' takes no transactions from the host",
                      machine_.name(node), graph_->node(node).impl()));
  }
  root_->built();
}

const std::string& Platform::name() const { return root_->name(); }
Routes& Platform::routes() { return *routes_; }
Component& Platform::component(NodeId node) const { return modules_->component(node); }
Component* Platform::find_component(NodeId node) const { return modules_->find_component(node); }
const std::vector<Component*>& Platform::components() const { return modules_->elaborated(); }
Component& Platform::host() const { return *host_; }
const std::vector<LinkInstance>& Platform::links() const { return modules_->links(); }

std::unique_ptr<ProtocolMonitors> Platform::make_monitors() {
  if (!options_.check_protocol) return nullptr;
  return std::make_unique<ProtocolMonitors>(
      [this](const sc_core::sc_object& where, const std::string& what) { fatal(where, what); });
}

Platform::~Platform() {
  if (options_.tear_down) {
    modules_.reset();
    return;
  }
  modules_.release();  // NOLINT(bugprone-unused-return-value): kept until the process ends, with
                       // all objects that they refer to
  host_.release();     // NOLINT(bugprone-unused-return-value)
  pool_.release();     // NOLINT(bugprone-unused-return-value)
  end_of_timestep_.release();  // NOLINT(bugprone-unused-return-value)
  calendar_.release();         // NOLINT(bugprone-unused-return-value)
  monitors_.release();         // NOLINT(bugprone-unused-return-value)
}

void Platform::fatal(const sc_core::sc_object& where, const std::string& what) {
  state_.fail(std::make_exception_ptr(
      ModelError(fmt::format("{} at {}: {}", where.name(), format_ns(Component::now()), what))));
  ended_event_.notify(sc_core::SC_ZERO_TIME);
}

bool Platform::stopping() const { return StopTimer::stopping(); }

RunResult Platform::run(HostProgram& program, const RunLimits& limits) {
  set_program(program);
  return run(limits);
}

RunResult Platform::run(const RunLimits& limits) { return run_together({this}, limits).front(); }

// --- A run in parts

void Platform::set_program(HostProgram& program) {
  state_.has_program = true;
  host_->set_program(program, [this](const std::exception_ptr& error) { program_ended(error); });
}

bool Platform::is_done() const { return state_.program_ended && pool_->outstanding() == 0; }

void Platform::program_ended(const std::exception_ptr& error) {
  ended_event_.notify(sc_core::SC_ZERO_TIME);
  if (error) return state_.fail(error);
  state_.program_ended = true;
  state_.program_ended_at = Component::now();
  if (state_.pauses_at_end) return sc_core::sc_pause();
  idle_listener_ = std::make_unique<IdleListener>(*this);
}

bool Platform::ended() const { return state_.cause || is_done(); }

RunResult Platform::result_so_far(RunStatus status) const {
  RunResult result;
  result.status = status;
  result.cause = state_.cause;
  result.simulated = state_.program_ended ? state_.program_ended_at : Component::now();
  result.deltas = sc_core::sc_delta_count();
  return result;
}

RunResult Platform::result() {
  RunResult result = result_so_far(RunStatus::until_reached);
  if (state_.cause) {
    result.status = RunStatus::failed;
  } else if (is_done()) {
    result.status = RunStatus::completed;
  } else if (!sc_core::sc_pending_activity()) {
    result.cause = starvation();
    result.status = result.cause ? RunStatus::deadlock : RunStatus::completed;
  }
  if (options_.data != nullptr) options_.data->resolve();
  check_pool(result);
  check_connections(result);
  result.error = text_of(result.cause);
  return result;
}

void Platform::check_pool(RunResult& result) const {
  if (result.status != RunStatus::completed || pool_->outstanding() == 0) return;
  std::string text = fmt::format("{}{} transactions have not been released at the end of the run",
                                 root_->at_top() ? "" : name() + ": ", pool_->outstanding());
  for (const TlmBridge* bridge : bridges_of(*this)) {
    if (bridge->payloads_with_module() > 0)
      text += fmt::format("; the module behind {} keeps {} payload(s)", bridge->name(),
                          bridge->payloads_with_module());
  }
  result.status = RunStatus::failed;
  result.cause = std::make_exception_ptr(ModelError(text));
}

std::uint64_t Platform::data_races() const {
  return options_.data == nullptr ? 0 : options_.data->data_races();
}

void Platform::check_connections(RunResult& result) const {
  if (result.status != RunStatus::completed || monitors_ == nullptr) return;
  const std::string unfinished = monitors_->unfinished();
  if (unfinished.empty()) return;
  result.status = RunStatus::failed;
  result.cause = std::make_exception_ptr(
      ModelError("connections with unfinished messages or requests:" + unfinished));
}

// Sum of the counters of components and links and of the waits opened: none ever decreases.
std::uint64_t Platform::work_done() const {
  std::uint64_t work = pending_waits_.opened();
  const auto add = [&work](const Component& component) {
    for (const Statistic& statistic : component.statistics()) work += *statistic.value;
  };
  for (const Component* component : components()) add(*component);
  add(*host_);
  for (const LinkInstance& entry : modules_->links())
    work += entry.link->statistics().flits + entry.link->statistics().control_messages;
  return work;
}

bool Platform::unblock() {
  bool any = host_->end_blocked_launches();
  for (Component* component : components()) {
    auto* control = dynamic_cast<ControlNode*>(component);
    any = (control != nullptr && control->end_blocked_launches()) || any;
  }
  return any;
}

// Called when no event is pending. Returns null unless the program or another wait is blocked.
std::exception_ptr Platform::starvation() const {
  const bool program_blocked = state_.has_program && !state_.program_ended;
  if (!program_blocked && !pending_waits_.any()) return nullptr;
  return blocked(fmt::format("deadlock at {}: nothing is pending", format_ns(Component::now())));
}

// One line for all programs whose last call is the same.
std::string Platform::running_programs() const {
  std::vector<std::string> names;
  std::vector<std::string> lines;  // in the order of the first program of each
  std::map<std::string, std::vector<std::size_t>> alike;
  const auto add = [&](const Component& component) {
    const auto* host = dynamic_cast<const ProgramHost*>(&component);
    if (host == nullptr) return;
    for (const RunningProgram& program : host->running_programs()) {
      const std::string call = program.last_call;
      const std::string line =
          fmt::format(" {} '{}'; last call: {}", program.kind, program.name,
                      call.empty() ? "none" : program.api + call + program.call_site.in_brackets());
      if (alike[line].empty()) lines.push_back(line);
      alike[line].push_back(names.size());
      names.emplace_back(component.name());
    }
  };
  add(*host_);
  for (const Component* component : components()) add(*component);
  std::string text;
  for (const std::string& line : lines) {
    const std::vector<std::size_t>& group = alike[line];
    text += fmt::format("\n  {} {}{}", first_of(group, names), group.size() == 1 ? "runs" : "run",
                        line);
  }
  return text;
}

std::exception_ptr Platform::blocked(const std::string& how) const {
  std::string text = (root_->at_top() ? "" : name() + ": ") + how + ", and";
  const std::vector<PendingWaits::Waiter> waiters = pending_waits_.waiters();
  for (const PendingWaits::Waiter& waiter : waiters) {
    text += fmt::format("\n  {} waits for {} since {}", waiter.who, waiter.what,
                        format_ns(waiter.since));
    if (waiter.state) text += waiter.state();
  }
  text += running_programs();
  const NameOfNode name = [this](NodeId node) { return component(node).name(); };
  text += monitors_ == nullptr ? outstanding_transactions(*pool_, name)
                               : outstanding_requests(*pool_, name, *monitors_);
  return std::make_exception_ptr(DeadlockError(text));
}

}  // namespace kernbench
