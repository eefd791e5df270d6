#include "models/rtl/rtl_gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "models/base/errors.h"
#include "models/data/block_values.h"
#include "models/protocol/machine_services.h"
#include "models/protocol/task_operands.h"

namespace kernbench {

namespace {

constexpr std::uint8_t i8_code = 0, f16_code = 1;  // codes of task_dtype

std::string listed(const std::vector<GemmDesign>& designs) {
  std::string text;
  for (const GemmDesign& design : designs) {
    text +=
        fmt::format("{}{}x{}", text.empty() ? "" : ", ", design.array.rows, design.array.columns);
  }
  return text;
}

const GemmDesign* find(const std::vector<GemmDesign>& designs, std::int64_t rows,
                       std::int64_t columns) {
  for (const GemmDesign& design : designs) {
    if (design.array.rows == rows && design.array.columns == columns) return &design;
  }
  return nullptr;
}

// Parts for the products of a batch, in sequence.
std::vector<std::vector<std::byte>> parts_of(const std::vector<std::byte>& bytes,
                                             std::size_t count) {
  std::vector<std::vector<std::byte>> parts;
  const auto size = static_cast<std::ptrdiff_t>(bytes.size() / count);
  for (auto at = bytes.begin(); at != bytes.end(); at += size) parts.emplace_back(at, at + size);
  return parts;
}

}  // namespace

Implementation gemm_implementation(std::string name, std::string description,
                                   std::vector<GemmDesign> designs) {
  Implementation implementation;
  implementation.name = std::move(name);
  implementation.description = std::move(description);
  implementation.roles = {Role::pe_gemm};
  implementation.schema = RtlGemm::Parameters(designs.at(0).array).schema();
  implementation.create = [designs](const ComponentInit& init) -> std::unique_ptr<Component> {
    const GemmDesign* const design =
        find(designs, init.attributes.integer("rows"), init.attributes.integer("columns"));
    if (design == nullptr)
      throw UsageError(fmt::format("{}: no array of this size is built", init.name));
    return make_component<RtlGemm>(init, *design);
  };
  implementation.check = [designs](const Attributes& attributes) -> std::optional<ParameterFault> {
    const std::int64_t rows = attributes.integer("rows"), columns = attributes.integer("columns");
    if (find(designs, rows, columns) != nullptr) return std::nullopt;
    return ParameterFault{
        "rows", fmt::format("found an array of {}x{} (rows x columns); built are {}", rows, columns,
                            listed(designs))};
  };
  implementation.computes_values = true;
  return implementation;
}

void RtlGemm::Parameters::declare_array(GemmArray array) {
  rows = declare<std::int64_t>(Parameter::integer("rows", "rows of the array", "", "spec 12")
                                   .default_val(array.rows)
                                   .range("1", "4096"));
  columns =
      declare<std::int64_t>(Parameter::integer("columns", "columns of the array", "", "spec 12")
                                .default_val(array.columns)
                                .range("1", "4096"));
}

RtlGemm::RtlGemm(const ComponentInit& init, const GemmDesign& design)
    : SlotEngine(init, PeEngine::pe_gemm, init.attributes.as<Parameters>().stage),
      parameters_(init.attributes), data_(machine_services(init.services).data()),
      block_(design.make(*this, init.services, parameters_.block, *this, design.array)),
      tile_(design.array), random_(*parameters_.gap_seed) {
  if (data_ != nullptr) data_->add_engine(node(), name());
  server_of("gemm_busy").attribute = "clock_period_ns";
  add_statistic("operand_stalls", "cycles in which the block did not accept a beat of A or B",
                Quantity::count, operand_stalls_);
  add_statistic("result_stalls", "cycles in which a row of the result was not accepted",
                Quantity::count, result_stalls_);
}

void RtlGemm::declare_signals() {
  SlotEngine::declare_signals();
  block_.block->declare_signals();
}

// --- A stage begins

void RtlGemm::compute(Lane& lane) { expire_at(lane, after(overhead())); }

// Ends the stage of a command that cannot be computed, and releases its resources.
void RtlGemm::expired(Lane& lane) {
  TileTask& task = *lane.task;
  std::string why = refusal(lane);
  if (why.empty()) {
    try {
      read_operands(task);
    } catch (const Error& error) {
      why = fmt::format("{}: {}", name(), error.what());
    }
  }
  if (why.empty()) return offer(lane);
  task.completion->fail(why);
  finish(lane);
}

std::string RtlGemm::refusal(const Lane& lane) const {
  const TileTask& task = *lane.task;
  DType a = lane.stage().dtype, b = a;
  if (task.operands != nullptr && !task.operands->empty()) {
    a = task.operands->block(task.tile, lane.stage(), 0).dtype;
    b = task.operands->block(task.tile, lane.stage(), 1).dtype;
  }
  if (a == b && (a == DType::i8 || a == DType::f16)) return "";
  return fmt::format("{}: a product of {} x {}; allowed are i8 x i8 and f16 x f16", name(),
                     name_of(a), name_of(b));
}

void RtlGemm::read_operands(const TileTask& task) {
  const auto batch = static_cast<std::size_t>(task.stage().batch);
  a_.assign(batch, {});
  b_.assign(batch, {});
  if (data_ == nullptr || task.operands == nullptr || task.operands->data() == nullptr) return;
  const DataOp& op = *task.operands->data();
  a_ = parts_of(bound_bytes(*data_, op, task.operands->block(task.tile, task.stage(), 0)), batch);
  b_ = parts_of(bound_bytes(*data_, op, task.operands->block(task.tile, task.stage(), 1)), batch);
}

void RtlGemm::offer(Lane& lane) {
  lane_ = &lane;
  offer_product(0);
  block_.block->work();
}

// Each product of a batch is a task of the block.
void RtlGemm::offer_product(std::size_t product) {
  const Stage& stage = lane_->stage();
  product_ = product;
  task_taken_ = false;
  tile_.begin(stage.m, stage.k, stage.n, stage.dtype, a_[product], b_[product]);
}

// The functions below are called at every edge, mostly from here: flatten, since calls that save
// and restore registers cost as much as the work between them.

[[gnu::flatten]] void RtlGemm::edges_ahead() { block_.block->go_ahead(*this); }

// --- Inputs of the block

inline void RtlGemm::drive() {
  drive_task();
  drive_operand(tile_.a, block_.pins.a_valid, block_.pins.a_last, block_.pins.a_data);
  drive_operand(tile_.b, block_.pins.b_valid, block_.pins.b_last, block_.pins.b_data);
  *block_.pins.result_ready = lane_ != nullptr && !pauses(*parameters_.result_gaps) ? 1 : 0;
}

inline void RtlGemm::drive_task() {
  const GemmPins& pins = block_.pins;
  const bool offered = lane_ != nullptr && !task_taken_;
  *pins.task_valid = offered ? 1 : 0;
  if (offered) drive_task_data();
}

void RtlGemm::drive_task_data() {
  const GemmPins& pins = block_.pins;
  const TileTask& task = *lane_->task;
  const Stage& stage = lane_->stage();
  *pins.task_m = static_cast<std::uint32_t>(stage.m);
  *pins.task_n = static_cast<std::uint32_t>(stage.n);
  *pins.task_k = static_cast<std::uint32_t>(stage.k);
  *pins.task_dtype = stage.dtype == DType::i8 ? i8_code : f16_code;
  if (task.operands == nullptr || task.operands->empty()) return;
  const auto nth = static_cast<std::int64_t>(product_);
  *pins.task_a_address = task.operands->block(task.tile, stage, 0).address_of(nth * stage.m, 0);
  *pins.task_b_address = task.operands->block(task.tile, stage, 1).address_of(nth * stage.k, 0);
  *pins.task_result_address =
      task.operands->block(task.operands->result(), task.tile).address_of(nth * stage.m, 0);
}

// An offered beat stays until it is accepted.
inline void RtlGemm::drive_operand(GemmTile::Beats& beats, std::uint8_t* valid, std::uint8_t* last,
                                   void* data) {
  const bool left = lane_ != nullptr && beats.left();
  if (left && beats.offered) return;
  beats.offered = left && !pauses(*parameters_.operand_gaps);
  *valid = beats.offered ? 1 : 0;
  *last = beats.offered && beats.last() ? 1 : 0;
  if (beats.offered) std::memcpy(data, beats.lanes(), beats.lane_bytes());
}

// --- Outputs of the block

inline bool RtlGemm::sample() {
  const GemmPins& pins = block_.pins;
  if (*pins.error != 0) give_up();
  bool alive = *pins.task_valid != 0 && *pins.task_ready != 0;
  if (alive) task_taken_ = true;
  const bool a = sample_operand(tile_.a, pins.a_valid, pins.a_ready);
  const bool b = sample_operand(tile_.b, pins.b_valid, pins.b_ready);
  return sample_result() || alive || a || b;
}

void RtlGemm::give_up() const {
  block_.block->fail(fmt::format("the block reports error {}", *block_.pins.error));
}

inline bool RtlGemm::sample_operand(GemmTile::Beats& beats, const std::uint8_t* valid,
                                    const std::uint8_t* ready) {
  if (*valid == 0) return false;
  if (*ready == 0) {
    ++operand_stalls_;
    return false;
  }
  beats.taken();
  return true;
}

inline bool RtlGemm::sample_result() {
  const GemmPins& pins = block_.pins;
  if (*pins.result_valid == 0) return false;
  if (lane_ == nullptr || !task_taken_ || (tile_.last_row() && tile_.operands_left()))
    block_.block->fail("the block breaks the rule result_belongs_to_a_task at result_valid");
  if ((*pins.result_last != 0) != tile_.last_row())
    block_.block->fail("the block breaks the rule last_at_end_of_task at result_last");
  if (*pins.result_ready == 0) {
    ++result_stalls_;
    return false;
  }
  tile_.take_row(pins.result_data);
  if (tile_.complete()) end_task();
  return true;
}

inline const char* RtlGemm::awaited() const {
  if (lane_ == nullptr) return nullptr;
  if (!task_taken_) return "task_ready";
  if (tile_.row_due() || !(tile_.a.left() || tile_.b.left())) return "result_valid";
  return tile_.a.fold() <= tile_.b.fold() && tile_.a.left() ? "a_ready" : "b_ready";
}

// --- End of a stage

void RtlGemm::end_task() {
  if (*parameters_.check_result) check_result();
  keep_products(*lane_->task);
  if (product_ + 1 < a_.size()) return offer_product(product_ + 1);
  finish(*std::exchange(lane_, nullptr));
}

void RtlGemm::check_result() const {
  const auto found = tile_.first_difference(a_[product_], b_[product_]);
  if (!found) return;
  const TileTask& task = *lane_->task;
  const TileExtents& at = task.tile.extents;
  const std::int64_t first = at.rows.begin + first_row();
  block_.block->fail(fmt::format(
      "a wrong result of command {}, tile {}: element ({}, {}) of the output is {}, expected {}",
      task.command_id, task.tile.id, first + found->row, at.columns.begin + found->column,
      found->found, found->expected));
}

void RtlGemm::keep_products(const TileTask& task) {
  if (data_ == nullptr || task.operands == nullptr || task.operands->data() == nullptr) return;
  const DataOp& op = *task.operands->data();
  std::unique_ptr<GemmProducts>& products = products_[task.command_id];
  if (products == nullptr) products = std::make_unique<GemmProducts>(op);
  const Stage& stage = task.stage();
  const TileExtents& at = task.tile.extents;
  products->add(
      {at.rows.begin + first_row(), at.columns.begin, at.depth.begin, stage.m, stage.n, stage.k},
      tile_.products().data());
  if (!products->complete()) return;
  data_->computed(op, std::move(products));
  products_.erase(task.command_id);
}

}  // namespace kernbench
