#include "models/pe/pe_dma.h"

#include <algorithm>

#include "models/base/errors.h"

namespace kernbench {

ParameterSchema PeDma::schema() {
  ParameterSchema schema = stage_schema("1");
  schema.push_back(Parameter::integer("rd_engines", "capacity of the read channel", "", "spec 5").default_val(1).range("1", "1"));
  schema.push_back(Parameter::integer("wr_engines", "capacity of the write channel", "", "spec 5").default_val(1).range("1", "1"));
  schema.push_back(Parameter::integer("vc_chunk_size", "bytes of vc_comm that go before vc_compute has its turn", "B", "spec 2.6")
                       .default_val(256)
                       .range("1", ""));
  schema.push_back(Parameter::integer("flit_bytes", "flit size of the fabric", "B", "spec 2.2").from_machine());
  return schema;
}

PeDma::PeDma(const ComponentInit& init)
    : StageEngine(init, {StageType::dma_read, StageType::dma_write}, ArrivalQueue::Keep::last_flit),
      machine_(machine_services(init.services)), keys_(init.node),
      flit_bytes_(static_cast<std::uint32_t>(init.attributes.integer("flit_bytes"))) {
  for (const bool write : {false, true}) {
    Channel& channel = channels_[write ? 1 : 0];
    const std::string name = write ? "write" : "read";
    channel.busy = &add_probe(name + "_channel", "the " + name + " channel is held", 1);
    channel.in_flight_bytes = &add_probe(name + "_bytes_in_flight", "of the " + name + " channel: issued and not ended", 32);
    add_statistic(name + "_channel_held", "grants to completions of the " + name + " channel", Quantity::time_fs,
                  channel.use.ended_holds());
    add_statistic(name + "_bytes", "moved by the " + name + " channel", Quantity::bytes, channel.bytes);
  }
  add_statistic("transactions", "transactions issued", Quantity::count, transactions_);
  add_statistic("faults", "requests that ended in a fault", Quantity::count, faults_);
}

// --- Stages

void PeDma::start(Lane& lane) {
  const TileToken& token = *lane.token;
  if (token.completion->failed()) {
    begin(lane);
    return finish(lane);
  }
  if (lane.stage().type == StageType::dma_read && !token.simple && token.buffer_bytes == 0 &&
      !Uses<TileBuffers>::provider().acquire_buffer(*lane.token, *this, lane.index)) {
    return;
  }
  request_channel(lane);
}

void PeDma::granted(std::uint32_t tag) { request_channel(lane(tag)); }

void PeDma::request_channel(Lane& lane) {
  const bool write = lane.stage().type == StageType::dma_write;
  channels_[write ? 1 : 0].use.request({&lane, {}}, lane.token->order(), now());
  rearm();
}

void PeDma::submit_dma(const DmaRequest& request) {
  channels_[request.write ? 1 : 0].use.request({nullptr, request}, request.order, now());
  rearm();
}

// --- Channels

Fs PeDma::next_due() const {
  Fs due = arrivals_.control() == nullptr ? never_fs : arrivals_.control()->time;
  if (passing_.control() != nullptr) due = std::min(due, passing_.control()->time);
  for (const Channel& channel : channels_) due = std::min(due, channel.use.grantable() ? now() : channel.inject_at);
  return due;
}

void PeDma::serve() {
  bool ended = false;
  while (arrivals_.control() != nullptr && arrivals_.control()->time <= now()) {
    const Arrival arrival = *arrivals_.control();
    arrivals_.pop_control();
    report_passage(arrival, arrival.time);
    arrival.transaction->route().owner->completed(*arrival.transaction);
    ended = true;
  }
  ended = inject_due() || ended;
  pass_due();
  if (ended) return;  // what ends at an instant is known before anything begins
  for (Channel& channel : channels_) {
    if (channel.use.grantable() && channel.use.settled()) grant(channel);
  }
}

bool PeDma::injects_before(const Channel& a, const Channel& b) {
  return a.use.since() != b.use.since() ? a.use.since() < b.use.since() : a.key < b.key;
}

bool PeDma::inject_due() {
  std::array<Channel*, 2> order{&channels_[0], &channels_[1]};
  if (injects_before(channels_[1], channels_[0])) std::swap(order[0], order[1]);
  bool any = false;
  for (Channel* channel : order) {
    if (channel->inject_at > now()) continue;
    channel->inject_at = never_fs;
    inject(*channel);
    any = true;
  }
  return any;
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
    if (request.bytes > 0) channel.pieces.push_back({request.place, 0, request.bytes});
    return;
  }
  const Stage& stage = channel.current.lane->stage();
  const AddressTranslation::Result found = Uses<AddressTranslation>::provider().translate_address(stage.address, stage.bytes);
  cost = found.cost;
  for (const PhysRange& range : found.ranges) add_pieces(channel, range.pa, range.nbytes);
}

