#include "models/pe/pe_ipcq.h"

#include <algorithm>
#include <utility>

#include "models/data/functional_model.h"
#include "models/pe/pe_identity.h"

namespace kernbench {
namespace {

std::string described(DType dtype, const Shape& shape) {
  return std::string(name_of(dtype)) + shape.str();
}

}  // namespace

ParameterSchema PeIpcq::schema() {
  return {
      Parameter::duration_ns("overhead_ns", "time per operation", "spec 5").default_val(0),
      Parameter::integer("queue_pairs", "queue pairs that the engine can hold", "", "assumption")
          .default_val(12)
          .range("1", "256")};
}

PeIpcq::PeIpcq(const ComponentInit& init)
    : Component(init), machine_(machine_services(init.services)),
      overhead_(ns_to_fs(init.attributes.decimal("overhead_ns"))),
      queue_pairs_(static_cast<std::size_t>(init.attributes.integer("queue_pairs"))),
      timer_("timer_event"),
      state_signal_(
          add_signal("state", "what it does", 3,
                     {"idle", "sending", "send_blocked", "receiving", "receive_blocked"})) {
  add_statistic("sends", "messages sent", Quantity::count, sends_);
  add_statistic("bytes_sent", "their payload", Quantity::bytes, bytes_sent_);
  add_statistic("receives", "messages received", Quantity::count, receives_);
  add_statistic("bytes_received", "their payload", Quantity::bytes, bytes_received_);
  add_statistic("credits_sent", "credits returned", Quantity::count, credits_sent_);
  add_statistic("credits_received", "credits that came back", Quantity::count, credits_received_);
  add_busy_time("send_blocked", "sends without a credit", send_blocked_,
                [this](Fs now) { return blocked_until(true, now); });
  add_busy_time("receive_blocked", "receives without a message", receive_blocked_,
                [this](Fs now) { return blocked_until(false, now); });
  for (std::size_t i = 0; i < queue_pairs_; ++i) {
    const std::string pair = "pair" + std::to_string(i);
    pair_signals_.push_back({&add_signal(pair + "_credits", "credits to send", 16),
                             &add_signal(pair + "_head", "messages that came", 32),
                             &add_signal(pair + "_tail", "messages consumed", 32)});
  }
  SC_HAS_PROCESS(PeIpcq);
  SC_METHOD(expire);
  sensitive << timer_;
  dont_initialize();
}

const PeId& PeIpcq::where() const {
  if (!where_) where_ = pe_of(machine_.machine(), node(), PeEngine::pe_ipcq);
  return *where_;
}

// --- Operations come

void PeIpcq::check_usable(const char* call) const {
  if (queues_.empty())
    throw UsageError(std::string(call) + " on " + where().str() +
                     ": no queue pair is installed there (torch.ipcq.install)");
  if (was_reset_) {
    throw UsageError(
        std::string(call) + " on " + where().str() +
        ": its queues were reset when a launch failed; torch.ipcq.install makes them usable again");
  }
}

std::size_t PeIpcq::queue_of(const char* call, const std::string& direction) const {
  check_usable(call);
  const IpcqQueuePair* found = setup_.find(direction);
  if (found != nullptr) return static_cast<std::size_t>(found - setup_.queue_pairs.data());
  std::string known;
  for (const IpcqQueuePair& pair : setup_.queue_pairs)
    known += (known.empty() ? "" : ", ") + pair.direction;
  throw UsageError(std::string(call) + " on " + where().str() + ": no queue pair in direction '" +
                   direction + "'; there are " + known);
}

void PeIpcq::submit_send(std::shared_ptr<IpcqOperation> operation, IpcqSend send) {
  Work work;
  work.is_send = true;
  work.queue = queue_of("tl.send", send.direction);
  if (send.nbytes() > setup_.settings.slot_size) {
    throw UsageError("tl.send on " + where().str() + " in direction '" + send.direction + "': " +
                     described(send.dtype, send.shape) + " has " + std::to_string(send.nbytes()) +
                     " bytes, a slot has " + std::to_string(setup_.settings.slot_size));
  }
  work.operation = std::move(operation);
  work.send = std::move(send);
  submit(std::move(work));
}

void PeIpcq::submit_receive(std::shared_ptr<IpcqOperation> operation, IpcqReceive receive) {
  Work work;
  check_usable("tl.recv");
  if (!receive.direction.empty()) work.queue = queue_of("tl.recv", receive.direction);
  work.operation = std::move(operation);
  work.receive = std::move(receive);
  submit(std::move(work));
}

std::uint64_t PeIpcq::reserve_receive(const std::string& direction) {
  return queues_[queue_of("tl.recv_async", direction)].state.reserve();
}

void PeIpcq::submit(Work work) {
  work.tag = next_tag_++;
  work.started = now();
  works_.push_back(std::move(work));
  if (works_.size() == 1) works_.front().look_at = after(overhead_);
  look_at_end_of_timestep();
}

// --- Time

void PeIpcq::end_of_timestep() {
  guarded(services(), *this, [this] {
    while (!works_.empty() && advance(works_.front())) {
      works_.pop_front();
      if (!works_.empty()) works_.front().look_at = after(overhead_);
    }
    if (works_.empty()) state_signal_.set(static_cast<std::uint64_t>(State::idle));
    arm();
  });
}

void PeIpcq::expire() {
  guarded(services(), *this, [this] {
    while (!credits_.empty() && credits_.front().due <= now()) {
      const Credit credit = credits_.front();
      credits_.pop_front();
      credit.taker->credit_delivered(credit.credit);
      if (!works_.empty() && works_.front().phase == Phase::crediting &&
          works_.front().tag == credit.tag)
        finish(works_.front());
    }
    look_at_end_of_timestep();
    arm();
  });
}

void PeIpcq::arm() {
  Fs due = credits_.empty() ? never_fs : credits_.front().due;
  if (due != never_fs) machine_.pending_waits().busy_until(due);
  if (!works_.empty() && works_.front().phase == Phase::looking && works_.front().look_at > now()) {
    due = std::min(due, works_.front().look_at);
    if (!works_.front().pending_wait)
      machine_.pending_waits().busy_until(works_.front().look_at);  // blocked, it polls
  }
  if (due != never_fs) timer_.notify(fs(due - now()));
}

bool PeIpcq::advance(Work& work) {
  if (work.phase == Phase::looking && work.look_at <= now() &&
      (work.is_send ? look_send(work) : look_receive(work)))
    return true;
  return work.phase == Phase::done;
}

void PeIpcq::block(Work& work) {
  if (!work.pending_wait) {
    work.blocked_since = now();
    work.pending_wait = machine_.pending_waits().open(name(), what_is_waited_for(work), now(),
                                                      [this] { return state(); });
  }
  if (work.is_send && setup_.settings.backpressure == Backpressure::poll)
    work.look_at = after(ns_to_fs(setup_.settings.poll_ns));
  state_signal_.set(
      static_cast<std::uint64_t>(work.is_send ? State::send_blocked : State::receive_blocked));
}

void PeIpcq::unblock(Work& work) {
  state_signal_.set(static_cast<std::uint64_t>(work.is_send ? State::sending : State::receiving));
  if (!work.pending_wait) return;
  machine_.pending_waits().close(*work.pending_wait);
  work.pending_wait.reset();
  (work.is_send ? send_blocked_ : receive_blocked_) += now() - work.blocked_since;
}

// --- A send

bool PeIpcq::look_send(Work& work) {
  Queue& queue = queues_[work.queue];
  if (queue.state.credits() == 0) {
    block(work);
    return false;
  }
  unblock(work);
  const IpcqSend& send = work.send;
  auto message = std::make_shared<IpcqMessage>();
  message->installation = installation_;
  message->sender_seq = queue.state.send();
  message->dst_addr = queue.state.peer_slot(message->sender_seq);
  message->nbytes = send.nbytes();
  message->shape = send.shape;
  message->dtype = send.dtype;
  message->bytes = send.bytes;
  message->destination = queue.state.pair().peer;
  message->source = where();
  message->direction = send.direction;
  message->sender = this;
  dma().send_message(std::move(message));
  show(queue);
  ++sends_;
  bytes_sent_ += send.nbytes();
  work.data = send.data;
  record(work);
  work.operation->complete({send.direction, nullptr});
  return true;
}

void PeIpcq::credit_delivered(const IpcqCredit& credit) {
  ++credits_received_;
  if (was_reset_ || credit.installation != installation_) return;
  for (Queue& queue : queues_) {
    if (queue.state.pair().peer_rx_base != credit.dst_rx_base) continue;
    queue.state.credit(credit.consumer_seq);
    show(queue);
    break;
  }
  look_at_end_of_timestep();  // a polling send looks at its own time only
}

// --- A receive

bool PeIpcq::accepts(const IpcqMessage& message) const {
  return !was_reset_ && message.installation == installation_;
}

void PeIpcq::message_arrived(const IpcqMessage& message) {
  if (!accepts(message)) return;  // reset while it was being written
  const auto found = std::find_if(queues_.begin(), queues_.end(), [&](const Queue& queue) {
    return queue.state.owns(message.dst_addr);
  });
  if (found == queues_.end()) {
    throw ModelError("a message of " + message.source.str() + " in direction '" +
                     message.direction + "' for no ring of " + where().str());
  }
  found->state.arrived(message);
  show(*found);
  look_at_end_of_timestep();
}

// The message that the receive is to have is there. A receive without a direction looks behind the
// queue that it served last.
bool PeIpcq::find_message(Work& work) {
  if (!work.receive.direction.empty()) {
    const IpcqQueue& queue = queues_[work.queue].state;
    return queue.has(work.receive.place.value_or(queue.next_place()));
  }
  for (std::size_t i = 1; i <= queues_.size(); ++i) {
    const std::size_t candidate = (served_last_ + i) % queues_.size();
    const IpcqQueue& queue = queues_[candidate].state;
    if (!queue.has(queue.next_place())) continue;
    work.queue = served_last_ = candidate;
    return true;
  }
  return false;
}

bool PeIpcq::look_receive(Work& work) {
  if (!find_message(work)) {
    block(work);
    return false;
  }
  unblock(work);
  IpcqQueue& queue = queues_[work.queue].state;
  const IpcqReceive& receive = work.receive;
  work.seq = receive.place ? *receive.place : queue.reserve();
  const IpcqQueue::Arrived& message = queue.message(work.seq);
  if (message.nbytes != receive.nbytes()) {
    const std::string error =
        "tl.recv on " + where().str() + " in direction '" + queue.pair().direction +
        "': " + described(receive.dtype, receive.shape) + " has " +
        std::to_string(receive.nbytes()) + " bytes, the message of " + message.source.str() +
        " is " + described(message.dtype, message.shape) + " of " + std::to_string(message.nbytes) +
        " bytes";
    if (!receive.place) queue.give_back(work.seq);
    work.operation->fail(error);
    return true;
  }
  take(work);
  return work.phase == Phase::done;
}

// Captures the bytes, so that no later message in the slot can change them, and pays for reading
// them.
void PeIpcq::take(Work& work) {
  const IpcqQueue& queue = queues_[work.queue].state;
  const IpcqReceive& receive = work.receive;
  work.received.direction = queue.pair().direction;
  if (FunctionalModel* data = machine_.data(); data != nullptr) {
    const Accessor here{machine_.machine().engine(where(), PeEngine::pe_cpu), now()};
    IssuedOp loaded = data->load(here, {{queue.slot(work.seq), receive.nbytes()}}, receive.shape,
                                 receive.dtype, receive.to);
    work.received.bytes = std::make_shared<const ByteImage>(std::move(loaded.value.image));
    work.data = std::move(loaded.op);
  }
  if (!receive.consume) return consumed(work);
  work.phase = Phase::reading;
  dma().access_slot(false, setup_.settings.buffer_kind, receive.nbytes(), *this, work.tag);
}

void PeIpcq::slot_access_ended(std::uint32_t tag) {
  if (works_.empty() || works_.front().tag != tag) return;  // its kernel has ended
  Work& work = works_.front();
  if (work.phase == Phase::reading && work.receive.copy_to) {
    work.phase = Phase::copying;
    return dma().access_slot(true, *work.receive.copy_to, work.receive.nbytes(), *this, work.tag);
  }
  consumed(work);
  arm();
}

// The tail moves and the credit leaves; the receive ends with its delivery.
void PeIpcq::consumed(Work& work) {
  Queue& queue = queues_[work.queue];
  IpcqCreditListener* sender = queue.state.message(work.seq).sender;
  queue.state.consume(work.seq);
  show(queue);
  ++receives_;
  bytes_received_ += work.receive.nbytes();
  ++credits_sent_;
  const Credit credit{after(queue.credit_delay),
                      sender,
                      {installation_, queue.state.tail(), queue.state.pair().rx_base, where()},
                      work.receive.consume ? work.tag : 0};
  const auto later = [](const Credit& a, const Credit& b) { return a.due < b.due; };
  credits_.insert(std::upper_bound(credits_.begin(), credits_.end(), credit, later), credit);
  if (work.receive.consume) {
    work.phase = Phase::crediting;
  } else {
    finish(work);
  }
}

void PeIpcq::finish(Work& work) {
  work.phase = Phase::done;
  record(work);
  work.operation->complete(std::move(work.received));
}

// --- Reports

std::string PeIpcq::what_is_waited_for(const Work& work) const {
  const auto peer_of = [&](const std::string& direction) {
    return "direction '" + direction + "' of " + setup_.find(direction)->peer.str();
  };
  if (work.is_send)
    return "a credit to send in direction '" + work.send.direction + "' to " +
           queues_[work.queue].state.pair().peer.str();
  if (work.receive.direction.empty()) return "a message in any direction";
  return "a message in " + peer_of(work.receive.direction);
}

std::string PeIpcq::state() const {
  std::string text;
  for (const Queue& queue : queues_) text += "\n    " + queue.state.str();
  return text;
}

void PeIpcq::show(const Queue& queue) {
  queue.credits->set(queue.state.credits());
  queue.head->set(queue.state.head_cache());
  queue.tail->set(queue.state.tail());
}

void PeIpcq::record(const Work& work) {
  OpSink* sink = machine_.op_sink();
  if (sink == nullptr) return;
  ExecutedOp op = op_until_now(work);
  op.data = work.data;
  sink->executed(op);
}

void PeIpcq::report_under_way(OpSink& sink) const {
  for (const Work& work : works_) sink.executed(op_until_now(work));
}

ExecutedOp PeIpcq::op_until_now(const Work& work) const {
  ExecutedOp op;
  op.t_start = work.started;
  op.t_end = now();
  op.node = this;
  op.kind = OpKind::memory;
  op.name = work.is_send ? "ipcq_send" : "ipcq_recv";
  op.bytes = work.is_send ? work.send.nbytes() : work.receive.nbytes();
  return op;
}

Fs PeIpcq::blocked_until(bool send, Fs now) const {
  const Fs ended = send ? send_blocked_ : receive_blocked_;
  if (works_.empty()) return ended;
  const Work& work = works_.front();  // only the first one is looked at
  return ended + (work.is_send == send && work.pending_wait ? now - work.blocked_since : 0);
}

}  // namespace kernbench
