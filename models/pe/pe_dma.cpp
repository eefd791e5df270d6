#include "models/pe/pe_dma.h"

#include <algorithm>

#include "models/address/virtual_space.h"
#include "models/base/errors.h"

namespace kernbench {

namespace {

// Without a link between: the edge to PE_TCM that has neither length nor bandwidth.
bool goes_to_neighbour(const Transaction& transaction) {
  return transaction.route().path->hop(0).propagation_fs == 0;
}

}  // namespace

ParameterSchema PeDma::schema() {
  ParameterSchema schema = stage_schema("1");
  schema.push_back(Parameter::integer("vc_chunk_size",
                                      "bytes of vc_comm that go before vc_compute has its turn",
                                      "B", "spec 2.6")
                       .default_val(256)
                       .range("1", "1073741824"));
  schema.push_back(
      Parameter::duration_ns("baaw_overhead_ns",
                             "time per access that is resolved by segments (address model la)",
                             "assumption")
          .default_val(0));
  schema.push_back(Parameter::integer("flit_bytes", "flit size of the fabric", "B", "spec 2.2")
                       .range("1", "65536")
                       .from_machine());
  for (Parameter& parameter : IpcqEnd::schema()) schema.push_back(std::move(parameter));
  return schema;
}

PeDma::PeDma(const ComponentInit& init)
    : StageEngine(init, {StageType::dma_read, StageType::dma_write},
                  ArrivalQueue::Forwarding::store_and_forward),
      machine_(machine_services(init.services)), keys_(init.node), baaw_(machine_.machine()),
      baaw_overhead_(ns_to_fs(init.attributes.decimal("baaw_overhead_ns"))),
      flit_bytes_(static_cast<std::uint32_t>(init.attributes.integer("flit_bytes"))),
      links_(flit_bytes_), comm_(*this, *this, machine_, keys_),
      comm_waiting_(add_signal("comm_waiting", "messages that wait for the link", 16)) {
  for (const bool write : {false, true}) {
    Channel& channel = channels_[write ? 1 : 0];
    const std::string name = write ? "write" : "read";
    channel.busy = &add_signal(name + "_channel", "the " + name + " channel is held", 1);
    channel.in_flight_bytes = &add_signal(name + "_bytes_in_flight",
                                          "of the " + name + " channel: issued and not ended", 32);
    add_busy_time(name + "_channel_held", "grants to completions of the " + name + " channel",
                  channel.use.ended_holds(),
                  [&channel](Fs now) { return channel.use.held_time(now); });
    add_statistic(write ? "bytes_written" : "bytes_read", "moved by the " + name + " channel",
                  Quantity::bytes, channel.bytes);
  }
  add_statistic("transactions", "transactions issued", Quantity::count, transactions_);
  add_statistic("faults", "requests that ended in a fault", Quantity::count, faults_);
  add_statistic("messages_sent", "IPCQ messages issued", Quantity::count, comm_.messages_sent());
  add_statistic("message_bytes_sent", "payload of the messages issued", Quantity::bytes,
                comm_.bytes_sent());
  add_statistic("messages_written", "IPCQ messages that came and were written to their slots",
                Quantity::count, comm_.messages_written());
  add_statistic("messages_dropped", "IPCQ messages that came for queues that had been reset",
                Quantity::count, comm_.messages_dropped());
  add_busy_time("slot_busy", "time with an access to a ring slot under way", comm_.slot_busy(),
                [this](Fs now) { return comm_.slot_busy_until(now); });
  add_statistic("segments_installed", "segments of logical addresses installed", Quantity::count,
                baaw_.installed);
  add_statistic("segments_removed", "segments of logical addresses removed", Quantity::count,
                baaw_.removed);
  add_statistic("segment_accesses", "accesses resolved by segments", Quantity::count,
                baaw_.accesses);
  add_statistic("segment_misses", "of these, without a segment", Quantity::count, baaw_.misses);
}

// --- Stages

void PeDma::start(Lane& lane) {
  const TileTask& task = *lane.task;
  if (task.completion->failed()) {
    begin(lane);
    return finish(lane);
  }
  if (lane.stage().type == StageType::dma_read && !task.simple && task.buffer_bytes == 0 &&
      !Uses<TileBuffers>::provider().acquire_buffer(*lane.task, *this, lane.index)) {
    return;
  }
  request_channel(lane);
}

void PeDma::granted(std::uint32_t tag) { request_channel(lane(tag)); }

void PeDma::request_channel(Lane& lane) {
  const bool write = lane.stage().type == StageType::dma_write;
  channels_[write ? 1 : 0].use.request({&lane, {}}, lane.task->order(), now());
  grant_at_end_of_timestep();
}

void PeDma::submit_dma(const DmaRequest& request) {
  channels_[request.write ? 1 : 0].use.request({nullptr, request}, request.order, now());
  grant_at_end_of_timestep();
}

// --- Channels

Fs PeDma::next_due() const {
  Fs due = arrivals_.control() == nullptr ? never_fs : arrivals_.control()->time;
  due = std::min(due, comm_.next_due());
  if (!links_asked_) due = std::min(due, links_due());
  if (!segment_messages_.empty()) due = std::min(due, segment_messages_.front().time + overhead());
  for (const Channel& channel : channels_) due = std::min(due, channel.inject_at);
  return due;
}

void PeDma::serve() {
  while (arrivals_.control() != nullptr && arrivals_.control()->time <= now()) {
    const Arrival arrival = *arrivals_.control();
    arrivals_.pop_control();
    report_passage(arrival, arrival.time);
    if (arrival.transaction->route().leg == Leg::request) {
      segment_messages_.push_back(arrival);
      continue;
    }
    arrival.transaction->route().listener->completed(*arrival.transaction);
  }
  while (!segment_messages_.empty() && segment_messages_.front().time + overhead() <= now()) {
    Transaction& request = *segment_messages_.front().transaction;
    segment_messages_.pop_front();
    take_segment_message(request);
  }
  inject_due();
  comm_.serve();
  serve_links_when_quiescent();
}

void PeDma::end_of_timestep() {
  guarded(services(), *this, [this] {
    for (Channel& channel : channels_) {
      if (channel.use.grantable()) grant(channel);
    }
    rearm();
  });
}

bool PeDma::injects_before(const Channel& a, const Channel& b) {
  return a.use.since() != b.use.since() ? a.use.since() < b.use.since() : a.key < b.key;
}

std::array<PeDma::Channel*, 2> PeDma::in_order_of_injection() {
  if (injects_before(channels_[1], channels_[0])) return {&channels_[1], &channels_[0]};
  return {&channels_[0], &channels_[1]};
}

void PeDma::inject_due() {
  for (Channel* channel : in_order_of_injection()) {
    if (channel->inject_at > now()) continue;
    channel->inject_at = never_fs;
    inject(*channel);
  }
}

void PeDma::grant(Channel& channel) {
  channel.current = channel.use.grant(now());
  channel.key = channel.current.request.key ? *channel.current.request.key : keys_.next(now());
  channel.busy->set(1);
  channel.pieces.clear();
  channel.fault.clear();
  Fs cost = 0;
  try {
    plan_pieces(channel, cost);
  } catch (const ModelError&) {
    throw;
  } catch (const Error& fault) {  // AccessFault, AddressError, RoutingError
    channel.fault = fault.what();
  }
  channel.inject_at = now() + overhead() + cost;
  if (channel.current.lane != nullptr) {
    begin(*channel.current.lane);
  } else {
    channel.current.request.user->dma_granted(channel.current.request.tag);
  }
}

void PeDma::plan_pieces(Channel& channel, Fs& cost) {
  if (channel.current.lane == nullptr) {
    const DmaRequest& request = channel.current.request;
    if (request.bytes > 0)
      channel.pieces.push_back({request.place, request.physical, request.bytes, 0, every_channel});
    return;
  }
  const Stage& stage = channel.current.lane->stage();
  if (is_virtual(stage.address) && stage.bytes > 0 &&
      machine_.machine().address_model() == AddressModel::la) {
    cost = baaw_overhead_;
    return baaw_.add_pieces(stage.address, stage.bytes, channel.pieces);
  }
  const AddressTranslation::Result found =
      Uses<AddressTranslation>::provider().translate_address(stage.address, stage.bytes);
  cost = found.cost;
  std::uint64_t position = 0;
  for (const PhysRange& range : found.ranges) {
    add_pieces(machine_.machine(), range.pa, range.nbytes, position, channel.pieces);
    position += range.nbytes;
  }
}

void PeDma::inject(Channel& channel) {
  const bool write = &channel == &channels_[1];
  if (channel.fault.empty()) {
    try {
      for (const DmaPiece& piece : channel.pieces) {
        TransactionHandle handle = machine_.pool().make();
        handle->set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
        handle->set_address(piece.physical);
        handle->set_data_length(static_cast<unsigned>(piece.bytes));
        RouteExtension& route = handle->route();
        route.path = piece.channel == every_channel
                         ? &machine_.routes().memory_path(node(), piece.place.node)
                         : &machine_.routes().channel_path(node(), piece.place.node, piece.channel);
        route.channel = piece.channel;
        route.key = channel.in_flight.empty() ? channel.key : keys_.next(channel.key.issued);
        route.offset = piece.place.offset;
        route.listener = this;
        route.listener_tag = write ? 1 : 0;
        if (write) route.cut_flits(piece.bytes, flit_bytes_);
        channel.in_flight.push_back(std::move(handle));
      }
    } catch (const RoutingError& fault) {
      channel.fault = fault.what();
      channel.in_flight.clear();
    }
  }
  channel.awaited = channel.in_flight.size();
  transactions_ += channel.awaited;
  std::uint64_t bytes = 0;
  for (const TransactionHandle& transaction : channel.in_flight)
    bytes += transaction->get_data_length();
  channel.in_flight_bytes->set(bytes);
  // Without an overhead the other channel may be granted at this instant, and come first, later in
  // it.
  channel.stands_at_link = channel.awaited > 0 && channel.use.since() == now();
  if (!channel.stands_at_link) hand_to_link(channel);
  hand_over_to_neighbour(channel);
  if (channel.awaited == 0) end(channel);
}

void PeDma::report_under_way(OpSink& sink) const {
  StageEngine::report_under_way(sink);
  comm_.report_under_way(sink);
}

// --- The link

void PeDma::use_rings(const IpcqSettings& settings) {
  const auto chunk = static_cast<std::uint32_t>(attributes().integer("vc_chunk_size"));
  links_.use_both(settings.vc_chunk_size.value_or(chunk));
  comm_.use_rings(settings);
}

void PeDma::hand_to_link(const Channel& channel) {
  const bool per_channel =
      std::any_of(channel.pieces.begin(), channel.pieces.end(),
                  [](const DmaPiece& piece) { return piece.channel != every_channel; });
  if (&channel != &channels_[1] || !per_channel) {
    for (const TransactionHandle& transaction : channel.in_flight) {
      if (!goes_to_neighbour(*transaction)) hand_to_link(VirtualChannel::compute, *transaction, 0);
    }
    return;
  }
  for (const FlitTurn& turn : flits_in_order(channel.pieces, channel.in_flight, baaw_.hbm())) {
    links_.put(VirtualChannel::compute, *channel.in_flight[turn.piece], {turn.flit, 1, 0}, now(),
               [this](Transaction& t, FlitRun run) {
                 send(t, run.first, run.count, run.position, now());
               });
  }
}

void PeDma::hand_to_link(VirtualChannel virtual_channel, Transaction& transaction,
                         std::uint32_t position) {
  links_.put(
      virtual_channel, transaction, {0, transaction.route().flits, position}, now(),
      [this](Transaction& t, FlitRun run) { send(t, run.first, run.count, run.position, now()); });
  comm_waiting_.set(links_.waiting(VirtualChannel::comm));
}

// To the PE's own TCM: nobody waits there, and it may answer at this instant.
void PeDma::hand_over_to_neighbour(const Channel& channel) {
  for (const TransactionHandle& transaction : channel.in_flight) {
    if (goes_to_neighbour(*transaction)) hand_to_link(VirtualChannel::compute, *transaction, 0);
  }
}

void PeDma::hand_standing_to_link() {
  for (Channel* channel : in_order_of_injection()) {
    if (!channel->stands_at_link) continue;
    channel->stands_at_link = false;
    hand_to_link(*channel);
  }
}

// When somebody stands at a link, has its next turn, or passes through.
Fs PeDma::links_due() const {
  if (channels_[0].stands_at_link || channels_[1].stands_at_link) return now();
  const Fs turn = links_.next_due(now());
  return passing_.control() == nullptr ? turn : std::min(turn, passing_.control()->time);
}

void PeDma::serve_links_when_quiescent() {
  if (links_asked_ || links_due() > now()) return;
  links_asked_ = true;
  services().end_of_timestep().ask_when_quiescent(*this, node());
}

// All that starts here at this instant is at the links by now, also what was granted at this
// instant without an overhead.
void PeDma::timestep_quiescent() {
  guarded(services(), *this, [this] {
    links_asked_ = false;
    hand_standing_to_link();
    pass_due();
    links_.serve(now(), [this](Transaction& t, FlitRun run) {
      send(t, run.first, run.count, run.position, now());
    });
    comm_waiting_.set(links_.waiting(VirtualChannel::comm));
    rearm();
  });
}

// --- Completion

void PeDma::completed(Transaction& transaction) {
  Channel& channel = channels_[transaction.route().listener_tag];
  if (transaction.get_response_status() < tlm::TLM_INCOMPLETE_RESPONSE && channel.fault.empty()) {
    channel.fault = machine_.machine().name(transaction.route().path->source()) + " answered " +
                    transaction.get_response_string();
  }
  channel.in_flight_bytes->set(channel.in_flight_bytes->value() - transaction.get_data_length());
  if (--channel.awaited == 0) end(channel);
}

void PeDma::end(Channel& channel) {
  channel.in_flight.clear();
  channel.use.release(now());
  if (channel.use.waiting() > 0) grant_at_end_of_timestep();
  channel.busy->set(0);
  const Work work = channel.current;
  channel.current = {};
  if (work.lane == nullptr) {
    if (channel.fault.empty()) {
      channel.bytes += work.request.bytes;
      work.request.user->dma_ended(work.request.tag);
    } else {
      ++faults_;
      work.request.user->dma_failed(work.request.tag, channel.fault);
    }
    return;
  }
  if (channel.fault.empty()) {
    channel.bytes += work.lane->stage().bytes;
  } else {
    ++faults_;
    work.lane->task->completion->fail(std::string(name()) + " at " + format_ns(now()) + ": " +
                                      channel.fault);
  }
  finish(*work.lane);
}

// --- Segments

void PeDma::take_segment_message(Transaction& request) {
  const Message* message = request.route().message.get();
  const auto response = std::make_shared<HostResponse>();
  try {
    if (const auto* install = dynamic_cast<const SegmentInstall*>(message)) {
      baaw_.install(*install);
    } else if (const auto* remove = dynamic_cast<const SegmentRemove*>(message)) {
      baaw_.remove(*remove);
    } else {
      throw ModelError("a message that is neither SegmentInstall nor SegmentRemove");
    }
  } catch (const ModelError&) {
    throw;
  } catch (const Error& fault) {
    response->completion = Completion::failure(
        "segment_error", std::string(name()) + " at " + format_ns(now()) + ": " + fault.what());
  }
  request.route().message = response;
  request.route().make_response();
  send(request, 0, 0, 0, now());
}

// --- Traffic of PE_TCM

void PeDma::accepted(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival) {
  const Path& path = *transaction.route().path;
  const bool whole = run.first + run.count >= transaction.route().flits;
  if (run.position == path.target_position()) {
    const bool is_message =
        transaction.route().leg == Leg::request && !transaction.route().is_control();
    if (!is_message) return FabricNode::accepted(port, transaction, run, arrival);
    if (whole) comm_.message_reached(arrivals_.upstream(port), transaction, run, arrival);
    return;
  }
  // Towards PE_TCM nothing competes: its edge has neither length nor bandwidth.
  if (run.position + 1 == path.target_position())
    return send(transaction, run.first, run.count, run.position, arrival);
  if (whole && passing_.push_message(arrivals_.upstream(port), transaction, run, arrival)) rearm();
}

void PeDma::pass_due() {
  while (passing_.control() != nullptr && passing_.control()->time <= now()) {
    const Arrival arrival = *passing_.control();
    passing_.pop_control();
    hand_to_link(VirtualChannel::compute, *arrival.transaction, arrival.position);
  }
}

}  // namespace kernbench
