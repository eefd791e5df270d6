// Machine description for software and components: extents, sizes and node ids by coordinates, so
// that no caller spells names. Plain data, filled in by assembly, the recorder and tests.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/address/address_model.h"
#include "models/address/channel_interleave.h"
#include "models/address/mapping_fault.h"
#include "models/base/component.h"
#include "models/protocol/host_messages.h"
#include "models/protocol/memory_map.h"
#include "models/protocol/pe_engine.h"

namespace kernbench {

// Knowledge of the host program about virtual addresses, for the messages of faults.
class AddressBook {
 public:
  // Text on an address that `where` has no mapping for: its current contents, and how to map it.
  using Explain = std::function<std::string(std::uint64_t address, PeId where)>;
  // Set by the host's runtime while it lives; if unset, faults are not explained.
  void set(Explain explain) { explain_ = std::move(explain); }

  // Text of the fault, followed by the explanation.
  std::string text_of(const MappingFault& fault, PeId where) const {
    if (!explain_) return fault.what();
    return std::string(fault.what()) + ": " + explain_(fault.address(), where);
  }

 private:
  Explain explain_;
};

struct NodeDescription {
  std::string name;
  std::string_view kind;                   // "router", "pe_gemm", ...; lives for ever
  const Attributes* attributes = nullptr;  // outlives the description
};

// Node ids by coordinates; no_node where the machine has none.
struct NodeTables {
  std::vector<NodeId> pcie_eps, io_cpus;  // [sip], of the chiplet that the host uses, io0
  std::vector<NodeId> m_cpus, srams;      // [sip * cubes + cube]
  std::vector<NodeId> hbms;               // [(sip * cubes + cube) * pes + pe]
  std::array<std::vector<NodeId>, engines_of_pe.size()> engines;  // [PeEngine], each like hbms
};

struct MachineDescription {
  int sips = 1;
  int cube_mesh_w = 1, cube_mesh_h = 1;  // mesh of a SIP
  int pes = 1;                           // PEs of a cube
  std::string sip_topology = "ring_1d";
  int sip_w = 1, sip_h = 1;
  int cubes() const { return cube_mesh_w * cube_mesh_h; }  // cubes of a SIP

  AddressModel address_model = AddressModel::va;
  // one_to_one: every HBM partition has a link for each of its channels in addition to the one of
  // the whole.
  HbmMapping hbm_mapping = HbmMapping::n_to_one;
  ChannelInterleave hbm_interleave;  // interleave of a partition's bytes
  std::uint32_t flit_bytes = 256;
  std::uint64_t hbm_slice_bytes = 0;     // one PE's partition
  std::uint64_t sram_bytes = 0;          // bytes of a cube without an own size
  std::uint64_t tcm_bytes = 0;           // bytes of a PE
  std::uint64_t tcm_reserved_bytes = 0;  // part for the scheduler's tile buffers: at the highest
                                         // addresses
  std::uint64_t scratch_bytes = 0;       // part of the rest for the handles of kernels
  std::size_t kernel_contexts = 1;       // contexts of a PE: kernels that run concurrently
  std::uint64_t page_bytes = 0;          // page of the MMU

  std::vector<NodeDescription> nodes;  // by NodeId, that is by ascending name
  NodeTables tables;
  MemoryMap memory_map;
  std::shared_ptr<AddressBook> address_book = std::make_shared<AddressBook>();

  // Resizes every table to the extents, with this id everywhere.
  void size_tables(NodeId node = no_node);

  // Look-up by coordinates; RoutingError for coordinates outside the machine.
  NodeId pcie_ep(int sip) const { return at(tables.pcie_eps, index(sip, 0, 1), "SIP", sip); }
  NodeId io_cpu(int sip) const { return at(tables.io_cpus, index(sip, 0, 1), "SIP", sip); }
  NodeId m_cpu(int sip, int cube) const {
    return at(tables.m_cpus, index(sip, cube, cubes()), "cube", cube);
  }
  NodeId sram(int sip, int cube) const {
    return at(tables.srams, index(sip, cube, cubes()), "cube", cube);
  }
  NodeId hbm(PeId pe) const { return at(tables.hbms, index(pe), "PE", pe.pe); }
  NodeId engine(PeId pe, PeEngine engine) const {
    return at(tables.engines.at(static_cast<std::size_t>(engine)), index(pe), "PE", pe.pe);
  }
  // Memory node and offset of a physical address. Throws AddressError or RoutingError (spec 3.1).
  MemoryTarget place_of(std::uint64_t physical_address) const {
    return memory_map.place_of(physical_address);
  }

  // SRAM size of one cube: an instance may have a size of its own.
  std::uint64_t sram_bytes_of(int sip, int cube) const {
    const auto range = memory_map.range_of(sram(sip, cube));
    return range ? range->nbytes : sram_bytes;
  }

  const std::string& name(NodeId node) const { return nodes[node].name; }
  const Attributes& attributes(NodeId node) const { return *nodes[node].attributes; }
  NodeId find(std::string_view name) const;  // no_node if unknown

  // Positions in the tables; `outside` for coordinates outside the machine.
  static constexpr std::size_t outside = ~std::size_t{0};
  std::size_t index(int outer, int inner, int inner_count) const {
    return outer < 0 || outer >= sips || inner < 0 || inner >= inner_count
               ? outside
               : static_cast<std::size_t>(outer) * static_cast<std::size_t>(inner_count) +
                     static_cast<std::size_t>(inner);
  }
  std::size_t index(PeId pe) const {
    const std::size_t cube = index(pe.sip, pe.cube, cubes());
    return cube == outside || pe.pe < 0 || pe.pe >= pes
               ? outside
               : cube * static_cast<std::size_t>(pes) + static_cast<std::size_t>(pe.pe);
  }

 private:
  static NodeId at(const std::vector<NodeId>& table, std::size_t index, const char* what,
                   int number) {
    if (index >= table.size() || table[index] == no_node) refuse(what, number);
    return table[index];
  }
  [[noreturn]] static void refuse(const char* what, int number);
};

}  // namespace kernbench
