#include "platform/rtl_compare/tile_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <random>
#include <thread>

#include "models/address/phys_addr.h"
#include "models/base/errors.h"
#include "models/data/elements.h"
#include "models/data/functional_model.h"
#include "models/protocol/host_port.h"
#include "models/protocol/kernel_context.h"
#include "platform/assembly/platform.h"
#include "platform/config/machine_sizes.h"
#include "platform/phase2/data_executor.h"
#include "platform/phase2/verify.h"

namespace kernbench {
namespace {

constexpr int compared_pes = 3;
// Limit of rows, columns and macs_per_cycle of builtin.pe_gemm.
constexpr std::int64_t most_extent = 65536;
constexpr std::uint64_t most_cells = 1'000'000'000;
std::string engine_name(int pe) { return fmt::format("sip0.cube0.pe{}.pe_gemm", pe); }

struct TileWork {
  ComparedTile tile;
  TensorValue a, b;
};

TensorValue random_operand(const Shape& shape, DType dtype, std::mt19937_64& random) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(shape.elements()) * size_of(dtype));
  for (std::size_t at = 0; at < bytes.size(); at += size_of(dtype)) {
    const double value = dtype == DType::i8
                             ? static_cast<double>(static_cast<std::int64_t>(random() % 256) - 128)
                             : static_cast<double>(random() >> 11U) * 0x1p-52 - 1;  // -1 to 1
    write_element(bytes.data() + at, dtype, value);
  }
  return FunctionalModel::constant(bytes.data(), shape, dtype);
}

std::vector<TileWork> works_of(const TileOptions& options) {
  std::mt19937_64 random(options.seed);
  std::vector<TileWork> works;
  for (const ComparedTile& tile : options.tiles) {
    TensorValue a = random_operand({tile.m, tile.k}, options.dtype, random);
    TensorValue b = random_operand({tile.k, tile.n}, options.dtype, random);
    works.push_back({tile, std::move(a), std::move(b)});
  }
  return works;
}

// Block of the TCM of a kernel's PE.
class TcmBlock {
 public:
  TcmBlock(KernelContext& context, const Shape& shape, DType dtype)
      : context_(context), nbytes_(static_cast<std::uint64_t>(shape.elements()) * size_of(dtype)),
        offset_(context.scratch().allocate(nbytes_, TileRoom::alignment)),
        operand_{true, address(), dtype, TensorLayout::dense(shape[0], shape[1], dtype)} {}
  ~TcmBlock() { context_.scratch().free(offset_, nbytes_); }
  TcmBlock(const TcmBlock&) = delete;
  TcmBlock& operator=(const TcmBlock&) = delete;

  const CompositeOperand& operand() const { return operand_; }
  PhysRange range() const { return {address(), nbytes_}; }

 private:
  std::uint64_t address() const {
    const PeId at = context_.where();
    return PhysAddr::pe_tcm_addr(static_cast<unsigned>(at.sip), static_cast<unsigned>(at.cube),
                                 static_cast<unsigned>(at.pe), offset_)
        .encode();
  }

  KernelContext& context_;
  std::uint64_t nbytes_, offset_;
  CompositeOperand operand_;
};

// Kernel with one `dot` per tile; values on PE 0 only.
class TileKernel final : public KernelBody {
 public:
  TileKernel(const std::vector<TileWork>& works, DType dtype, std::vector<DataOpPtr>& ops)
      : works_(works), dtype_(dtype), ops_(ops) {}

  void run(KernelContext& context) const override {
    context.calling("dot");
    for (const TileWork& work : works_) {
      try {
        multiply(context, work);
      } catch (const AllocationError& error) {
        throw AllocationError(
            fmt::format("tile {} on {}: {}", work.tile.str(), context.where().str(), error.what()));
      }
    }
  }

