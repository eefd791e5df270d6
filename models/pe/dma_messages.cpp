#include "models/pe/dma_messages.h"

#include <algorithm>
#include <string>
#include <utility>

#include "models/data/functional_model.h"
#include "models/data/new_op.h"

namespace kernbench {
namespace {

constexpr std::uint32_t message_server = 0, access_server = 1;

std::size_t index(MemorySpace space) { return static_cast<std::size_t>(space); }

const IpcqMessage& message_of(const Transaction& transaction) {
  return static_cast<const IpcqMessage&>(*transaction.route().message);
}

}  // namespace

SlotParameters::SlotParameters(ParameterSet& set)
    : tcm_overhead(set,
                   Parameter::duration_ns(
                       "tcm_slot_overhead_ns",
                       "time per access to a ring slot in the TCM, before its channel", "spec 8.1")
                       .default_val(0)),
      sram_overhead(set,
                    Parameter::duration_ns("sram_slot_overhead_ns",
                                           "time per access to a ring slot in the SRAM", "spec 8.1")
                        .default_val(2)),
      sram_bw_gbs(
          set, Parameter::rate_gbs("sram_slot_bw_gbs",
                                   "bandwidth of an access to a ring slot in the SRAM", "spec 8.1")
                   .default_val(512)),
      hbm_overhead(set,
                   Parameter::duration_ns("hbm_slot_overhead_ns",
                                          "time per access to a ring slot in the HBM", "spec 8.1")
                       .default_val(6)),
      hbm_bw_gbs(set,
                 Parameter::rate_gbs("hbm_slot_bw_gbs",
                                     "bandwidth of an access to a ring slot in the HBM", "spec 8.1")
                     .default_val(256)) {}

std::array<SlotTier, 3> SlotParameters::tiers() const {
  std::array<SlotTier, 3> tiers;
  tiers[index(MemorySpace::tcm)].overhead = *tcm_overhead;
  tiers[index(MemorySpace::sram)] = {*sram_overhead, *sram_bw_gbs};
  tiers[index(MemorySpace::hbm)] = {*hbm_overhead, *hbm_bw_gbs};
  return tiers;
}

DmaMessages::DmaMessages(FabricNode& dma, MachineServices& machine, DmaLinks& links,
                         TieKeySource& keys, Settings settings)
    : dma_(dma), machine_(machine), links_(links), keys_(keys), settings_(std::move(settings)),
      where_(machine, dma.node(), PeEngine::pe_dma) {}

tlm::tlm_sync_enum DmaMessages::nb_transport_fw(RingRequest& request, tlm::tlm_phase& /*phase*/) {
  if (request.message != nullptr) {
    send_message(request.message);
    return tlm::TLM_COMPLETED;
  }
  accesses_.push_back(&request);
  ++outstanding_;
  dma_.rearm();
  return tlm::TLM_ACCEPTED;
}

void DmaMessages::b_transport(RingRequest& request, sc_core::sc_time& /*delay*/) {
  links_.use_both(request.rings->vc_chunk_size.value_or(settings_.vc_chunk_bytes));
  space_ = request.rings->buffer_kind;
}

// --- Out

void DmaMessages::send_message(std::shared_ptr<const IpcqMessage> message) {
  const MachineDescription& machine = machine_.machine();
  const Fs now = Component::now();
  TransactionHandle handle = machine_.pool().make();
  handle->set_command(tlm::TLM_WRITE_COMMAND);
  handle->set_address(message->dst_addr);
  handle->set_data_length(static_cast<unsigned>(message->nbytes));
  RouteExtension& route = handle->route();
  route.path = &machine_.routes().memory_path(
      dma_.node(), machine.engine(message->destination, PeEngine::pe_dma));
  route.key = keys_.next(now);
  route.stream = message->stream;
  route.offset = message->dst_addr;
  route.posted = true;
  route.listener = this;
  route.cut_flits(message->nbytes, machine.flit_bytes);
  ++messages_sent_;
  bytes_sent_ += message->nbytes;
  route.message = std::move(message);
  outgoing_.push_back(&*handle);
  ++outstanding_;
  in_flight_.emplace(route.key, std::move(handle));
  if (outgoing_.size() > 1) return;
  leaves_at_ = now + settings_.overhead;
  dma_.rearm();
}

// --- In

void DmaMessages::message_reached(NodeId upstream, Transaction& transaction, FlitRun run,
                                  Fs arrival) {
  ++outstanding_;
  if (arrived_.push_message(upstream, transaction, run, arrival)) dma_.rearm();
}

void DmaMessages::recall(const Transaction& transaction) {
  if (arrived_.recall_message(transaction)) --outstanding_;
}

// BEGIN_REQ: PE_IPCQ answers whether the slot is still installed.
bool DmaMessages::has_slot(const IpcqMessage& message) {
  arrival_.message = &message;
  return to_ipcq_.nb_transport_fw(arrival_) == tlm::TLM_UPDATED;
}

void DmaMessages::end_write() {
  Transaction& transaction = *writing_.transaction;
  const IpcqMessage& message = message_of(transaction);
  const auto from = [&message] {
    return message.sent == nullptr ? PhysRanges() : message.sent->places.from;
  };
  DataOpPtr op;
  if (FunctionalModel* data = machine_.data(); data != nullptr && message.bytes != nullptr) {
    const Accessor here{machine_.machine().engine(where_(), PeEngine::pe_cpu), Component::now()};
    op = data->store(here, {*message.bytes, message.shape, message.dtype, {}},
                     {{message.dst_addr, message.nbytes}}, from());
  } else if (machine_.observation().records_parameters) {
    op = record_of({MemoryParams::Kind::store, {}, message.dtype, message.shape}, from(),
                   {{message.dst_addr, message.nbytes}});
  }
  ++messages_written_;
  const AnalysisPort<ExecutedOp>& port = machine_.observation().executed_ops;
  if (port.observed()) {
    ExecutedOp record = op_until_now(servers_[message_server]);
    record.data = std::move(op);
    port.write(record);
  }
  report_written(message);
  to_ipcq_.nb_transport_fw(arrival_, tlm::END_RESP);
  transaction.route().listener->completed(transaction);  // its sender releases it
}

void DmaMessages::report_written(const IpcqMessage& message) const {
  const AnalysisPort<MessageProgress>& port = machine_.observation().message_progress;
  if (!port.observed()) return;
  MessageProgress written;
  written.step = MessageProgress::Step::written;
  written.node = &dma_;
  written.installation = message.installation;
  written.slot = message.dst_addr;
  written.number = message.sender_seq;
  written.bytes = message.nbytes;
  written.arrived = writing_.time;
  written.start = servers_[message_server].started;
  written.end = Component::now();
  port.write(written);
}

ExecutedOp DmaMessages::op_until_now(const Server& server) const {
  ExecutedOp op;
  op.t_start = server.started;
  op.t_end = Component::now();
  op.node = &dma_;
  op.kind = OpKind::copy;
  op.name = "ipcq_copy";
  op.bytes = server.bytes;
  return op;
}

void DmaMessages::report_in_progress(tlm::tlm_analysis_if<ExecutedOp>& to) const {
  for (const Server& server : servers_) {
    if (server.state != Server::State::idle) to.write(op_until_now(server));
  }
}

// --- Accesses to slots

const Path& DmaMessages::path_to_bank(MemorySpace space) {
  const MachineDescription& machine = machine_.machine();
  const NodeId bank = space == MemorySpace::sram ? machine.sram(where_().sip, where_().cube)
                                                 : machine.hbm(where_());
  return machine_.routes().memory_path(dma_.node(), bank);
}

void DmaMessages::begin_access(std::uint32_t number, bool write, MemorySpace space,
                               std::uint64_t bytes) {
  Server& server = servers_[number];
  const Fs now = Component::now();
  if (accessing_++ == 0) accessing_since_ = now;
  const SlotTier& tier = settings_.tiers[index(space)];
  server = {Server::State::paying, now, now, write, space, bytes};
  server.due +=
      space == MemorySpace::tcm ? tier.overhead : slot_access_fs(tier, bytes, path_to_bank(space));
  if (space == MemorySpace::tcm && tier.overhead == 0) end_computed_part(number);
}

// An access of the TCM continues there.
void DmaMessages::end_computed_part(std::uint32_t number) {
  Server& server = servers_[number];
  server.due = never_fs;
  if (server.space != MemorySpace::tcm) return end_access(number);
  server.state = Server::State::in_tcm;
  TcmRequest& access = tcm_accesses_[number];
  access.write = server.write;
  access.bytes = server.bytes;
  access.order = WorkOrder{0, 0, number};
  access.tag = number;
  to_tcm_.nb_transport_fw(access);
}

void DmaMessages::end_access(std::uint32_t number) {
  Server& server = servers_[number];
  --outstanding_;
  if (--accessing_ == 0) slot_busy_ += Component::now() - accessing_since_;
  if (number == message_server) {
    end_write();
    server.state = Server::State::idle;
  } else {
    RingRequest& access = *accesses_.front();
    accesses_.pop_front();
    server.state = Server::State::idle;
    access.respond(tlm::BEGIN_RESP);
  }
  dma_.rearm();
}

// --- Time

Fs DmaMessages::next_due(Fs now) const {
  if (outstanding_ == 0) return never_fs;
  Fs due = outgoing_.empty() ? never_fs : leaves_at_;
  for (const Server& server : servers_) due = std::min(due, server.due);
  if (servers_[message_server].state == Server::State::idle && arrived_.control() != nullptr)
    due = std::min(due, std::max(arrived_.control()->time, now));
  if (servers_[access_server].state == Server::State::idle && !accesses_.empty()) due = now;
  return due;
}

void DmaMessages::serve(Fs now) {
  if (outstanding_ == 0) return;
  while (!outgoing_.empty() && leaves_at_ <= now) {
    Transaction& message = *outgoing_.front();
    outgoing_.pop_front();
    --outstanding_;
    leaves_at_ = now + settings_.overhead;
    links_.put(VirtualChannel::comm, message, 0);
  }
  for (const std::uint32_t number : {message_server, access_server}) {
    if (servers_[number].due <= now) end_computed_part(number);
  }
  while (servers_[message_server].state == Server::State::idle && arrived_.control() != nullptr &&
         arrived_.control()->time <= now) {
    writing_ = *arrived_.control();
    arrived_.pop_control();
    const IpcqMessage& message = message_of(*writing_.transaction);
    if (has_slot(message)) {
      begin_access(message_server, true, space_, message.nbytes);
    } else {
      ++messages_dropped_;
      --outstanding_;
      writing_.transaction->route().listener->completed(*writing_.transaction);
    }
  }
  if (servers_[access_server].state == Server::State::idle && !accesses_.empty()) {
    const RingRequest& access = *accesses_.front();
    begin_access(access_server, access.write, access.space, access.bytes);
  }
}

}  // namespace kernbench
