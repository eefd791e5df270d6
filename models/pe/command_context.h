// Context of a command in progress: its tiles in flight and its progress (spec 5: completion is
// counted exactly once).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "models/base/errors.h"
#include "models/base/small_vector.h"
#include "models/protocol/pe_services.h"
#include "models/protocol/task_operands.h"
#include "models/timing/tile_plan.h"

namespace kernbench {

// Plan of a composite; null: a simple command. Throws UsageError as TilePlan does.
std::unique_ptr<const TilePlan> plan_of(const Command& command, const TileShape& default_tile);
// The only stage of a simple command.
Stage simple_stage_of(const Command& command);

class CommandContext;

// Progress of commands; implemented by the scheduler.
class CommandListener {
 public:
  virtual void stage_ended(CommandContext& context, TileTask& task) = 0;
  virtual void tile_completed(CommandContext& context, TileTask& task) = 0;

 protected:
  ~CommandListener() = default;
};

// Holds one command at a time, from begin() to end().
class CommandContext final : public TileListener {
 public:
  explicit CommandContext(CommandListener& listener) : listener_(listener) {}

  // A composite has a plan, a simple command one tile of the stage `simple`. `default_tile`: used
  // if a composite names no tile.
  void begin(CommandRequest& request, std::unique_ptr<const TilePlan> plan, const Stage& simple,
             const TileShape& default_tile) {
    request_ = &request;
    state_ = request.state;
    if (const auto* dma = std::get_if<DmaCommand>(&request.command.what)) {
      runs_ = dma->runs;
      atomic_ = dma->atomic;
    } else {
      operands_.emplace(request.command, default_tile);
    }
    data_ = std::move(request.command.data);
    plan_ = std::move(plan);
    simple_ = simple;
    tiles_ = plan_ ? plan_->tile_count() : 1;
    fed_ = 0;
  }
  // BEGIN_RESP: the command is complete.
  void end() {
    request_->respond(tlm::BEGIN_RESP);
    request_ = nullptr;
    state_.reset();
    data_.reset();
    runs_.reset();
    atomic_.reset();
    plan_.reset();
    operands_.reset();
  }
  bool in_progress() const { return request_ != nullptr; }
  std::uint64_t id() const { return state_->id(); }
  std::string text()
      const;  // "command 3: composite_gemm, 8 tile(s)", "command 1: DMA_READ, 4096 B"
  std::uint32_t stream() const { return request_->stream; }
  const std::shared_ptr<const DataOp>& data() const { return data_; }
  // Null if the command has no operands.
  const TaskOperands* operands() const {
    return operands_ && !operands_->empty() ? &*operands_ : nullptr;
  }
  // Runs of a strided DMA command; else null.
  const AddressRuns* runs() const { return runs_.get(); }
  // Atomic access of the command; else null.
  const std::shared_ptr<const AtomicAccess>& atomic() const { return atomic_; }
  // Null: a simple command.
  const TilePlan* plan() const { return plan_.get(); }
  const Stage& simple() const { return simple_; }
  Fs dispatched_at() const { return dispatched_at_; }
  void dispatched(Fs now) { dispatched_at_ = now; }

  // Tiles are fed in order, each once.
  std::uint64_t fed() const { return fed_; }
  bool all_fed() const { return fed_ == tiles_; }
  void feed(const Tile& tile) {
    in_flight_.push_back(tile.id);
    ++fed_;
  }
  // Feeds no further tile: the command has failed.
  void stop_feeding() { tiles_ = fed_; }
  bool nothing_in_flight() const { return in_flight_.empty(); }
  bool complete() const { return all_fed() && nothing_in_flight(); }

  void stage_ended(TileTask& task) override { listener_.stage_ended(*this, task); }
  void complete_tile(TileTask& task) override {
    const auto found = std::find(in_flight_.begin(), in_flight_.end(), task.tile.id);
    if (found == in_flight_.end()) {
      throw ModelError(
          fmt::format("tile {} of command {} has been completed twice", task.tile.id, id()));
    }
    in_flight_.erase(found);
    listener_.tile_completed(*this, task);
  }
  void fail(const std::string& error) override { state_->fail(error); }
  bool failed() const override { return !state_->error().empty(); }
  void held(StageType stage, Fs time) override {
    const bool dma = stage == StageType::dma_read || stage == StageType::dma_write;
    const bool compute = stage == StageType::gemm || stage == StageType::math;
    state_->held(dma ? time : 0, compute ? time : 0);
  }
  const std::string& error() const { return state_->error(); }

 private:
  CommandListener& listener_;
  CommandRequest* request_ = nullptr;  // request in progress
  std::shared_ptr<CommandState> state_;
  std::shared_ptr<const DataOp> data_;
  std::shared_ptr<const AddressRuns> runs_;
  std::shared_ptr<const AtomicAccess> atomic_;
  std::unique_ptr<const TilePlan> plan_;
  std::uint64_t tiles_ = 0;
  std::uint64_t fed_ = 0;
  SmallVector<std::uint64_t, 2> in_flight_;  // ids; as many as the pipeline holds
  Fs dispatched_at_ = 0;
  Stage simple_;
  std::optional<TaskOperands> operands_;  // operands of the command in progress
};

}  // namespace kernbench
