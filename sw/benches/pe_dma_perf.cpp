// pe-dma-perf: latency, its parts and bandwidth of DMA transfers between PEs and HBM partitions,
// alone and congested.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/base/errors.h"
#include "models/protocol/transfer_meter.h"
#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/tl/program.h"
#include "sw/tl/ptr.h"

namespace kernbench::benches {
namespace {

constexpr DType dtype = DType::f16;

// Access of a PE to a partition. `row`: place of its block in the partition.
struct Move {
  PeId from, to;
  int row = 0;
};

// --- on each PE

// Access of the PE that runs the kernel, by physical address.
struct PeAccess {
  std::uint64_t partition = 0, home = 0;  // block in the partition; in the PE's own memory
  double value = 0;                       // that a write stores in each element
};
using Accesses = std::map<PeId, PeAccess>;

// PEs of a launch start at one time. A constant takes every PE equally long, so the writes are
// issued at one time, too.
void write_blocks(tl::Program& tl, const Accesses& accesses, std::int64_t elements) {
  const auto own = accesses.find(tl.pe_id());
  if (own == accesses.end()) return;
  tl.store(tl::Ptr(own->second.partition), tl.full({elements}, own->second.value, dtype));
}

// Blocks are stored at home when all reads have ended.
void read_blocks(tl::Program& tl, const Accesses& accesses, std::int64_t elements) {
  const auto own = accesses.find(tl.pe_id());
  std::optional<tl::Handle> block;
  if (own != accesses.end()) block = tl.load(tl::Ptr(own->second.partition), {elements}, dtype);
  tl.barrier();
  if (block) tl.store(tl::Ptr(own->second.home), *block);
}

// --- scenarios

struct Scenario {
  std::string name;
  std::vector<Move> moves = {};
  std::string missing = {};  // reason why the machine has no such scenario; empty: it has
};

constexpr PeId here{0, 0, 0};

std::string missing_if(bool missing, const char* why) { return missing ? why : ""; }

// PEs `first` to `last` of cube 0 access the partition of PE 0.
std::vector<Move> hot_partition(int first, int last) {
  std::vector<Move> moves;
  for (int pe = first; pe <= last; ++pe) moves.push_back({{0, 0, pe}, here, pe - first});
  return moves;
}

// Each PE of cube 0 accesses the partition of the same number in the cube to the east.
std::vector<Move> eastbound(const MachineDescription& machine) {
  std::vector<Move> moves;
  for (int pe = 0; pe < machine.pes; ++pe) moves.push_back({{0, 0, pe}, {0, 1, pe}});
  return moves;
}

// Each PE of SIP 0 accesses its own partition, or that of PE 0 of cube 0.
std::vector<Move> whole_sip(const MachineDescription& machine, bool own) {
  std::vector<Move> moves;
  for (int cube = 0; cube < machine.cubes(); ++cube) {
    for (int pe = 0; pe < machine.pes; ++pe) {
      const PeId from{0, cube, pe};
      moves.push_back(own ? Move{from, from} : Move{from, here, cube * machine.pes + pe});
    }
  }
  return moves;
}

// PE 0 of cube 0 accesses the partition with the lowest latency alone, and that with the highest;
// of equal ones the first. `missing`: reason why there are no partitions.
void add_best_and_worst(std::vector<Scenario>& scenarios, const std::string& prefix,
                        const std::vector<PeId>& partitions, const std::string& missing,
                        const std::function<Fs(PeId)>& alone) {
  Scenario best{prefix + "_best", {}, missing}, worst{prefix + "_worst", {}, missing};
  std::map<Fs, PeId> first_of;
  for (const PeId& partition : partitions) first_of.try_emplace(alone(partition), partition);
  if (!first_of.empty()) {
    best.moves = {{here, first_of.begin()->second}};
    worst.moves = {{here, first_of.rbegin()->second}};
    if (first_of.size() == 1) worst.missing = "all partitions are as near as the best";
  }
  scenarios.push_back(std::move(best));
  scenarios.push_back(std::move(worst));
}

std::vector<PeId> partitions_of(int first_cube, int cubes, int first_pe, int pes) {
  std::vector<PeId> partitions;
  for (int cube = first_cube; cube < cubes; ++cube) {
    for (int pe = first_pe; pe < pes; ++pe) partitions.push_back({0, cube, pe});
  }
  return partitions;
}

// All scenarios of spec 10.3, those that the machine lacks among them. `alone`: latency of an
// access of PE 0 of cube 0 to a partition.
std::vector<Scenario> scenarios_of(const MachineDescription& machine,
                                   const std::function<Fs(PeId)>& alone) {
  const std::string one_pe = missing_if(machine.pes == 1, "a cube has one PE"),
                    one_cube = missing_if(machine.cubes() == 1, "a SIP has one cube");
  std::vector<Scenario> scenarios{{"local", {{here, here}}}};
  add_best_and_worst(scenarios, "same_cube", partitions_of(0, 1, 1, machine.pes), one_pe, alone);
  add_best_and_worst(scenarios, "other_cube", partitions_of(1, machine.cubes(), 0, machine.pes),
                     one_cube, alone);
  scenarios.push_back(
      {"other_sip", {{here, {1, 0, 0}}}, missing_if(machine.sips == 1, "the machine has one SIP")});
  for (int pes = 1; pes <= 3; ++pes)
    scenarios.push_back({fmt::format("ctrl_hot_{}", pes), hot_partition(1, pes),
                         machine.pes > pes ? "" : fmt::format("a cube has no PE {}", pes)});
  scenarios.push_back({"ucie_eastbound", eastbound(machine),
                       missing_if(machine.cube_mesh_w == 1, "the mesh of cubes has one column")});
  scenarios.push_back({"all_pe_cube0_to_pe0", hot_partition(0, machine.pes - 1), one_pe});
  scenarios.push_back({"sip_local_all", whole_sip(machine, true)});
  scenarios.push_back({"sip_hotspot_pe0", whole_sip(machine, false)});
  return scenarios;
}

// --- on the host

// Shard of a PE: its position in (cube, PE) order, which is the row of a tensor with one for each.
std::size_t shard_of(const std::vector<Shard>& shards, const PeId& pe) {
  const auto found = std::find_if(shards.begin(), shards.end(),
                                  [&](const Shard& shard) { return shard.where == pe; });
  return static_cast<std::size_t>(found - shards.begin());
}

// Tensors of one scenario, and its measurement.
class Measurement {
 public:
  Measurement(Torch& torch, const Scenario& scenario, std::int64_t elements, bool writes)
      : torch_(torch), scenario_(scenario), elements_(elements), writes_(writes) {
    torch_.untimed([&] { make_tensors(); });
  }

