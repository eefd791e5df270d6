#include "models/pe/pe_mmu.h"

#include <algorithm>
#include <string>

#include "models/address/virtual_space.h"
#include "models/pe/pe_identity.h"

namespace kernbench {

ParameterSchema PeMmu::schema() {
  return {Parameter::integer("page_bytes", "page", "B", "spec 1.2")
              .default_val(4096)
              .power_of_two()
              .range("1", "1073741824"),
          Parameter::duration_ns("tlb_overhead_ns",
                                 "time per translation, paid by the translating engine", "spec 3.3")
              .default_val(0),
          Parameter::duration_ns("overhead_ns", "time per map or unmap message", "ADR-0039")
              .default_val(0)};
}

PeMmu::PeMmu(const ComponentInit& init)
    : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward),
      machine_(machine_services(init.services)),
      overhead_(ns_to_fs(init.attributes.decimal("overhead_ns"))),
      tlb_overhead_(ns_to_fs(init.attributes.decimal("tlb_overhead_ns"))),
      table_(static_cast<std::uint64_t>(init.attributes.integer("page_bytes"))) {
  add_statistic("look_ups", "translations", Quantity::count, look_ups_);
  add_statistic("misses", "translations that found no mapping", Quantity::count, misses_);
  add_statistic("maps", "mappings installed", Quantity::count, maps_);
  add_statistic("unmaps", "mappings removed", Quantity::count, unmaps_);
}

// --- Messages

Fs PeMmu::next_due() const {
  const Arrival* head = arrivals_.control();
  return head == nullptr ? never_fs : head->time + overhead_;
}

void PeMmu::serve() {
  while (next_due() <= now()) {
    const Arrival arrival = *arrivals_.control();
    arrivals_.pop_control();
    report_passage(arrival, arrival.time);
    take(*arrival.transaction);
  }
}

void PeMmu::take(Transaction& request) {
  const Message* message = request.route().message.get();
  if (const auto* map = dynamic_cast<const MmuMap*>(message)) {
    for (const MmuEntry& entry : map->entries) table_.map(entry.va, entry.pa, entry.size);
    maps_ += map->entries.size();
  } else if (const auto* unmap = dynamic_cast<const MmuUnmap*>(message)) {
    for (const MmuEntry& entry : unmap->entries) table_.unmap(entry.va, entry.size);
    unmaps_ += unmap->entries.size();
  } else {
    throw ModelError(std::string(name()) + ": a message that is neither MmuMap nor MmuUnmap");
  }
  request.route().message = std::make_shared<HostResponse>();
  request.route().make_response();
  send(request, 0, 0, 0, now());
}

// --- Look-ups

AddressTranslation::Result PeMmu::translate_address(std::uint64_t address, std::uint64_t nbytes) {
  if (nbytes == 0) return {};
  if (!is_virtual(address)) return {{{address, nbytes}}, 0};
  switch (machine_.machine().address_model) {
    case AddressModel::pa:
      return {by_shards(address, nbytes), 0};
    case AddressModel::va:
      return {by_mapping(address, nbytes), tlb_overhead_};
    case AddressModel::la:
      break;
  }
  if (!connected())
    throw UsageError(
        "address model la: the PE's DMA has no segments; another implementation has taken its "
        "place");
  return {Uses<SegmentLookup>::provider().look_up_segments(address, nbytes), 0};
}

PhysRanges PeMmu::by_mapping(std::uint64_t address, std::uint64_t nbytes) {
  ++look_ups_;
  try {
    return table_.look_up(address, nbytes);
  } catch (const AccessFault&) {
    ++misses_;
    throw;
  }
}

void PeMmu::use_tensors(const std::vector<KernelArgument>& arguments) {
  tensors_.clear();
  if (machine_.machine().address_model != AddressModel::pa) return;
  for (const KernelArgument& argument : arguments) {
    if (const auto* tensor = std::get_if<TensorArgument>(&argument)) tensors_.push_back(*tensor);
  }
}

PhysRanges PeMmu::by_shards(std::uint64_t address, std::uint64_t nbytes) const {
  const auto tensor = std::find_if(tensors_.begin(), tensors_.end(), [&](const TensorArgument& t) {
    return address >= t.va_base && address - t.va_base < t.nbytes;
  });
  if (tensor == tensors_.end())
    throw AccessFault("address " + std::to_string(address) + " is in no tensor of the launch");
  const std::uint64_t begin = address - tensor->va_base;
  if (nbytes > tensor->nbytes - begin) {
    throw AccessFault("access of " + std::to_string(nbytes) + " bytes at offset " +
                      std::to_string(begin) + " runs past the end of a tensor of " +
                      std::to_string(tensor->nbytes) + " bytes");
  }
  PhysRanges ranges;
  for (std::uint64_t at = begin; at < begin + nbytes;) {
    const Shard* shard = nearest(*tensor, at);
    if (shard == nullptr)
      throw AccessFault("offset " + std::to_string(at) + " of a tensor is in none of its shards");
    const std::uint64_t length = std::min(begin + nbytes, shard->offset + shard->nbytes) - at;
    const std::uint64_t pa = shard->pa + (at - shard->offset);
    if (!ranges.empty() && ranges.back().pa + ranges.back().nbytes == pa) {
      ranges.back().nbytes += length;
    } else {
      ranges.push_back({pa, length});
    }
    at += length;
  }
  return ranges;
}

const Shard* PeMmu::nearest(const TensorArgument& tensor, std::uint64_t offset) const {
  const PeId& here = where();
  const auto distance = [&here](const PeId& there) {
    if (there.sip != here.sip) return 3;
    if (there.cube != here.cube) return 2;
    return there.pe == here.pe ? 0 : 1;
  };
  const Shard* best = nullptr;
  for (const Shard& shard : tensor.shards) {
    if (offset < shard.offset || offset - shard.offset >= shard.nbytes) continue;
    if (best == nullptr || distance(shard.where) < distance(best->where)) best = &shard;
  }
  return best;
}

const PeId& PeMmu::where() const {
  if (!where_) where_ = pe_of(machine_.machine(), node(), PeEngine::pe_mmu);
  return *where_;
}

}  // namespace kernbench
