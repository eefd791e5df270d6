// A GEMM block at its pins, without a machine: drives tasks and operands, takes results, in the
// cycles that the gaps leave, and counts edges. Checks on the way what a block promises of its own
// streams.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/rtl/gemm_reference.h"

namespace kernbench::test {

// The pins of one Verilated model, and its evaluation with them.
struct GemmPorts {
  unsigned rows = 0, columns = 0;
  void *rst_n, *task_valid, *task_ready, *task_m, *task_n, *task_k, *task_dtype;
  void *a_valid, *a_ready, *a_data, *a_last;
  void *b_valid, *b_ready, *b_data, *b_last;
  void *result_valid, *result_ready, *result_data, *result_last, *error;
  std::function<void(bool clock)> eval;
};

// Per cent of the cycles in which a side of a stream that could go on does not.
struct GemmGaps {
  unsigned tasks = 0, a = 0, b = 0, results = 0;
};

struct GemmRun {
  std::vector<std::uint32_t> values;
  // Edges from that behind which the task is driven, or the end of the task before if that is
  // later, to the one that takes the last result.
  std::uint64_t edges = 0;
  std::uint64_t waits = 0;  // edges at which a result was not taken

  friend bool operator==(const GemmRun& x, const GemmRun& y) {
    return x.values == y.values && x.edges == y.edges && x.waits == y.waits;
  }
};

class GemmTestbench {
 public:
  explicit GemmTestbench(GemmPorts pins);  // resets

  // Sequentially, each offered as soon as the previous one is accepted. Throws runtime_error if
  // the block breaks a rule of its streams, reports an error, or does not end.
  std::vector<GemmRun> run(const std::vector<GemmTask>& tasks, const GemmGaps& gaps = {},
                           unsigned seed = 1);

  // The same by hand: after a reset, until all are done.
  void reset();
  void offer(const std::vector<GemmTask>& tasks, const GemmGaps& gaps = {}, unsigned seed = 1);
  void cycle();
  bool done() const { return runs_.size() == tasks_.size(); }
  unsigned error() const;
  enum class Operand { a, b };
  // `last` of a beat of what has been offered is what it should not be.
  void misplace_last(Operand operand, std::size_t beat);
  // All outputs, cycle by cycle.
  const std::vector<std::string>& log() const { return log_; }

 private:
  using Lanes = std::vector<std::uint32_t>;
  struct Beat {
    Lanes lanes;
    bool last;
  };
  // A stream of operands.
  struct Source {
    void *valid, *ready, *data, *last;
    unsigned lanes;
    std::deque<Beat> beats;
    bool offered = false;
  };
  bool goes_on(unsigned gap_percent);
  void add_beats(const GemmTask& task);
  void drive_task();
  void drive(Source& source, unsigned gap_percent);
  void sample_task();
  void sample(Source& source);
  void sample_result();
  void finish_task();
  void log_outputs();

  GemmPorts pins_;
  Source a_, b_;
  std::vector<GemmTask> tasks_;
  std::size_t next_task_ = 0;  // to be taken
  bool task_offered_ = false;
  std::vector<std::uint64_t> offered_at_;
  GemmGaps gaps_;
  std::mt19937 random_;
  std::vector<GemmRun> runs_;
  std::vector<Lanes> results_;        // beats of the task in progress
  std::optional<Beat> left_waiting_;  // by the edge before
  std::uint64_t edges_ = 0, end_ = 0, waits_ = 0;
  std::vector<std::string> log_;
};

// The edges of a task: one for the task itself, k + 2 * rows + columns - 2 for each block of the
// result (SCALE-Sim, output stationary).
std::uint64_t closed_form(const GemmTask& task, unsigned rows, unsigned columns);

}  // namespace kernbench::test
