// TensorAddresses: tensors by virtual address, freed ones included, and the reason why a PE has no
// mapping for an address: the last part of a fault's text (models/protocol/machine_description.h).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/protocol/machine_description.h"
#include "sw/runtime/dp_policy.h"

namespace kernbench {

class TensorAddresses {
 public:
  // Explains the faults of the machine during its lifetime.
  explicit TensorAddresses(const MachineDescription& machine);
  ~TensorAddresses() { book_->set(nullptr); }
  TensorAddresses(const TensorAddresses&) = delete;
  TensorAddresses& operator=(const TensorAddresses&) = delete;

  void add(const tl::TensorInfo& tensor, const DPPolicy& policy, int sip);
  // Its partial sums have become copies.
  void summed(const tl::TensorInfo& tensor, int sip);
  // Kept by name until a different tensor has its addresses.
  void freed(const tl::TensorInfo& tensor, int sip);

  // "it is byte 4096 of tensor 'w' f16{64, 64}, element {32, 0}; ..."
  std::string explain(std::uint64_t address, PeId where) const;

 private:
  struct Entry {
    std::string name;
    DType dtype = DType::f32;
    Shape shape;
    std::uint64_t nbytes = 0;
    DPPolicy policy;
    std::vector<tl::Block> blocks;  // empty once it has been freed
    bool freed() const { return blocks.empty(); }
    std::string str() const;  // "tensor 'w' f16{64, 64}"
  };
  using Entries = std::map<std::uint64_t, Entry>;  // by first address; they do not overlap

  static Entries::const_iterator at(const Entries& entries, std::uint64_t address);
  const Entries& of_sip(int sip) const;
  std::string explain_tensor(const Entry& tensor, std::uint64_t offset, PeId where) const;
  std::string explain_elsewhere(std::uint64_t address, PeId where) const;
  std::string neighbours(std::uint64_t address, int sip) const;
  std::string visibility(const Entry& tensor, PeId where) const;

  const MachineDescription& machine_;
  std::shared_ptr<AddressBook> book_;  // shared, because a tensor may outlive the machine
  std::map<int, Entries> tensors_;     // by SIP: each has its own address space
};

}  // namespace kernbench
