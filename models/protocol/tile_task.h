// Tile tasks: work that routes itself through a PE's engines (spec 5.2), by TaskOffer of
// pe_services.h.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>

#include "models/base/dtype.h"
#include "models/base/math_op.h"
#include "models/base/small_vector.h"
#include "models/base/units.h"
#include "models/protocol/command.h"
#include "models/protocol/pe_engine.h"

namespace kernbench {

struct AtomicAccess;  // models/base/atomic_op.h
struct DataOp;        // models/data: effect of a command on values

const char* name_of(StageType stage);         // "DMA_READ", ...
const char* op_log_name_of(StageType stage);  // "tile/DMA_READ", ...

struct Stage {
  StageType type = StageType::fetch;
  MathOp math_op = MathOp::add;
  DType dtype = DType::f16;  // dtype of the compute operands
  // Entries of the command's operands (task_operands.h) that the stage uses: dma_read the one that
  // it reads, fetch and the first computation those of the command's own operation, an epilogue's
  // math its tensor, store and dma_write the result.
  std::uint8_t first_operand = 0, operand_count = 0;
  bool strided = false;       // dma stages: the bytes are runs, see runs_of_stage()
  std::uint64_t address = 0;  // dma stages
  std::uint64_t bytes = 0;    // dma, fetch, store
  // Extents of a gemm and of a math in one place: a command has thousands of stages.
  union {
    std::int64_t m;             // gemm
    std::int64_t elements = 0;  // math
  };
  union {
    std::int64_t k;           // gemm
    std::int64_t extent = 1;  // math: of a line that is sorted
  };
  union {
    std::int64_t n;         // gemm
    std::int64_t kept = 1;  // math: elements of a line that topk keeps
  };
  std::int64_t batch = 1;  // gemm: products of m x k x n, back to back
  // Bytes of the register file: fetch takes them, the other stages release them at their end.
  // Operands are released by gemm, operands of an epilogue by the tile's last math, the accumulator
  // or result by store.
  std::uint64_t register_bytes = 0;

  bool is_gemm() const { return type == StageType::gemm; }
  void use(std::size_t first, std::size_t count = 1) {
    first_operand = static_cast<std::uint8_t>(first);
    operand_count = static_cast<std::uint8_t>(count);
  }
};

// The part of an extent of a command that a tile covers.
struct TileSpan {
  std::int64_t begin = 0, length = 0;
};
struct TileExtents {
  TileSpan rows, columns, depth;  // spans of the output, and of a GEMM's inner extent
};

// One tile of a command: its stages in order. Created by the pure plan functions of models/timing.
class Tile {
 public:
  static constexpr std::size_t max_stages = 24;

  std::uint64_t id = 0;
  TileExtents extents;           // extents of a composite
  void add(const Stage& stage);  // throws ModelError beyond max_stages
  std::size_t size() const { return stages_.size(); }
  const Stage& operator[](std::size_t i) const { return stages_[i]; }

 private:
  StaticVector<Stage, max_stages> stages_;
};

struct TileTask;
class TaskOperands;  // models/protocol/task_operands.h

// The order in which requests of one instant for a shared resource are granted (spec 5).
struct WorkOrder {
  std::uint64_t command = 0;
  std::uint64_t tile = 0;
  std::uint32_t stage = 0;
  friend bool operator<(const WorkOrder& a, const WorkOrder& b) {
    return std::tie(a.command, a.tile, a.stage) < std::tie(b.command, b.tile, b.stage);
  }
};

// Completion callbacks of a tile; implemented by the scheduler's per-command context.
class TileListener {
 public:
  virtual ~TileListener() = default;
  // Called when a stage has ended and its resources have been released; the task moves on after the
  // call.
  virtual void stage_ended(TileTask& task) = 0;
  // Exactly once per tile, by its last stage; a second call is an internal error (ModelError).
  virtual void complete_tile(TileTask& task) = 0;
  // Fails the command: a stage could not do its work (fault in DMA, ...). The tile continues, so
  // that everything that it holds is released; DMA stages of a failed command move nothing.
  virtual void fail(const std::string& error) = 0;
  virtual bool failed() const = 0;
  // A stage has held its channel or its slot for `time`.
  virtual void held(StageType /*stage*/, Fs /*time*/) {}
};

// Owned by exactly one engine at a time; recycled by the scheduler when the tile completes.
struct TileTask {
  TileTask() noexcept {}  // not defaulted: T() would fill the room for its stages with zeros first

  Tile tile;
  std::size_t stage_index = 0;
  std::uint64_t command_id = 0;
  std::uint32_t stream = 0;  // stream of the launch
  bool simple = false;       // a simple command: runs on one engine only
  // Simple commands: no other command is in flight in the PE at the instant of its dispatch.
  bool alone = false;
  TileListener* completion = nullptr;
  // Operands of the command; null if it has none. One table for all of its tiles, until the last of
  // them is complete.
  const TaskOperands* operands = nullptr;
  const AddressRuns* runs = nullptr;  // simple commands: of a strided DMA
  // Simple commands: of an atomic access.
  std::shared_ptr<const AtomicAccess> atomic;
  std::shared_ptr<const DataOp> data;  // simple commands: recorded with the only stage
  // The scheduler's own: the tile's buffer in its reserve.
  std::uint64_t buffer_address = 0;
  std::uint64_t buffer_bytes = 0;

  const Stage& stage() const { return tile[stage_index]; }
  bool last_stage() const { return stage_index + 1 == tile.size(); }
  // Runs of a DMA stage that is strided.
  AddressRuns runs_of_stage() const;
  // How many they are; 1: contiguous.
  std::uint64_t run_count() const;
  WorkOrder order() const { return {command_id, tile.id, static_cast<std::uint32_t>(stage_index)}; }
};

}  // namespace kernbench
