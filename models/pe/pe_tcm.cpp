#include "models/pe/pe_tcm.h"

#include <algorithm>

#include "models/data/debug_access.h"
#include "models/pe/pe_components.h"
#include "models/protocol/machine_services.h"

namespace kernbench {

PeTcm::PeTcm(const ComponentInit& init)
    : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward),
      terminal_(arrivals_, *init.attributes.as<Parameters>().overhead,
                *init.attributes.as<Parameters>().flit_bytes) {
  for (const bool write : {false, true}) {
    TcmChannel& channel = channels_[write ? 1 : 0];
    const std::string name = write ? "write" : "read";
    channel.bw_gbs = init.attributes.as<Parameters>().bw_gbs[write ? 1 : 0];
    channel.busy = &add_signal(name + "_busy", fmt::format("the {} channel is held", name),
                               SignalFormat::flag());
    channel.waiting =
        &add_signal(name + "_waiting", fmt::format("accesses queued for the {} channel", name),
                    SignalFormat::count("accesses"));
    add_busy_time(name + "_busy", fmt::format("time that the {} channel was held", name),
                  channel.use.ended_holds(),
                  [&channel](Fs now) { return channel.use.held_time(now); },
                  {Server::Kind::rate, write ? "write_bw_gbs" : "read_bw_gbs", 1,
                   [&channel](Fs now) { return channel.use.stalled(now); }, &channel.bytes});
    add_statistic(write ? "bytes_written" : "bytes_read",
                  fmt::format("bytes moved by the {} channel", name), Quantity::bytes,
                  channel.bytes);
  }
}

void PeTcm::declare_signals() {
  FabricNode::declare_signals();
  for (const bool write : {false, true}) {
    TcmChannel& channel = channels_[write ? 1 : 0];
    const std::string name = write ? "write" : "read";
    channel.command = &add_signal(name + "_command",
                                  fmt::format("command whose access holds the {} channel", name),
                                  SignalFormat::id());
    channel.access_bytes = &add_signal(
        name + "_bytes", "bytes of the access that holds the channel", SignalFormat::bytes());
    channel.access_bytes->clear();
  }
}

tlm::tlm_sync_enum PeTcm::nb_transport_fw(TcmRequest& request, tlm::tlm_phase& /*phase*/) {
  TcmChannel& channel = channels_[request.write ? 1 : 0];
  channel.use.request(&request, request.order, now());
  channel.waiting->set(channel.use.waiting());
  grant_at_end_of_timestep();
  return tlm::TLM_ACCEPTED;
}

Fs PeTcm::next_due() const {
  Fs due = terminal_.next_due();
  for (const TcmChannel& channel : channels_) due = std::min(due, channel.due);
  return due;
}

unsigned PeTcm::debug_access(tlm::tlm_generic_payload& payload, std::uint64_t /*offset*/) {
  return kernbench::debug_access(machine_services(services()).data(), payload);
}

void PeTcm::end_of_timestep() {
  guarded(services(), *this, [this] {
    for (TcmChannel& channel : channels_) {
      if (!channel.use.grantable()) continue;
      channel.current = channel.use.grant(now());
      channel.due = now() + access_time(*channel.current);
      channel.busy->set(1);
      channel.waiting->set(channel.use.waiting());
      if (channel.command != nullptr) {
        channel.command->set(channel.current->order.command);
        channel.access_bytes->set(channel.current->bytes);
      }
      channel.current->respond(tlm::END_REQ);
    }
    rearm();
  });
}

void PeTcm::serve() {
  end_accesses();
  const auto answer = [this](Transaction& transaction, std::uint32_t flit, std::uint32_t count) {
    send(transaction, flit, count, 0, now());
  };
  terminal_.serve(now(), answer,
                  [this](const Arrival& arrival) { report_traversal(arrival, arrival.time); });
}

void PeTcm::end_accesses() {
  for (TcmChannel& channel : channels_) {
    if (channel.due > now()) continue;
    channel.due = never_fs;
    channel.use.release(now());
    channel.bytes += channel.current->bytes;
    channel.busy->set(0);
    if (channel.command != nullptr) {
      channel.command->clear();
      channel.access_bytes->clear();
    }
    if (channel.use.waiting() > 0) grant_at_end_of_timestep();
    channel.current->respond(tlm::BEGIN_RESP);
  }
}

Implementation pe_tcm_implementation() { return implementation_of<PeTcm>("builtin.pe_tcm"); }

}  // namespace kernbench
