#include "models/data/race_detector.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace kernbench {
namespace {

bool same_call(const MemoryAccess& a, const MemoryAccess& b) {
  return a.is_write == b.is_write && a.site.line == b.site.line && a.call == b.call &&
         std::strcmp(a.site.file, b.site.file) == 0;
}

std::string described(const MemoryAccess& access) {
  return fmt::format("{}{} of {} at {}", access.call, access.site.in_brackets(), *access.who,
                     format_ns(access.time));
}

}  // namespace

std::string Race::text() const {
  const std::string more =
      pairs == 1 ? "" : fmt::format("; {} pairs of accesses between these two calls", pairs);
  return fmt::format(
      "data race on {} byte{} from {}: {} {} what {} {}; no launch, message or barrier orders "
      "them{}",
      nbytes, nbytes == 1 ? "" : "s", place, described(*later),
      later->is_write ? "overwrites" : "reads", described(*earlier),
      earlier->is_write ? "writes" : "reads", more);
}

// --- agents

RaceDetector::Agent RaceDetector::add_agent(std::string who) {
  const auto agent = static_cast<Agent>(agents_.size());
  agents_.emplace_back();
  agents_.back().who = std::make_shared<const std::string>(std::move(who));
  advance(agent);
  return agent;
}

void RaceDetector::advance(Agent agent) {
  State& state = agents_[agent];
  state.clock.set(agent, ++state.epoch);
}

// The number of a child that has been joined is used again by its parent, which knows all that the
// child has done.
RaceDetector::Agent RaceDetector::fork(Agent parent) {
  Agent child = 0;
  if (agents_[parent].free.empty()) {
    child = add_agent("");
  } else {
    child = agents_[parent].free.back();
    agents_[parent].free.pop_back();
  }
  State& state = agents_[child];
  state.who = agents_[parent].who;
  state.clock = agents_[parent].clock;
  advance(child);
  advance(parent);
  return child;
}

void RaceDetector::join(Agent parent, Agent child) {
  agents_[parent].clock.merge(agents_[child].clock);
  agents_[parent].free.push_back(child);
}

void RaceDetector::release(Agent agent, VectorClock& into) {
  into.merge(agents_[agent].clock);
  advance(agent);
}

void RaceDetector::acquire(Agent agent, const VectorClock& from) {
  agents_[agent].clock.merge(from);
}

// --- launches

std::shared_ptr<OrderedLaunch> RaceDetector::launched(Agent host, const std::string& request,
                                                      std::vector<std::uint32_t> pes) {
  VectorClock call;
  release(host, call);
  return launched(call, request, std::move(pes), {});
}

std::shared_ptr<OrderedLaunch> RaceDetector::launched(
    const VectorClock& call, const std::string& request, std::vector<std::uint32_t> pes,
    std::vector<std::shared_ptr<const OrderedLaunch>> follows) {
  auto launch = std::make_shared<OrderedLaunch>();
  launch->request = request;
  launch->start = call;
  launch->pes = std::move(pes);
  for (auto& before : follows) {
    const std::vector<std::uint32_t>& mine = launch->pes;
    const bool shares = std::any_of(before->pes.begin(), before->pes.end(), [&](std::uint32_t pe) {
      return std::find(mine.begin(), mine.end(), pe) != mine.end();
    });
    if (shares) launch->follows.push_back(std::move(before));
  }
  launches_[request] = launch;
  return launch;
}

RaceDetector::Agent RaceDetector::agent_of(const PeStream& kernel) {
  const auto [found, is_new] = kernels_.try_emplace(kernel, 0);
  if (is_new) found->second = add_agent("");
  return found->second;
}

RaceDetector::Agent RaceDetector::kernel_begins(std::uint32_t pe, const std::string& request,
                                                std::string who, std::uint32_t stream) {
  const Agent agent = agent_of({pe, stream});
  agents_[agent].who = std::make_shared<const std::string>(std::move(who));
  const auto found = launches_.find(request);
  if (found == launches_.end()) return agent;
  const std::shared_ptr<OrderedLaunch>& launch = found->second;
  if (!launch->started) {  // earlier launches on any of its PEs have ended, on all of theirs
    launch->started = true;
    for (const std::uint32_t each : launch->pes) {
      std::shared_ptr<OrderedLaunch>& before = latest_[{each, stream}];
      if (before != nullptr && before != launch) launch->start.merge(before->end);
      before = launch;
    }
    for (const auto& before : std::exchange(launch->follows, {})) launch->start.merge(before->end);
  }
  acquire(agent, launch->start);
  return agent;
}

