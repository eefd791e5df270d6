#include "tests/rtl/gemm_testbench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "models/rtl/pins.h"

namespace kernbench::test {
namespace {

constexpr unsigned operand_bits = 16, result_bits = 32;

bool is_set(const void* pin) { return bits_of(pin, 0, 1) != 0; }
void set(void* pin, bool value) { set_bits(pin, 0, 1, value ? 1 : 0); }

std::uint64_t blocks(std::uint64_t extent, unsigned of) { return (extent + of - 1) / of; }

[[noreturn]] void broken(const std::string& rule) { throw std::runtime_error(rule); }

}  // namespace

GemmTestbench::GemmTestbench(GemmPins pins)
    : pins_(std::move(pins)), a_{pins_.a_valid, pins_.a_ready, pins_.a_data,
                                 pins_.a_last,  pins_.rows,    {}},
      b_{pins_.b_valid, pins_.b_ready, pins_.b_data, pins_.b_last, pins_.columns, {}} {
  reset();
}

void GemmTestbench::reset() {
  set(pins_.task_valid, false);
  set(pins_.a_valid, false);
  set(pins_.b_valid, false);
  set(pins_.result_ready, false);
  for (const bool active : {true, false}) {
    set(pins_.rst_n, !active);
    pins_.eval(false);
    if (active) pins_.eval(true);
  }
  left_waiting_.reset();
}

std::vector<GemmRun> GemmTestbench::run(const std::vector<GemmTile>& tasks, const GemmGaps& gaps,
                                        unsigned seed) {
  offer(tasks, gaps, seed);
  std::uint64_t limit = edges_ + 1000;
  for (const GemmTile& tile : tasks) limit += 100 * closed_form(tile, pins_.rows, pins_.columns);
  while (!done()) {
    if (edges_ > limit) broken("no end");
    cycle();
    if (error() != 0) broken(fmt::format("error {}", error()));
  }
  return runs_;
}

void GemmTestbench::offer(const std::vector<GemmTile>& tasks, const GemmGaps& gaps, unsigned seed) {
  tasks_ = tasks;
  gaps_ = gaps;
  random_.seed(seed);
  next_task_ = 0;
  task_offered_ = a_.offered = b_.offered = false;
  a_.beats.clear();
  b_.beats.clear();
  offered_at_.clear();
  runs_.clear();
  results_.clear();
  waits_ = 0;
  end_ = edges_;
  for (const GemmTile& tile : tasks) add_beats(tile);
}

void GemmTestbench::add_beats(const GemmTile& tile) {
  const auto at = [](const std::vector<std::uint16_t>& matrix, std::size_t row, std::size_t rows,
                     std::size_t column, std::size_t columns) -> std::uint32_t {
    return row < rows && column < columns ? matrix[row * columns + column] : 0;
  };
  for (std::size_t row = 0; row < tile.m; row += pins_.rows) {
    for (std::size_t column = 0; column < tile.n; column += pins_.columns) {
      for (std::size_t i = 0; i < tile.k; ++i) {
        Beat a{{}, i + 1 == tile.k}, b = a;
        for (unsigned r = 0; r < pins_.rows; ++r)
          a.lanes.push_back(at(tile.a, row + r, tile.m, i, tile.k));
        for (unsigned c = 0; c < pins_.columns; ++c)
          b.lanes.push_back(at(tile.b, i, tile.k, column + c, tile.n));
        a_.beats.push_back(std::move(a));
        b_.beats.push_back(std::move(b));
      }
    }
  }
}

void GemmTestbench::misplace_last(Operand operand, std::size_t beat) {
  Beat& misplaced = (operand == Operand::a ? a_ : b_).beats.at(beat);
  misplaced.last = !misplaced.last;
}

void GemmTestbench::cycle() {
  drive_task();
  drive(a_, gaps_.a);
  drive(b_, gaps_.b);
  set(pins_.result_ready, goes_on(gaps_.results));
  pins_.eval(false);
  log_outputs();
  ++edges_;  // the one at the end of the cycle
  sample_task();
  sample(a_);
  sample(b_);
  sample_result();
  pins_.eval(true);
}

bool GemmTestbench::goes_on(unsigned gap_percent) { return random_() % 100 >= gap_percent; }

void GemmTestbench::drive_task() {
  if (!task_offered_ && next_task_ < tasks_.size() && goes_on(gaps_.tasks)) {
    const GemmTile& tile = tasks_[next_task_];
    task_offered_ = true;
    offered_at_.push_back(edges_);
    set_bits(pins_.task_m, 0, 32, tile.m);
    set_bits(pins_.task_n, 0, 32, tile.n);
    set_bits(pins_.task_k, 0, 32, tile.k);
    set_bits(pins_.task_dtype, 0, 4, static_cast<std::uint64_t>(tile.dtype));
  }
  set(pins_.task_valid, task_offered_);
}

void GemmTestbench::drive(Source& source, unsigned gap_percent) {
  if (!source.offered && !source.beats.empty() && goes_on(gap_percent)) {
    source.offered = true;
    const Beat& beat = source.beats.front();
    for (unsigned lane = 0; lane < source.lanes; ++lane)
      set_bits(source.data, lane * operand_bits, operand_bits, beat.lanes[lane]);
    set(source.last, beat.last);
  }
  set(source.valid, source.offered);
}

void GemmTestbench::sample_task() {
  if (!task_offered_ || !is_set(pins_.task_ready)) return;
  task_offered_ = false;
  ++next_task_;
}

void GemmTestbench::sample(Source& source) {
  if (!source.offered || !is_set(source.ready)) return;
  source.offered = false;
  source.beats.pop_front();
}

void GemmTestbench::sample_result() {
  const bool valid = is_set(pins_.result_valid);
  if (left_waiting_ && !valid) broken("result_valid is withdrawn");
  if (!valid) return;
  Beat beat{{}, is_set(pins_.result_last)};
  for (unsigned lane = 0; lane < pins_.columns; ++lane) {
    beat.lanes.push_back(
        static_cast<std::uint32_t>(bits_of(pins_.result_data, lane * result_bits, result_bits)));
  }
  if (left_waiting_ && (left_waiting_->lanes != beat.lanes || left_waiting_->last != beat.last))
    broken("a result that waits changes");
  left_waiting_.reset();
  if (!is_set(pins_.result_ready)) {
    ++waits_;
    left_waiting_ = std::move(beat);
    return;
  }
  if (runs_.size() == next_task_) broken("a result of no task");
  const GemmTile& tile = tasks_[runs_.size()];
  results_.push_back(std::move(beat.lanes));
  const bool last = results_.size() == tile.m * blocks(tile.n, pins_.columns);
  if (last != beat.last) broken("result_last is misplaced");
  if (last) finish_task();
}

void GemmTestbench::finish_task() {
  const GemmTile& tile = tasks_[runs_.size()];
  GemmRun run{std::vector<std::uint32_t>(std::size_t{tile.m} * tile.n), 0, waits_};
  auto beat = results_.begin();
  for (std::size_t row = 0; row < tile.m; row += pins_.rows) {
    for (std::size_t column = 0; column < tile.n; column += pins_.columns) {
      for (std::size_t r = row; r < std::min<std::size_t>(row + pins_.rows, tile.m); ++r, ++beat) {
        const std::size_t width = std::min<std::size_t>(pins_.columns, tile.n - column);
        std::copy_n(beat->begin(), width, run.values.begin() + r * tile.n + column);
        if (std::any_of(beat->begin() + width, beat->end(), [](auto lane) { return lane != 0; }))
          broken("a lane beyond n is not 0");
      }
    }
  }
  run.edges = edges_ - std::max(end_, offered_at_[runs_.size()]);
  runs_.push_back(std::move(run));
  end_ = edges_;
  waits_ = 0;
  results_.clear();
}

unsigned GemmTestbench::error() const { return static_cast<unsigned>(bits_of(pins_.error, 0, 8)); }

void GemmTestbench::log_outputs() {
  std::string line;
  for (const void* pin :
       {pins_.task_ready, pins_.a_ready, pins_.b_ready, pins_.result_valid, pins_.result_last})
    line += is_set(pin) ? '1' : '0';
  line += fmt::format(" {}", error());
  if (is_set(pins_.result_valid)) {
    for (unsigned lane = 0; lane < pins_.columns; ++lane)
      line += fmt::format(" {:x}", bits_of(pins_.result_data, lane * result_bits, result_bits));
  }
  log_.push_back(std::move(line));
}

std::uint64_t closed_form(const GemmTile& tile, unsigned rows, unsigned columns) {
  const std::uint64_t block = std::uint64_t{tile.k} + 2 * rows + columns - 2;
  return 1 + blocks(tile.m, rows) * blocks(tile.n, columns) * block;
}

}  // namespace kernbench::test
