#include "sw/runtime/device_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/address/phys_addr.h"
#include "models/address/virtual_space.h"
#include "models/data/functional_model.h"
#include "models/data/race_detector.h"

namespace kernbench {
namespace {

// Offset of a block in its partition; the address comes from the address factory, so it decodes.
std::uint64_t offset_in_partition(const tl::Block& block, std::uint64_t slice_bytes) {
  return PhysAddr::decode(block.pa).offset() -
         static_cast<std::uint64_t>(block.where.pe) * slice_bytes;
}

RaceDetector* races_of(HostPort& port) {
  return port.data() == nullptr ? nullptr : port.data()->races();
}

}  // namespace

DeviceMemory::DeviceMemory(HostLink& link) : link_(link), addresses_(link.port().machine()) {}

FreeListAllocator& DeviceMemory::partition(PeId pe) {
  auto found = partitions_.find(pe);
  if (found == partitions_.end()) {
    FreeListAllocator allocator(pe.str() + " HBM partition", 0,
                                link_.port().machine().hbm_slice_bytes);
    found = partitions_.emplace(pe, std::move(allocator)).first;
  }
  return found->second;
}

FreeListAllocator& DeviceMemory::virtual_space(int sip) {
  auto found = virtual_spaces_.find(sip);
  if (found == virtual_spaces_.end()) {
    const MachineDescription& machine = link_.port().machine();
    const bool logical = machine.address_model == AddressModel::la;  // segments, no pages
    FreeListAllocator allocator(
        fmt::format("sip{}{} address space", sip, logical ? " logical" : " virtual"), va_base,
        va_space_bytes, logical ? shard_alignment() : machine.page_bytes);
    found = virtual_spaces_.emplace(sip, std::move(allocator)).first;
  }
  return found->second;
}

// Shards begin at a flit boundary, so that none is split more often than its size requires: the
// smallest power of two that holds a flit.
std::uint64_t DeviceMemory::shard_alignment() const {
  std::uint64_t alignment = 1;
  while (alignment < link_.port().machine().flit_bytes) alignment *= 2;
  return alignment;
}

std::uint64_t DeviceMemory::reserve(PeId pe, std::uint64_t nbytes) {
  const std::uint64_t offset = partition(pe).allocate(nbytes, shard_alignment());
  return PhysAddr::pe_hbm_addr(static_cast<unsigned>(pe.sip), static_cast<unsigned>(pe.cube),
                               static_cast<unsigned>(pe.pe), offset,
                               link_.port().machine().hbm_slice_bytes)
      .encode();
}

// TCM after the scheduler's tile buffers and the kernels' scratch.
FreeListAllocator& DeviceMemory::tcm(PeId pe) {
  auto found = tcms_.find(pe);
  if (found == tcms_.end()) {
    const MachineDescription& machine = link_.port().machine();
    const std::uint64_t end = machine.tcm_bytes - machine.tcm_reserved_bytes;
    const std::uint64_t begin = std::min(machine.scratch_bytes, end);
    found = tcms_
                .emplace(
                    pe, FreeListAllocator(pe.str() + " TCM behind the scratch", begin, end - begin))
                .first;
  }
  return found->second;
}

FreeListAllocator& DeviceMemory::sram(PeId pe) {
  pe.pe = 0;
  auto found = srams_.find(pe);
  if (found == srams_.end()) {
    const std::string name = fmt::format("sip{}.cube{} SRAM", pe.sip, pe.cube);
    found = srams_
                .emplace(pe, FreeListAllocator(
                                 name, 0, link_.port().machine().sram_bytes_of(pe.sip, pe.cube)))
                .first;
  }
  return found->second;
}

std::uint64_t DeviceMemory::reserve(MemorySpace space, PeId pe, std::uint64_t nbytes) {
  const auto sip = static_cast<unsigned>(pe.sip), cube = static_cast<unsigned>(pe.cube);
  if (space == MemorySpace::tcm)
    return PhysAddr::pe_tcm_addr(sip, cube, static_cast<unsigned>(pe.pe),
                                 tcm(pe).allocate(nbytes, shard_alignment()))
        .encode();
  if (space == MemorySpace::sram)
    return PhysAddr::cube_sram_addr(sip, cube, sram(pe).allocate(nbytes, shard_alignment()))
        .encode();
  return reserve(pe, nbytes);
}

void DeviceMemory::give_back(MemorySpace space, PeId pe, std::uint64_t address,
                             std::uint64_t nbytes) {
  const std::uint64_t offset = link_.port().machine().place_of(address).offset;
  (space == MemorySpace::tcm    ? tcm(pe)
   : space == MemorySpace::sram ? sram(pe)
                                : partition(pe))
      .free(offset, nbytes);
}

void DeviceMemory::allocate(tl::TensorInfo& info, int sip) {
  if (info.nbytes == 0) return;  // neither allocated nor mapped
  std::size_t done = 0;
  try {
    info.va_base = virtual_space(sip).allocate(info.nbytes);
  } catch (const AllocationError& error) {
    throw AllocationError(fmt::format("tensor '{}': {}", info.name, error.what()));
  }
  try {
    for (tl::Block& block : info.blocks) {
      block.pa = reserve(block.where, block.nbytes);
      ++done;
    }
  } catch (const AllocationError& error) {
    free(info, done, sip);
    throw AllocationError(fmt::format("tensor '{}' (shard on {}): {}", info.name,
                                      info.blocks[done].where.str(), error.what()));
  }
  if (RaceDetector* races = races_of(link_.port())) {
    for (const tl::Block& block : info.blocks)
      races->add_tensor(block.pa, block.nbytes, info.name, block.offset);
  }
}

void DeviceMemory::free(const tl::TensorInfo& info, std::size_t blocks, int sip) {
  const std::uint64_t slice_bytes = link_.port().machine().hbm_slice_bytes;
  RaceDetector* races = races_of(link_.port());
  for (std::size_t i = 0; i < blocks; ++i) {
    const tl::Block& block = info.blocks[i];
    if (races != nullptr) races->remove_tensor(block.pa);
    partition(block.where).free(offset_in_partition(block, slice_bytes), block.nbytes);
  }
  virtual_space(sip).free(info.va_base, info.nbytes);
}

std::vector<Mapping> DeviceMemory::mappings(const tl::TensorInfo& info, const DPPolicy& policy,
                                            int sip) const {
  const MachineDescription& machine = link_.port().machine();
  if (machine.address_model == AddressModel::pa || info.nbytes == 0) return {};
  const auto pes_of = [&](int cube) {
    std::vector<PeId> targets;
    for (int pe = 0; pe < machine.pes; ++pe) targets.push_back({sip, cube, pe});
    return targets;
  };
  const Reach reach = reach_of(policy);
  std::vector<Mapping> result;
  if (reach == Reach::same_pe) {
    // PEs without a copy address the copy of PE 0.
    const int copies = info.blocks.back().where.pe + 1;
    for (int pe = 0; pe < copies; ++pe) {
      Mapping& mapping = result.emplace_back();
      for (const tl::Block& block : info.blocks) {
        if (block.where.pe == pe)
          mapping.entries.push_back({info.va_base + block.offset, block.pa, block.nbytes});
      }
      for (int cube = 0; cube < machine.cubes(); ++cube) {
        mapping.targets.push_back({sip, cube, pe});
        for (int other = copies; pe == 0 && other < machine.pes; ++other)
          mapping.targets.push_back({sip, cube, other});
      }
    }
    return result;
  }
  int last_cube = -1;
  for (const tl::Block& block : info.blocks) {
    const MmuEntry entry{info.va_base + block.offset, block.pa, block.nbytes};
    if (reach == Reach::own_pe) {
      result.push_back({{entry}, {block.where}});
      continue;
    }
    const bool per_cube = reach == Reach::own_cube;
    if (result.empty() || (per_cube && block.where.cube != last_cube)) {
      result.emplace_back();
      for (int cube = per_cube ? block.where.cube : 0;
           cube < (per_cube ? block.where.cube + 1 : machine.cubes()); ++cube) {
        const std::vector<PeId> targets = pes_of(cube);
        result.back().targets.insert(result.back().targets.end(), targets.begin(), targets.end());
      }
    }
    last_cube = block.where.cube;
    result.back().entries.push_back(entry);
  }
  return result;
}

void DeviceMemory::map(const std::string& tensor, const std::vector<Mapping>& mappings) {
  HostRequests requests;
  for (const Mapping& mapping : mappings) requests.push_back(submit_map(link_, mapping, tensor));
  link_.wait(requests);
}

// --- the reaper ---

void DeviceMemory::release(tl::TensorInfoPtr info, std::vector<Mapping> mappings, int sip) {
  if (closed_ || info->nbytes == 0) return;
  addresses_.freed(*info, sip);
  released_.push_back({std::move(info), std::move(mappings), sip});
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void DeviceMemory::start_reaper() {
  link_.port().spawn("reaper", [self = shared_from_this()] { self->reap(); });
}

void DeviceMemory::reap() {
  for (;;) {
    while (!released_.empty()) {
      const Release release = std::move(released_.front());
      released_.pop_front();
      HostRequests requests;
      for (const Mapping& mapping : release.mappings)
        requests.push_back(submit_unmap(link_, mapping, release.info->name));
      link_.wait(requests);
      free(*release.info, release.info->blocks.size(), release.sip);
    }
    if (closed_) return;
    sc_core::wait(wake_);
  }
}

void DeviceMemory::close() {
  closed_ = true;
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void DeviceMemory::abandon() {
  released_.clear();
  close();
}

std::uint64_t DeviceMemory::used_bytes(PeId pe) const {
  const auto found = partitions_.find(pe);
  return found == partitions_.end() ? 0 : found->second.used_bytes();
}

std::uint64_t DeviceMemory::used_virtual_bytes(int sip) const {
  const auto found = virtual_spaces_.find(sip);
  return found == virtual_spaces_.end() ? 0 : found->second.used_bytes();
}

}  // namespace kernbench
