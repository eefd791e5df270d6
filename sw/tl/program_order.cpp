// Order of the accesses of kernels: commands that have not been waited for, and reports to the race
// detector.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <limits>

#include "models/base/errors.h"
#include "models/data/functional_model.h"
#include "models/data/race_detector.h"
#include "sw/tl/program.h"

namespace kernbench::tl {
namespace {

bool overlap(const PhysRange& a, const PhysRange& b) {
  return a.pa < b.pa + b.nbytes && b.pa < a.pa + a.nbytes;
}
PhysRanges sorted(PhysRanges ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const PhysRange& a, const PhysRange& b) { return a.pa < b.pa; });
  return ranges;
}
bool overlap(const PhysRanges& a, const PhysRanges& b) {
  constexpr std::size_t few = 64;  // pairs
  if (a.size() * b.size() <= few) {
    return std::any_of(a.begin(), a.end(), [&](const PhysRange& one) {
      return std::any_of(b.begin(), b.end(),
                         [&](const PhysRange& other) { return overlap(one, other); });
    });
  }
  const PhysRanges in_order = sorted(a), others = sorted(b);
  std::size_t i = 0, j = 0;
  while (i < in_order.size() && j < others.size()) {
    if (overlap(in_order[i], others[j])) return true;
    const bool first = in_order[i].pa + in_order[i].nbytes <= others[j].pa + others[j].nbytes;
    ++(first ? i : j);
  }
  return false;
}

}  // namespace

// --- commands that have not been waited for

// Releases the resources of completed commands. Their entries stay in the list: no program may
// depend on whether a command has completed by a call.
void Program::reap() {
  if (completed_ == nullptr) return;
  for (std::size_t i = 0; i < completed_->size(); ++i) {  // the list may grow
    const auto found = in_flight_.find((*completed_)[i]);
    if (found == in_flight_.end()) continue;
    found->second.operands.clear();
    const CommandState& command = *found->second.command;
    if (command.polled() && command.error().empty()) erase(found);
  }
  completed_->clear();
}

void Program::erase(std::map<std::uint64_t, InFlight>::iterator entry) {
  const InFlight& command = entry->second;
  if (races_ != nullptr) races_->join(agent_, *command.agent);
  reads_in_flight_.remove(entry->first, command.reads);
  writes_in_flight_.remove(entry->first, command.writes);
  in_flight_.erase(entry);
}

std::uint32_t Program::fork_agent() { return races_ == nullptr ? agent_ : races_->fork(agent_); }

void Program::put_in_flight(InFlight&& entry) {
  entry.site = context_.call_site();
  reap();  // commands known to have completed precede this one
  if (races_ != nullptr) {
    if (!entry.agent) entry.agent = fork_agent();
    note(entry, *entry.agent);
  }
  if (completed_ == nullptr) completed_ = std::make_shared<std::vector<std::uint64_t>>();
  const std::shared_ptr<CommandState> command = entry.command;
  reads_in_flight_.add(command->id(), entry.reads);
  writes_in_flight_.add(command->id(), entry.writes);
  in_flight_.emplace(command->id(), std::move(entry));
  command->reports_to(completed_);
}

void Program::note(const InFlight& entry, std::uint32_t agent) {
  if (races_ == nullptr) return;
  const auto one = [&](const PhysRanges& ranges, bool is_write) {
    if (!ranges.empty())
      races_->note(agent, {entry.call, context_.call_site(), context_.now()}, ranges, is_write);
  };
  one(entry.reads, false);
  one(entry.writes, true);
}

const Program::InFlight* Program::unwaited(const std::shared_ptr<CommandState>& command) const {
  if (command == nullptr || command->polled()) return nullptr;
  const auto found = in_flight_.find(command->id());
  return found == in_flight_.end() ? nullptr : &found->second;
}

// Waits for data only: a command that has completed costs no call to PE_CPU.
void Program::settle(const std::shared_ptr<CommandState>& command) {
  if (!command->done() || !command->error().empty()) return wait_for(command);
  forget(command);
}