  TransferBatch measure() {
    TransferMeter& meter = torch_.transfers();
    meter.begin(writes_);
    torch_.launch(
        scenario_.name,
        [accesses = accesses(), elements = elements_, writes = writes_](tl::Program& tl, tl::Tensor,
                                                                        tl::Tensor) {
          writes ? write_blocks(tl, accesses, elements) : read_blocks(tl, accesses, elements);
        },
        blocks_.tensor, home_);
    TransferBatch batch = meter.end();
    writes_ ? verify_written() : verify_read();
    return batch;
  }

 private:
  void make_tensors() {
    std::vector<PeId> from, to;
    int rows = 1;
    for (const Move& move : scenario_.moves) {
      from.push_back(move.from);
      to.push_back(move.to);
      rows = std::max(rows, move.row + 1);
    }
    const std::string prefix = scenario_.name + ": ";
    const auto [shape, policy] = layout(to, rows, elements_);
    torch_.ahbm.set_device(to.front().sip);
    if (writes_)
      blocks_.tensor = torch_.zeros(shape, dtype, policy, prefix + "written");
    else
      blocks_ = random_input(torch_, shape, dtype, policy, prefix + "source");
    torch_.ahbm.set_device(0);
    const auto [home_shape, home_policy] = layout(from, 1, writes_ ? 1 : elements_);
    home_ = torch_.zeros(home_shape, dtype, home_policy, prefix + (writes_ ? "unused" : "read"));
  }

