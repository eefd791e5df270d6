#include "sw/distributed/multiprocessing.h"

#include <memory>
#include <vector>

#include "sw/distributed/process_group.h"
#include "sw/runtime/worker.h"

namespace kernbench {
namespace {

// What the threads of one spawn and the thread that waits for them share.
struct Ranks {
  std::function<void(int)> body;
  std::vector<sc_core::sc_process_handle> threads;  // of those that run
  std::map<int, std::exception_ptr> causes;
  int running = 0;
  sc_core::sc_event changed{""};

  void run(int rank, Runtime& runtime, std::uint64_t seed);
  void end_all();
};

void Ranks::run(int rank, Runtime& runtime, std::uint64_t seed) {
  sc_core::sc_process_handle& thread = threads[static_cast<std::size_t>(rank)];
  thread = sc_core::sc_get_current_process_handle();
  try {
    const auto worker = std::make_shared<Worker>(runtime, 0, seed);
    worker->set_rank(rank);
    worker->set_device(rank);
    worker->set_label("rank" + std::to_string(rank) + ":");
    const ThreadOfWorker here(runtime, *worker);
    body(rank);
    worker->wait_all();
    const auto group = runtime.distributed.group;
    if (group != nullptr && group->joined(rank)) group->end(rank);
  } catch (const sc_core::sc_unwind_exception&) {
    throw;  // ended because of another rank, or at the end of the run
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

}  // namespace

int Multiprocessing::ranks_at_most() const {
  const MachineView& machine = runtime_.link.port().machine();
  return runtime_.distributed.rank_unit == RankUnit::sip ? machine.sips() : machine.sips() * machine.cubes() * machine.pes();
}

void Multiprocessing::spawn(const std::function<void(int)>& body, int nprocs) {
  const std::string call = "torch.multiprocessing.spawn: ";
  Worker* caller = runtime_.worker_of_thread();
  if (caller != nullptr && caller->rank())
    throw UsageError(call + "rank " + std::to_string(*caller->rank()) + " spawns ranks; only the program itself does");
  if (nprocs < 1 || nprocs > ranks_at_most())
    throw UsageError(call + std::to_string(nprocs) +
                     " ranks; rank = " + (runtime_.distributed.rank_unit == RankUnit::sip ? "SIP" : "PE") +
                     ", and this machine has " + std::to_string(ranks_at_most()));

  if (caller != nullptr) caller->calling("multiprocessing.spawn");
  const auto ranks = std::make_shared<Ranks>();
  ranks->body = body;
  ranks->threads.resize(static_cast<std::size_t>(nprocs));
  ranks->running = nprocs;
  DistributedState& state = runtime_.distributed;
  state.spawned = nprocs;
  if (state.group != nullptr) state.group->start();
  HostPort& port = runtime_.link.port();
  for (int rank = 0; rank < nprocs; ++rank) {
    const std::uint64_t seed = caller == nullptr ? static_cast<std::uint64_t>(rank) : caller->generator()();
    port.spawn("rank" + std::to_string(rank), [ranks, rank, &runtime = runtime_, seed] { ranks->run(rank, runtime, seed); });
  }
  while (ranks->running > 0 && ranks->causes.empty()) port.wait(ranks->changed, "the ranks to end");
  state.spawned = 0;
  if (ranks->causes.empty()) {
    if (state.group != nullptr) state.group->start();
    if (state.group != nullptr && !state.group->in_use()) state.group.reset();
    return;
  }

  SpawnError error(ranks->causes);
  ranks->end_all();
  runtime_.lose_devices(std::string("the devices are lost: ") + error.what());
  throw error;
}

}  // namespace kernbench
