#include "models/pe/ipcq_queues.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "models/base/errors.h"
#include "models/protocol/fabric_trace_observer.h"
#include "models/timing/ipcq_rules.h"

namespace kernbench {

// --- State of a queue pair

std::uint64_t QueuePairState::send() {
  if (credits() == 0) throw ModelError("a send without a credit: " + str());
  return head_++;
}

void QueuePairState::credit(std::uint64_t consumer_seq) {
  if (consumer_seq > head_) throw ModelError("a credit for a message that was not sent: " + str());
  tail_cache_ = std::max(tail_cache_, consumer_seq);
}

void QueuePairState::arrived(const IpcqMessage& message) {
  if (message.sender_seq != head_cache_)
    throw ModelError(fmt::format("message {} out of order: {}", message.sender_seq, str()));
  if (head_cache_ - tail_ == n_slots_)
    throw ModelError("a message overwrites one that has not been consumed: " + str());
  ++head_cache_;
  messages_.push_back({message.nbytes, message.shape, message.dtype, message.source});
}

std::uint64_t QueuePairState::next_open() const {
  return tail_ + static_cast<std::uint64_t>(std::find(claims_.begin(), claims_.end(), Claim::open) -
                                            claims_.begin());
}

std::uint64_t QueuePairState::reserve() {
  const std::uint64_t seq = next_open();
  if (seq - tail_ == claims_.size()) claims_.push_back(Claim::open);
  claims_[seq - tail_] = Claim::reserved;
  return seq;
}

void QueuePairState::give_back(std::uint64_t seq) {
  claims_[seq - tail_] = Claim::open;
  while (!claims_.empty() && claims_.back() == Claim::open) claims_.pop_back();
}

void QueuePairState::give_back_all() {
  std::replace(claims_.begin(), claims_.end(), Claim::reserved, Claim::open);
  while (!claims_.empty() && claims_.back() == Claim::open) claims_.pop_back();
}

void QueuePairState::consume(std::uint64_t seq) {
  claims_[seq - tail_] = Claim::consumed;
  while (!claims_.empty() && claims_.front() == Claim::consumed) {
    claims_.pop_front();
    messages_.pop_front();
    ++tail_;
  }
}

void QueuePairState::reset() {
  head_ = tail_cache_ = head_cache_ = tail_ = 0;
  messages_.clear();
  claims_.clear();
}

std::string QueuePairState::str() const {
  return fmt::format(
      "{} <-> {} {}: sent head {}, tail {}, credits {} of {}; received head {}, tail {}",
      pair_.direction, pair_.peer.str(), pair_.peer_direction, head_, tail_cache_, credits(),
      n_slots_, head_cache_, tail_);
}

// --- Installation of queue pairs

bool IpcqQueues::idle() const {
  return std::all_of(queues_.begin(), queues_.end(),
                     [](const Queue& queue) { return queue.state.idle(); });
}

std::size_t IpcqQueues::occupied() const {
  return static_cast<std::size_t>(
      std::count_if(setup_.queue_pairs.begin(), setup_.queue_pairs.end(),
                    [](const IpcqQueuePair& pair) { return !pair.direction.empty(); }));
}

Completion IpcqQueues::install(const IpcqInstall& message, const IpcqQueuePairs& mine,
                               bool serving) {
  const std::string here = fmt::format("{} at {}: ", ipcq_.name(), format_ns(Component::now()));
  using Change = IpcqInstall::Change;
  const auto in_use = [this](const IpcqQueuePair& pair) {
    const IpcqQueuePair* found = setup_.find(pair.direction);
    return found != nullptr && !queues_[index_of(*found)].state.idle();
  };
  const bool busy = message.change == Change::replace ? serving || !idle()
                    : message.change == Change::remove
                        ? std::any_of(mine.begin(), mine.end(), in_use)
                        : false;
  if (busy && !message.forced && !was_reset_)
    return Completion::failure(
        "ipcq_busy", fmt::format("{}its queues hold messages or await credits:{}", here, str()));
  const std::size_t count = mine.size() + (message.change == Change::add ? occupied() : 0);
  if (message.change != Change::remove && count > capacity_) {
    return Completion::failure(
        "ipcq_full",
        fmt::format("{}{} queue pairs, allowed is {} (queue_pairs)", here, count, capacity_));
  }
  if (message.action == IpcqInstall::Action::ask) return {};
  if (message.change == Change::remove) {
    for (const IpcqQueuePair& pair : mine) remove(pair);
    return {};
  }
  if (message.change == Change::replace) {
    clear();
    served_last_ = mine.empty() ? 0 : mine.size() - 1;
  }
  installation_ = message.installation;
  setup_.settings = message.settings;
  for (const IpcqQueuePair& pair : mine) add(pair);
  return {};
}

void IpcqQueues::clear() {
  setup_.queue_pairs.clear();
  queues_.clear();
  for (const Signals& pair : signals_) clear_signals(pair);
  was_reset_ = false;
}

// Reuses the index of a removed queue pair if there is one.
void IpcqQueues::add(const IpcqQueuePair& pair) {
  IpcqQueuePairs& pairs = setup_.queue_pairs;
  const auto place = std::find_if(pairs.begin(), pairs.end(),
                                  [](const IpcqQueuePair& each) { return each.direction.empty(); });
  const auto index = static_cast<std::size_t>(place - pairs.begin());
  if (place == pairs.end()) {
    pairs.push_back(pair);
    queues_.emplace_back(pair, setup_.settings);
  } else {
    *place = pair;
    queues_[index] = Queue(pair, setup_.settings);
  }
  Queue& queue = queues_[index];
  const NodeId here = machine_.machine().engine(where(), PeEngine::pe_dma);
  const NodeId peer = machine_.machine().engine(pair.peer, PeEngine::pe_dma);
  queue.credit_delay =
      credit_fs(machine_.routes().memory_path(here, peer), setup_.settings.ipcq_credit_size_bytes);
  if (signals_declared_) add_signals(index);
}

void IpcqQueues::remove(const IpcqQueuePair& pair) {
  const IpcqQueuePair* found = setup_.find(pair.direction);
  if (found == nullptr) return;
  const std::size_t index = index_of(*found);
  if (queues_[index].signals != nullptr) clear_signals(*queues_[index].signals);
  IpcqQueuePair none;  // contains no address
  none.rx_base = none.peer_rx_base = std::numeric_limits<std::uint64_t>::max();
  setup_.queue_pairs[index] = none;
  queues_[index] = Queue(none, setup_.settings);
  if (occupied() == 0) clear();
}

// --- Signals

std::vector<SignalDeclaration> IpcqQueues::signals_of(const std::string& pair) const {
  const SignalFormat messages = SignalFormat::count("messages", 32);
  const SignalFormat nodes =
      SignalFormat::enumeration(FabricTraceObserver::of(machine_)->node_names());
  return {
      {pair + "_credits", "credits to send", SignalFormat::count("credits")},
      {pair + "_sent", "head of the sending side: messages sent", messages},
      {pair + "_freed", "tail of the sending side: messages that the peer has consumed", messages},
      {pair + "_head", "head of the receiving side: messages received", messages},
      {pair + "_tail", "tail of the receiving side: messages consumed", messages},
      {pair + "_peer", "peer of the queue pair", nodes}};
}

void IpcqQueues::declare_signals() {
  signals_declared_ = true;
  for (std::size_t i = 0; i < queues_.size(); ++i) add_signals(i);
}

void IpcqQueues::add_signals(std::size_t index) {
  if (index == signals_.size()) {
    Observables to(ipcq_);
    std::array<TraceSignal*, 6> added{};
    std::size_t i = 0;
    for (SignalDeclaration& each : signals_of("pair" + std::to_string(index)))
      added.at(i++) =
          &to.add_signal(std::move(each.name), std::move(each.description), std::move(each.format));
    signals_.push_back({*added[0], *added[1], *added[2], *added[3], *added[4], *added[5]});
  }
  Queue& queue = queues_[index];
  queue.signals = &signals_[index];
  queue.signals->peer.set(machine_.machine().engine(queue.state.pair().peer, PeEngine::pe_ipcq));
  show(queue);
}

// Clears the signals of a removed queue pair.
void IpcqQueues::clear_signals(const Signals& pair) {
  for (TraceSignal* signal :
       {&pair.credits, &pair.sent, &pair.freed, &pair.head, &pair.tail, &pair.peer})
    signal->clear();
}

void IpcqQueues::update_signals(const Queue& queue) {
  const QueuePairState& state = queue.state;
  queue.signals->credits.set(state.credits());
  queue.signals->sent.set(state.head());
  queue.signals->freed.set(state.tail_cache());
  queue.signals->head.set(state.head_cache());
  queue.signals->tail.set(state.tail());
}

std::uint64_t IpcqQueues::reserve(std::size_t queue, std::uint32_t stream) {
  queues_[queue].receiver = stream;
  return queues_[queue].state.reserve();
}

void IpcqQueues::give_back(std::uint32_t stream) {
  for (Queue& queue : queues_) {
    if (queue.receiver != stream) continue;
    queue.state.give_back_all();
    show(queue);
  }
}

void IpcqQueues::reset(const std::string& why) {
  if (!was_reset_) why_reset_ = why;
  for (Queue& queue : queues_) {
    queue.state.give_back_all();
    queue.state.reset();
    show(queue);
  }
  was_reset_ = was_reset_ || !queues_.empty();
}

// --- Look-ups

void IpcqQueues::check_usable(const char* call) const {
  if (queues_.empty())
    throw UsageError(fmt::format("{} on {}: no queue pair is installed there (torch.ipcq.install)",
                                 call, where().str()));
  if (was_reset_) {
    throw QueuesResetError(
        fmt::format("{} on {}: its queues were reset when a launch failed ({}); torch.ipcq.install "
                    "makes them usable again",
                    call, where().str(), why_reset_));
  }
}

std::size_t IpcqQueues::index_of(const char* call, const std::string& direction) const {
  check_usable(call);
  const IpcqQueuePair* found = setup_.find(direction);
  if (found != nullptr) return index_of(*found);
  throw UsageError(fmt::format("{} on {}: no queue pair in direction '{}'; there are {}", call,
                               where().str(), direction, setup_.directions()));
}

std::size_t IpcqQueues::take_next_with_message() {
  for (std::size_t i = 1; i <= queues_.size(); ++i) {
    const std::size_t candidate = (served_last_ + i) % queues_.size();
    const QueuePairState& queue = queues_[candidate].state;
    if (queue.has(queue.next_open())) return served_last_ = candidate;
  }
  return queues_.size();
}

std::string IpcqQueues::str() const {
  std::string text;
  for (const Queue& queue : queues_) {
    if (!queue.state.pair().direction.empty()) text += "\n    " + queue.state.str();
  }
  return text;
}

// --- Messages and credits

tlm::tlm_sync_enum IpcqQueues::nb_transport_fw(MessageArrival& arrival, tlm::tlm_phase& phase) {
  if (phase == tlm::END_RESP) {
    written(*arrival.message);
    return tlm::TLM_COMPLETED;
  }
  if (!accepts(*arrival.message)) return tlm::TLM_COMPLETED;
  phase = tlm::BEGIN_RESP;
  return tlm::TLM_UPDATED;
}

tlm::tlm_sync_enum IpcqQueues::nb_transport_fw(CreditDelivery& delivery,
                                               tlm::tlm_phase& /*phase*/) {
  take(delivery.credit);
  return tlm::TLM_COMPLETED;
}

bool IpcqQueues::accepts(const IpcqMessage& message) const {
  return !was_reset_ && message.installation == installation_;
}

void IpcqQueues::written(const IpcqMessage& message) {
  if (!accepts(message)) return;  // reset while it was being written
  const auto found = std::find_if(queues_.begin(), queues_.end(), [&](const Queue& queue) {
    return queue.state.owns(message.dst_addr);
  });
  if (found == queues_.end()) {
    throw ModelError(fmt::format("a message of {} in direction '{}' for no ring of {}",
                                 message.source.str(), message.direction, where().str()));
  }
  found->state.arrived(message);
  show(*found);
  changed_();
}

void IpcqQueues::take(const IpcqCredit& credit) {
  ++credits_received_;
  if (was_reset_ || credit.installation != installation_) return;
  for (Queue& queue : queues_) {
    if (queue.state.pair().peer_rx_base != credit.dst_rx_base) continue;
    queue.state.credit(credit.consumer_seq);
    show(queue);
    break;
  }
  changed_();  // a polling send looks at its own time only
}

// --- Outstanding operations

void IpcqWorkQueues::add(IpcqJob job) {
  job.tag = next_tag_++;
  jobs_.push_back(std::move(job));
  if (at_head(jobs_.back())) start(jobs_.back());
}

// After a job in a queue only the next job of that queue can begin.
IpcqWorkQueues::Iterator IpcqWorkQueues::remove(Iterator ended) {
  std::list<IpcqJob> removed;
  const auto next = std::next(ended);
  removed.splice(removed.begin(), jobs_, ended);
  for (IpcqJob& job : jobs_) {
    if (!share_a_queue(job, removed.front())) continue;
    if (!job.begun && at_head(job)) start(job);
    if (!removed.front().from_any()) break;
  }
  return next;
}

IpcqJob* IpcqWorkQueues::find(std::uint32_t tag) {
  const auto found = std::find_if(jobs_.begin(), jobs_.end(),
                                  [tag](const IpcqJob& job) { return job.tag == tag; });
  return found == jobs_.end() ? nullptr : &*found;
}

bool IpcqWorkQueues::share_a_queue(const IpcqJob& a, const IpcqJob& b) {
  if (a.stream != b.stream || a.is_send != b.is_send) return false;
  return a.pair == b.pair || a.from_any() || b.from_any();
}

bool IpcqWorkQueues::at_head(const IpcqJob& job) const {
  for (const IpcqJob& earlier : jobs_) {
    if (&earlier == &job) return true;
    if (share_a_queue(earlier, job)) return false;
  }
  return true;
}

void IpcqWorkQueues::start(IpcqJob& job) {
  job.begun = true;
  begin_(job);
}

}  // namespace kernbench