void Program::wait_for(const std::shared_ptr<CommandState>& command) {
  try {
    context_.wait(*command);
  } catch (const AccessFault&) {  // reported once
    forget(command);
    throw;
  }
  forget(command);
}

void Program::forget(const std::shared_ptr<CommandState>& command) {
  const auto found = in_flight_.find(command->id());
  if (found != in_flight_.end()) erase(found);
}

// --- barriers

// All earlier requests of the PE, except receives, complete first.
void Program::barrier(CallSite site) {
  begin("barrier", site);
  reap();
  std::vector<std::shared_ptr<CommandState>> commands;
  for (const auto& [id, entry] : in_flight_) {
    if (!entry.receives) commands.push_back(entry.command);
  }
  for (const auto& command : commands) wait_for(command);
  if (races_ == nullptr) return context_.barrier();
  const KernelLaunch& launch = context_.launch();
  const std::string id = launch.on_several_sips()
                             ? fmt::format("launches of group {}", launch.group)
                             : launch.request_id;
  races_->reaches_barrier(agent_, id, barriers_);
  context_.barrier();
  races_->passes_barrier(agent_, id, barriers_);
  ++barriers_;
}

// --- accesses

void Program::check_order(const char* call, const Ptr& ptr, const PhysRanges& ranges,
                          bool is_write) {
  if (in_flight_.empty()) return;
  reap();
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  const auto look = [&](const AccessIndex& index, PhysRanges InFlight::*of) {
    index.candidates(ranges, [&](std::uint64_t command) {
      if (command < first && overlap(ranges, in_flight_.at(command).*of)) first = command;
    });
  };
  look(writes_in_flight_, &InFlight::writes);
  if (is_write) look(reads_in_flight_, &InFlight::reads);
  if (first == std::numeric_limits<std::uint64_t>::max()) return;
  const InFlight& entry = in_flight_.at(first);
  throw UsageError(
      fmt::format("{} of '{}'{} {} what {}{} {}; tl.wait for it first", call, ptr.str(),
                  context_.call_site().in_brackets(), is_write ? "overwrites" : "reads", entry.call,
                  entry.site.in_brackets(), overlap(ranges, entry.writes) ? "writes" : "reads"));
}

void Program::check_overwrite(const char* call, const Handle& target) {
  reap();
  const auto& block = target.state().block;
  for (const auto& [command, entry] : in_flight_) {
    for (const auto& operand : entry.operands) {
      if (operand->block != block) continue;
      throw UsageError(fmt::format("{} into {}{} overwrites what {}{} reads; tl.wait for it first",
                                   call, target.str(), context_.call_site().in_brackets(),
                                   entry.call, entry.site.in_brackets()));
    }
  }
}

void Program::access(const char* call, const Ptr& ptr, const PhysRanges& ranges, bool is_write) {
  check_order(call, ptr, ranges, is_write);
  if (races_ != nullptr)
    races_->note(agent_, {call, context_.call_site(), context_.now()}, ranges, is_write);
}

// --- the kernel

void Program::begin_kernel() {
  if (data_ == nullptr || data_->races() == nullptr) return;
  races_ = data_->races();
  const KernelLaunch& launch = context_.launch();
  agent_ = races_->kernel_begins(
      who_, launch.request_id,
      fmt::format("kernel '{}' on {}", launch.kernel.name, context_.where().str()), launch.stream);
}

// The engines drain before the response to the launch, which orders these commands as well.
void Program::end_kernel() {
  reap();
  if (!in_flight_.empty() && std::uncaught_exceptions() == 0) {
    const InFlight& first = in_flight_.begin()->second;
    context_.leaves_unwaited(
        fmt::format("{} command{}, {}{}", in_flight_.size(), in_flight_.size() == 1 ? "" : "s",
                    in_flight_.size() == 1 ? first.call : "the first of " + first.call,
                    first.site.in_brackets()));
  }
  if (races_ == nullptr) return;
  for (const auto& [command, entry] : in_flight_) races_->join(agent_, *entry.agent);
  races_->kernel_ends(who_, context_.launch().request_id, context_.launch().stream);
}

}  // namespace kernbench::tl
