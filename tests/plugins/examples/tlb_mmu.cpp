// The address translation of a PE: a TLB with least-recently-used replacement in front of the page
// table.
//
// Timing: a map or unmap message takes effect overhead_ns after it came and is answered then. A
// translation takes walk_ns for each page that it touches and the TLB does not hold; the engine
// that asks waits for it. Unmapping empties the TLB. Not modelled: the memory accesses of a walk;
// address models other than va.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "models/address/virtual_space.h"
#include "models/base/component_registry.h"
#include "models/base/errors.h"
#include "models/base/plugin.h"
#include "models/pe/page_table.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/host_messages.h"
#include "models/protocol/machine_services.h"
#include "models/protocol/pe_services.h"

namespace {

using namespace kernbench;

class TlbMmu final : public FabricNode, private ServiceProvider<TranslationRequest> {
 public:
  static constexpr const char* description = "address translation with a TLB";
  static constexpr std::array roles{Role::pe_mmu};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    Param<std::uint64_t> page_bytes{*this, Parameter::integer("page_bytes", "page", "B", "spec 1.2")
                                               .default_val(4096)
                                               .power_of_two()
                                               .range(1, 1073741824)};
    Param<std::uint64_t> entries{
        *this, Parameter::integer("entries", "entries of the TLB", "", "assumption")
                   .default_val(64)
                   .range(1, 65536)};
    Param<Fs> walk{*this, Parameter::duration_ns("walk_ns", "time of a page walk after a TLB miss",
                                                 "assumption")
                              .default_val(50)};
    Param<Fs> overhead{
        *this, Parameter::duration_ns("overhead_ns", "time per map or unmap message", "assumption")
                   .default_val(0)};
  };
  explicit TlbMmu(const ComponentInit& init)
      : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward), parameters_(init.attributes),
        table_(*parameters_.page_bytes) {
    add_statistic("tlb_hits", "pages that the TLB held", Quantity::count, hits_);
    add_statistic("tlb_misses", "pages that it did not hold", Quantity::count, misses_);
    add_statistic("maps", "mappings installed", Quantity::count, maps_);
  }

 private:
  // --- messages of the host: mappings

  Fs next_due() const override { return arrivals_.control_due(*parameters_.overhead); }
  void serve() override {
    arrivals_.take_control(now(), *parameters_.overhead, [this](const Arrival& arrival) {
      report_traversal(arrival, arrival.time);
      take(*arrival.transaction);
    });
  }
  void take(Transaction& request) {
    const Message* message = request.route().message.get();
    if (const auto* map = dynamic_cast<const MmuMap*>(message)) {
      for (const MmuEntry& entry : map->entries) table_.map(entry.va, entry.pa, entry.size);
      maps_ += map->entries.size();
    } else if (const auto* unmap = dynamic_cast<const MmuUnmap*>(message)) {
      for (const MmuEntry& entry : unmap->entries) table_.unmap(entry.va, entry.size);
      tlb_.clear();
    } else {
      throw ModelError(std::string(name()) + ": a message that is neither MmuMap nor MmuUnmap");
    }
    request.route().message = std::make_shared<HostResponse>();
    request.route().make_response();
    send(request, 0, 0, 0, now());
  }

  // --- translations: with time, and without

  void b_transport(TranslationRequest& request, sc_core::sc_time& delay) override {
    transport_dbg(request);
    if (request.nbytes == 0 || !is_virtual(request.address)) return;
    const std::uint64_t last = (request.address + request.nbytes - 1) / *parameters_.page_bytes;
    for (std::uint64_t page = request.address / *parameters_.page_bytes; page <= last; ++page) {
      if (!holds(page)) delay += fs(*parameters_.walk);
    }
  }
  void transport_dbg(TranslationRequest& request) override {
    if (request.launch != nullptr) return;  // the tensors of a launch: for the address model pa
    if (machine_services(services()).machine().address_model != AddressModel::va)
      throw UsageError("tlb_mmu translates with the address model va only");
    if (request.nbytes == 0) return request.ranges.clear();
    if (!is_virtual(request.address)) {
      request.ranges = {{request.address, request.nbytes}};
    } else {
      request.ranges = table_.look_up(request.address, request.nbytes);
    }
  }
  // The page is the most recently used one from now on.
  bool holds(std::uint64_t page) {
    const auto found = std::find(tlb_.begin(), tlb_.end(), page);
    const bool hit = found != tlb_.end();
    ++(hit ? hits_ : misses_);
    if (hit) {
      tlb_.erase(found);
    } else if (tlb_.size() == *parameters_.entries) {
      tlb_.erase(tlb_.begin());
    }
    tlb_.push_back(page);
    return hit;
  }

  const Parameters parameters_;
  PageTable table_;
  std::vector<std::uint64_t> tlb_;  // pages, the least recently used first
  ServiceTarget<TranslationRequest> translations_{*this, *this};
  std::uint64_t hits_ = 0, misses_ = 0, maps_ = 0;
};

void add_all(PluginRegistries& to) {
  to.components.add(implementation_of<TlbMmu>("custom.tlb_mmu"));
}

}  // namespace

KERNBENCH_PLUGIN("tlb_mmu", add_all);
