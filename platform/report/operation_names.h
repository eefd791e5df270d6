// Names of operations as grouped by the reports: node, PE, engine, and the part of the engine.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>

#include "models/base/executed_op.h"

namespace kernbench {

struct OperationName {
  std::string node, pe, engine;  // "sip0.cube0.pe1.pe_dma", "sip0.cube0.pe1", "pe_dma"
  std::string name, part;        // "tile/DMA_READ", "dma_read"
  bool span = false;      // contains others: a composite its tiles, a send or receive its waits
  std::size_t place = 0;  // in the order of the first reports, from 0
};

// Names by node and operation; references are valid during the lifetime of this object.
class OperationNames {
 public:
  const OperationName& of(const ExecutedOp& op);

 private:
  using Key = std::pair<const sc_core::sc_object*, const char*>;
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return std::hash<const void*>()(key.first) * 31 + std::hash<const void*>()(key.second);
    }
  };
  std::unordered_map<Key, OperationName, Hash> names_;  // for look-up only
};

// "dma_read" for "tile/DMA_READ" on pe_dma; "gemm", "math" for everything that PE_GEMM, PE_MATH
// execute.
std::string part_of_operation(const std::string& engine, const std::string& operation);
// "sip0.cube0.pe1" for "sip0.cube0.pe1.pe_dma".
std::string scope_of(const std::string& node);
// Position of a part in the path of a tile through the PE, after kernel and composite; parts that
// are not a stage come last.
int order_of(const std::string& part);

}  // namespace kernbench
