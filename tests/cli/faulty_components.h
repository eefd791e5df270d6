// Address translations of a PE that misbehave inside the call of the PE_DMA, as a plug-in of anyone
// may.
#pragma once

#include <array>
#include <cstdlib>
#include <stdexcept>

#include "models/base/component_registry.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/machine_services.h"
#include "models/protocol/pe_services.h"

namespace kernbench::test {

using MmuFault = void (*)();

template <MmuFault fault>
class FaultyMmu final : public FabricNode, private ServiceProvider<TranslationRequest> {
 public:
  static constexpr const char* description = "misbehaves when it is asked";
  static constexpr std::array roles{Role::pe_mmu};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    Param<std::uint64_t> page_bytes{
        *this, Parameter::integer("page_bytes", "page", "B", "tests").default_val(4096)};
    Param<Fs> tlb_overhead{
        *this, Parameter::duration_ns("tlb_overhead_ns", "per look-up", "tests").default_val(0)};
    Param<Fs> overhead{
        *this, Parameter::duration_ns("overhead_ns", "per message", "tests").default_val(0)};
  };
  explicit FaultyMmu(const ComponentInit& init)
      : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward) {}

 private:
  Fs next_due() const override { return arrivals_.control_due(); }
  void serve() override {
    arrivals_.take_control(now(), 0, [this](const Arrival& arrival) {
      arrival.transaction->route().message = std::make_shared<HostResponse>();
      arrival.transaction->route().make_response();
      send(*arrival.transaction, 0, 0, 0, now());
    });
  }
  void b_transport(TranslationRequest&, sc_core::sc_time&) override { fault(); }
  void transport_dbg(TranslationRequest&) override {}

  ServiceTarget<TranslationRequest> translations_{*this, *this};
};

namespace mmu_faults {
inline void throws() { throw std::runtime_error("no licence"); }
inline void throws_42() { throw 42; }
inline void stops() { sc_core::sc_stop(); }
inline void exits() { std::exit(0); }
inline void reports() { SC_REPORT_ERROR("acme/mmu", "no licence"); }
}  // namespace mmu_faults

inline void add_faulty_components(ComponentRegistry& to) {
  using namespace mmu_faults;
  to.add(implementation_of<FaultyMmu<&throws>>("test.mmu_throws"));
  to.add(implementation_of<FaultyMmu<&throws_42>>("test.mmu_throws_42"));
  to.add(implementation_of<FaultyMmu<&stops>>("test.mmu_stops"));
  to.add(implementation_of<FaultyMmu<&exits>>("test.mmu_exits"));
  to.add(implementation_of<FaultyMmu<&reports>>("test.mmu_reports"));
}

}  // namespace kernbench::test
