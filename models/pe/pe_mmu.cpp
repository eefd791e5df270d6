#include "models/pe/pe_mmu.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "models/address/mapping_fault.h"
#include "models/address/virtual_space.h"
#include "models/pe/pe_components.h"

namespace kernbench {

PeMmu::PeMmu(const ComponentInit& init)
    : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward),
      machine_(machine_services(init.services)),
      overhead_(*init.attributes.as<Parameters>().overhead),
      tlb_overhead_(*init.attributes.as<Parameters>().tlb_overhead),
      table_(*init.attributes.as<Parameters>().page_bytes),
      where_(machine_, init.node, PeEngine::pe_mmu) {
  add_statistic("look_ups", "translations", Quantity::count, look_ups_);
  add_statistic("misses", "translations without a mapping", Quantity::count, misses_);
  add_statistic("maps", "mappings installed", Quantity::count, maps_);
  add_statistic("unmaps", "mappings removed", Quantity::count, unmaps_);
}

void PeMmu::declare_signals() {
  FabricNode::declare_signals();
  const SignalFormat count = SignalFormat::count("", 32);
  signals_.emplace(Signals{add_signal("look_up_address", "virtual address last looked up",
                                      SignalFormat::address(virtual_address_bits)),
                           add_signal("look_ups", "translations so far", count),
                           add_signal("misses", "translations without a mapping", count),
                           add_signal("mappings", "mappings currently installed", count)});
  show_counts();
}

void PeMmu::show_counts() {
  if (!signals_) return;
  signals_->look_ups.set(look_ups_);
  signals_->misses.set(misses_);
  signals_->mappings.set(maps_ - unmaps_);
}

// --- Messages

Fs PeMmu::next_due() const { return arrivals_.control_due(overhead_); }

void PeMmu::serve() {
  arrivals_.take_control(now(), overhead_, [this](const Arrival& arrival) {
    report_traversal(arrival, arrival.time);
    take(*arrival.transaction);
  });
}

void PeMmu::take(Transaction& request) {
  const Message* message = request.route().message.get();
  if (const auto* map = dynamic_cast<const MmuMap*>(message)) {
    for (const MmuEntry& entry : map->entries) table_.map(entry.va, entry.pa, entry.size);
    maps_ += map->entries.size();
    log_.debug([&] { return fmt::format("{} mapping(s) installed", map->entries.size()); });
  } else if (const auto* unmap = dynamic_cast<const MmuUnmap*>(message)) {
    for (const MmuEntry& entry : unmap->entries) table_.unmap(entry.va, entry.size);
    unmaps_ += unmap->entries.size();
    log_.debug([&] { return fmt::format("{} mapping(s) removed", unmap->entries.size()); });
  } else {
    throw ModelError(std::string(name()) + ": a message that is neither MmuMap nor MmuUnmap");
  }
  show_counts();
  request.route().message = std::make_shared<HostResponse>();
  request.route().make_response();
  send_message(request);
}

// --- Look-ups

void PeMmu::b_transport(TranslationRequest& request, sc_core::sc_time& delay) {
  transport_dbg(request);
  const bool timed = request.nbytes > 0 && is_virtual(request.address) &&
                     machine_.machine().address_model == AddressModel::va;
  if (timed) delay += fs(look_up_time(request));
}

void PeMmu::transport_dbg(TranslationRequest& request) {
  if (request.launch != nullptr) return use_tensors(*request.launch);
  try {
    request.ranges = ranges_of(request.address, request.nbytes);
  } catch (const MappingFault& fault) {
    throw AccessFault(machine_.machine().address_book->text_of(fault, where_()));
  }
}

PhysRanges PeMmu::ranges_of(std::uint64_t address, std::uint64_t nbytes) {
  if (nbytes == 0) return {};
  if (!is_virtual(address)) return {{address, nbytes}};
  switch (machine_.machine().address_model) {
    case AddressModel::pa:
      return by_shards(address, nbytes);
    case AddressModel::va:
      return by_mapping(address, nbytes);
    case AddressModel::la:
      break;
  }
  return by_segments(address, nbytes);
}

PhysRanges PeMmu::by_segments(std::uint64_t address, std::uint64_t nbytes) {
  if (!to_dma_.connected())
    throw UsageError(
        "address model la: the PE's DMA has no segments; a different implementation replaces it");
  SegmentRequest request;
  request.address = address;
  request.nbytes = nbytes;
  to_dma_.transport_dbg(request);
  return std::move(request.ranges);
}

PhysRanges PeMmu::by_mapping(std::uint64_t address, std::uint64_t nbytes) {
  ++look_ups_;
  if (signals_) signals_->address.set(address);
  show_counts();
  try {
    return table_.look_up(address, nbytes);
  } catch (const AccessFault&) {
    ++misses_;
    show_counts();
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
    throw MappingFault(
        address, fmt::format("address {} is in no tensor of the launch", format_address(address)));
  const std::uint64_t begin = address - tensor->va_base;
  if (nbytes > tensor->nbytes - begin) {
    throw MappingFault(
        tensor->va_base + tensor->nbytes,
        fmt::format("access of {} bytes at offset {} runs past the end of a tensor of {} bytes",
                    nbytes, begin, tensor->nbytes));
  }
  PhysRanges ranges;
  for (std::uint64_t at = begin; at < begin + nbytes;) {
    const Shard* shard = nearest(*tensor, at);
    if (shard == nullptr)
      throw AccessFault(fmt::format("offset {} of a tensor is in none of its shards", at));
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
  const PeId& here = where_();
  const auto distance = [&here](const PeId& there) {
    if (there.sip != here.sip) return 4;
    if (there.cube != here.cube) return there.pe == here.pe ? 2 : 3;
    return there.pe == here.pe ? 0 : 1;
  };
  const Shard* best = nullptr;
  for (const Shard& shard : tensor.shards) {
    if (offset < shard.offset || offset - shard.offset >= shard.nbytes) continue;
    if (best == nullptr || distance(shard.where) < distance(best->where)) best = &shard;
  }
  return best;
}

Implementation pe_mmu_implementation() { return implementation_of<PeMmu>("builtin.pe_mmu"); }

}  // namespace kernbench
