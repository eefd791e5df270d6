#include "sw/distributed/process_group.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "sw/collectives/tuning_table.h"
#include "sw/distributed/default_group.h"
#include "sw/distributed/group.h"

namespace kernbench {
namespace {

std::vector<int> world_ranks(const RankGroup& ranks) {
  std::vector<int> members;
  for (int rank = 0; rank < ranks.size; ++rank) members.push_back(ranks.world_rank(rank));
  return members;
}

// Shard layout: PE 0 of every cube, each with a part of a tensor or each with a partial sum of it.
ShardLayout lane_0_of_every_cube(const RankGroup& ranks, Holding holding) {
  ShardLayout layout;
  for (int cube = 0; cube < (ranks.unit == RankUnit::pe ? 1 : ranks.cubes()); ++cube) {
    const bool parts = holding == Holding::parts;
    layout.members.push_back(
        {cube, 0, 1, static_cast<std::uint64_t>(parts ? cube : 0), parts ? 0 : cube});
  }
  return layout;
}

// Graph for all_reduce of a tensor on PE 0 of every cube. If an algorithm does not accept that
// layout, or uses all PEs, its first call installs the rings.
NeighbourGraph graph_at_the_start(const CollectiveAlgorithm& algorithm, CollectiveCall call) {
  NeighbourGraph graph;
  if (algorithm.every_pe && call.group.pes > 1 && call.group.unit == RankUnit::sip) return graph;
  for (const Holding holding : {Holding::parts, Holding::partial_sums}) {
    if (holding == Holding::partial_sums && !algorithm.levels_within_ranks) continue;
    call.layout = lane_0_of_every_cube(call.group, holding);
    if (!algorithm.refuses || algorithm.refuses(call).empty()) graph.add(algorithm.graph_of(call));
  }
  return graph;
}

}  // namespace

std::string Group::str() const {
  return group_ == nullptr || group_->number() == 0 ? "all ranks" : group_->name();
}

ProcessGroup::ProcessGroup(std::shared_ptr<SharedGroupState> shared, RankGroup ranks, int number)
    : shared_(std::move(shared)), state_(shared_->state), settings_(shared_->settings),
      wiring_(shared_->wiring), ranks_(std::move(ranks)), number_(number),
      members_(world_ranks(ranks_)), order_(members_, "collective", name()),
      stream_(state_.runtime.streams++),
      messages_(
          settings_.rings.n_slots, [this](MessageSide& side) { begin_message(side); },
          &ProcessGroup::refuse_message) {}

std::string ProcessGroup::name() const {
  return number_ == 0 ? "" : fmt::format("group {} ({})", number_, text_of_ranks(members_));
}

std::string ProcessGroup::prefix() const {
  return number_ == 0 ? "" : fmt::format("group{}/", number_);
}

std::string ProcessGroup::in_group() const { return number_ == 0 ? "" : " in " + name(); }

void ProcessGroup::install_at_the_start() {
  if (settings_.chooses()) return;  // each call installs the rings of its algorithm
  CollectiveCall call;
  call.group = ranks_;
  call.settings = settings_;
  const CollectiveAlgorithm& algorithm = algorithm_of(CollectiveOp::all_reduce);
  algorithm.check_topology(ranks_);
  const NeighbourGraph graph = graph_at_the_start(algorithm, call);
  if (!graph.empty()) wiring_.add(graph, settings_.ring_slots(algorithm.deep_rings));
}

void ProcessGroup::start() {
  ended_.clear();
  messages_.clear();
  order_ = CallOrder(members_, "collective", name());
}

void ProcessGroup::end(int rank, const std::string& has) {
  order_.end(rank, has);
  messages_.end(rank, has);
  ended_.insert(rank);
}

void ProcessGroup::close() {
  ended_ = {members_.begin(), members_.end()};
  wiring_.remove_later(prefix());
}

void ProcessGroup::release_rings() {
  number_ == 0 ? wiring_.remove_all() : wiring_.remove(prefix());
}

const CollectiveAlgorithm& ProcessGroup::algorithm_of(CollectiveOp op) const {
  const AlgorithmRegistry& algorithms = *state_.algorithms;
  if (op != CollectiveOp::all_reduce) return algorithms.first_of(op);
  if (settings_.chooses())
    throw UsageError("the algorithm is chosen for each call; Work.record() returns it");
  return algorithms.find(settings_.algorithm);
}

const CollectiveAlgorithm& ProcessGroup::algorithm_for(CollectiveCall& call) const {
  const CollectiveAlgorithm* algorithm = nullptr;
  if (settings_.chooses()) {
    AlgorithmChoice choice = choose_algorithm(state_.ccl, *state_.algorithms, call);
    call.settings.own = std::move(choice.own);
    algorithm = choice.algorithm;
  } else {
    algorithm = &algorithm_of(call.op);
  }
  call.settings.rings.n_slots = settings_.ring_slots(algorithm->deep_rings);
  return *algorithm;
}

// --- calls

// With rank_unit pe the shard of each rank is on a different PE.
std::string ProcessGroup::shards_of(const CollectiveCall& call) const {
  return ranks_.unit == RankUnit::sip
             ? call.layout.str()
             : fmt::format("{} elements", call.layout.members.front().elements);
}

// Rings that the call needs: the first rank that arrives adds them. If they replace existing rings,
// all ranks synchronise and no launch may be in flight: a launch that waits for a call which a rank
// has still to make would not end. Once one rank synchronises all do, regardless of what another
// group has replaced in the meantime.
void ProcessGroup::link(const std::string& name, const std::vector<CollectiveStep>& steps,
                        OrderedCall& call) {
  NeighbourGraph graph;
  std::uint32_t n_slots = 0;
  for (const CollectiveStep& step : steps) {
    if (step.algorithm == nullptr) continue;
    graph.add(step.algorithm->graph_of(step.call));
    n_slots = std::max(n_slots, step.call.settings.rings.n_slots);
  }
  if (n_slots == 0) return;
  if (call.met == 0 && (wiring_.has(graph) || wiring_.add(graph, n_slots))) return;
  meet(call, [&] {
    const std::string unmatched = state_.group->unmatched_message();
    if (!unmatched.empty())
      throw UsageError(fmt::format("{}: its ring buffers replace others, but {}", name, unmatched));
    wiring_.replace(graph, n_slots);
  });
}

// Text of the call that must be equal on all ranks.
std::string ProcessGroup::text_of_all_ranks(const GroupCall& given,
                                            const CollectiveCall& call) const {
  return fmt::format("{} of {}, {}{}", text_of(given), name_of(call.dtype()),
                     given.input_splits.empty() ? "" : "rows of ", shards_of(call));
}

Work ProcessGroup::call(Worker& worker, int rank, const std::vector<GroupCall>& given) {
  std::vector<CollectiveStep> steps;
  std::vector<std::string> texts;
  for (const GroupCall& each : given) {
    steps.push_back(step_of(rank, each));
    texts.push_back(text_of_all_ranks(each, steps.back().call));
  }
  check_coalesced(given, steps);

  wiring_.await_installation();
  const std::string what = fmt::format("{}", fmt::join(texts, "; "));
  OrderedCall& ordered_call = order_.join(rank, what);
  if (ordered_call.record == nullptr) {
    ordered_call.record = record_of(given.front(), steps);
    ordered_call.group = ++state_.runtime.launch_groups;
  }
  const std::string& algorithm = ordered_call.record->algorithm;
  link(given.front().name, steps, ordered_call);
  if (const Log* log = state_.runtime.collectives_log)
    log->info(
        [&] { return fmt::format("rank {}: {} by {}{}", rank, what, algorithm, in_group()); });

  Work work;
  work.worker_ = worker.shared_from_this();
  work.record_ = ordered_call.record;
  AwaitedLaunch launch;
  launch.name = algorithm;
  launch.group = this;
  for (const GroupCall& each : given) {
    for (auto& storage : each.storages()) launch.keeps.push_back(std::move(storage));
  }
  work.launch_ = worker.await_launch(std::move(launch));
  ordered_call.record->launches.push_back(work.launch_);
  LaunchSpec spec(algorithm);
  spec.on_pes(steps.front().call.pes()).group(ordered_call.group).stream(stream_);
  spec.meta({{"communication", name_of(ordered_call.record->op)}});
  ordered_call.parts.push_back({work.worker_, work.launch_, std::move(spec), std::move(steps)});
  for (const GroupCall& each : given) {
    if (each.op == CollectiveOp::all_reduce ||
        (each.op == CollectiveOp::reduce && rank == each.root))
      (each.outputs.empty() ? each.inputs : each.outputs).front().storage_->become_copies();
  }
  begin(ordered_call);
  return work;
}

// Each rank knows only its own part sizes; rows sent by one rank are received by another.
void ProcessGroup::join_splits(OrderedCall& call) const {
  const auto step_of = [](OrderedCall::Part& part) -> CollectiveStep& {
    return part.steps.front();
  };
  if (step_of(call.parts.front()).input_splits.empty()) return;
  const auto count = static_cast<std::size_t>(ranks_.size);
  std::vector<std::int64_t> sent(count * count), taken(count * count);
  for (OrderedCall::Part& part : call.parts) {
    const CollectiveStep& step = step_of(part);
    const auto rank = static_cast<std::size_t>(step.call.rank);
    for (std::size_t other = 0; other < count; ++other) {
      sent[rank * count + other] = step.input_splits[other];
      taken[other * count + rank] = step.output_splits[other];
    }
  }
  for (std::size_t at = 0; at < sent.size(); ++at) {
    if (sent[at] == taken[at]) continue;
    const int from = ranks_.world_rank(static_cast<int>(at / count)),
              to = ranks_.world_rank(static_cast<int>(at % count));
    throw UsageError(
        fmt::format("all_to_all_single{}: rank {} sends {} rows to rank {} (input_split_sizes), "
                    "which takes {} (output_split_sizes)",
                    in_group(), from, sent[at], to, taken[at]));
  }
  for (OrderedCall::Part& part : call.parts) step_of(part).call.rows = sent;
}

namespace {

// Kernels of coalesced collectives, run sequentially: each PE has the messages of one collective
// before those of the next.
class KernelSequence final : public KernelBody {
 public:
  void add(std::shared_ptr<const KernelBody> kernel) { kernels_.push_back(std::move(kernel)); }
  void run(KernelContext& context) const override {
    for (const auto& kernel : kernels_) kernel->run(context);
  }