  // A row for each PE up to the last cube and PE of the list, or several rows on PE 0 of cube 0.
  static std::pair<Shape, DPPolicy> layout(const std::vector<PeId>& pes, int rows,
                                           std::int64_t width) {
    if (rows > 1) return {{rows, width}, DPPolicy::on_one_pe()};
    int cubes = 1, of_cube = 1;
    for (const PeId& pe : pes) {
      cubes = std::max(cubes, pe.cube + 1);
      of_cube = std::max(of_cube, pe.pe + 1);
    }
    return {{cubes * of_cube, width}, {Placement::row_wise, Placement::row_wise, cubes, of_cube}};
  }

  Accesses accesses() const {
    const std::vector<Shard> blocks = blocks_.tensor.shards(), homes = home_.shards();
    Accesses accesses;
    for (std::size_t i = 0; i < scenario_.moves.size(); ++i) {
      const Move& move = scenario_.moves[i];
      const auto row = static_cast<std::uint64_t>(move.row * elements_) * size_of(dtype);
      accesses[move.from] = {blocks[shard_of(blocks, move.to)].pa + row,
                             homes[shard_of(homes, move.from)].pa, value_of(i)};
    }
    return accesses;
  }

  // Exact in f16.
  static double value_of(std::size_t move) { return static_cast<double>(move % 2000 + 1); }

  void verify_written() {
    std::vector<std::size_t> row_of;
    for (const Move& move : scenario_.moves)
      row_of.push_back(shard_of(blocks_.tensor.shards(), move.to) +
                       static_cast<std::size_t>(move.row));
    torch_.verify(blocks_.tensor, [row_of, rows = blocks_.tensor.shape()[0], width = elements_] {
      std::vector<double> expected(static_cast<std::size_t>(rows * width));
      for (std::size_t i = 0; i < row_of.size(); ++i)
        std::fill_n(expected.begin() + static_cast<std::int64_t>(row_of[i]) * width, width,
                    value_of(i));
      return expected;
    });
  }

  void verify_read() {
    std::vector<std::pair<std::size_t, std::size_t>> rows;  // of the source, of home
    for (const Move& move : scenario_.moves)
      rows.emplace_back(
          shard_of(blocks_.tensor.shards(), move.to) + static_cast<std::size_t>(move.row),
          shard_of(home_.shards(), move.from));
    torch_.verify(home_,
                  [rows, source = blocks_.host, homes = home_.shape()[0], width = elements_] {
                    const std::vector<double> values = source->values();
                    std::vector<double> expected(static_cast<std::size_t>(homes * width));
                    for (const auto& [from, to] : rows)
                      std::copy_n(values.begin() + static_cast<std::int64_t>(from) * width, width,
                                  expected.begin() + static_cast<std::int64_t>(to) * width);
                    return expected;
                  });
  }