 private:
  void multiply(KernelContext& context, const TileWork& work) const {
    const ComparedTile& tile = work.tile;
    const DType accumulator = is_float(dtype_) ? DType::f32 : DType::i32;
    const TcmBlock a(context, {tile.m, tile.k}, dtype_), b(context, {tile.k, tile.n}, dtype_),
        out(context, {tile.m, tile.n}, accumulator);
    Command command{
        DotCommand{tile.m, tile.k, tile.n, dtype_, {a.operand(), b.operand(), out.operand()}},
        nullptr};
    if (context.where().pe == 0) {
      GemmParams params;
      params.out_dtype = accumulator;
      const NodeId engine = context.machine().engine(context.where(), PeEngine::pe_gemm);
      if (context.data()->has_engine(engine)) params.engine = engine;
      command.data =
          context.data()
              ->gemm(std::move(params), {work.a, work.b}, {{a.range(), b.range()}, {out.range()}})
              .op;
      ops_.push_back(command.data);
    }
    context.wait(*context.issue(std::move(command)));
  }

  const std::vector<TileWork>& works_;
  DType dtype_;
  std::vector<DataOpPtr>& ops_;
};

class TileProgram final : public HostProgram {
 public:
  explicit TileProgram(std::shared_ptr<const KernelBody> kernel) : kernel_(std::move(kernel)) {}

  void run(HostPort& port) override {
    const auto launch = std::make_shared<KernelLaunch>();
    launch->correlation_id = launch->request_id = name();
    launch->target_device = 0;
    launch->kernel.name = "tiles";
    launch->body = kernel_;
    for (int pe = 0; pe < compared_pes; ++pe) launch->targets.push_back({0, 0, pe});
    const auto request = port.submit(std::shared_ptr<const KernelLaunch>(launch));
    port.wait(*request);
    const Completion& completion = request->response().completion;
    if (!completion.ok) throw LaunchError(completion.error_code, completion.error_message);
  }
  const char* name() const override { return "rtl-compare"; }

 private:
  std::shared_ptr<const KernelBody> kernel_;
};

// Records of the compared engines, in order of the tiles.
class EngineRecords final : public tlm::tlm_analysis_if<ExecutedOp> {
 public:
  explicit EngineRecords(const Platform& platform) {
    for (int pe = 0; pe < compared_pes; ++pe)
      engines_[pe] = &platform.component(platform.machine().engine({0, 0, pe}, PeEngine::pe_gemm));
  }
  void write(const ExecutedOp& op) override {
    for (std::size_t pe = 0; pe < compared_pes; ++pe) {
      if (op.node == engines_[pe]) records_[pe].push_back(op);
    }
  }
  const ExecutedOp& at(std::size_t pe, std::size_t tile) const { return records_[pe].at(tile); }
  std::size_t tiles_of(std::size_t pe) const { return records_[pe].size(); }

 private:
  const sc_core::sc_object* engines_[compared_pes];
  std::vector<ExecutedOp> records_[compared_pes];
};

std::uint64_t cycles_of(const ExecutedOp& op, const ComparedDevice& device) {
  const Rational ghz = device.clock_ghz();
  const Fs ready = op.t_start + ns_to_fs(device.number("overhead_ns").value_or(Rational(0)));
  return first_edge_from(op.t_end, ghz) - first_edge_from(ready, ghz);
}

std::string difference_of(const DataOp& op, const DataExecutor& executor) {
  const ValueLookup values = [&executor](ValueId id) { return executor.computed(id); };
  const OutputValue& output = op.outputs.at(0);
  const Comparison comparison = check_op(op, values(output.id).get(), values);
  return comparison.ok ? "" : mismatch_text(output.shape, comparison);
}

// A fault of the implementation is attributed to the tile in progress.
[[noreturn]] void fail(const std::exception_ptr& cause, const std::vector<TileWork>& works,
                       std::size_t ended) {
  try {
    std::rethrow_exception(cause);
  } catch (const ModelError& error) {
    const std::string what = error.what();
    if (ended == works.size() || what.rfind(engine_name(0) + " at ", 0) != 0) throw;
    throw ModelError(fmt::format("tile {}: {}", works[ended].tile.str(), what));
  }
}

std::string values_text(const ComparedDevice& device, DType dtype) {
  const Implementation& implementation = device.implementation();
  return fmt::format(
      "products {} in {}, each element against a reference in double precision",
      implementation.computes_values
          ? "of " + implementation.name
          : fmt::format("of phase 2, as {} computes no values,", implementation.name),
      is_float(dtype) ? "f32" : "i32, exactly");
}

}  // namespace

