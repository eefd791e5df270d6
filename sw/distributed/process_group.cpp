#include "sw/distributed/process_group.h"

#include <fmt/format.h>

#include <numeric>

#include "models/base/errors.h"
#include "sw/collectives/algorithm_choice.h"

namespace kernbench {
namespace {

std::vector<int> all_ranks(const RankGroup& ranks) {
  std::vector<int> all(static_cast<std::size_t>(ranks.size));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// PE 0 of every cube, each with a part of a tensor or each with a partial sum of it.
ShardLayout lane_0_of_every_cube(const RankGroup& ranks, Holding holding) {
  ShardLayout layout;
  for (int cube = 0; cube < (ranks.unit == RankUnit::pe ? 1 : ranks.cubes()); ++cube) {
    const bool parts = holding == Holding::parts;
    layout.members.push_back(
        {cube, 0, 1, static_cast<std::uint64_t>(parts ? cube : 0), parts ? 0 : cube});
  }
  return layout;
}

// What all_reduce of a tensor on PE 0 of every cube needs. Where an algorithm does not take that,
// or is for all PEs, the first call installs what it needs.
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

std::string who(std::optional<int> rank) {
  return rank ? fmt::format("rank {}", *rank) : "the program";
}

}  // namespace

ProcessGroup::ProcessGroup(DistributedState& state, std::optional<int> rank,
                           const GroupSettings& given)
    : state_(state), settings_(resolve(state.ccl, *state.algorithms, given.changes)),
      first_rank_(rank), world_size_(given.world_size),
      ranks_(ranks_of(state.runtime.link.port().machine(), settings_)),
      wiring_(state.runtime, settings_.rings), order_(all_ranks(ranks_), "collective"),
      stream_(state.runtime.streams++),
      messages_(settings_.rings.n_slots, [this](MessageSide& side) { begin_message(side); }) {
  CollectiveCall call;
  call.group = ranks_;
  call.settings = settings_;
  if (settings_.chooses()) return;  // each call brings what its algorithm needs
  const CollectiveAlgorithm& algorithm = algorithm_of(CollectiveOp::all_reduce);
  algorithm.check_topology(ranks_);
  const NeighbourGraph graph = graph_at_the_start(algorithm, call);
  if (!graph.empty()) wiring_.add(graph);
}

void ProcessGroup::join(std::optional<int> rank, const GroupSettings& given) {
  if (joined(rank))
    throw UsageError("init_process_group: the default process group has been initialized already");
  check_agreement(rank, given);
  if (!rank) {
    program_joined_ = true;
    return;
  }
  check_spawned("init_process_group");
  joined_.insert(*rank);
}

void ProcessGroup::check_agreement(std::optional<int> rank, const GroupSettings& given) const {
  const auto check = [&](const std::string& mine, const std::string& first) {
    if (mine != first)
      throw UsageError(
          fmt::format("init_process_group: the settings of the ranks differ: {} has {}, {} {}",
                      who(rank), mine, who(first_rank_), first));
  };
  const auto text_of = [](std::optional<int> size) {
    return size ? fmt::format("world_size {}", *size) : "no world_size";
  };
  const CclSettings mine = resolve(state_.ccl, *state_.algorithms, given.changes);
  check(differing_values(mine, settings_), differing_values(settings_, mine));
  check(text_of(given.world_size), text_of(world_size_));
}

void ProcessGroup::check_spawned(const std::string& call) const {
  const RankCount spawned{state_.spawned, state_.rank_unit}, wanted{ranks_.size, ranks_.unit};
  if (spawned.unit != wanted.unit)
    throw UsageError(
        fmt::format("{}: the ranks of the group are {}, but {} have been spawned; "
                    "torch.distributed.ranks_to_spawn() says which ones ccl.yaml wants",
                    call, wanted.str(), spawned.str()));
  if (spawned.size != wanted.size)
    throw UsageError(fmt::format("{}: {} ranks have been spawned, but the world size is {}", call,
                                 spawned.size, wanted.size));
}

void ProcessGroup::leave(std::optional<int> rank) {
  if (rank) {
    joined_.erase(*rank);
  } else {
    program_joined_ = false;
  }
}

void ProcessGroup::end(int rank) {
  order_.end(rank);
  messages_.end(rank);
}

void ProcessGroup::start() {
  joined_.clear();
  messages_.clear();
  order_ = CallOrder(all_ranks(ranks_), "collective");
}

bool ProcessGroup::joined(std::optional<int> rank) const {
  return program_joined_ || (rank && joined_.count(*rank) != 0);
}

const CollectiveAlgorithm& ProcessGroup::algorithm_of(CollectiveOp op) const {
  const AlgorithmRegistry& algorithms = *state_.algorithms;
  if (op != CollectiveOp::all_reduce) return algorithms.first_of(op);
  if (settings_.chooses())
    throw UsageError("the algorithm is chosen for each call; Work.record() says which one it was");
  return algorithms.find(settings_.algorithm);
}

const CollectiveAlgorithm& ProcessGroup::algorithm_for(CollectiveCall& call) const {
  if (!settings_.chooses()) return algorithm_of(call.op);
  AlgorithmChoice choice = choose_algorithm(state_.ccl, *state_.algorithms, call);
  call.settings.own = std::move(choice.own);
  return *choice.algorithm;
}

// --- a call

// all_reduce and reduce combine partial sums; what another collective is to do with them, which
// moves values as they are, nobody could say.
void ProcessGroup::check_whole(const GroupCall& given, const Tensor& tensor) {
  if (!tensor.is_partial() || given.op == CollectiveOp::all_reduce ||
      given.op == CollectiveOp::reduce)
    return;
  throw UsageError(fmt::format(
      "{}: tensor '{}' is partial ({}), and {} moves values as they are; all_reduce, or copy_ to a "
      "tensor that is not partial, adds the partial sums up",
      given.name, tensor.name(), ShardLayout::of(*tensor.info()).str(), given.name));
}

void ProcessGroup::check_shards(const CollectiveCall& call, const GroupCall& given,
                                const Tensor& tensor) const {
  const std::string what = fmt::format("{}: tensor '{}' ", given.name, tensor.name());
  if (tensor.dtype() != call.dtype())
    throw UsageError(fmt::format("{}has elements of {}, tensor '{}' of {}", what,
                                 name_of(tensor.dtype()), call.tensor().name,
                                 name_of(call.dtype())));
  if (!(ShardLayout::of(*tensor.info()) == call.layout))
    throw UsageError(fmt::format("{}has {}, tensor '{}' {}", what,
                                 ShardLayout::of(*tensor.info()).str(), call.tensor().name,
                                 call.layout.str()));
  for (const tl::Block& block : tensor.info()->blocks) {
    const PeId expected = ranks_.place(call.rank, block.where.cube, block.where.pe);
    if (!(block.where == expected))
      throw UsageError(fmt::format(
          "{}is on sip{}, but rank {} works on {}; torch.ahbm.set_device(rank) comes before the "
          "tensors",
          what, block.where.sip, call.rank,
          ranks_.unit == RankUnit::sip ? fmt::format("sip{}", expected.sip) : expected.str()));
  }
}

CollectiveCall ProcessGroup::resolved(int rank, const GroupCall& given) const {
  CollectiveCall call;
  call.op = given.op;
  call.reduce_op = given.reduce_op;
  call.rank = rank;
  call.root = given.root;
  call.peer = given.peer;
  call.group = ranks_;
  call.settings = settings_;
  for (const Tensor& tensor : given.inputs) call.inputs.push_back(tensor.info());
  for (const Tensor& tensor : given.outputs) call.outputs.push_back(tensor.info());
  call.layout = ShardLayout::of(call.tensor());
  if (call.dtype() == DType::i8)
    throw UsageError(
        fmt::format("{}: elements of i8; collectives work on f16, bf16, f32 and i32", given.name));
  for (const std::vector<Tensor>* tensors : {&given.inputs, &given.outputs}) {
    for (const Tensor& tensor : *tensors) {
      check_whole(given, tensor);
      check_shards(call, given, tensor);
    }
  }
  return call;
}

// With rank_unit pe each rank has its shard on another PE.
std::string ProcessGroup::shards_of(const CollectiveCall& call) const {
  return ranks_.unit == RankUnit::sip
             ? call.layout.str()
             : fmt::format("{} elements", call.layout.members.front().elements);
}

void ProcessGroup::meet(OrderedCall& call, int expected, const std::function<void()>& last) {
  if (++call.met == expected) {
    last();
    call.open = true;
    call.opened.notify(sc_core::SC_ZERO_TIME);
  }
  while (!call.open)
    state_.runtime.link.port().wait(
        call.opened,
        fmt::format("{} more of {} ranks to reach {}", expected - call.met, expected, call.what));
}

// Rings can be replaced when nothing is under way: a launch that waits for something that a rank
// has still to call would not end.
void ProcessGroup::check_nothing_waits(const std::string& name) const {
  const std::string unmatched = messages_.unmatched();
  if (!unmatched.empty())
    throw UsageError(
        fmt::format("{}: its ring buffers take the place of others, but {}", name, unmatched));
}

// The rings that the call needs: the first rank that comes adds them. Where they take the place of
// others all ranks meet.
void ProcessGroup::link(const GroupCall& given, const NeighbourGraph& graph, OrderedCall& call) {
  if (wiring_.has(graph) || wiring_.add(graph)) return;
  meet(call, ranks_.size, [&] {
    check_nothing_waits(given.name);
    wiring_.replace(graph);
  });
}

// What has to be the same on all ranks.
std::string ProcessGroup::text_of_all_ranks(const GroupCall& given,
                                            const CollectiveCall& call) const {
  return fmt::format("{} of {}, {}", text_of(given), name_of(call.dtype()), shards_of(call));
}

Work ProcessGroup::call(Worker& worker, int rank, const GroupCall& given) {
  check_call(given, rank, ranks_.size);
  CollectiveCall call = resolved(rank, given);
  const CollectiveAlgorithm& algorithm = algorithm_for(call);
  algorithm.check(call);
  const NeighbourGraph graph = algorithm.graph_of(call);

  wiring_.await_installation();
  const std::string what = text_of_all_ranks(given, call);
  OrderedCall& ordered_call = order_.join(rank, what);
  if (ordered_call.record == nullptr) {
    ordered_call.record = record_of(given, call, algorithm);
    ordered_call.group = ++state_.runtime.launch_groups;
  }
  link(given, graph, ordered_call);
  if (const Log* log = state_.runtime.collectives_log)
    log->info([&] { return fmt::format("rank {}: {} by {}", rank, what, algorithm.name); });

  Work work;
  work.worker_ = worker.shared_from_this();
  work.record_ = ordered_call.record;
  AwaitedLaunch launch;
  launch.name = algorithm.name;
  launch.keeps = given.storages();
  work.launch_ = worker.await_launch(std::move(launch));
  ordered_call.record->launches.push_back(work.launch_);
  ordered_call.parts.push_back(
      {work.worker_, work.launch_,
       LaunchSpec(algorithm.name).on_pes(call.pes()).group(ordered_call.group).stream(stream_),
       algorithm.kernel_of(call)});
  if (given.op == CollectiveOp::all_reduce ||
      (given.op == CollectiveOp::reduce && rank == given.root))
    (given.outputs.empty() ? given.inputs : given.outputs).front().storage_->become_copies();
  begin(ordered_call);
  return work;
}

// When the last rank has called: so collectives begin in one order on all devices.
void ProcessGroup::begin(OrderedCall& call) {
  const std::size_t missing = static_cast<std::size_t>(ranks_.size) - call.parts.size();
  for (OrderedCall::Part& part : call.parts) {
    if (missing > 0) {
      Worker::awaits(part.launch, fmt::format("{} more of {} ranks to reach {}", missing,
                                              ranks_.size, call.what));
      continue;
    }
    part.worker->begin(part.launch, part.spec, part.kernel);
    wiring_.launched(part.worker, part.launch);
  }
  if (missing == 0) call.parts.clear();
}

std::shared_ptr<CollectiveRecord> ProcessGroup::record_of(const GroupCall& given,
                                                          const CollectiveCall& call,
                                                          const CollectiveAlgorithm& algorithm) {
  auto record = std::make_shared<CollectiveRecord>();
  record->op = given.op;
  record->algorithm = algorithm.name;
  if (is_reduction(given.op)) record->reduction = name_of(given.reduce_op);
  record->dtype = call.dtype();
  record->ranks = ranks_.size;
  record->nbytes = call.nbytes();
  state_.collectives.push_back(record);
  return record;
}

void ProcessGroup::barrier(Worker& worker, int rank) {
  worker.wait_for_all_but_awaited_messages();
  OrderedCall& call = order_.join(rank, "barrier");
  worker.release(call.passed);
  meet(call, ranks_.size, [] {});
  worker.acquire(call.passed);
}

}  // namespace kernbench
