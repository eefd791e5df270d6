#include "models/pe/pe_tcm.h"

#include <algorithm>
#include <string>

#include "models/address/phys_addr.h"
#include "models/data/debug_access.h"
#include "models/protocol/machine_services.h"

namespace kernbench {

ParameterSchema PeTcm::schema() {
  return {
      Parameter::integer("size_mb", "capacity", "MiB", "spec 1.2, 3.1")
          .default_val(2)
          .range("1", std::to_string(budget_bytes(PeUnit::pe_tcm) >> 20)),
      Parameter::rate_gbs("read_bw_gbs", "bandwidth of the read channel", "spec 1.2")
          .default_val(512)
          .or_unlimited(),
      Parameter::rate_gbs("write_bw_gbs", "bandwidth of the write channel", "spec 1.2")
          .default_val(512)
          .or_unlimited(),
      Parameter::integer("reserved_kb", "of it, the scheduler's tile buffers", "KiB", "spec 1.2")
          .default_val(512)
          .range("0", std::to_string(budget_bytes(PeUnit::pe_tcm) >> 10)),
      Parameter::duration_ns("overhead_ns", "time per request of the fabric", "spec 2.6")
          .default_val(0),
      Parameter::integer("flit_bytes", "flit size of the fabric", "B", "spec 2.2")
          .range("1", "65536")
          .from_machine()};
}

PeTcm::PeTcm(const ComponentInit& init)
    : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward),
      terminal_(arrivals_, ns_to_fs(init.attributes.decimal("overhead_ns")),
                static_cast<std::uint32_t>(init.attributes.integer("flit_bytes"))) {
  for (const bool write : {false, true}) {
    Channel& channel = channels_[write ? 1 : 0];
    const std::string name = write ? "write" : "read";
    channel.bw_gbs = init.attributes.decimal(name + "_bw_gbs");
    channel.busy = &add_signal(name + "_busy", "the " + name + " channel is held", 1);
    channel.waiting =
        &add_signal(name + "_waiting", "accesses that wait for the " + name + " channel", 16);
    add_busy_time(name + "_busy", "time that the " + name + " channel was held",
                  channel.use.ended_holds(),
                  [&channel](Fs now) { return channel.use.held_time(now); });
    add_statistic(write ? "bytes_written" : "bytes_read", "moved by the " + name + " channel",
                  Quantity::bytes, channel.bytes);
  }
}

void PeTcm::access_tcm(bool write, std::uint64_t bytes, TcmListener& user, std::uint32_t tag,
                       const WorkOrder& order) {
  Channel& channel = channels_[write ? 1 : 0];
  channel.use.request({bytes, &user, tag}, order, now());
  channel.waiting->set(channel.use.waiting());
  grant_at_end_of_timestep();
}

Fs PeTcm::next_due() const {
  Fs due = terminal_.next_due();
  for (const Channel& channel : channels_) due = std::min(due, channel.due);
  return due;
}

unsigned PeTcm::debug_access(tlm::tlm_generic_payload& payload, std::uint64_t /*offset*/) {
  return kernbench::debug_access(machine_services(services()).data(), payload);
}

void PeTcm::end_of_timestep() {
  guarded(services(), *this, [this] {
    for (Channel& channel : channels_) {
      if (!channel.use.grantable()) continue;
      channel.current = channel.use.grant(now());
      channel.due = now() + transfer_fs(channel.current.bytes, channel.bw_gbs);
      channel.busy->set(1);
      channel.waiting->set(channel.use.waiting());
      channel.current.user->tcm_access_began(channel.current.tag);
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
                  [this](const Arrival& arrival) { report_passage(arrival, arrival.time); });
}

void PeTcm::end_accesses() {
  for (Channel& channel : channels_) {
    if (channel.due > now()) continue;
    channel.due = never_fs;
    channel.use.release(now());
    channel.bytes += channel.current.bytes;
    channel.busy->set(0);
    if (channel.use.waiting() > 0) grant_at_end_of_timestep();
    channel.current.user->tcm_access_ended(channel.current.tag);
  }
}

}  // namespace kernbench
