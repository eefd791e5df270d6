#include "models/pe/command_context.h"

#include <variant>

namespace kernbench {
namespace {

// The only stage of a simple command.
struct SimpleStage {
  Stage operator()(const DmaCommand& dma) const {
    Stage stage;
    stage.type = dma.write ? StageType::dma_write : StageType::dma_read;
    stage.address = dma.address;
    stage.bytes = dma.nbytes;
    stage.strided = dma.runs != nullptr;
    return stage;
  }
  Stage operator()(const DotCommand& dot) const {
    Stage stage;
    stage.type = StageType::gemm;
    stage.dtype = dot.dtype;
    stage.m = dot.m;
    stage.k = dot.k;
    stage.n = dot.n;
    stage.batch = dot.batch;
    use_all(stage, dot.operands);
    return stage;
  }
  Stage operator()(const MathCommand& math) const {
    Stage stage;
    stage.type = StageType::math;
    stage.math_op = math.op;
    stage.elements = math.elements;
    stage.extent = math.extent;
    stage.kept = math.kept;
    use_all(stage, math.operands);
    return stage;
  }
  template <class Composite>
  Stage operator()(const Composite&) const {
    return {};
  }

 private:
  // The result is last.
  static void use_all(Stage& stage, const CommandOperands& operands) {
    if (!operands.empty()) stage.use(0, operands.size() - 1);
  }
};

// Returns null for a simple command.
struct PlanOf {
  const TileShape& tile;
  std::unique_ptr<const TilePlan> operator()(const CompositeGemm& gemm) const {
    return std::make_unique<const TilePlan>(gemm, tile);
  }
  std::unique_ptr<const TilePlan> operator()(const CompositeMath& math) const {
    return std::make_unique<const TilePlan>(math, tile);
  }
  template <class Simple>
  std::unique_ptr<const TilePlan> operator()(const Simple&) const {
    return nullptr;
  }
};

}  // namespace

std::unique_ptr<const TilePlan> plan_of(const Command& command, const TileShape& default_tile) {
  return std::visit(PlanOf{default_tile}, command.what);
}

Stage simple_stage_of(const Command& command) { return std::visit(SimpleStage{}, command.what); }

std::string CommandContext::text() const {
  return fmt::format(
      "command {}: {}", id(),
      plan_               ? fmt::format("{}, {} tile(s)", plan_->op_log_name(), plan_->tile_count())
      : simple_.bytes > 0 ? fmt::format("{}, {} B", name_of(simple_.type), simple_.bytes)
                          : std::string(name_of(simple_.type)));
}

}  // namespace kernbench
