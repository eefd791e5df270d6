#include "sw/distributed/multiprocessing.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "models/base/exception_text.h"
#include "models/base/group_similar_messages.h"
#include "models/base/program_end.h"
#include "models/data/vector_clock.h"
#include "models/protocol/host_messages.h"
#include "sw/distributed/default_group.h"
#include "sw/distributed/distributed_state.h"
#include "sw/runtime/worker.h"

namespace kernbench {
namespace {

// Text of the exceptions, root causes first; ranks with similar texts together.
std::string listed(const std::map<int, std::exception_ptr>& causes) {
  std::vector<std::string> ranks, texts;
  std::vector<bool> is_root_cause;
  for (const auto& [rank, cause] : causes) {
    ranks.push_back(std::to_string(rank));
    texts.push_back(text_of(cause));
    is_root_cause.push_back(Completion::is_root_cause(code_of(cause)));
  }
  std::string text =
      causes.size() == 1 ? "a rank has failed" : fmt::format("{} ranks have failed", causes.size());
  // Root causes first.
  std::vector<std::vector<std::size_t>> groups = group_similar_messages(texts);
  std::stable_partition(groups.begin(), groups.end(),
                        [&](const auto& alike) { return is_root_cause[alike.front()]; });
  for (const std::vector<std::size_t>& alike : groups) {
    const std::string &first = ranks[alike.front()], &its_text = texts[alike.front()];
    text += alike.size() == 1 ? fmt::format("\n  rank {}: {}", first, its_text)
                              : fmt::format("\n  {} ranks alike, {}; rank {}: {}", alike.size(),
                                            first_of(alike, ranks), first, its_text);
  }
  return text;
}

// State shared by the threads of one spawn and the thread that waits for them.
struct Ranks {
  std::function<void(int)> body;
  std::vector<sc_core::sc_process_handle> threads;  // running threads
  std::map<int, std::exception_ptr> causes;
  int running = 0;
  VectorClock before, after;  // for race detection
  sc_core::sc_event changed{""};

  void run(int rank, DistributedState& state, std::uint64_t seed);
  void end_all();
};

void Ranks::run(int rank, DistributedState& state, std::uint64_t seed) {
  sc_core::sc_process_handle& thread = threads[static_cast<std::size_t>(rank)];
  thread = sc_core::sc_get_current_process_handle();
  try {
    const auto worker = std::make_shared<Worker>(state.runtime, 0, seed);
    worker->set_rank(rank, state.rank_unit == RankUnit::pe);
    worker->set_device(rank);
    worker->set_label(fmt::format("rank{}:", rank));
    const ThreadOfWorker here(state.runtime, *worker);
    worker->acquire(before);
    body(rank);
    worker->wait_all();
    worker->release(after);
    const auto group = state.group;
    if (group != nullptr) group->end(rank);
    state.end_group_if_over();
  } catch (const ProgramEnded&) {
    throw;  // cancelled because of another rank, or at the end of the run
  } catch (const sc_core::sc_unwind_exception&) {
    throw;
  } catch (...) {
    causes[rank] = std::current_exception();
  }
  thread = {};
  --running;
  changed.notify(sc_core::SC_ZERO_TIME);
}

void Ranks::end_all() {
  for (sc_core::sc_process_handle& thread : threads) {
    if (thread.valid() && !thread.terminated()) thread.kill();
  }
}

// Scope that publishes number and unit of the running ranks.
class Spawned {
 public:
  Spawned(DistributedState& state, RankCount ranks) : state_(state), unit_before_(state.rank_unit) {
    state_.rank_unit = ranks.unit;
    state_.spawned = ranks.size;
  }
  ~Spawned() {
    state_.rank_unit = unit_before_;
    state_.spawned = 0;
  }
  Spawned(const Spawned&) = delete;
  Spawned& operator=(const Spawned&) = delete;

 private:
  DistributedState& state_;
  const RankUnit unit_before_;
};

}  // namespace

SpawnError::SpawnError(std::map<int, std::exception_ptr> causes)
    : Error(listed(causes)), causes_(std::move(causes)) {}

int SpawnError::exit_status() const {
  for (const auto& entry : causes_) {
    if (exit_status_of(entry.second) != exit_usage) return exit_failed;
  }
  return exit_usage;
}

int Multiprocessing::ranks_at_most() const {
  return kernbench::ranks_at_most(state_.runtime.link.port().machine(), state_.rank_unit);
}

void Multiprocessing::spawn(const std::function<void(int)>& body, int nprocs) {
  spawn(body, RankCount{nprocs, state_.rank_unit});
}

void Multiprocessing::spawn(const std::function<void(int)>& body, RankCount count) {
  const std::string call = "torch.multiprocessing.spawn";
  Worker* caller = state_.runtime.worker_of_thread();
  if (caller != nullptr && caller->rank())
    throw UsageError(fmt::format("{}: rank {} spawns ranks; only the program itself does", call,
                                 *caller->rank()));
  const int most = kernbench::ranks_at_most(state_.runtime.link.port().machine(), count.unit);
  if (count.size < 1 || count.size > most)
    throw UsageError(fmt::format("{}: {} ranks; rank = {}, and this machine has {}", call,
                                 count.size, count.unit == RankUnit::sip ? "SIP" : "PE", most));

  const Spawned spawned(state_, count);
  if (state_.group != nullptr && state_.group->joined({})) state_.group->check_spawned(call);
  run_ranks(body, count.size, caller);
}

void Multiprocessing::run_ranks(const std::function<void(int)>& body, int nprocs, Worker* caller) {
  if (caller != nullptr) caller->calling("multiprocessing.spawn");
  const auto ranks = std::make_shared<Ranks>();
  ranks->body = body;
  ranks->threads.resize(static_cast<std::size_t>(nprocs));
  ranks->running = nprocs;
  if (caller != nullptr) caller->release(ranks->before);
  if (state_.group != nullptr) state_.group->start();
  HostPort& port = state_.runtime.link.port();
  for (int rank = 0; rank < nprocs; ++rank) {
    const std::uint64_t seed =
        caller == nullptr ? static_cast<std::uint64_t>(rank) : caller->generator()();
    port.spawn(fmt::format("rank{}", rank),
               [ranks, rank, &state = state_, seed] { ranks->run(rank, state, seed); });
  }
  while (ranks->running > 0 && ranks->causes.empty()) port.wait(ranks->changed, "the ranks to end");
  if (ranks->causes.empty()) {
    if (caller != nullptr) caller->acquire(ranks->after);
    if (state_.group != nullptr) state_.group->start();
    if (state_.group != nullptr && !state_.group->in_use()) state_.group.reset();
    return;
  }

  SpawnError error(ranks->causes);
  set_end_cause(error.what());
  ranks->end_all();
  state_.runtime.lose_devices(std::string("the devices are lost: ") + error.what());
  throw error;
}

}  // namespace kernbench