// Cuts a physical range where the memory changes.
void PeDma::add_pieces(Channel& channel, std::uint64_t physical, std::uint64_t bytes) {
  const MachineView& view = machine_.machine();
  while (bytes > 0) {
    const MemoryPlace place = view.place_of(physical);
    const auto same = [&](std::uint64_t length) {
      const MemoryPlace last = view.place_of(physical + length - 1);
      return last.node == place.node && last.offset == place.offset + length - 1;
    };
    std::uint64_t length = bytes;
    if (!same(length)) {
      std::uint64_t inside = 1;  // same(inside), not same(length)
      while (length - inside > 1) {
        const std::uint64_t middle = inside + (length - inside) / 2;
        (same(middle) ? inside : length) = middle;
      }
      length = inside;
    }
    channel.pieces.push_back({place, physical, length});
    physical += length;
    bytes -= length;
  }
}

void PeDma::inject(Channel& channel) {
  const bool write = &channel == &channels_[1];
  if (channel.fault.empty()) {
    try {
      for (const Piece& piece : channel.pieces) {
        TransactionHandle handle = machine_.pool().make();
        handle->set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
        handle->set_address(piece.address);
        handle->set_data_length(static_cast<unsigned>(piece.bytes));
        RouteExtension& route = handle->route();
        route.path = &machine_.routes().memory_path(node(), piece.place.node);
        route.key = channel.in_flight.empty() ? channel.key : keys_.next(channel.key.issued);
        route.offset = piece.place.offset;
        route.owner = this;
        route.owner_tag = write ? 1 : 0;
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
  for (const TransactionHandle& transaction : channel.in_flight) bytes += transaction->get_data_length();
  channel.in_flight_bytes->set(bytes);
  for (const TransactionHandle& transaction : channel.in_flight) hand_to_wire(*transaction);
  if (channel.awaited == 0) end(channel);
}

// One virtual channel is in use: what is handed over first goes first.
void PeDma::hand_to_wire(Transaction& transaction) {
  const std::uint32_t flits = transaction.route().flits;
  if (flits == 0) return send(transaction, 0, 0, 0, now());
  for (std::uint32_t flit = 0; flit < flits; ++flit) send(transaction, flit, 1, 0, now());
}

void PeDma::completed(Transaction& transaction) {
  Channel& channel = channels_[transaction.route().owner_tag];
  if (transaction.get_response_status() < tlm::TLM_INCOMPLETE_RESPONSE && channel.fault.empty()) {
    channel.fault = machine_.machine().name(transaction.route().path->source()) + " answered " + transaction.get_response_string();
  }
  channel.in_flight_bytes->set(channel.in_flight_bytes->value() - transaction.get_data_length());
  if (--channel.awaited == 0) end(channel);
}

void PeDma::end(Channel& channel) {
  channel.in_flight.clear();
  channel.use.release(now());
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
    work.lane->token->completion->fail(std::string(name()) + " at " + format_ns(now()) + ": " + channel.fault);
  }
  finish(*work.lane);
}

// --- Traffic of PE_TCM

void PeDma::accepted(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival) {
  const Path& path = *transaction.route().path;
  if (run.position == path.target_position()) return FabricNode::accepted(port, transaction, run, arrival);
  // Towards PE_TCM nothing competes: its edge has neither length nor bandwidth.
  if (run.position + 1 == path.target_position()) return send(transaction, run.first, run.count, run.position, arrival);
  // Whatever starts here at the same instant was granted earlier and goes first.
  const bool whole = run.first + run.count >= transaction.route().flits;
  if (whole && passing_.push_message(arrivals_.upstream(port), transaction, run, arrival)) rearm();
}

void PeDma::pass_due() {
  while (passing_.control() != nullptr && passing_.control()->time <= now()) {
    const Arrival arrival = *passing_.control();
    passing_.pop_control();
    Transaction& transaction = *arrival.transaction;
    const std::uint32_t flits = transaction.route().flits;
    for (std::uint32_t flit = 0; flit < std::max(flits, 1U); ++flit)
      send(transaction, flit, flits == 0 ? 0 : 1, arrival.position, now());
  }
}

}  // namespace kernbench