void RaceDetector::kernel_ends(std::uint32_t pe, const std::string& request, std::uint32_t stream) {
  const auto found = launches_.find(request);
  if (found == launches_.end()) return;
  release(agent_of({pe, stream}), found->second->end);
}

void RaceDetector::joined(Agent host, const OrderedLaunch& launch) {
  acquire(host, launch.end);
  launches_.erase(launch.request);
  barriers_.erase(barriers_.lower_bound({launch.request, 0}),
                  barriers_.upper_bound({launch.request, UINT64_MAX}));
}

// --- messages

// Each side leaves its history before the call in the slot, and takes the history that the other
// side has left.
void RaceDetector::passes_slot(Agent agent, std::uint64_t installation, std::uint64_t slot) {
  VectorClock& left = slots_[{installation, slot}];
  VectorClock taken;
  std::swap(taken, left);
  release(agent, left);
  acquire(agent, taken);
}

// A program that reaches a barrier knows that all have passed the previous one.
void RaceDetector::reaches_barrier(Agent agent, const std::string& launch, std::uint64_t n) {
  if (n >= 2) barriers_.erase({launch, n - 2});
  release(agent, barriers_[{launch, n}]);
}

void RaceDetector::passes_barrier(Agent agent, const std::string& launch, std::uint64_t n) {
  acquire(agent, barriers_[{launch, n}]);
}

// --- accesses

void RaceDetector::note(Agent agent, Call call, const PhysRanges& ranges, bool is_write) {
  add(agent, std::move(call), ranges, is_write, false);
}

// The agent waits for the answer: it has no own operation between the issue and this call.
void RaceDetector::note_atomic(Agent agent, Call call, const std::vector<std::uint64_t>& elements,
                               std::uint64_t element_bytes) {
  VectorClock& clock = agents_[agent].clock;
  PhysRanges ranges;
  for (const std::uint64_t element : elements) {
    clock.merge(atomics_[element]);
    ranges.push_back({element, element_bytes});
  }
  add(agent, std::move(call), ranges, true, true);
  for (const std::uint64_t element : elements) atomics_[element].merge(clock);
  advance(agent);
}

void RaceDetector::add(Agent agent, Call call, const PhysRanges& ranges, bool is_write,
                       bool is_atomic) {
  State& state = agents_[agent];
  auto access = std::make_shared<MemoryAccess>();
  access->agent = agent;
  access->epoch = state.epoch;
  access->is_write = is_write;
  access->is_atomic = is_atomic;
  access->call = std::move(call.name);
  access->site = call.site;
  access->time = call.time;
  access->who = state.who;
  for (const Conflict& conflict : history_.add(access, state.clock, ranges))
    report(conflict, access);
}

void RaceDetector::report(const Conflict& conflict, const MemoryAccessPtr& later) {
  ++pairs_;
  const auto alike = [&](const Race& race) {
    return same_call(*race.earlier, *conflict.earlier) && same_call(*race.later, *later);
  };
  const auto known = std::find_if(races_.begin(), races_.end(), alike);
  if (known != races_.end()) {
    ++known->pairs;
  } else if (races_.size() < most_kinds) {
    races_.push_back({conflict.earlier, later, place_of(conflict.pa), conflict.nbytes});
  }
}

// --- places

void RaceDetector::add_tensor(std::uint64_t pa, std::uint64_t nbytes, const std::string& name,
                              std::uint64_t offset) {
  tensors_[pa] = {nbytes, name, offset};
  history_.forget(pa, nbytes);
  atomics_.erase(atomics_.lower_bound(pa), atomics_.lower_bound(pa + nbytes));
}

std::string RaceDetector::place_of(std::uint64_t pa) const {
  const auto behind = tensors_.upper_bound(pa);
  if (behind != tensors_.begin()) {
    const auto& [begin, tensor] = *std::prev(behind);
    if (pa - begin < tensor.nbytes)
      return fmt::format("'{}' + {}", tensor.name, tensor.offset + (pa - begin));
  }
  return fmt::format("0x{:x}", pa);
}

}  // namespace kernbench
