#include "models/pe/pe_ipcq.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/data/functional_model.h"
#include "models/data/new_op.h"
#include "models/data/race_detector.h"
#include "models/pe/pe_components.h"

namespace kernbench {

PeIpcq::PeIpcq(const ComponentInit& init, const Parameters& parameters, MachineServices& machine)
    : Component(init), machine_(machine), overhead_(*parameters.overhead),
      queues_(*this, machine, *parameters.queue_pairs, [this] { look_at_end_of_timestep(); }),
      timer_("timer_event"),
      state_signal_(add_signal("state", "state of the engine",
                               SignalFormat::enumeration({"idle", "sending", "send_blocked",
                                                          "receiving", "receive_blocked"}))) {
  add_statistic("sends", "messages sent", Quantity::count, sends_);
  add_statistic("bytes_sent", "payload of messages sent", Quantity::bytes, bytes_sent_);
  add_statistic("receives", "messages received", Quantity::count, receives_);
  add_statistic("bytes_received", "payload of messages received", Quantity::bytes, bytes_received_);
  add_statistic("credits_sent", "credits returned", Quantity::count, credits_sent_);
  add_statistic("credits_received", "credits received", Quantity::count,
                queues_.credits_received());
  add_busy_time("send_blocked", "stall time of sends without a credit", send_blocked_.ended,
                [this](Fs now) { return send_blocked_.until(now); },
                {Server::Kind::slot, "ccl:defaults.n_slots"});
  add_busy_time("receive_blocked", "stall time of receives without a message",
                receive_blocked_.ended, [this](Fs now) { return receive_blocked_.until(now); },
                {Server::Kind::none});
  SC_HAS_PROCESS(PeIpcq);
  SC_METHOD(expire);
  sensitive << timer_;
  dont_initialize();
}

// --- Installation and the end of a kernel

Completion PeIpcq::install(const IpcqInstall& message, const IpcqQueuePairs& mine) {
  using Change = IpcqInstall::Change;
  const bool first =
      message.change == Change::replace || (message.change == Change::add && queues_.empty());
  const Completion completion = queues_.install(message, mine, !jobs_.empty());
  const bool installed = completion.ok && message.action != IpcqInstall::Action::ask;
  if (installed && first && !mine.empty()) {
    RingRequest rings;
    rings.rings = &message.settings;
    to_dma_.b_transport(rings);
  }
  return completion;
}

void PeIpcq::end_jobs(std::optional<std::uint32_t> stream, std::string_view why) {
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    if (stream && job->stream != *stream) {
      ++job;
      continue;
    }
    unblock(*job);
    if (job->phase != Phase::done) {
      job->operation->error = why;
      job->operation->respond(tlm::BEGIN_RESP);
    }
    job = jobs_.drop(job);
  }
}

void PeIpcq::kernel_ended(std::uint32_t stream, const IpcqKernelEnd& end) {
  end_jobs(stream, "the kernel has ended");
  const bool used = users_.erase(stream) > 0;
  queues_.give_back(stream);
  if (end.failed && (end.alone || used)) {
    queues_.reset(end.what);
    end_jobs({},
             fmt::format("{}: its queues have been reset: {}", queues_.where().str(), end.what));
  }
  show_oldest();
}

// --- Arrival of operations

