#include "models/address/address_map.h"

#include <fmt/format.h>

#include <array>

#include "models/base/errors.h"

namespace kernbench {
namespace {

void require(bool holds, const char* fact, std::uint64_t value, std::uint64_t allowed) {
  if (holds) return;
  throw AddressError(
      fmt::format("{} = {} does not fit the address layout (at most {})", fact, value, allowed));
}

std::string describe(const MemoryLocation& location) {
  return fmt::format("{} of sip {}{}{}{}", name_of(location.area), location.sip,
                     location.area == MemoryArea::io_sram ? " chiplet " : " cube ", location.die,
                     location.area == MemoryArea::hbm      ? fmt::format(" slice {}", location.pe)
                     : location.area == MemoryArea::pe_tcm ? fmt::format(" pe {}", location.pe)
                                                           : std::string());
}

}  // namespace

const char* name_of(MemoryArea area) {
  constexpr std::array<const char*, 5> names{"hbm", "tcm", "sram", "mcpu_sram", "io_sram"};
  return names.at(static_cast<std::size_t>(area));
}

AddressMap::AddressMap(const MemoryFacts& facts) : facts_(facts) {
  const auto at_most = [](const char* fact, std::uint64_t value, std::uint64_t allowed) {
    require(value <= allowed, fact, value, allowed);
  };
  at_most("sips", facts.sips, PhysAddr::sips);
  at_most("cubes_per_sip", facts.cubes_per_sip, PhysAddr::ahbm_dies);
  at_most("pes_per_cube", facts.pes_per_cube, PhysAddr::pes);
  at_most("io_chiplets_per_sip", facts.io_chiplets_per_sip, PhysAddr::io_dies);
  at_most("hbm_bytes_per_cube", facts.hbm_bytes_per_cube, PhysAddr::hbm_window_bytes);
  at_most("sram_bytes_per_cube", facts.sram_bytes_per_cube, PhysAddr::cube_sram_bytes);
  at_most("tcm_bytes_per_pe", facts.tcm_bytes_per_pe, budget_bytes(PeUnit::pe_tcm));
  for (const auto& [cube, nbytes] : facts.sram_bytes_of_cube)
    at_most("sram_bytes_of_cube", nbytes, PhysAddr::cube_sram_bytes);
  if (facts.hbm_slice_bytes == 0) throw AddressError("hbm_slice_bytes must not be 0");
  at_most("hbm_slices_per_cube", facts.hbm_slices_per_cube,
          facts.hbm_bytes_per_cube / facts.hbm_slice_bytes);
}

bool AddressMap::exists(const MemoryLocation& location) const {
  if (location.sip >= facts_.sips) return false;
  if (location.die >=
      (location.area == MemoryArea::io_sram ? facts_.io_chiplets_per_sip : facts_.cubes_per_sip))
    return false;
  if (location.area == MemoryArea::hbm) return location.pe < facts_.hbm_slices_per_cube;
  return location.area != MemoryArea::pe_tcm || location.pe < facts_.pes_per_cube;
}

MemoryLocation AddressMap::locate(PhysAddr address) const {
  MemoryLocation location;
  location.sip = address.sip();
  location.die = address.die();
  location.offset = address.offset();
  bool has_node = true;
  switch (address.kind()) {
    case AddressKind::hbm: {
      location.area = MemoryArea::hbm;
      const std::uint64_t slice = location.offset / facts_.hbm_slice_bytes;
      has_node = slice < facts_.hbm_slices_per_cube;
      location.pe = has_node ? static_cast<unsigned>(slice) : 0;
      location.offset %= facts_.hbm_slice_bytes;
      break;
    }
    case AddressKind::pe_local:
      location.area = MemoryArea::pe_tcm;
      location.pe = address.pe();
      has_node = address.pe_unit() == PeUnit::pe_tcm;
      break;
    case AddressKind::mcpu_local:
      location.area = MemoryArea::mcpu_sram;
      has_node = address.mcpu_unit() == McpuUnit::mcpu_sram;
      break;
    case AddressKind::cube_sram:
      location.area = MemoryArea::cube_sram;
      break;
    case AddressKind::iocpu:
      location.area = MemoryArea::io_sram;
      location.die -= PhysAddr::first_io_die;
      has_node = address.iocpu_unit() == IocpuUnit::io_sram;
      break;
    case AddressKind::external:
      throw RoutingError(fmt::format(
          "no plain TLM-2.0 target of this machine serves the physical address {}", address.str()));
    case AddressKind::ual:
      throw RoutingError(
          fmt::format("the physical address {} lies in the UAL region of IO chiplet {} of sip {}, "
                      "whose layout is not defined: no node serves it",
                      address.str(), location.die - PhysAddr::first_io_die, location.sip));
  }
  if (!has_node || !exists(location))
    throw RoutingError(
        fmt::format("no node of this machine serves the physical address {}", address.str()));
  return location;
}

PhysAddr AddressMap::address_of(const MemoryLocation& location) const {
  if (!exists(location))
    throw AddressError(fmt::format("{} is not in this machine", describe(location)));
  if (location.offset >= capacity(location)) {
    throw AddressError(fmt::format("offset {} is beyond the {} bytes of {}", location.offset,
                                   capacity(location), describe(location)));
  }
  switch (location.area) {
    case MemoryArea::hbm:
      return PhysAddr::pe_hbm_addr(location.sip, location.die, location.pe, location.offset,
                                   facts_.hbm_slice_bytes);
    case MemoryArea::pe_tcm:
      return PhysAddr::pe_tcm_addr(location.sip, location.die, location.pe, location.offset);
    case MemoryArea::cube_sram:
      return PhysAddr::cube_sram_addr(location.sip, location.die, location.offset);
    case MemoryArea::mcpu_sram:
      return PhysAddr::mcpu_resource_addr(location.sip, location.die, McpuUnit::mcpu_sram,
                                          location.offset);
    case MemoryArea::io_sram:
      return PhysAddr::iocpu_resource_addr(location.sip, PhysAddr::first_io_die + location.die,
                                           IocpuUnit::io_sram, location.offset);
  }
  throw ModelError("unknown memory area");
}

MemoryLocation AddressMap::check_capacity(PhysAddr address, std::uint64_t size_bytes) const {
  const MemoryLocation location = locate(address);
  const std::uint64_t end = capacity(location);
  if (location.offset >= end || size_bytes > end - location.offset) {
    throw AddressError(fmt::format("physical address {} with {} bytes is beyond the {} bytes of {}",
                                   address.str(), size_bytes, end, describe(location)));
  }
  return location;
}

std::uint64_t AddressMap::capacity(const MemoryLocation& memory) const {
  if (memory.area == MemoryArea::cube_sram) {
    const auto own = facts_.sram_bytes_of_cube.find({memory.sip, memory.die});
    if (own != facts_.sram_bytes_of_cube.end()) return own->second;
  }
  return capacity(memory.area);
}

std::uint64_t AddressMap::capacity(MemoryArea area) const {
  switch (area) {
    case MemoryArea::hbm:
      return facts_.hbm_slice_bytes;
    case MemoryArea::pe_tcm:
      return facts_.tcm_bytes_per_pe;
    case MemoryArea::cube_sram:
      return facts_.sram_bytes_per_cube;
    case MemoryArea::mcpu_sram:
      return budget_bytes(McpuUnit::mcpu_sram);
    case MemoryArea::io_sram:
      return budget_bytes(IocpuUnit::io_sram);
  }
  throw ModelError("unknown memory area");
}

}  // namespace kernbench
