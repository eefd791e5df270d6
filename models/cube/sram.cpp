#include "models/cube/sram.h"

#include <string>

#include "models/address/phys_addr.h"
#include "models/data/debug_access.h"
#include "models/protocol/machine_services.h"

namespace kernbench {

ParameterSchema Sram::schema() {
  return {
      Parameter::duration_ns("overhead_ns", "from the last flit or the command to the response",
                             "spec 2.6")
          .default_val(0),
      Parameter::integer("size_mb", "capacity", "MiB", "spec 1.2, 3.1")
          .default_val(32)
          .range("1", std::to_string(PhysAddr::cube_sram_bytes >> 20)),
      Parameter::integer("flit_bytes", "size of a full flit", "B", "spec 2.2")
          .range("1", "65536")
          .from_machine(),
  };
}

Sram::Sram(const ComponentInit& init)
    : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward),
      memory_(arrivals_, ns_to_fs(attributes().decimal("overhead_ns")),
              static_cast<std::uint32_t>(attributes().integer("flit_bytes"))) {
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