tlm::tlm_sync_enum PeIpcq::nb_transport_fw(IpcqRequest& request, tlm::tlm_phase& phase) {
  auto* send = std::get_if<IpcqSend>(&request.what);
  IpcqJob job = send != nullptr ? send_job(std::move(*send))
                                : receive_job(std::move(std::get<IpcqReceive>(request.what)));
  job.operation = &request;
  job.stream = request.stream;
  submit(std::move(job));
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void PeIpcq::b_transport(IpcqRequest& request, sc_core::sc_time& /*delay*/) {
  if (auto* reservation = std::get_if<IpcqReservation>(&request.what)) {
    const std::size_t queue = queues_.index_of("tl.recv_async", reservation->direction);
    reservation->place = queues_.reserve(queue, request.stream);
    users_.insert(request.stream);
  } else if (auto* installation = std::get_if<RingInstallation>(&request.what)) {
    installation->completion = install(*installation->message, *installation->mine);
  } else {
    kernel_ended(request.stream, std::get<IpcqKernelEnd>(request.what));
  }
}

IpcqJob PeIpcq::send_job(IpcqSend send) const {
  IpcqJob job;
  job.is_send = true;
  job.pair = queues_.index_of("tl.send", send.direction);
  if (send.nbytes() > setup().settings.slot_size) {
    throw UsageError(fmt::format("tl.send on {} in direction '{}': {} has {} bytes, a slot has {}",
                                 queues_.where().str(), send.direction,
                                 described(send.dtype, send.shape), send.nbytes(),
                                 setup().settings.slot_size));
  }
  job.send = std::move(send);
  return job;
}

IpcqJob PeIpcq::receive_job(IpcqReceive receive) const {
  IpcqJob job;
  queues_.check_usable("tl.recv");
  if (!receive.direction.empty()) job.pair = queues_.index_of("tl.recv", receive.direction);
  job.receive = std::move(receive);
  return job;
}

void PeIpcq::submit(IpcqJob job) {
  job.started = now();
  users_.insert(job.stream);
  jobs_.add(std::move(job));
  look_at_end_of_timestep();
}

void PeIpcq::begin(IpcqJob& job) {
  const Fs wait = free_at_ > now() ? free_at_ - now() : 0;
  job.look_at = after(wait + (job.is_send ? send_time(job.send) : receive_time(job.receive)));
  free_at_ = job.look_at;
}

// --- Time

void PeIpcq::end_of_timestep() {
  guarded(services(), *this, [this] {
    for (auto job = jobs_.begin(); job != jobs_.end();) {
      if (job->begun && advance(*job)) {
        job = jobs_.remove(job);
        show_oldest();
      } else {
        ++job;
      }
    }
    arm();
  });
}

void PeIpcq::expire() {
  guarded(services(), *this, [this] {
    while (!credits_.empty() && credits_.front().due <= now()) {
      Credit credit = credits_.front();
      credits_.pop_front();
      for (const Log* log : {&log_, &collectives_})
        log->debug(
            [&] { return fmt::format("credit delivered to {}", credit.delivery.sender.str()); });
      to_network_.nb_transport_fw(credit.delivery);
      IpcqJob* job = jobs_.find(credit.tag);
      if (job != nullptr && job->phase == Phase::crediting) finish(*job);
    }
    look_at_end_of_timestep();
    arm();
  });
}

void PeIpcq::arm() {
  Fs due = credits_.empty() ? never_fs : credits_.front().due;
  if (due != never_fs) machine_.pending_waits().busy_until(due);
  for (const IpcqJob& job : jobs_) {
    if (!job.begun || job.phase != Phase::looking || job.look_at <= now()) continue;
    due = std::min(due, job.look_at);
    if (!job.pending_wait) machine_.pending_waits().busy_until(job.look_at);  // blocked, it polls
  }
  if (due != never_fs) timer_.notify(fs(due - now()));
}

bool PeIpcq::advance(IpcqJob& job) {
  if (job.phase == Phase::looking && job.look_at <= now() &&
      (job.is_send ? look_send(job) : look_receive(job)))
    return true;
  return job.phase == Phase::done;
}

void PeIpcq::block(IpcqJob& job) {
  if (!job.pending_wait) {
    (job.is_send ? send_blocked_ : receive_blocked_).begin(now());
    for (const Log* log : {&log_, &collectives_})
      log->debug([&] { return "waits for " + what_is_waited_for(job); });
    job.pending_wait = machine_.pending_waits().open(name(), what_is_waited_for(job), now(),
                                                     [this] { return queues_.str(); });
  }
  if (job.is_send && setup().settings.backpressure == Backpressure::poll)
    job.look_at = after(ns_to_fs(setup().settings.poll_ns));
  show_state(job, job.is_send ? State::send_blocked : State::receive_blocked);
}

void PeIpcq::unblock(IpcqJob& job) {
  show_state(job, job.is_send ? State::sending : State::receiving);
  if (!job.pending_wait) return;
  machine_.pending_waits().close(*job.pending_wait);
  job.pending_wait.reset();
  (job.is_send ? send_blocked_ : receive_blocked_).end(now());
}

// --- A send

bool PeIpcq::look_send(IpcqJob& job) {
  IpcqQueues::Queue& queue = queues_[job.pair];
  if (queue.state.credits() == 0) {
    block(job);
    return false;
  }
  unblock(job);
  const IpcqSend& send = job.send;
  auto message = std::make_shared<IpcqMessage>();
  message->stream = job.stream;
  message->installation = queues_.installation();
  message->sender_seq = queue.state.send();
  message->dst_addr = queue.state.peer_slot(message->sender_seq);
  message->nbytes = send.nbytes();
  message->shape = send.shape;
  message->dtype = send.dtype;
  message->bytes = send.bytes;
  message->sent = send.data;
  message->destination = queue.state.pair().peer;
  message->source = queues_.where();
  message->direction = send.direction;
  order_by_slot(send.agent, message->dst_addr);
  report_sent(*message, queue.state.pair().peer_rx_base, job.stream);
  RingRequest leaving;
  leaving.message = std::move(message);
  to_dma_.nb_transport_fw(leaving);
  IpcqQueues::show(queue);
  ++sends_;
  bytes_sent_ += send.nbytes();
  job.data = send.data;
  record(job);
  log_end(job);
  job.operation->received = {send.direction, nullptr};
  job.operation->respond(tlm::BEGIN_RESP);
  return true;
}

// Reports the slot to --check-races: a slot that changes hands orders the kernels.
void PeIpcq::order_by_slot(std::uint32_t agent, std::uint64_t slot) const {
  FunctionalModel* data = machine_.data();
  if (data == nullptr || data->races() == nullptr) return;
  data->races()->passes_slot(agent, queues_.installation(), slot);
}

// --- A receive

// Whether the message of the receive has arrived. A receive without a direction searches from the
// queue after the one that it served last.
bool PeIpcq::find_message(IpcqJob& job) {
  if (!job.receive.direction.empty()) {
    const QueuePairState& queue = queues_[job.pair].state;
    return queue.has(job.receive.place.value_or(queue.next_open()));
  }
  const std::size_t found = queues_.take_next_with_message();
  if (found == queues_.size()) return false;
  job.pair = found;
  return true;
}

bool PeIpcq::look_receive(IpcqJob& job) {
  if (!find_message(job)) {
    block(job);
    return false;
  }
  unblock(job);
  QueuePairState& queue = queues_[job.pair].state;
  const IpcqReceive& receive = job.receive;
  job.taken = now();
  job.seq = receive.place ? *receive.place : queues_.reserve(job.pair, job.stream);
  const QueuePairState::Arrived& message = queue.message(job.seq);
  if (message.nbytes != receive.nbytes()) {
    const std::string error = fmt::format(
        "tl.recv on {} in direction '{}': {} has {} bytes, the message of {} is {} of {} bytes",
        queues_.where().str(), queue.pair().direction, described(receive.dtype, receive.shape),
        receive.nbytes(), message.source.str(), described(message.dtype, message.shape),
        message.nbytes);
    if (!receive.place) queue.give_back(job.seq);
    job.operation->error = error;
    job.operation->respond(tlm::BEGIN_RESP);
    return true;
  }
  take(job);
  return job.phase == Phase::done;
}

// Captures the bytes, so that no later message in the slot can change them, and pays for reading
// them.
void PeIpcq::take(IpcqJob& job) {
  const QueuePairState& queue = queues_[job.pair].state;
  const IpcqReceive& receive = job.receive;
  job.received.direction = queue.pair().direction;
  order_by_slot(receive.agent, queue.slot(job.seq));
  if (FunctionalModel* data = machine_.data(); data != nullptr) {
    const Accessor here{machine_.machine().engine(queues_.where(), PeEngine::pe_cpu), now()};
    IssuedOp loaded = data->load(here, {{queue.slot(job.seq), receive.nbytes()}}, receive.shape,
                                 receive.dtype, receive.to);
    job.received.bytes = std::make_shared<const ByteImage>(std::move(loaded.value.image));
    job.data = std::move(loaded.op);
  } else if (machine_.observation().records_parameters) {
    job.data = record_of({MemoryParams::Kind::load, {}, receive.dtype, receive.shape},
                         {{queue.slot(job.seq), receive.nbytes()}}, receive.to);
  }
  if (!receive.consume) return consumed(job);
  job.phase = Phase::reading;
  access_slot(job, false, setup().settings.buffer_kind);
}

void PeIpcq::access_slot(const IpcqJob& job, bool write, MemorySpace space) {
  RingRequest& access = accesses_.take();
  access.write = write;
  access.space = space;
  access.bytes = job.receive.nbytes();
  access.tag = job.tag;
  to_dma_.nb_transport_fw(access);
}

void PeIpcq::nb_transport_bw(RingRequest& access, const tlm::tlm_phase& /*phase*/) {
  // The kernel may have ended.
  if (IpcqJob* job = jobs_.find(access.tag); job != nullptr) access_ended(*job);
  accesses_.give_back(access);
}

void PeIpcq::access_ended(IpcqJob& job) {
  if (job.phase == Phase::reading && job.receive.copy_to) {
    job.phase = Phase::copying;
    return access_slot(job, true, *job.receive.copy_to);
  }
  consumed(job);
  if (job.phase == Phase::done) look_at_end_of_timestep();
  arm();
}

// Moves the tail and sends the credit; the receive ends with its delivery.
void PeIpcq::consumed(IpcqJob& job) {
  IpcqQueues::Queue& queue = queues_[job.pair];
  const PeId sender = queue.state.message(job.seq).source;
  queue.state.consume(job.seq);
  IpcqQueues::show(queue);
  ++receives_;
  bytes_received_ += job.receive.nbytes();
  ++credits_sent_;
  Credit credit;
  credit.due = after(queue.credit_delay);
  credit.delivery.credit = {queues_.installation(), queue.state.tail(), queue.state.pair().rx_base,
                            queues_.where()};
  credit.delivery.sender = sender;
  const bool awaited = job.receive.consume && job.receive.awaits_credit;
  credit.tag = awaited ? job.tag : 0;
  report_consumed(job, credit);
  const auto later = [](const Credit& a, const Credit& b) { return a.due < b.due; };
  credits_.insert(std::upper_bound(credits_.begin(), credits_.end(), credit, later), credit);
  if (awaited) {
    job.phase = Phase::crediting;
  } else {
    finish(job);
  }
}

void PeIpcq::finish(IpcqJob& job) {
  job.phase = Phase::done;
  record(job);
  log_end(job);
  job.operation->received = std::move(job.received);
  job.operation->respond(tlm::BEGIN_RESP);
}

Implementation pe_ipcq_implementation() { return implementation_of<PeIpcq>("builtin.pe_ipcq"); }

}  // namespace kernbench
