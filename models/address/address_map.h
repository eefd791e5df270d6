// AddressMap: physical address to memory of this machine, and back (spec 3.1, "address to node").
//
// Decoding (PhysAddr) is pure; only this class knows the size of the machine. It returns
// coordinates: names of nodes are formatted elsewhere.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "models/address/phys_addr.h"

namespace kernbench {

// Extents and memory capacities of the machine.
struct MemoryFacts {
  unsigned sips = 1;
  unsigned cubes_per_sip = 1;
  unsigned pes_per_cube = 1;
  unsigned io_chiplets_per_sip = 1;
  unsigned hbm_slices_per_cube = 1;  // one per partition controller
  std::uint64_t hbm_slice_bytes = 0;
  std::uint64_t hbm_bytes_per_cube = 0;  // capacity: at least slices * slice bytes
  std::uint64_t sram_bytes_per_cube = 0;
  std::map<std::pair<unsigned, unsigned>, std::uint64_t> sram_bytes_of_cube =
      {};  // [sip, cube]: of cubes that differ
  std::uint64_t tcm_bytes_per_pe = 0;
};

// The memories that have a node: hbm_ctrl.pe{pe}, pe{pe}.pe_tcm, sram, m_cpu, io{die}.io_cpu.
enum class MemoryArea : std::uint8_t { hbm, pe_tcm, cube_sram, mcpu_sram, io_sram };
const char* name_of(MemoryArea area);  // "hbm", "tcm", "sram", "mcpu_sram", "io_sram"

struct MemoryLocation {
  MemoryArea area = MemoryArea::hbm;
  unsigned sip = 0;
  unsigned die = 0;          // cube index; for io_sram the chiplet index
  unsigned pe = 0;           // pe_tcm: the PE; hbm: the slice; otherwise 0
  std::uint64_t offset = 0;  // within that memory; for hbm within the slice

  friend bool operator==(const MemoryLocation& a, const MemoryLocation& b) {
    return a.area == b.area && a.sip == b.sip && a.die == b.die && a.pe == b.pe &&
           a.offset == b.offset;
  }
};

class AddressMap {
 public:
  // Throws AddressError if the facts do not fit the address layout (17 cubes, a TCM larger than its
  // budget, ...).
  explicit AddressMap(const MemoryFacts& facts);

  const MemoryFacts& facts() const { return facts_; }

  // Throws RoutingError if no node of this machine serves the address: a sub-unit without a node,
  // UAL, or a SIP, cube, PE, slice or chiplet that does not exist. Does not check capacities inside
  // a memory.
  MemoryLocation locate(PhysAddr address) const;
  // Inverse of locate(). Throws AddressError if the location is outside the machine or its memory.
  PhysAddr address_of(const MemoryLocation& location) const;

  // Capacity, separate from decoding (ADR-0001 D4): AddressError if `size_bytes` from `address` are
  // not all implemented, or run past the HBM slice. Includes locate().
  MemoryLocation check_capacity(PhysAddr address, std::uint64_t size_bytes) const;
  // Implemented bytes of the memory (for hbm: of one slice).
  std::uint64_t capacity(MemoryArea area) const;
  // Implemented bytes of one memory: cubes may differ in their SRAM.
  std::uint64_t capacity(const MemoryLocation& memory) const;

 private:
  bool exists(const MemoryLocation& location) const;
  MemoryFacts facts_;
};

}  // namespace kernbench
