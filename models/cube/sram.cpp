#include "models/cube/sram.h"

#include "models/data/debug_access.h"
#include "models/protocol/machine_services.h"

namespace kernbench {

Sram::Sram(const ComponentInit& init) : Sram(init, init.attributes.as<Parameters>()) {}

Sram::Sram(const ComponentInit& init, const Parameters& parameters)
    : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward),
      memory_(arrivals_, *parameters.overhead, *parameters.flit_bytes) {
  add_statistic("reads", "reads answered", Quantity::count, reads_);
  add_statistic("writes", "writes completed", Quantity::count, writes_);
  add_statistic("bytes_read", "bytes read", Quantity::bytes, bytes_read_);
  add_statistic("bytes_written", "bytes written", Quantity::bytes, bytes_written_);
}

unsigned Sram::debug_access(tlm::tlm_generic_payload& payload, std::uint64_t /*offset*/) {
  return kernbench::debug_access(machine_services(services()).data(), payload);
}

void Sram::serve() {
  const Fs at = now();
  memory_.serve(
      at,
      [this, at](Transaction& transaction, std::uint32_t flit, std::uint32_t count) {
        send(transaction, flit, count, 0, at);
      },
      [this](const Arrival& arrival) {
        const Transaction& transaction = *arrival.transaction;
        ++(transaction.is_read() ? reads_ : writes_);
        (transaction.is_read() ? bytes_read_ : bytes_written_) += transaction.get_data_length();
        report_passage(arrival, arrival.time);
      });
}

}  // namespace kernbench
