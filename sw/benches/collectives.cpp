// collectives: every collective between all ranks, by size, run and reported as in nccl-tests: on
// PE 0 of cube 0 of each SIP.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "models/base/errors.h"
#include "sw/benches/bench_registry.h"
#include "sw/benches/collective_round.h"
#include "sw/benches/inputs.h"

namespace kernbench::benches {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{64} << 20;

// Measurement of one form and size.
struct Sample {
  Fs time = 0;  // maximum over all ranks
  std::shared_ptr<DeferredCounter> wrong;
};

// Rows of one collective and their summary.
class Report {
 public:
  using Row = std::map<CallForm, Sample>;

  Report(const RoundOptions& options, int ranks)
      : options_(options), ranks_(ranks), all_wrong_(std::make_shared<DeferredCounter>()) {}

  std::shared_ptr<DeferredCounter> wrong(const RoundOptions& round) {
    Sample& sample = sample_of(round);
    if (!sample.wrong) sample.wrong = std::make_shared<DeferredCounter>(all_wrong_);
    return sample.wrong;
  }
  void add(const RoundOptions& round, Fs time) {
    Sample& sample = sample_of(round);
    sample.time = std::max(sample.time, time);
  }

  void write_to(Torch& torch) const;

 private:
  using Cell = ResultTable::Cell;
  Sample& sample_of(const RoundOptions& round) { return rows_[round.elements][round.form]; }
  std::vector<Cell> cells(std::int64_t elements, const Row& row) const;
  std::uint64_t bytes(std::int64_t elements) const;
  double bus_gbs(std::int64_t elements, Fs time) const {
    return bus_bandwidth_gbs(options_.op, ranks_, bytes(elements), time);
  }
  double average_bus_gbs() const;

  RoundOptions options_;
  int ranks_;
  std::shared_ptr<DeferredCounter> all_wrong_;
  std::map<std::int64_t, Row> rows_;  // by elements of a rank
};

std::uint64_t Report::bytes(std::int64_t elements) const {
  const std::int64_t parts = has_a_part_for_each_rank(options_.op) ? ranks_ : 1;
  return static_cast<std::uint64_t>(parts * elements_of_a_part(options_.op, elements, ranks_)) *
         size_of(options_.dtype);
}

std::vector<ResultTable::Cell> Report::cells(std::int64_t elements, const Row& row) const {
  const std::uint64_t nbytes = bytes(elements);
  std::vector<Cell> cells{
      static_cast<std::int64_t>(nbytes), elements_of_a_part(options_.op, elements, ranks_),
      std::string(name_of(options_.dtype)),
      is_reduction(options_.op) ? std::string(name_of(options_.reduce_op)) : "none",
      std::int64_t{has_root(options_.op) ? options_.root : -1}};
  for (const CallForm form : {CallForm::out_of_place, CallForm::in_place}) {
    const auto sample = row.find(form);
    if (sample == row.end()) {
      cells.insert(cells.end(),
                   {Cell(), Cell(), Cell(), std::make_shared<const DeferredCounter>()});
      continue;
    }
    const Fs time = sample->second.time;
    cells.insert(cells.end(),
                 {Cell(to_ns(time) / 1000), Cell(algorithm_bandwidth_gbs(nbytes, time)),
                  Cell(bus_gbs(elements, time)), Cell(sample->second.wrong)});
  }
  return cells;
}

double Report::average_bus_gbs() const {
  double sum = 0;
  int count = 0;
  for (const auto& [elements, row] : rows_) {
    for (const auto& [form, sample] : row) sum += bus_gbs(elements, sample.time), ++count;
  }
  return count == 0 ? 0 : sum / count;
}

void Report::write_to(Torch& torch) const {
  if (rows_.empty()) return;
  ResultTable& table = torch.results(
      name_of(options_.op),
      {"size_bytes", "count", "type", "redop", "root", "time_us", "algbw_gbs", "busbw_gbs", "wrong",
       "in_place_time_us", "in_place_algbw_gbs", "in_place_busbw_gbs", "in_place_wrong"});
  std::vector<ResultTable::Heading> headings{{"", "size", "(B)"},
                                             {"", "count", "(elements)"},
                                             {"", "type", ""},
                                             {"", "redop", ""},
                                             {"", "root", ""}};
  for (const char* form : {"out-of-place", "in-place"}) {
    const std::vector<ResultTable::Heading> of_form{{form, "time", "(us)"},
                                                    {form, "algbw", "(GB/s)"},
                                                    {form, "busbw", "(GB/s)"},
                                                    {form, "#wrong", ""}};
    headings.insert(headings.end(), of_form.begin(), of_form.end());
  }
  table.set_headings(std::move(headings));
  for (const auto& [elements, row] : rows_) table.add(cells(elements, row));
  table.add_summary({"out_of_bounds", "Out of bounds values", all_wrong_});
  table.add_summary({"average_busbw_gbs", "Avg bus bandwidth", average_bus_gbs()});
}

std::vector<CollectiveOp> chosen_ops(const Attributes& given) {
  std::vector<CollectiveOp> ops;
  const std::vector<std::string>& names = collective_op_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (given.text("op") == "all" || given.text("op") == names[i])
      ops.push_back(static_cast<CollectiveOp>(i));
  }
  return ops;
}

