// PeIpcq, what it shows: signals, texts of deadlock reports and logs, operations and progress of
// messages.
#include <fmt/format.h>

#include "models/pe/pe_ipcq.h"

namespace kernbench {

// --- Signals

void PeIpcq::declare_signals() {
  Component::declare_signals();
  queues_.declare_signals();
}

PeIpcq::State PeIpcq::state_of(const IpcqJob& job) {
  if (job.is_send) return job.pending_wait ? State::send_blocked : State::sending;
  return job.pending_wait ? State::receive_blocked : State::receiving;
}

// The signal has the state of the oldest operation.
void PeIpcq::show_state(const IpcqJob& job, State state) {
  if (&job == &jobs_.oldest()) state_signal_.set(static_cast<std::uint64_t>(state));
}

void PeIpcq::show_oldest() {
  const State state = jobs_.empty() ? State::idle : state_of(jobs_.oldest());
  state_signal_.set(static_cast<std::uint64_t>(state));
}

// --- Texts

std::string PeIpcq::described(DType dtype, const Shape& shape) {
  return std::string(name_of(dtype)) + shape.str();
}

std::string PeIpcq::what_is_waited_for(const IpcqJob& job) const {
  const auto peer_of = [&](const std::string& direction) {
    return fmt::format("direction '{}' of {}", direction, setup().find(direction)->peer.str());
  };
  if (job.is_send)
    return fmt::format("a credit to send in direction '{}' to {}", job.send.direction,
                       queues_[job.pair].state.pair().peer.str());
  if (job.receive.direction.empty()) return "a message in any direction";
  return "a message in " + peer_of(job.receive.direction);
}

// "send of 16 B, f16[8], in direction 'E' to sip1.cube0.pe0".
std::string PeIpcq::text_of(const IpcqJob& job) const {
  const IpcqQueuePair& pair = queues_[job.pair].state.pair();
  const DType dtype = job.is_send ? job.send.dtype : job.receive.dtype;
  const Shape& shape = job.is_send ? job.send.shape : job.receive.shape;
  return fmt::format("{} of {} B, {}, in direction '{}' {} {}", job.is_send ? "send" : "recv",
                     job.is_send ? job.send.nbytes() : job.receive.nbytes(),
                     described(dtype, shape), pair.direction, job.is_send ? "to" : "from",
                     pair.peer.str());
}

void PeIpcq::log_end(const IpcqJob& job) const {
  const auto text = [&] {
    return fmt::format("{} ended, asked for at {}", text_of(job), format_ns(job.started));
  };
  log_.debug(text);
  collectives_.info(text);
}

// --- Operations and messages

void PeIpcq::record(const IpcqJob& job) {
  const AnalysisPort<ExecutedOp>& port = machine_.observation().executed_ops;
  if (!port.observed()) return;
  ExecutedOp op = op_until_now(job);
  op.data = job.data;
  port.write(op);
}

void PeIpcq::report_sent(const IpcqMessage& message, std::uint64_t ring,
                         std::uint32_t stream) const {
  const AnalysisPort<MessageProgress>& port = machine_.observation().message_progress;
  if (!port.observed()) return;
  MessageProgress sent;
  sent.step = MessageProgress::Step::sent;
  sent.node = this;
  sent.installation = message.installation;
  sent.slot = message.dst_addr;
  sent.number = message.sender_seq;
  sent.ring = ring;
  sent.bytes = message.nbytes;
  sent.message = &message;
  sent.end = now();
  sent.stream = stream;
  port.write(sent);
}

void PeIpcq::report_consumed(const IpcqJob& job, const Credit& credit) const {
  const AnalysisPort<MessageProgress>& port = machine_.observation().message_progress;
  if (!port.observed()) return;
  const QueuePairState& queue = queues_[job.pair].state;
  MessageProgress consumed;
  consumed.step = MessageProgress::Step::consumed;
  consumed.node = this;
  consumed.installation = queues_.installation();
  consumed.slot = queue.slot(job.seq);
  consumed.number = job.seq;
  consumed.ring = queue.pair().rx_base;
  consumed.bytes = job.receive.nbytes();
  consumed.start = job.taken;
  consumed.end = now();
  consumed.credit = credit.due;
  consumed.stream = job.stream;
  port.write(consumed);
}

void PeIpcq::report_in_progress(tlm::tlm_analysis_if<ExecutedOp>& to) const {
  for (const IpcqJob& job : jobs_) to.write(op_until_now(job));
}

ExecutedOp PeIpcq::op_until_now(const IpcqJob& job) const {
  ExecutedOp op;
  op.t_start = job.started;
  op.t_end = now();
  op.node = this;
  op.kind = OpKind::memory;
  op.name = job.is_send ? "ipcq_send" : "ipcq_recv";
  op.bytes = job.is_send ? job.send.nbytes() : job.receive.nbytes();
  op.stream = job.stream;
  return op;
}

}  // namespace kernbench