MacArray array_of(const ComparedDevice& device) {
  const auto extent = [&device](const char* name) -> std::uint64_t {
    const Rational value = device.number(name).value_or(Rational(32));
    if (value.is_integer() && Rational(1) <= value && value <= Rational(most_extent))
      return static_cast<std::uint64_t>(value.to_int64());
    throw UsageError(fmt::format("{}: found {} {}; an array to compare has 1 to {}",
                                 device.implementation().name, value.str(), name, most_extent));
  };
  const MacArray array{extent("rows"), extent("columns")};
  if (array.rows * array.columns <= most_cells) return array;
  throw UsageError(
      fmt::format("{}: found {} rows of {} columns; an array to compare has at most "
                  "{} cells",
                  device.implementation().name, array.rows, array.columns, most_cells));
}

TileRoom tile_room(const MachineSpec& machine, DType dtype) {
  return {machine_sizes(machine.cube).scratch_bytes, dtype};
}

std::vector<std::string> tile_settings(const ComparedDevice& device) {
  std::vector<std::string> settings = device.settings(engine_name(0));
  // Attributes of the models, regardless of the topology's settings for the same implementation.
  for (const char* key :
       {"clock_ghz", "clock_period_ns", "overhead_ns", "rows", "columns", "task_cycles"}) {
    if (const auto value = device.value(key))
      settings.push_back(fmt::format("{}.attrs.{}={}", engine_name(0), key, *value));
  }
  const MacArray array = array_of(device);
  for (int pe = 1; pe < compared_pes; ++pe) {
    const auto set = [&](const char* key, const std::string& value) {
      settings.push_back(fmt::format("{}.attrs.{}={}", engine_name(pe), key, value));
    };
    settings.push_back(engine_name(pe) + ".impl=builtin.pe_gemm");
    set("clock_ghz", decimal_text(device.clock_ghz()));
    set("overhead_ns", device.number_text("overhead_ns").value_or("0"));
    if (pe == 1) {
      set("timing", "macs");
      set("macs_per_cycle", std::to_string(array.rows * array.columns));
      continue;
    }
    set("timing", "systolic");
    set("rows", std::to_string(array.rows));
    set("columns", std::to_string(array.columns));
    if (const auto cycles = device.number_text("task_cycles")) set("task_cycles", *cycles);
  }
  return settings;
}

TimeComparison compare_tiles(Graph machine, const ComponentRegistry& registry,
                             const ComparedDevice& device, const TileOptions& options) {
  const std::vector<TileWork> works = works_of(options);
  std::vector<DataOpPtr> ops;
  FunctionalModel data;
  PlatformOptions platform_options;
  platform_options.data = &data;
  platform_options.tear_down = false;
  const auto platform = std::make_unique<Platform>(std::move(machine), registry, platform_options);
  EngineRecords records(*platform);
  platform->observation().executed_ops.bind(records);
  DataExecutor executor(data, std::max(1U, std::thread::hardware_concurrency()));
  executor.start_eager();
  TileProgram program(std::make_shared<TileKernel>(works, options.dtype, ops));
  const RunResult result = platform->run(program);
  if (result.cause) fail(result.cause, works, records.tiles_of(0));
  executor.run();

  TimeComparison comparison{device.implementation().name,
                            "tile",
                            {"macs", "systolic"},
                            values_text(device, options.dtype),
                            {}};
  const MacArray array = array_of(device);
  for (std::size_t i = 0; i < works.size(); ++i) {
    const ComparedTile& tile = works[i].tile;
    ComparedWork work;
    work.name = tile.str();
    work.group = tile.full(array) ? "full tiles" : "edge tiles";
    work.sizes = {{"m", tile.m}, {"k", tile.k}, {"n", tile.n}};
    const ExecutedOp& op = records.at(0, i);
    work.time = op.t_end - op.t_start;
    work.cycles = cycles_of(op, device);
    for (std::size_t pe = 1; pe < compared_pes; ++pe) {
      const ExecutedOp& model = records.at(pe, i);
      work.models.push_back(model.t_end - model.t_start);
    }
    work.difference = difference_of(*ops.at(i), executor);
    comparison.works.push_back(std::move(work));
  }
  return comparison;
}

}  // namespace kernbench
