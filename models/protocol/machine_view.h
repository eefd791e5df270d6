// The machine as software and components may see it: read only, by coordinates, never by spelling
// names.
#pragma once

#include <cstdint>
#include <string>

#include "models/address/address_model.h"
#include "models/address/channel_interleave.h"
#include "models/base/component.h"
#include "models/protocol/host_messages.h"
#include "models/protocol/pe_engine.h"

namespace kernbench {

// A place in a memory node.
struct MemoryTarget {
  NodeId node = no_node;
  std::uint64_t offset = 0;
};

class MachineView {
 public:
  virtual ~MachineView() = default;

  virtual int sips() const = 0;
  virtual int cube_mesh_w() const = 0;
  virtual int cube_mesh_h() const = 0;
  int cubes() const { return cube_mesh_w() * cube_mesh_h(); }  // per SIP
  virtual int pes() const = 0;                                 // per cube
  virtual std::string sip_topology() const = 0;                // "ring_1d", ...
  virtual int sip_w() const = 0;
  virtual int sip_h() const = 0;

  virtual AddressModel address_model() const = 0;
  // one_to_one: every HBM partition has a link for each of its channels beside the one of the
  // whole.
  virtual HbmMapping hbm_mapping() const { return HbmMapping::n_to_one; }
  virtual ChannelInterleave hbm_interleave() const { return {}; }  // of a partition's bytes
  virtual std::uint32_t flit_bytes() const = 0;
  virtual std::uint64_t hbm_slice_bytes() const = 0;  // one PE's partition
  virtual std::uint64_t sram_bytes() const = 0;       // of a cube
  virtual std::uint64_t tcm_bytes() const = 0;        // of a PE
  virtual std::uint64_t tcm_reserved_bytes()
      const = 0;  // of it, the scheduler's tile buffers: the highest addresses
  virtual std::uint64_t scratch_bytes() const = 0;  // of the rest, a kernel's handles
  virtual std::uint64_t page_bytes() const = 0;     // of the MMU

  virtual NodeId pcie_ep(int sip) const = 0;  // of the chiplet that the host uses, io0
  virtual NodeId io_cpu(int sip) const = 0;
  virtual NodeId m_cpu(int sip, int cube) const = 0;
  virtual NodeId sram(int sip, int cube) const = 0;
  virtual NodeId hbm(PeId pe) const = 0;
  virtual NodeId engine(PeId pe, PeEngine engine) const = 0;

  // Where a physical address lies. Throws AddressError or RoutingError (spec 3.1).
  virtual MemoryTarget place_of(std::uint64_t physical_address) const = 0;

  virtual std::uint32_t nodes() const = 0;
  virtual const std::string& name(NodeId node) const = 0;
  virtual NodeId find(const std::string& name) const = 0;  // no_node if unknown
  virtual const std::string& kind(NodeId node) const = 0;
  virtual const Attributes& attributes(NodeId node) const = 0;
};

}  // namespace kernbench
