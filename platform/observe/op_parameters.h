// Parameters of the operations of a run, for the operation log (spec 9). Commands have parameters
// from the kernel that issues them, also with data off. Parameters of tile stages are derived here
// from the tile and the operands of its command, when the stage is reported.
//
//   OpLog log;
//   OpParameters parameters(platform.observation(), platform.machine(), log);
//
// A stage is described by a DataOp without values, like an equivalent command:
//
//   DMA_READ, DMA_WRITE   the block; the bytes of memory that the DMA addresses, the tile buffer
//   FETCH, STORE          the blocks; their places in the TCM, the register file
//   GEMM, MATH            the blocks in the tensors of the command, whose elements are in the
//                         register file by then; the result so far is only there
//
// Addresses are physical, from the translations bound by the command at its issue.
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/analysis_port.h"
#include "models/base/executed_op.h"
#include "models/protocol/machine_description.h"
#include "models/protocol/observation.h"

namespace kernbench {

class OpParameters final : private tlm::tlm_analysis_if<ExecutedOp> {
 public:
  // Constructed before the run. Forwards every executed operation to `log`.
  OpParameters(Observation& observation, const MachineDescription& machine,
               tlm::tlm_analysis_if<ExecutedOp>& log);

 private:
  void write(const ExecutedOp& op) override;

  tlm::tlm_analysis_if<ExecutedOp>& log_;
  std::vector<std::uint64_t> tcms_;  // first byte of the PE's TCM, by NodeId of an engine
};

}  // namespace kernbench