  Torch& torch_;
  const Scenario& scenario_;
  std::int64_t elements_;
  bool writes_;
  Input blocks_;  // accessed; `host` for reads alone
  Tensor home_;   // blocks that have been read
};

ResultTable::Cell gbs_or_none(double gbs) {
  return gbs > 0 ? ResultTable::Cell(gbs) : ResultTable::Cell();
}

// Cells of a row after the name of the scenario.
std::vector<ResultTable::Cell> cells_of(const TransferBatch& batch) {
  const double gbs = static_cast<double>(batch.bytes) / to_ns(batch.makespan);
  const auto requests = static_cast<double>(batch.requests);
  const auto share = [gbs](double of) { return gbs_or_none(of > 0 ? gbs / of : 0); };
  std::vector<ResultTable::Cell> cells{
      static_cast<std::int64_t>(batch.requests), static_cast<std::int64_t>(batch.bytes),
      to_ns(batch.shortest), to_ns(batch.latencies) / requests, to_ns(batch.longest)};
  for (const auto& [part, time] : batch.parts) cells.emplace_back(to_ns(time) / requests);
  cells.insert(cells.end(),
               {to_ns(batch.makespan), gbs, gbs_or_none(batch.narrowest_gbs),
                gbs_or_none(batch.fair_gbs), share(batch.narrowest_gbs), share(batch.fair_gbs)});
  return cells;
}

std::vector<std::string> columns_of(const TransferBatch& batch) {
  std::vector<std::string> columns{"requests", "bytes", "min_ns", "mean_ns", "max_ns"};
  for (const auto& [part, time] : batch.parts) columns.push_back(fmt::format("{}_ns", part));
  columns.insert(columns.end(), {"makespan_ns", "gbs", "narrowest_gbs", "fair_gbs", "util_single",
                                 "util_aggregate"});
  return columns;
}

// Sets `missing` of the scenarios of which a path is missing.
void check_paths(std::vector<Scenario>& scenarios, TransferMeter& meter) {
  for (Scenario& scenario : scenarios) {
    try {
      if (!scenario.missing.empty()) continue;
      for (const Move& move : scenario.moves) meter.alone(move.from, move.to, 1, false);
    } catch (const RoutingError& error) {
      scenario.missing = error.what();
    }
  }
}

void run(Torch& torch) {
  const Attributes& given = torch.parameters();
  const std::string chosen = given.text("scenario");
  const bool all = chosen == "all", writes = given.text("op") == "write";
  const std::int64_t elements = given.integer("bytes") / static_cast<std::int64_t>(size_of(dtype));
  const std::uint64_t bytes = static_cast<std::uint64_t>(elements) * size_of(dtype);
  TransferMeter& meter = torch.transfers();
  std::vector<Scenario> scenarios = scenarios_of(
      torch.spec(), [&](PeId partition) { return meter.alone(here, partition, bytes, writes); });
  check_paths(scenarios, meter);
  std::vector<std::vector<ResultTable::Cell>> left_out;
  ResultTable* table = nullptr;
  for (const Scenario& scenario : scenarios) {
    if (!all && scenario.name != chosen) continue;
    if (!scenario.missing.empty()) {
      if (!all)
        throw UsageError(fmt::format("bench 'pe-dma-perf': there is no scenario '{}': {}", chosen,
                                     scenario.missing));
      left_out.push_back({scenario.name, scenario.missing});
      continue;
    }
    const TransferBatch batch = Measurement(torch, scenario, elements, writes).measure();
    std::vector<ResultTable::Cell> cells = cells_of(batch);
    if (all) cells.insert(cells.begin(), scenario.name);
    if (table == nullptr) {
      std::vector<std::string> columns = columns_of(batch);
      if (all) columns.insert(columns.begin(), "scenario");
      table = &torch.results("transfers", std::move(columns));
    }
    table->add(std::move(cells));
  }
  if (left_out.empty()) return;
  ResultTable& reasons = torch.results("left out", {"scenario", "reason"});
  for (std::vector<ResultTable::Cell>& row : left_out) reasons.add(std::move(row));
}

}  // namespace

void register_pe_dma_perf(BenchRegistry& registry) {
  Bench bench{
      "pe-dma-perf",
      "DMA transfers between PEs and HBM partitions, alone and congested: latency, its parts, "
      "bandwidth, utilisation",
      {choice("scenario", "the transfers; 'all': every scenario that the machine has",
              {"all", "local", "same_cube_best", "same_cube_worst", "other_cube_best",
               "other_cube_worst", "other_sip", "ctrl_hot_1", "ctrl_hot_2", "ctrl_hot_3",
               "ucie_eastbound", "all_pe_cube0_to_pe0", "sip_local_all", "sip_hotspot_pe0"}),
       choice("op", "direction of the transfers", {"write", "read"}),
       size_in_bytes("bytes", "size of a transfer", 16384)},
      &run};
  bench.per_device = false;
  bench.measures_transfers = true;
  registry.add(std::move(bench));
}

}  // namespace kernbench::benches
