// MockMemory: tensors of a MockRuntime in plain memory, and the description of a machine that
// consists of extents only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/data/functional_model.h"
#include "models/protocol/machine_description.h"
#include "sw/mock/mock_runtime.h"
#include "sw/tl/dtypes.h"
#include "sw/tl/ptr.h"

namespace kernbench {

class MockMemory {
 public:
  explicit MockMemory(const MockSetup& setup);

  const MachineDescription& machine() const { return machine_; }
  FunctionalModel& data() { return data_; }

  tl::TensorInfoPtr add(const std::string& name, const Shape& block, DType dtype,
                        const std::vector<PeId>& where);
  void write(const tl::TensorInfo& tensor, PeId where, const std::vector<double>& values);
  std::vector<double> read(const tl::TensorInfo& tensor, PeId where);
  // AccessFault unless all bytes are in one tensor.
  PhysRanges translate(std::uint64_t address, std::uint64_t nbytes) const;

 private:
  void describe(const MockSetup& setup);

  Attributes attributes_;
  MachineDescription machine_;
  FunctionalModel data_;
  std::map<std::uint64_t, tl::TensorInfoPtr> tensors_;  // by first virtual address
  std::uint64_t next_va_;
  std::map<PeId, std::uint64_t> used_;  // bytes of each PE's HBM
};

}  // namespace kernbench