// Sweep over every collective, size and form, on all ranks.
class Sweep {
 public:
  Sweep(Torch& torch, int ranks)
      : torch_(torch), given_(torch.parameters()), dtype_(parse_dtype(given_.text("dtype"))) {
    check(ranks);
    for (const CollectiveOp op : chosen_ops(given_)) {
      if (op == CollectiveOp::send_recv && ranks == 1) continue;  // no peer to send to
      reports_.emplace(op, Report(options_of(op), ranks));
    }
  }

  void run_on(int rank) {
    const auto element = static_cast<std::int64_t>(size_of(dtype_));
    for (auto& [op, report] : reports_) {
      RoundOptions round = options_of(op);
      if (op == CollectiveOp::send_recv) join_neighbours(rank, round);
      for (const std::int64_t bytes :
           sizes_in_bytes(given_, dtype_, given_.integer("step_factor"))) {
        round.elements = bytes / element;
        for (const CallForm form : {CallForm::out_of_place, CallForm::in_place}) {
          round.form = form;
          if (!has_form(op, form)) continue;
          report.add(round, CollectiveRound(torch_, rank, round, report.wrong(round)).run());
        }
      }
    }
  }

  void report() const {
    for (const auto& [op, report] : reports_) report.write_to(torch_);
  }

 private:
  // With more than two ranks, the pairs install their ring buffers sequentially, in a first shift
  // that is not reported.
  void join_neighbours(int rank, const RoundOptions& round) {
    if (torch_.distributed.get_world_size() > 2)
      CollectiveRound(torch_, rank, round, nullptr).run();
  }
  void check(int ranks) const {
    if (given_.integer("min_bytes") > given_.integer("max_bytes"))
      throw UsageError(fmt::format("bench 'collectives': min_bytes {} is more than max_bytes {}",
                                   given_.integer("min_bytes"), given_.integer("max_bytes")));
    if (given_.integer("root") >= ranks)
      throw UsageError(fmt::format("bench 'collectives': root {}, but there are ranks 0 to {}",
                                   given_.integer("root"), ranks - 1));
  }
  RoundOptions options_of(CollectiveOp op) const {
    RoundOptions options;
    options.op = op;
    options.reduce_op = parse_reduce_op(given_.text("redop"));
    options.root = static_cast<int>(given_.integer("root"));
    options.dtype = dtype_;
    return options;
  }

  Torch& torch_;
  const Attributes& given_;
  DType dtype_;
  std::map<CollectiveOp, Report> reports_;
};

void run(Torch& torch) {
  const RankCount ranks = torch.distributed.ranks_to_spawn();
  Sweep sweep(torch, ranks.size);
  torch.multiprocessing.spawn(
      [&](int rank) {
        torch.ahbm.set_device(rank);
        torch.distributed.init_process_group("ahbm");
        sweep.run_on(rank);
      },
      ranks);
  sweep.report();
}

Parameter bytes_of_a_rank(const char* name, const char* description, std::int64_t bytes) {
  return Parameter::integer(name, description, "B", "nccl-tests")
      .default_val(bytes)
      .range("2", std::to_string(most_bytes));
}

}  // namespace

void register_collectives(BenchRegistry& registry) {
  std::vector<std::string> ops = collective_op_names();
  ops.insert(ops.begin(), "all");
  Bench bench{
      "collectives",
      "Every collective between all SIPs by size, as nccl-tests report them: time, algorithm and "
      "bus bandwidth, out of place and in place",
      {Parameter::choice("op", "collective", ops, "spec 7").default_val("all"),
       bytes_of_a_rank("min_bytes", "smallest size of a rank's data", 1024),
       bytes_of_a_rank("max_bytes", "largest size of a rank's data", 65536),
       Parameter::integer("step_factor", "factor from one size to the next", "", "nccl-tests")
           .default_val(4)
           .range("2", "1048576"),
       choice("dtype", "element type", {"f16", "bf16", "f32", "i32"}, "spec 8.3"),
       Parameter::choice("redop", "the reduction", reduce_op_names(), "nccl-tests")
           .default_val("sum"),
       Parameter::integer("root", "root of broadcast, reduce, gather and scatter", "", "nccl-tests")
           .default_val(0)
           .range("0", "16383")},
      &run};
  bench.per_device = false;
  registry.add(std::move(bench));
}

}  // namespace kernbench::benches
