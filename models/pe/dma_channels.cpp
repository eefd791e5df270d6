#include "models/pe/dma_channels.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/address/virtual_space.h"
#include "models/base/errors.h"
#include "models/pe/pe_identity.h"

namespace kernbench {

namespace {

// Without a link between: the edge to PE_TCM that has neither length nor bandwidth.
bool goes_to_neighbour(const Transaction& transaction) {
  return transaction.route().path->hop(0).propagation_fs == 0;
}

bool has_segments(const MachineDescription& machine, std::uint64_t address) {
  return machine.address_model == AddressModel::la && is_virtual(address);
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

void DmaChannels::set_channels(bool write, std::uint32_t count) {
  direction(write).use.set_servers(count);
  direction(write).channels.resize(count);
  for (DmaChannel& channel : direction(write).channels) {
    channel.write = write;
    channels_.push_back(&channel);
  }
  ordered_ = channels_;
}

void DmaChannels::declare_signals(Observables to) {
  for (const bool write : {false, true}) {
    DmaDirection& of = direction(write);
    const std::string name = write ? "write" : "read";
    of.busy_signal =
        of.channels.size() == 1
            ? &to.add_signal(name + "_channel", fmt::format("the {} channel is held", name),
                             SignalFormat::flag())
            : &to.add_signal(name + "_channel", fmt::format("{} channels held", name),
                             SignalFormat::count("channels", 7));
    of.in_flight_signal = &to.add_signal(
        name + "_bytes_in_flight", fmt::format("of the {} channel: issued and not ended", name),
        SignalFormat::bytes());
    of.show();
  }
}

// --- Requests

void DmaChannels::submit_stage(StageEngine<FabricNode>::Lane& lane) {
  const bool write = lane.stage().type == StageType::dma_write;
  direction(write).use.request({&lane, nullptr}, lane.task->order(), Component::now());
  grant_at_end_of_timestep();
}

tlm::tlm_sync_enum DmaChannels::nb_transport_fw(DmaRequest& request, tlm::tlm_phase& /*phase*/) {
  const Fs now = Component::now();
  SerialResource<DmaJob>& use = direction(request.write).use;
  if (request.key) use.add_stall(now - std::min(request.key->issued, now));
  use.request({nullptr, &request}, request.order, now);
  grant_at_end_of_timestep();
  return tlm::TLM_ACCEPTED;
}

// --- Grant

void DmaChannels::end_of_timestep() {
  guarded(machine_, dma_, [this] {
    for (DmaDirection& direction : directions_) {
      while (direction.use.grantable() && rules_.may_grant(direction, other(direction)))
        grant(direction);
    }
    dma_.rearm();
  });
}

void DmaChannels::grant(DmaDirection& direction) {
  const Fs now = Component::now();
  DmaChannel& channel = *std::find_if(direction.channels.begin(), direction.channels.end(),
                                      [](const DmaChannel& each) { return each.free(); });
  channel.current = direction.use.grant(now);
  channel.granted_at = now;
  const DmaRequest* request = channel.current.request;
  channel.key = request != nullptr && request->key ? *request->key : keys_.next(now);
  direction.show();
  channel.pieces.clear();
  channel.atomic.clear();
  channel.fault.clear();
  Fs cost = 0;
  try {
    plan_pieces(channel, cost);
  } catch (const ModelError&) {
    throw;
  } catch (const MappingFault& fault) {
    const PeIdentity where(machine_, dma_.node(), PeEngine::pe_dma);
    channel.fault = machine_.machine().address_book->text_of(fault, where());
  } catch (const Error& fault) {  // AccessFault, AddressError, RoutingError
    channel.fault = fault.what();
  }
  const std::uint64_t bytes =
      request != nullptr ? request->bytes : channel.current.lane->stage().bytes;
  Component::after(cost);  // not beyond the end of time
  channel.inject_at = Component::after(rules_.setup_time(direction, bytes, cost));
  log_.debug([&] {
    const std::size_t count = channel.pieces.size();
    return text_of(channel) + " granted" +
           (count > 1 ? fmt::format(", as {} transactions", count) : "");
  });
  if (channel.current.lane != nullptr) {
    dma_.begin(*channel.current.lane);
  } else {
    channel.current.request->respond(tlm::END_REQ);
  }
}

void DmaChannels::plan_pieces(DmaChannel& channel, Fs& cost) {
  if (channel.current.lane == nullptr) {
    const DmaRequest& request = *channel.current.request;
    if (request.bytes > 0)
      channel.pieces.push_back(
          {request.place, request.physical, request.bytes, 0, every_channel, nullptr});
    return;
  }
  const Stage& stage = channel.current.lane->stage();
  const TileTask& task = *channel.current.lane->task;
  if (stage.strided) return plan_runs(channel, task.runs_of_stage(), cost);
  plan_contiguous(channel, stage, cost);
  if (task.atomic != nullptr)
    channel.atomic =
        atomic_parts(task.atomic, channel.pieces, channel.pieces, segments_.baaw().hbm());
}

void DmaChannels::plan_contiguous(DmaChannel& channel, const Stage& stage, Fs& cost) {
  if (has_segments(machine_.machine(), stage.address) && stage.bytes > 0) {
    cost = segments_.baaw_overhead();
    return segments_.add_pieces(stage.address, stage.bytes, channel.pieces);
  }
  translate({stage.address, stage.bytes}, 0, channel.pieces, cost);
}

void DmaChannels::plan_runs(DmaChannel& channel, const AddressRuns& runs, Fs& cost) {
  if (runs.empty()) return;
  DmaPieces pieces;
  if (has_segments(machine_.machine(), runs.front().address)) {
    cost = segments_.baaw_overhead();
    segments_.add_pieces(runs, pieces);
  } else {
    std::uint64_t position = 0;
    for (const AddressRun& run : runs) {
      translate(run, position, pieces, cost);
      position += run.nbytes;
    }
  }
  const ChannelInterleave& hbm = segments_.baaw().hbm();
  channel.pieces = merged(pieces, links_.flit_bytes(), hbm);
  if (const auto& atomic = channel.current.lane->task->atomic; atomic != nullptr)
    channel.atomic = atomic_parts(atomic, pieces, channel.pieces, hbm);
}

void DmaChannels::translate(const AddressRun& range, std::uint64_t position, DmaPieces& pieces,
                            Fs& cost) {
  TranslationRequest found;
  found.address = range.address;
  found.nbytes = range.nbytes;
  cost = std::max(cost, to_mmu_.ask(found));
  std::uint64_t bytes = 0;
  for (const PhysRange& physical : found.ranges) {
    add_pieces(machine_.machine(), physical.pa, physical.nbytes, position + bytes, pieces);
    bytes += physical.nbytes;
  }
  if (bytes != range.nbytes)
    throw ModelError(fmt::format("the translation of {} bytes at {} has ranges of {} bytes",
                                 range.nbytes, range.address, bytes));
}

// --- Injection

bool DmaChannels::injects_before(const DmaChannel& a, const DmaChannel& b) {
  return a.granted_at != b.granted_at ? a.granted_at < b.granted_at : a.key < b.key;
}

// A few channels, mostly in order.
void DmaChannels::sort_by_injection() {
  for (std::size_t i = 1; i < ordered_.size(); ++i) {
    for (std::size_t j = i; j > 0 && injects_before(*ordered_[j], *ordered_[j - 1]); --j)
      std::swap(ordered_[j], ordered_[j - 1]);
  }
}

Fs DmaChannels::next_due() const {
  Fs due = never_fs;
  for (const DmaChannel* channel : channels_) due = std::min(due, channel->inject_at);
  return due;
}

bool DmaChannels::stand_at_link() const {
  return std::any_of(channels_.begin(), channels_.end(),
                     [](const DmaChannel* channel) { return channel->stands_at_link; });
}

void DmaChannels::inject_due(Fs now) {
  if (next_due() > now) return;
  sort_by_injection();
  for (DmaChannel* channel : ordered_) {
    if (channel->inject_at > now) continue;
    channel->inject_at = never_fs;
    inject(*channel);
  }
}

// Mostly the same memory again.
const Path& DmaChannels::path_to(NodeId memory) {
  if (path_ == nullptr || path_->target() != memory)
    path_ = &machine_.routes().memory_path(dma_.node(), memory);
  return *path_;
}

void DmaChannels::make_transactions(DmaChannel& channel, bool write) {
  for (const DmaPiece& piece : channel.pieces) {
    TransactionHandle handle = machine_.pool().make();
    handle->set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    handle->set_address(piece.physical);
    handle->set_data_length(static_cast<unsigned>(piece.bytes));
    RouteExtension& route = handle->route();
    route.path = piece.channel == every_channel ? &path_to(piece.place.node)
                                                : &machine_.routes().channel_path(
                                                      dma_.node(), piece.place.node, piece.channel);
    route.channel = piece.channel;
    route.key = channel.in_flight.empty() ? channel.key : keys_.next(channel.key.issued);
    route.offset = piece.place.offset;
    route.list = piece.flits;
    route.listener = this;
    route.listener_tag = static_cast<std::uint64_t>(
        std::find(channels_.begin(), channels_.end(), &channel) - channels_.begin());
    if (!channel.atomic.empty()) {
      route.atomic = channel.atomic[channel.in_flight.size()];
      cut_operands(route, piece, links_.flit_bytes(), segments_.baaw().hbm());
    } else if (write) {
      route.cut_flits(piece.bytes, links_.flit_bytes());
    }
    channel.in_flight.push_back(std::move(handle));
  }
}

void DmaChannels::inject(DmaChannel& channel) {
  if (channel.fault.empty()) {
    try {
      make_transactions(channel, channel.write);
    } catch (const RoutingError& fault) {
      channel.fault = fault.what();
      channel.in_flight.clear();
    }
  }
  channel.awaited = channel.in_flight.size();
  transactions_ += channel.awaited;
  DmaDirection& direction = this->direction(channel.write);
  for (const TransactionHandle& transaction : channel.in_flight)
    direction.in_flight_bytes += transaction->get_data_length();
  direction.show();
  // Without an overhead the other channel may be granted at this instant, and come first, later in
  // it.
  channel.stands_at_link = channel.awaited > 0 && channel.granted_at == Component::now();
  if (!channel.stands_at_link) hand_to_link(channel);
  hand_to_neighbour(channel);
  if (channel.awaited == 0) end(channel);
}

void DmaChannels::hand_to_link(const DmaChannel& channel) {
  const bool per_channel =
      std::any_of(channel.pieces.begin(), channel.pieces.end(),
                  [](const DmaPiece& piece) { return piece.channel != every_channel; });
  if (!channel.write || !per_channel) {
    for (const TransactionHandle& transaction : channel.in_flight) {
      if (!goes_to_neighbour(*transaction)) links_.put(VirtualChannel::compute, *transaction, 0);
    }
    return;
  }
  const ChannelInterleave& hbm = segments_.baaw().hbm();
  for (const FlitTurn& turn : flits_in_order(channel.pieces, channel.in_flight, hbm))
    links_.put_flit(*channel.in_flight[turn.piece], turn.flit);
}

// To the PE's own TCM: no message waits there, and it may answer at this instant.
void DmaChannels::hand_to_neighbour(const DmaChannel& channel) {
  for (const TransactionHandle& transaction : channel.in_flight) {
    if (goes_to_neighbour(*transaction)) links_.put(VirtualChannel::compute, *transaction, 0);
  }
}

void DmaChannels::hand_standing_to_link() {
  sort_by_injection();
  for (DmaChannel* channel : ordered_) {
    if (!channel->stands_at_link) continue;
    channel->stands_at_link = false;
    hand_to_link(*channel);
  }
}

// --- Completion

void DmaChannels::completed(Transaction& transaction) {
  DmaChannel& channel = *channels_[transaction.route().listener_tag];
  if (transaction.get_response_status() < tlm::TLM_INCOMPLETE_RESPONSE && channel.fault.empty()) {
    channel.fault =
        fmt::format("{} answered {}{}", machine_.machine().name(transaction.route().path->source()),
                    transaction.get_response_string(), fault_text(transaction));
  }
  DmaDirection& direction = this->direction(channel.write);
  direction.in_flight_bytes -= transaction.get_data_length();
  direction.show();
  if (--channel.awaited == 0) end(channel);
}

void DmaChannels::end(DmaChannel& channel) {
  channel.in_flight.clear();
  channel.atomic.clear();
  DmaDirection& direction = this->direction(channel.write);
  direction.use.release(channel.granted_at, Component::now());
  if (direction.use.grantable() || other(direction).use.grantable()) grant_at_end_of_timestep();
  direction.show();
  log_end(channel);
  const DmaJob job = channel.current;
  channel.current = {};
  if (job.lane == nullptr) return end_request(*job.request, channel);
  if (channel.fault.empty()) {
    direction.bytes += job.lane->stage().bytes;
  } else {
    ++faults_;
    job.lane->task->completion->fail(
        fmt::format("{} at {}: {}", dma_.name(), format_ns(Component::now()), channel.fault));
  }
  dma_.finish(*job.lane);
}

void DmaChannels::log_end(const DmaChannel& channel) const {
  if (!channel.fault.empty())
    return log_.warning([&] { return text_of(channel) + " failed: " + channel.fault; });
  log_.debug([&] {
    return fmt::format("{} ended, {} after its grant", text_of(channel),
                       format_ns(Component::now() - channel.granted_at));
  });
}

void DmaChannels::end_request(DmaRequest& request, DmaChannel& channel) {
  if (channel.fault.empty()) {
    direction(channel.write).bytes += request.bytes;
  } else {
    ++faults_;
  }
  request.fault = channel.fault;
  request.respond(tlm::BEGIN_RESP);
}

}  // namespace kernbench