 private:
  std::vector<std::shared_ptr<const KernelBody>> kernels_;
};

// Returns none if there is no data to move.
std::optional<tl::KernelCall> kernel_of(const std::vector<CollectiveStep>& steps) {
  std::optional<tl::KernelCall> all;
  std::shared_ptr<KernelSequence> sequence;
  for (const CollectiveStep& step : steps) {
    if (step.moves_nothing()) continue;
    tl::KernelCall kernel = step.algorithm->kernel_of(step.call);
    if (!all) {
      all = std::move(kernel);
      continue;
    }
    if (sequence == nullptr) {
      sequence = std::make_shared<KernelSequence>();
      sequence->add(std::exchange(all->body, sequence));
    }
    sequence->add(std::move(kernel.body));
    all->args.insert(all->args.end(), kernel.args.begin(), kernel.args.end());
    // Unknown for one kernel means unknown for all.
    all->scratch_bytes = all->scratch_bytes == 0 || kernel.scratch_bytes == 0
                             ? 0
                             : std::max(all->scratch_bytes, kernel.scratch_bytes);
  }
  return all;
}

}  // namespace

// Called when the last rank has called, so that collectives begin in the same order on all devices.
void ProcessGroup::begin(OrderedCall& call) {
  const std::size_t missing = static_cast<std::size_t>(ranks_.size) - call.parts.size();
  if (missing == 0) {
    try {
      join_splits(call);
    } catch (const UsageError&) {
      call.parts.back().worker->withdraw(call.parts.back().launch);
      call.refuse(std::current_exception());
      throw;
    }
  }
  for (OrderedCall::Part& part : call.parts) {
    if (missing > 0) {
      Worker::awaits(part.launch, fmt::format("{} more of {} ranks to reach {}{}", missing,
                                              ranks_.size, call.what, in_group()));
      continue;
    }
    const std::optional<tl::KernelCall> kernel = kernel_of(part.steps);
    if (!kernel) {
      part.worker->end_at_once(part.launch);
      continue;
    }
    part.worker->begin(part.launch, part.spec, *kernel);
    wiring_.launched(part.worker, part.launch);
  }
  if (missing == 0) call.parts.clear();
}

std::shared_ptr<CollectiveRecord> ProcessGroup::record_of(
    const GroupCall& given, const std::vector<CollectiveStep>& steps) {
  auto record = std::make_shared<CollectiveRecord>();
  record->op = given.op;
  std::vector<std::string> algorithms;
  for (const CollectiveStep& step : steps) {
    record->nbytes += step.call.nbytes();
    if (step.algorithm != nullptr &&
        std::find(algorithms.begin(), algorithms.end(), step.algorithm->name) == algorithms.end())
      algorithms.push_back(step.algorithm->name);
  }
  record->algorithm = algorithms.empty() ? "none" : fmt::format("{}", fmt::join(algorithms, "+"));
  if (is_reduction(given.op)) record->reduction = name_of(given.reduce_op);
  record->dtype = steps.front().call.dtype();
  record->ranks = ranks_.size;
  record->group = ranks_.members;
  state_.collectives.push_back(record);
  return record;
}

}  // namespace kernbench
