// PE_IPCQ: what an installation, and the end of a kernel, make of its queue pairs.
#include <algorithm>

#include "models/pe/pe_ipcq.h"
#include "models/timing/ipcq_rules.h"

namespace kernbench {

bool PeIpcq::busy() const {
  const auto idle = [](const Queue& queue) { return queue.state.idle(); };
  return !was_reset_ && (!works_.empty() || !std::all_of(queues_.begin(), queues_.end(), idle));
}

Completion PeIpcq::install(const IpcqInstall& message, const IpcqQueuePairs& mine) {
  const std::string here = std::string(name()) + " at " + format_ns(now()) + ": ";
  if (!message.adds && !message.forced && busy())
    return Completion::failure("ipcq_busy",
                               here + "its queues hold messages or await credits:" + state());
  const std::size_t count = mine.size() + (message.adds ? queues_.size() : 0);
  if (count > queue_pairs_) {
    return Completion::failure("ipcq_full", here + std::to_string(count) +
                                                " queue pairs, allowed is " +
                                                std::to_string(queue_pairs_) + " (queue_pairs)");
  }
  if (message.action == IpcqInstall::Action::ask) return {};
  if (!message.adds) {
    setup_.queue_pairs.clear();
    queues_.clear();
    was_reset_ = false;
    served_last_ = mine.empty() ? 0 : mine.size() - 1;
  }
  installation_ = message.installation;
  setup_.settings = message.settings;
  if (queues_.empty() && !mine.empty()) dma().use_rings(message.settings);
  for (const IpcqQueuePair& pair : mine) add(pair);
  return {};
}

void PeIpcq::add(const IpcqQueuePair& pair) {
  setup_.queue_pairs.push_back(pair);
  Queue& queue = queues_.emplace_back(pair, setup_.settings);
  const NodeId here = machine_.machine().engine(where(), PeEngine::pe_dma);
  const NodeId peer = machine_.machine().engine(pair.peer, PeEngine::pe_dma);
  queue.credit_delay =
      credit_fs(machine_.routes().memory_path(here, peer), setup_.settings.ipcq_credit_size_bytes);
  const PairSignals& signals = pair_signals_[queues_.size() - 1];
  queue.credits = signals.credits;
  queue.head = signals.head;
  queue.tail = signals.tail;
  show(queue);
}

void PeIpcq::kernel_ended(bool failed) {
  for (Work& work : works_) unblock(work);
  works_.clear();
  for (Queue& queue : queues_) {
    queue.state.give_back_all();
    if (failed) queue.state.reset();
    show(queue);
  }
  was_reset_ = was_reset_ || (failed && !queues_.empty());
  state_signal_.set(static_cast<std::uint64_t>(State::idle));
}

}  // namespace kernbench
