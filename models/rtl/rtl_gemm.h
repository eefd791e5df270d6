// RtlGemm: PE_GEMM as a block in RTL with the pins of kernbench_gemm_if.sv, and its values.
//
// Timing: waits for accel_slot, then overhead_ns; the task is offered at the first edge of the
// clock from then on; the stage ends at the edge that accepts the last row of the result. The
// products of a batch are tasks, each offered at the first edge after the end of the previous one.
//
// With data on, operands are the values that the command has bound at its issue, and the output of
// the block is the product that phase 2 uses (FunctionalModel::computed). With data off zeros are
// streamed. i8 x i8 and f16 x f16 only: a command of other dtypes fails. An accumulator is added to
// the product by phase 2.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "models/base/component_registry.h"
#include "models/data/functional_model.h"
#include "models/data/gemm_products.h"
#include "models/pe/slot_engine.h"
#include "models/rtl/gemm_tile.h"
#include "models/rtl/pins.h"
#include "models/rtl/rtl_block.h"

namespace kernbench {

// A block, with its pins.
struct GemmBlock {
  std::unique_ptr<RtlBlock> block;
  GemmPins pins;
};
// A block of one size; gemm_design<Model>() in verilated_gemm.h.
struct GemmDesign {
  GemmArray array;
  std::function<GemmBlock(Component&, Services&, const BlockParameters&, BlockUser&, GemmArray)>
      make;
};
// The sizes are those that `rows` and `columns` may choose; the first one is the default.
Implementation gemm_implementation(std::string name, std::string description,
                                   std::vector<GemmDesign> designs);

class RtlGemm final : public SlotEngine, private BlockUser {
 public:
  struct Parameters : ParameterSet {
    Parameters() : Parameters(GemmArray()) {}
    explicit Parameters(GemmArray default_array) { declare_array(default_array); }
    explicit Parameters(const Attributes& values) : ParameterSet(values) {
      declare_array(GemmArray());
    }
    StageParameters stage{*this, "0"};
    BlockParameters block{*this};
    std::int64_t rows = 0, columns = 0;
    Param<bool> check_result{
        *this, Parameter::boolean("check_result", "compare each tile with its product", "spec 12")
                   .default_val(false)};
    Param<std::uint32_t> operand_gaps{
        *this,
        Parameter::integer("operand_gaps", "percentage of cycles in which no operands are offered",
                           "", "for tests")
            .default_val(0)
            .range("0", "99")};
    Param<std::uint32_t> result_gaps{
        *this,
        Parameter::integer("result_gaps", "percentage of cycles in which no result is accepted", "",
                           "for tests")
            .default_val(0)
            .range("0", "99")};
    Param<std::uint32_t> gap_seed{
        *this, Parameter::integer("gap_seed", "seed of the cycles with gaps", "", "for tests")
                   .default_val(1)
                   .range("0", "4294967295")};

   private:
    void declare_array(GemmArray array);
  };

  RtlGemm(const ComponentInit& init, const GemmDesign& design);

 private:
  friend class RtlBlock;  // go_ahead()

  void compute(Lane& lane) override;
  void expired(Lane& lane) override;
  void declare_signals() override;
  void end_of_simulation() override { block_.block->close(); }

  bool sample() override;
  void drive() override;
  const char* awaited() const override;
  void edges_ahead() override;
  // Only the last row of a task ends its stage.
  bool edge_is_internal() const {
    return lane_ != nullptr && (tile_.operands_left() || !tile_.last_row());
  }

  std::string refusal(const Lane& lane) const;  // empty: the block can do it
  void read_operands(const TileTask& task);
  void offer(Lane& lane);
  void offer_product(std::size_t product);
  std::int64_t first_row() const {  // row of the product, those of a batch below each other
    return static_cast<std::int64_t>(product_) * lane_->stage().m;
  }
  void drive_task();
  void drive_task_data();
  void drive_operand(GemmTile::Beats& beats, std::uint8_t* valid, std::uint8_t* last, void* data);
  bool sample_operand(GemmTile::Beats& beats, const std::uint8_t* valid, const std::uint8_t* ready);
  bool sample_result();
  [[noreturn]] void give_up() const;
  void end_task();
  void check_result() const;
  void keep_products(const TileTask& task);
  bool pauses(std::uint32_t percent) { return percent > 0 && random_() % 100 < percent; }

  const Parameters parameters_;
  FunctionalModel* data_;  // null with data off
  GemmBlock block_;
  GemmTile tile_;
  std::vector<std::vector<std::byte>> a_, b_;  // elements of the tile, by product of its batch
  Lane* lane_ = nullptr;                       // lane in the block
  std::size_t product_ = 0;                    // product of its batch, in the block
  bool task_taken_ = false;
  std::map<std::uint64_t, std::unique_ptr<GemmProducts>> products_;  // by command
  std::mt19937 random_;
  std::uint64_t operand_stalls_ = 0, result_stalls_ = 0;
};

}  // namespace kernbench
