#include "models/pe/pe_dma.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "models/pe/pe_components.h"

namespace kernbench {

PeDma::PeDma(const ComponentInit& init, const Parameters& parameters, MachineServices& machine)
    : StageEngine(init, PeEngine::pe_dma, parameters.stage,
                  ArrivalQueue::Forwarding::store_and_forward),
      keys_(init.node), links_(*this, *parameters.flit_bytes),
      segments_(*this, machine.machine(), overhead(), *parameters.baaw_overhead),
      channels_(*this, *this, machine, links_, segments_, keys_),
      ipcq_(*this, machine, links_, keys_,
            {overhead(), *parameters.vc_chunk_size, parameters.slots.tiers()}) {
  add_channels(false, *parameters.rd_engines);
  add_channels(true, *parameters.wr_engines);
  buffer_requests_.resize(lane_count());
  add_statistics();
}

void PeDma::add_channels(bool write, std::uint32_t count) {
  channels_.set_channels(write, count);
  add_lanes(write ? StageType::dma_write : StageType::dma_read, count - 1);
  DmaDirection& channel = channels_.direction(write);
  const std::string name = write ? "write" : "read";
  add_busy_time(
      name + "_channel_held", fmt::format("grants to completions of the {} channel", name),
      channel.use.ended_holds(), [&channel](Fs now) { return channel.use.held_time(now); },
      {Server::Kind::slot, write ? "wr_engines" : "rd_engines", count,
       [&channel](Fs now) { return channel.use.stalled(now); }, &channel.bytes});
  add_statistic(write ? "bytes_written" : "bytes_read",
                fmt::format("moved by the {} channel", name), Quantity::bytes, channel.bytes);
}

void PeDma::add_statistics() {
  const Baaw& baaw = segments_.baaw();
  add_statistic("transactions", "transactions issued", Quantity::count, channels_.transactions());
  add_statistic("faults", "requests that ended in a fault", Quantity::count, channels_.faults());
  add_statistic("messages_sent", "IPCQ messages issued", Quantity::count, ipcq_.messages_sent());
  add_statistic("message_bytes_sent", "payload of the messages issued", Quantity::bytes,
                ipcq_.bytes_sent());
  add_statistic("messages_written", "IPCQ messages that came and were written to their slots",
                Quantity::count, ipcq_.messages_written());
  add_statistic("messages_dropped", "IPCQ messages that came for queues that had been reset",
                Quantity::count, ipcq_.messages_dropped());
  add_busy_time("slot_busy", "time with an access to a ring slot under way", ipcq_.slot_busy(),
                [this](Fs now) { return ipcq_.slot_busy_until(now); },
                {Server::Kind::rate, "*_slot_bw_gbs"});
  add_statistic("segments_installed", "segments of logical addresses installed", Quantity::count,
                baaw.installed);
  add_statistic("segments_removed", "segments of logical addresses removed", Quantity::count,
                baaw.removed);
  add_statistic("segment_accesses", "accesses resolved by segments", Quantity::count,
                baaw.accesses);
  add_statistic("segment_misses", "of these, without a segment", Quantity::count, baaw.misses);
}

void PeDma::declare_signals() {
  StageEngine::declare_signals();
  links_.declare_signals(Observables(*this));
  channels_.declare_signals(Observables(*this));
}

void PeDma::report_under_way(tlm::tlm_analysis_if<ExecutedOp>& to) const {
  StageEngine::report_under_way(to);
  ipcq_.report_under_way(to);
}

// --- Stages

void PeDma::start(Lane& lane) {
  TileTask& task = *lane.task;
  if (task.completion->failed()) {
    begin(lane);
    return finish(lane);
  }
  const bool needs_buffer =
      lane.stage().type == StageType::dma_read && !task.simple && task.buffer_bytes == 0;
  if (!needs_buffer || has_buffer(lane)) channels_.submit_stage(lane);
}

bool PeDma::has_buffer(const Lane& lane) {
  BufferRequest& request = buffer_requests_[lane.index];
  request.task = lane.task;
  request.tag = lane.index;
  return to_scheduler_.begin(request) == tlm::TLM_COMPLETED;
}

// --- Fabric

void PeDma::accepted(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival) {
  const Path& path = *transaction.route().path;
  const bool whole = run.first + run.count >= transaction.route().flits;
  if (run.position == path.target_position()) {
    const bool is_message =
        transaction.route().leg == Leg::request && !transaction.route().is_control();
    if (!is_message) return FabricNode::accepted(port, transaction, run, arrival);
    if (whole) ipcq_.message_reached(arrivals_.upstream(port), transaction, run, arrival);
    return;
  }
  // Towards PE_TCM nothing competes: its edge has neither length nor bandwidth.
  if (run.position + 1 == path.target_position())
    return send(transaction, run.first, run.count, run.position, arrival);
  if (whole) links_.pass(arrivals_.upstream(port), transaction, run, arrival);
}

Fs PeDma::next_due() const {
  const Fs at = now();
  Fs due = std::min(arrivals_.control_due(), ipcq_.next_due(at));
  if (!links_asked_) due = std::min(due, links_due(at));
  return std::min({due, segments_.next_due(), channels_.next_due()});
}

void PeDma::serve() {
  const Fs at = now();
  arrivals_.take_control(at, 0, [this](const Arrival& arrival) { take(arrival); });
  segments_.serve(at);
  channels_.inject_due(at);
  ipcq_.serve(at);
  serve_links_when_quiescent(at);
}

void PeDma::take(const Arrival& message) {
  report_passage(message, message.time);
  if (message.transaction->route().leg == Leg::request) return segments_.arrived(message);
  message.transaction->route().listener->completed(*message.transaction);
}

// Instant at which a message stands at a link, has its next turn, or passes through.
Fs PeDma::links_due(Fs at) const { return channels_.stand_at_link() ? at : links_.next_due(at); }

void PeDma::serve_links_when_quiescent(Fs at) {
  if (links_asked_ || links_due(at) > at) return;
  links_asked_ = true;
  services().end_of_timestep().ask_when_quiescent(*this, node());
}

// All that starts here at this instant is at the links by now, also what was granted at this
// instant without an overhead.
void PeDma::timestep_quiescent() {
  guarded(services(), *this, [this] {
    links_asked_ = false;
    channels_.hand_standing_to_link();
    links_.serve(now());
    rearm();
  });
}

Implementation pe_dma_implementation() { return implementation_of<PeDma>("builtin.pe_dma"); }

}  // namespace kernbench
