#include "models/pe/pe_dma.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "models/address/virtual_space.h"
#include "models/base/errors.h"
#include "models/pe/pe_components.h"

namespace kernbench {

namespace {

// The edge to PE_TCM, which has neither length nor bandwidth.
bool goes_to_tcm(const Transaction& transaction) {
  return transaction.route().path->hop(0).propagation_fs == 0;
}

std::uint64_t bytes_of(const DmaJob& job) {
  return job.lane != nullptr ? job.lane->stage().bytes : job.request->bytes;
}

// "read of 4096 B at 0x1000000 (command 1, tile 3)".
std::string text_of(const DmaChannel& channel) {
  const char* access = channel.write ? "write" : "read";
  if (channel.current.lane == nullptr) {
    const DmaRequest& request = *channel.current.request;
    return fmt::format("{} of {} B at {}", access, request.bytes, format_address(request.physical));
  }
  const TileTask& task = *channel.current.lane->task;
  const Stage& stage = channel.current.lane->stage();
  if (task.atomic != nullptr) access = name_of(task.atomic->op);
  const std::string runs =
      stage.strided ? fmt::format(" in {} runs", task.run_count()) : std::string();
  return fmt::format("{} of {} B{} at {} (command {}{})", access, stage.bytes, runs,
                     format_address(stage.address), task.command_id,
                     task.simple ? "" : fmt::format(", tile {}", task.tile.id));
}

}  // namespace

PeDma::PeDma(const ComponentInit& init, const Parameters& parameters, MachineServices& machine)
    : StageEngine(init, PeEngine::pe_dma, parameters.stage,
                  ArrivalQueue::Forwarding::store_and_forward),
      machine_(machine), keys_(init.node), links_(*this, *parameters.flit_bytes),
      addressing_(*this, machine, *parameters.baaw_overhead, *parameters.flit_bytes),
      messages_(*this, machine, links_, keys_,
                {overhead(), *parameters.vc_chunk_size, parameters.slots.tiers()}) {
  add_channels(false, *parameters.rd_engines);
  add_channels(true, *parameters.wr_engines);
  ordered_ = channels_;
  buffer_requests_.resize(lane_count());
  add_statistics();
}

void PeDma::add_channels(bool write, std::uint32_t count) {
  add_lanes(write ? StageType::dma_write : StageType::dma_read, count - 1);
  DmaDirection& of = direction(write);
  of.use.set_servers(count);
  of.channels.resize(count);
  for (DmaChannel& channel : of.channels) {
    channel.write = write;
    channels_.push_back(&channel);
  }
  const std::string name = write ? "write" : "read";
  add_busy_time(name + "_channel_held",
                fmt::format("time from grant to completion, {} channel", name),
                of.use.ended_holds(), [&of](Fs now) { return of.use.held_time(now); },
                {Server::Kind::slot, write ? "wr_engines" : "rd_engines", count,
                 [&of](Fs now) { return of.use.stalled(now); }, &of.bytes});
  add_statistic(write ? "bytes_written" : "bytes_read",
                fmt::format("bytes moved by the {} channel", name), Quantity::bytes, of.bytes);
}

void PeDma::add_statistics() {
  add_statistic("transactions", "transactions issued", Quantity::count, transactions_);
  add_statistic("faults", "requests that ended in a fault", Quantity::count, faults_);
  add_statistic("messages_sent", "IPCQ messages issued", Quantity::count,
                messages_.messages_sent());
  add_statistic("message_bytes_sent", "payload of the messages issued", Quantity::bytes,
                messages_.bytes_sent());
  add_statistic("messages_written", "IPCQ messages received and written to their slots",
                Quantity::count, messages_.messages_written());
  add_statistic("messages_dropped", "IPCQ messages received for queues that had been reset",
                Quantity::count, messages_.messages_dropped());
  add_busy_time("slot_busy", "time with an access to a ring slot in progress",
                messages_.slot_busy(), [this](Fs now) { return messages_.slot_busy_until(now); },
                {Server::Kind::rate, "*_slot_bw_gbs"});
  const DmaAddressing::Counts& segments = addressing_.segment_counts();
  add_statistic("segments_installed", "segments of logical addresses installed", Quantity::count,
                segments.installed);
  add_statistic("segments_removed", "segments of logical addresses removed", Quantity::count,
                segments.removed);
  add_statistic("segment_accesses", "accesses resolved by segments", Quantity::count,
                segments.accesses);
  add_statistic("segment_misses", "accesses for which no segment was found", Quantity::count,
                segments.misses);
}

void PeDma::declare_signals() {
  StageEngine::declare_signals();
  links_.declare_signals(Observables(*this));
  for (const bool write : {false, true}) {
    DmaDirection& of = direction(write);
    const std::string name = write ? "write" : "read";
    of.busy_signal =
        of.channels.size() == 1
            ? &add_signal(name + "_channel", fmt::format("the {} channel is held", name),
                          SignalFormat::flag())
            : &add_signal(name + "_channel", fmt::format("{} channels held", name),
                          SignalFormat::count("channels", 7));
    of.in_flight_signal =
        &add_signal(name + "_bytes_in_flight",
                    fmt::format("bytes in flight on the {} channel", name), SignalFormat::bytes());
    of.show();
  }
}

void PeDma::report_in_progress(tlm::tlm_analysis_if<ExecutedOp>& to) const {
  StageEngine::report_in_progress(to);
  messages_.report_in_progress(to);
}

// --- Requests

void PeDma::start(Lane& lane) {
  TileTask& task = *lane.task;
  if (task.completion->failed()) {
    begin(lane);
    return finish(lane);
  }
  const bool needs_buffer =
      lane.stage().type == StageType::dma_read && !task.simple && task.buffer_bytes == 0;
  if (!needs_buffer || has_buffer(lane)) submit(lane);
}

bool PeDma::has_buffer(const Lane& lane) {
  BufferRequest& request = buffer_requests_[lane.index];
  request.task = lane.task;
  request.tag = lane.index;
  return to_scheduler_.nb_transport_fw(request) == tlm::TLM_COMPLETED;
}

void PeDma::submit(Lane& lane) {
  const bool write = lane.stage().type == StageType::dma_write;
  direction(write).use.request({&lane, nullptr}, lane.task->order(), now());
  grant_at_end_of_timestep();
}

tlm::tlm_sync_enum PeDma::nb_transport_fw(DmaRequest& request, tlm::tlm_phase& /*phase*/) {
  const Fs at = now();
  SerialResource<DmaJob>& use = direction(request.write).use;
  if (request.key) use.add_stall(at - std::min(request.key->issued, at));
  use.request({nullptr, &request}, request.order, at);
  grant_at_end_of_timestep();
  return tlm::TLM_ACCEPTED;
}

void PeDma::transport_dbg(DmaRequest& request) {
  request.held = directions_[0].use.held_time(now()) + directions_[1].use.held_time(now());
}

// --- Grant

void PeDma::end_of_timestep() {
  guarded(machine_, *this, [this] {
    for (DmaDirection& direction : directions_) {
      while (direction.use.grantable() && may_grant(direction, other(direction))) grant(direction);
    }
    rearm();
  });
}

void PeDma::grant(DmaDirection& direction) {
  const Fs at = now();
  DmaChannel& channel = *std::find_if(direction.channels.begin(), direction.channels.end(),
                                      [](const DmaChannel& each) { return each.free(); });
  channel.current = direction.use.grant(at);
  channel.granted_at = at;
  Lane* const lane = channel.current.lane;
  DmaRequest* const request = channel.current.request;
  channel.key = request != nullptr && request->key ? *request->key : keys_.next(at);
  direction.show();
  DmaAccess& access = channel.access;
  access.clear();
  if (lane != nullptr) {
    addressing_.resolve(*lane->task, lane->stage(), access);
  } else {
    resolve(*request, access);
  }
  after(access.cost);  // not beyond the end of time
  channel.inject_at = after(setup_time(direction, bytes_of(channel.current), access.cost));
  log_.debug([&] {
    const std::size_t count = access.pieces.size();
    return text_of(channel) + " granted" +
           (count > 1 ? fmt::format(", as {} transactions", count) : "");
  });
  if (lane != nullptr) {
    begin(*lane);
  } else {
    request->respond(tlm::END_REQ);
  }
}

// A request of another initiator names its memory.
void PeDma::resolve(const DmaRequest& request, DmaAccess& access) {
  if (request.bytes > 0)
    access.pieces.push_back(
        {request.place, request.physical, request.bytes, 0, every_channel, nullptr});
}

// --- Injection

bool PeDma::injects_before(const DmaChannel& a, const DmaChannel& b) {
  return a.granted_at != b.granted_at ? a.granted_at < b.granted_at : a.key < b.key;
}

// Insertion sort: a few channels, mostly in order.
void PeDma::sort_by_injection() {
  for (std::size_t i = 1; i < ordered_.size(); ++i) {
    for (std::size_t j = i; j > 0 && injects_before(*ordered_[j], *ordered_[j - 1]); --j)
      std::swap(ordered_[j], ordered_[j - 1]);
  }
}

Fs PeDma::injection_due() const {
  Fs due = never_fs;
  for (const DmaChannel* channel : channels_) due = std::min(due, channel->inject_at);
  return due;
}

void PeDma::inject_due(Fs at) {
  if (injection_due() > at) return;
  sort_by_injection();
  for (DmaChannel* channel : ordered_) {
    if (channel->inject_at > at) continue;
    channel->inject_at = never_fs;
    inject(*channel);
  }
}

void PeDma::inject(DmaChannel& channel) {
  if (channel.access.fault.empty()) {
    try {
      make_transactions(channel);
    } catch (const RoutingError& fault) {
      channel.access.fault = fault.what();
      channel.in_flight.clear();
    }
  }
  channel.outstanding = channel.in_flight.size();
  transactions_ += channel.outstanding;
  DmaDirection& direction = this->direction(channel.write);
  for (const TransactionHandle& transaction : channel.in_flight)
    direction.in_flight_bytes += transaction->get_data_length();
  direction.show();
  // Without an overhead the other direction may be granted later in this instant, and inject first.
  channel.awaits_quiescence = channel.outstanding > 0 && channel.granted_at == now();
  if (!channel.awaits_quiescence) put_on_link(channel);
  put_to_tcm(channel);
  if (channel.outstanding == 0) complete(channel);
}

void PeDma::make_transactions(DmaChannel& channel) {
  const DmaAccess& access = channel.access;
  for (const DmaPiece& piece : access.pieces) {
    TransactionHandle handle = machine_.pool().make();
    handle->set_command(channel.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    handle->set_address(piece.physical);
    handle->set_data_length(static_cast<unsigned>(piece.bytes));
    RouteExtension& route = handle->route();
    route.path = piece.channel == every_channel
                     ? &path_to(piece.place.node)
                     : &machine_.routes().channel_path(node(), piece.place.node, piece.channel);
    route.channel = piece.channel;
    route.key = channel.in_flight.empty() ? channel.key : keys_.next(channel.key.issued);
    if (channel.current.lane != nullptr) route.stream = channel.current.lane->task->stream;
    route.offset = piece.place.offset;
    route.list = piece.flits;
    route.listener = this;
    route.listener_tag = static_cast<std::uint64_t>(
        std::find(channels_.begin(), channels_.end(), &channel) - channels_.begin());
    if (!access.atomic.empty()) {
      route.atomic = access.atomic[channel.in_flight.size()];
      cut_operands(route, piece, links_.flit_bytes(), addressing_.hbm());
    } else if (channel.write) {
      route.cut_flits(piece.bytes, links_.flit_bytes());
    }
    channel.in_flight.push_back(std::move(handle));
  }
}

// Usually the same memory as before.
const Path& PeDma::path_to(NodeId memory) {
  if (path_ == nullptr || path_->target() != memory)
    path_ = &machine_.routes().memory_path(node(), memory);
  return *path_;
}

void PeDma::put_on_link(const DmaChannel& channel) {
  const DmaPieces& pieces = channel.access.pieces;
  const bool per_channel = std::any_of(pieces.begin(), pieces.end(), [](const DmaPiece& piece) {
    return piece.channel != every_channel;
  });
  if (!channel.write || !per_channel) {
    for (const TransactionHandle& transaction : channel.in_flight) {
      if (!goes_to_tcm(*transaction)) links_.put(VirtualChannel::compute, *transaction, 0);
    }
    return;
  }
  for (const FlitTurn& turn : flits_in_order(pieces, channel.in_flight, addressing_.hbm()))
    links_.put_flit(*channel.in_flight[turn.piece], turn.flit);
}

// No message waits there, and the TCM may answer at this instant.
void PeDma::put_to_tcm(const DmaChannel& channel) {
  for (const TransactionHandle& transaction : channel.in_flight) {
    if (goes_to_tcm(*transaction)) links_.put(VirtualChannel::compute, *transaction, 0);
  }
}

// --- Completion

void PeDma::completed(Transaction& transaction) {
  DmaChannel& channel = *channels_[transaction.route().listener_tag];
  std::string& fault = channel.access.fault;
  if (transaction.get_response_status() < tlm::TLM_INCOMPLETE_RESPONSE && fault.empty()) {
    fault =
        fmt::format("{} answered {}{}", machine_.machine().name(transaction.route().path->source()),
                    transaction.get_response_string(), fault_text(transaction));
  }
  DmaDirection& direction = this->direction(channel.write);
  direction.in_flight_bytes -= transaction.get_data_length();
  direction.show();
  if (--channel.outstanding == 0) complete(channel);
}

void PeDma::complete(DmaChannel& channel) {
  channel.in_flight.clear();
  channel.access.atomic.clear();
  DmaDirection& direction = this->direction(channel.write);
  direction.use.release(channel.granted_at, now());
  if (direction.use.grantable() || other(direction).use.grantable()) grant_at_end_of_timestep();
  direction.show();
  log_completion(channel);
  const DmaJob job = channel.current;
  channel.current = {};
  const std::string& fault = channel.access.fault;
  if (fault.empty()) {
    direction.bytes += bytes_of(job);
  } else {
    ++faults_;
  }
  if (job.lane == nullptr) {
    job.request->fault = fault;
    return job.request->respond(tlm::BEGIN_RESP);
  }
  if (!fault.empty())
    job.lane->task->completion->fail(fmt::format("{} at {}: {}", name(), format_ns(now()), fault));
  finish(*job.lane);
}

void PeDma::log_completion(const DmaChannel& channel) const {
  if (!channel.access.fault.empty())
    return log_.warning([&] { return text_of(channel) + " failed: " + channel.access.fault; });
  log_.debug([&] {
    return fmt::format("{} ended, {} after its grant", text_of(channel),
                       format_ns(now() - channel.granted_at));
  });
}

// --- Fabric

void PeDma::accepted(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival) {
  const Path& path = *transaction.route().path;
  const bool whole = run.first + run.count >= transaction.route().flits;
  if (run.position == path.target_position()) {
    const bool is_message =
        transaction.route().leg == Leg::request && !transaction.route().is_control();
    if (!is_message) return FabricNode::accepted(port, transaction, run, arrival);
    if (whole) messages_.message_reached(arrivals_.upstream(port), transaction, run, arrival);
    return;
  }
  // Messages to PE_TCM do not compete: its edge has neither length nor bandwidth.
  if (run.position + 1 == path.target_position())
    return send(transaction, run.first, run.count, run.position, arrival);
  if (whole) links_.pass(arrivals_.upstream(port), transaction, run, arrival);
}

// Messages count from their last flit on; the edge to PE_TCM takes each flit at its arrival.
void PeDma::accepted_run(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival,
                         Fs spacing) {
  const std::uint32_t target = transaction.route().path->target_position();
  if (run.position + 1 == target)
    return send_run(transaction, run.first, run.count, run.position, arrival, spacing);
  if (run.first + run.count < transaction.route().flits) return;
  accepted(port, transaction, run, arrival + (run.count - 1) * spacing);
}

void PeDma::recalled(std::uint32_t port, Transaction& transaction, std::uint32_t position,
                     std::uint32_t flit) {
  const Path& path = *transaction.route().path;
  if (position + 1 == path.target_position())
    return recall(path.out_port(position), transaction, position, flit);
  if (position < path.target_position()) return links_.recall(transaction);
  const bool is_message =
      transaction.route().leg == Leg::request && !transaction.route().is_control();
  if (is_message) return messages_.recall(transaction);
  FabricNode::recalled(port, transaction, position, flit);
}

Fs PeDma::next_due() const {
  const Fs at = now();
  Fs due = std::min(arrivals_.control_due(), messages_.next_due(at));
  if (!links_asked_) due = std::min(due, links_due(at));
  return std::min({due, segments_due(), injection_due()});
}

void PeDma::serve() {
  const Fs at = now();
  arrivals_.take_control(at, 0, [this](const Arrival& arrival) { take(arrival); });
  while (segments_due() <= at) {
    Transaction& request = *segment_messages_.front().transaction;
    segment_messages_.pop_front();
    change_segments(request);
  }
  inject_due(at);
  messages_.serve(at);
  serve_links_when_quiescent(at);
}

void PeDma::take(const Arrival& message) {
  report_traversal(message, message.time);
  RouteExtension& route = message.transaction->route();
  if (route.leg == Leg::request) return segment_messages_.push_back(message);
  route.listener->completed(*message.transaction);
}

Fs PeDma::segments_due() const {
  return segment_messages_.empty() ? never_fs : segment_messages_.front().time + overhead();
}

void PeDma::change_segments(Transaction& request) {
  const auto response = std::make_shared<HostResponse>();
  try {
    addressing_.change_segments(request.route().message.get());
  } catch (const ModelError&) {
    throw;
  } catch (const Error& fault) {
    response->completion = Completion::failure(
        "segment_error", fmt::format("{} at {}: {}", name(), format_ns(now()), fault.what()));
  }
  request.route().message = response;
  request.route().make_response();
  send_message(request);
}

// Instant at which a message contends for a link, has its next turn, or passes through.
Fs PeDma::links_due(Fs at) const {
  const bool contends = std::any_of(channels_.begin(), channels_.end(),
                                    [](const auto* channel) { return channel->awaits_quiescence; });
  return contends ? at : links_.next_due(at);
}

void PeDma::serve_links_when_quiescent(Fs at) {
  if (links_asked_ || links_due(at) > at) return;
  links_asked_ = true;
  services().end_of_timestep().ask_when_quiescent(*this, node());
}

// All accesses of this instant contend now, including those granted at this instant without an
// overhead.
void PeDma::timestep_quiescent() {
  guarded(services(), *this, [this] {
    links_asked_ = false;
    sort_by_injection();
    for (DmaChannel* channel : ordered_) {
      if (!channel->awaits_quiescence) continue;
      channel->awaits_quiescence = false;
      put_on_link(*channel);
    }
    links_.serve(now());
    rearm();
  });
}

Implementation pe_dma_implementation() { return implementation_of<PeDma>("builtin.pe_dma"); }

}  // namespace kernbench
