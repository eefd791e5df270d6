#include "models/pe/ipcq_end.h"

#include <algorithm>
#include <string>
#include <utility>

#include "models/data/functional_model.h"
#include "models/pe/pe_identity.h"

namespace kernbench {
namespace {

constexpr std::uint32_t message_server = 0, access_server = 1;

std::size_t index(MemorySpace space) { return static_cast<std::size_t>(space); }

const IpcqMessage& message_of(const Transaction& transaction) {
  return static_cast<const IpcqMessage&>(*transaction.route().message);
}

}  // namespace

ParameterSchema IpcqEnd::schema() {
  return {Parameter::duration_ns("tcm_slot_overhead_ns",
                                 "time per access to a ring slot in the TCM, before its channel",
                                 "spec 8.1")
              .default_val(0),
          Parameter::duration_ns("sram_slot_overhead_ns",
                                 "time per access to a ring slot in the SRAM", "spec 8.1")
              .default_val(2),
          Parameter::rate_gbs("sram_slot_bw_gbs", "bandwidth of the access", "spec 8.1")
              .default_val(512),
          Parameter::duration_ns("hbm_slot_overhead_ns",
                                 "time per access to a ring slot in the HBM", "spec 8.1")
              .default_val(6),
          Parameter::rate_gbs("hbm_slot_bw_gbs", "bandwidth of the access", "spec 8.1")
              .default_val(256)};
}

IpcqEnd::IpcqEnd(Component& dma, Owner& owner, MachineServices& machine, TieKeySource& keys)
    : dma_(dma), owner_(owner), machine_(machine), keys_(keys),
      overhead_(ns_to_fs(dma.attributes().decimal("overhead_ns"))) {
  const Attributes& attributes = dma.attributes();
  tiers_[index(MemorySpace::tcm)].overhead = ns_to_fs(attributes.decimal("tcm_slot_overhead_ns"));
  for (const MemorySpace space : {MemorySpace::sram, MemorySpace::hbm}) {
    const std::string name = name_of(space);
    tiers_[index(space)] = {ns_to_fs(attributes.decimal(name + "_slot_overhead_ns")),
                            attributes.decimal(name + "_slot_bw_gbs")};
  }
}

const PeId& IpcqEnd::where() const {
  if (!where_) where_ = pe_of(machine_.machine(), dma_.node(), PeEngine::pe_dma);
  return *where_;
}

// --- Out

void IpcqEnd::send_message(std::shared_ptr<const IpcqMessage> message) {
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
  route.offset = message->dst_addr;
  route.posted = true;
  route.listener = this;
  route.cut_flits(message->nbytes, machine.flit_bytes);
  ++messages_sent_;
  bytes_sent_ += message->nbytes;
  route.message = std::move(message);
  outgoing_.push_back(&*handle);
  in_flight_.emplace(route.key, std::move(handle));
  if (outgoing_.size() > 1) return;
  leaves_at_ = now + overhead_;
  owner_.comm_changed();
}

// --- In

void IpcqEnd::message_reached(NodeId upstream, Transaction& transaction, FlitRun run, Fs arrival) {
  if (arrived_.push_message(upstream, transaction, run, arrival)) owner_.comm_changed();
}

void IpcqEnd::end_write() {
  Transaction& transaction = *writing_.transaction;
  const IpcqMessage& message = message_of(transaction);
  DataOpPtr op;
  if (FunctionalModel* data = machine_.data(); data != nullptr && message.bytes != nullptr) {
    const Accessor here{machine_.machine().engine(where(), PeEngine::pe_cpu), Component::now()};
    op = data->store(here, {*message.bytes, message.shape, message.dtype, {}},
                     {{message.dst_addr, message.nbytes}});
  }
  ++messages_written_;
  if (OpSink* sink = machine_.op_sink(); sink != nullptr) {
    ExecutedOp record = op_until_now(servers_[message_server]);
    record.data = std::move(op);
    sink->executed(record);
  }
  owner_.message_listener().message_arrived(message);
  transaction.route().listener->completed(transaction);  // its sender gives it back
}

ExecutedOp IpcqEnd::op_until_now(const Server& server) const {
  ExecutedOp op;
  op.t_start = server.started;
  op.t_end = Component::now();
  op.node = &dma_;
  op.kind = OpKind::copy;
  op.name = "ipcq_copy";
  op.bytes = server.bytes;
  return op;
}

void IpcqEnd::report_under_way(OpSink& sink) const {
  for (const Server& server : servers_) {
    if (server.state != Server::State::idle) sink.executed(op_until_now(server));
  }
}

// --- Accesses to slots

void IpcqEnd::access_slot(bool write, MemorySpace space, std::uint64_t bytes, SlotListener& user,
                          std::uint32_t tag) {
  accesses_.push_back({write, space, bytes, &user, tag});
  owner_.comm_changed();
}

const Path& IpcqEnd::path_to_bank(MemorySpace space) {
  const MachineDescription& machine = machine_.machine();
  const NodeId bank =
      space == MemorySpace::sram ? machine.sram(where().sip, where().cube) : machine.hbm(where());
  return machine_.routes().memory_path(dma_.node(), bank);
}

void IpcqEnd::begin(std::uint32_t number, bool write, MemorySpace space, std::uint64_t bytes) {
  Server& server = servers_[number];
  const Fs now = Component::now();
  if (accessing_++ == 0) accessing_since_ = now;
  const SlotTier& tier = tiers_[index(space)];
  server = {Server::State::paying, now, now, write, space, bytes};
  server.due +=
      space == MemorySpace::tcm ? tier.overhead : slot_access_fs(tier, bytes, path_to_bank(space));
  if (space == MemorySpace::tcm && tier.overhead == 0) paid(number);
}

// The computed part is over.
void IpcqEnd::paid(std::uint32_t number) {
  Server& server = servers_[number];
  server.due = never_fs;
  if (server.space != MemorySpace::tcm) return end(number);
  server.state = Server::State::in_tcm;
  owner_.slot_tcm().access_tcm(server.write, server.bytes, *this, number, WorkOrder{0, 0, number});
}

void IpcqEnd::end(std::uint32_t number) {
  Server& server = servers_[number];
  if (--accessing_ == 0) slot_busy_ += Component::now() - accessing_since_;
  if (number == message_server) {
    end_write();
    server.state = Server::State::idle;
  } else {
    const Access access = accesses_.front();
    accesses_.pop_front();
    server.state = Server::State::idle;
    access.user->slot_access_ended(access.tag);
  }
  owner_.comm_changed();
}

// --- Time

Fs IpcqEnd::next_due() const {
  const Fs now = Component::now();
  Fs due = outgoing_.empty() ? never_fs : leaves_at_;
  for (const Server& server : servers_) due = std::min(due, server.due);
  if (servers_[message_server].state == Server::State::idle && arrived_.control() != nullptr)
    due = std::min(due, std::max(arrived_.control()->time, now));
  if (servers_[access_server].state == Server::State::idle && !accesses_.empty()) due = now;
  return due;
}

void IpcqEnd::serve() {
  const Fs now = Component::now();
  while (!outgoing_.empty() && leaves_at_ <= now) {
    Transaction& message = *outgoing_.front();
    outgoing_.pop_front();
    leaves_at_ = now + overhead_;
    owner_.message_at_link(message);
  }
  for (const std::uint32_t number : {message_server, access_server}) {
    if (servers_[number].due <= now) paid(number);
  }
  while (servers_[message_server].state == Server::State::idle && arrived_.control() != nullptr &&
         arrived_.control()->time <= now) {
    writing_ = *arrived_.control();
    arrived_.pop_control();
    const IpcqMessage& message = message_of(*writing_.transaction);
    if (owner_.message_listener().accepts(message)) {
      begin(message_server, true, space_, message.nbytes);
    } else {
      ++messages_dropped_;
      writing_.transaction->route().listener->completed(*writing_.transaction);
    }
  }
  if (servers_[access_server].state == Server::State::idle && !accesses_.empty()) {
    const Access& access = accesses_.front();
    begin(access_server, access.write, access.space, access.bytes);
  }
}

}  // namespace kernbench
