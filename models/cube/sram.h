// Shared scratchpad of a cube: a terminal memory connected to its router. A class defines how it
// serves accesses (models/fabric/memory_service.h).
//
// Timing of the built-in service (spec 2.6): no serial server; overhead_ns after the last flit of a
// write or the command of a read the whole response contends for the link at once; a posted write
// completes then. An atomic access takes effect and is answered at that time, as a write whose
// response has flits. Not modelled: banks and ports (accesses do not disturb each other), values
// (MemoryStore holds them).
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "models/data/debug_access.h"
#include "models/fabric/atomic_service.h"
#include "models/fabric/memory_service.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/machine_services.h"

namespace kernbench {

template <class Service>
class MemoryNode final : public FabricNode {
 public:
  static constexpr const char* description = Service::description;
  static constexpr std::array roles{Role::sram, Role::hbm_ctrl};
  using Parameters = typename Service::Parameters;
  explicit MemoryNode(const ComponentInit& init)
      : MemoryNode(init, init.attributes.as<Parameters>()) {}

 private:
  MemoryNode(const ComponentInit& init, const Parameters& parameters);

  Fs next_due() const override { return service_.next_due(); }
  bool takes_runs() const override { return std::is_same_v<Service, FixedLatency>; }
  void serve() override;
  void count(const Transaction& transaction);
  unsigned debug_access(tlm::tlm_generic_payload& payload, std::uint64_t /*offset*/) override {
    return kernbench::debug_access(machine_services(services()).data(), payload);
  }

  Service service_;
  std::uint32_t flit_bytes_;
  std::uint64_t reads_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t bytes_written_ = 0;
  std::uint64_t atomics_ = 0;
};

template <class Service>
MemoryNode<Service>::MemoryNode(const ComponentInit& init, const Parameters& parameters)
    : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward),
      service_(arrivals_, parameters), flit_bytes_(*parameters.flit_bytes) {
  add_statistic("reads", "reads answered", Quantity::count, reads_);
  add_statistic("writes", "writes completed", Quantity::count, writes_);
  add_statistic("bytes_read", "bytes read", Quantity::bytes, bytes_read_);
  add_statistic("bytes_written", "bytes written", Quantity::bytes, bytes_written_);
  add_statistic("atomics", "atomic accesses committed", Quantity::count, atomics_);
  Observables to(*this);
  service_.observe(to);
}

template <class Service>
void MemoryNode<Service>::serve() {
  const Fs at = now();
  service_.serve(at, [this, at](const Arrival& access, Fs start) {
    check_start(access, start, at);
    Transaction& transaction = *access.transaction;
    check_unanswered(*this, transaction);
    count(transaction);
    report_traversal(access, start);
    const auto reply = [this, at](Transaction& answer, std::uint32_t flit, std::uint32_t flits) {
      send(answer, flit, flits, 0, at);
    };
    if (!is_atomic(transaction)) return answer_access(transaction, flit_bytes_, reply);
    carry_out_atomic(transaction, at);
    answer_atomic(transaction, flit_bytes_, reply);
  });
}

// An atomic access reads and writes its bytes.
template <class Service>
void MemoryNode<Service>::count(const Transaction& transaction) {
  const std::uint64_t bytes = transaction.get_data_length();
  const bool atomic = is_atomic(transaction);
  ++(atomic ? atomics_ : transaction.is_read() ? reads_ : writes_);
  if (atomic || transaction.is_read()) bytes_read_ += bytes;
  if (atomic || !transaction.is_read()) bytes_written_ += bytes;
}

extern template class MemoryNode<FixedLatency>;
using Sram = MemoryNode<FixedLatency>;

}  // namespace kernbench
