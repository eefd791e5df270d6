// Order of the accesses of kernels: commands that have not been waited for, and what the race
// detector is told.
#include <fmt/format.h>

#include <algorithm>
#include <exception>

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

// What a completed command held is given back. It stays in the list: whether it has completed by a
// call is an accident that no program may build on.
void Program::reap() {
  for (InFlight& entry : in_flight_) {
    if (entry.command->done()) entry.operands.clear();
  }
  for (std::size_t i = 0; i < in_flight_.size();) {
    if (in_flight_[i].command->polled() && in_flight_[i].command->error().empty())
      forget(std::shared_ptr<CommandState>(in_flight_[i].command));
    else
      ++i;
  }
}

std::uint32_t Program::fork_agent() { return races_ == nullptr ? agent_ : races_->fork(agent_); }

void Program::put_in_flight(InFlight&& entry) {
  entry.site = context_.call_site();
  reap();  // what the kernel knows to have ended is before this
  if (races_ != nullptr) {
    if (!entry.agent) entry.agent = fork_agent();
    note(entry, *entry.agent);
  }
  in_flight_.push_back(std::move(entry));
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
  if (command == nullptr) return nullptr;
  for (const InFlight& entry : in_flight_) {
    if (entry.command == command && !command->polled()) return &entry;
  }
  return nullptr;
}

// By data dependence: no call to PE_CPU for a command that has completed.
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
  const auto found = std::find_if(in_flight_.begin(), in_flight_.end(),
                                  [&](const InFlight& entry) { return entry.command == command; });
  if (found == in_flight_.end()) return;
  if (races_ != nullptr) races_->join(agent_, *found->agent);
  in_flight_.erase(found);
}

// --- accesses

void Program::check_order(const char* call, const Ptr& ptr, const PhysRanges& ranges,
                          bool is_write) {
  if (in_flight_.empty()) return;
  reap();
  for (const InFlight& entry : in_flight_) {
    const bool written = overlap(ranges, entry.writes);
    if (!written && !(is_write && overlap(ranges, entry.reads))) continue;
    throw UsageError(fmt::format("{} of '{}'{} {} what {}{} {}; tl.wait for it first", call,
                                 ptr.str(), context_.call_site().in_brackets(),
                                 is_write ? "overwrites" : "reads", entry.call,
                                 entry.site.in_brackets(), written ? "writes" : "reads"));
  }
}

void Program::check_overwrite(const char* call, const Handle& target) {
  reap();
  const auto& block = target.state().block;
  for (const InFlight& entry : in_flight_) {
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

// The engines drain before the launch is answered: it orders these commands as well.
void Program::end_kernel() {
  reap();
  if (!in_flight_.empty() && std::uncaught_exceptions() == 0) {
    const InFlight& first = in_flight_.front();
    context_.leaves_unwaited(
        fmt::format("{} command{}, {}{}", in_flight_.size(), in_flight_.size() == 1 ? "" : "s",
                    in_flight_.size() == 1 ? first.call : "the first of " + first.call,
                    first.site.in_brackets()));
  }
  if (races_ == nullptr) return;
  for (const InFlight& entry : in_flight_) races_->join(agent_, *entry.agent);
  races_->kernel_ends(who_, context_.launch().request_id, context_.launch().stream);
}

}  // namespace kernbench::tl
