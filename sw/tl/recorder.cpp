#include "sw/tl/recorder.h"

#include <fmt/format.h>

#include <cstdio>
#include <limits>
#include <numeric>

#include "models/base/atomic_op.h"
#include "models/base/errors.h"

namespace kernbench::tl {
namespace {

// Machine that consists of extents only: one node represents every engine and memory.
MachineDescription describe_grid(const Grid& grid, const Attributes& node) {
  MachineDescription machine;
  machine.sips = machine.sip_w = grid.sips;
  machine.cube_mesh_w = grid.cubes;
  machine.pes = grid.pes;
  machine.address_model = AddressModel::pa;
  machine.tcm_bytes = machine.scratch_bytes = grid.scratch_bytes;
  machine.size_tables(0);
  machine.nodes = {{"recording", "recording", &node}};
  machine.memory_map = MemoryMap({{0, std::numeric_limits<std::uint64_t>::max(), 0}});
  return machine;
}

Attributes tile_attributes(const TileShape& tile) {
  Attributes attributes;
  attributes.set("tile_m", Rational(tile.m));
  attributes.set("tile_k", Rational(tile.k));
  attributes.set("tile_n", Rational(tile.n));
  return attributes;
}

class RecordingContext final : public KernelContext {
 public:
  RecordingContext(const MachineDescription& machine, const KernelLaunch& launch, PeId where,
                   const Grid& grid)
      : machine_(machine), launch_(launch), scratch_("scratch", 0, grid.scratch_bytes),
        any_direction_(grid.directions.empty()) {
    recording_.where = where;
    setup_.settings.slot_size = grid.slot_bytes;
    if (const auto found = grid.directions.find(where); found != grid.directions.end()) {
      for (const std::string& direction : found->second)
        setup_.queue_pairs.push_back({direction, {}, {}, 0, 0});
    }
  }

  PeId where() const override { return recording_.where; }
  const KernelLaunch& launch() const override { return launch_; }
  const MachineDescription& machine() const override { return machine_; }
  FunctionalModel* data() override { return nullptr; }
  Fs now() const override { return 0; }

  void dispatch() override {}
  std::shared_ptr<CommandState> issue(Command&& command) override {
    auto state = std::make_shared<CommandState>(next_id_++);
    Step step;
    step.id = state->id();
    step.command = std::move(command);
    recording_.steps.push_back(std::move(step));
    state->complete();
    return state;
  }
  void wait(CommandState& command) override {
    Step step;
    step.kind = Step::Kind::wait;
    step.id = command.id();
    recording_.steps.push_back(std::move(step));
  }
  void cycles(std::uint64_t n) override {
    Step step;
    step.kind = Step::Kind::cycles;
    step.cycles = n;
    recording_.steps.push_back(std::move(step));
  }
  void barrier() override {
    Step step;
    step.kind = Step::Kind::barrier;
    recording_.steps.push_back(std::move(step));
  }
  PhysRanges translate(std::uint64_t address, std::uint64_t nbytes) const override {
    return {{address, nbytes}};
  }
  FreeListAllocator& scratch() override { return scratch_; }

  const IpcqSetup& ipcq_setup() const override { return setup_; }
  void ipcq_send(IpcqSend message) override {
    check(message.direction);
    Step step;
    step.kind = Step::Kind::send;
    step.sent = std::move(message);
    recording_.steps.push_back(std::move(step));
  }
  IpcqReceived ipcq_receive(IpcqReceive request) override {
    if (!request.direction.empty()) check(request.direction);
    Step step;
    step.kind = Step::Kind::recv;
    step.received = std::move(request);
    recording_.steps.push_back(step);
    return {step.received.direction, nullptr};
  }
  std::uint64_t ipcq_reserve(const std::string& direction) override {
    check(direction);
    Step step;
    step.kind = Step::Kind::recv_async;
    step.received.direction = direction;
    step.received.place = places_[direction]++;
    recording_.steps.push_back(step);
    return *step.received.place;
  }

  ProgramRecording take() { return std::move(recording_); }

 private:
  void check(const std::string& direction) const {
    if (any_direction_ || setup_.find(direction) != nullptr) return;
    throw UsageError(
        fmt::format("no queue pair in direction '{}' of {}", direction, recording_.where.str()));
  }

  const MachineDescription& machine_;
  const KernelLaunch& launch_;
  FreeListAllocator scratch_;
  bool any_direction_;
  IpcqSetup setup_;
  std::map<std::string, std::uint64_t> places_;  // reserved so far
  ProgramRecording recording_;
  std::uint64_t next_id_ = 0;
};

std::string hex(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string text_of(const CompositeOperand& operand) {
  if (operand.pinned) return "tcm";
  if (!operand.strided) return hex(operand.address);
  return fmt::format("{}[{},{}]", hex(operand.address), operand.layout->row_stride,
                     operand.layout->column_stride);
}

std::string text_of(const std::vector<EpilogueStage>& epilogue) {
  std::string text;
  for (const EpilogueStage& stage : epilogue)
    text += fmt::format(" {}@{}", name_of(stage.op), name_of(stage.scope));
  return text;
}

struct CommandText {
  std::string operator()(const DmaCommand& c) const {
    const char* access = c.write ? "dma_write" : "dma_read";
    if (c.atomic != nullptr) access = name_of(c.atomic->op);
    return fmt::format("{} {} {}{}", access, hex(c.address), c.nbytes,
                       c.runs == nullptr ? "" : fmt::format(" in {} runs", c.runs->size()));
  }
  std::string operator()(const DotCommand& c) const {
    return fmt::format("dot {}{}x{}x{} {}{}", c.batch == 1 ? "" : fmt::format("{} of ", c.batch),
                       c.m, c.k, c.n, name_of(c.dtype),
                       c.operands.size() > 3 ? " accumulates" : "");
  }
  std::string operator()(const MathCommand& c) const {
    return fmt::format("math {} {}", name_of(c.op), c.elements);
  }
  std::string operator()(const CompositeGemm& c) const {
    std::string line = fmt::format("gemm {}x{}x{} a={} b={} out={} {}", c.m, c.k, c.n, text_of(c.a),
                                   text_of(c.b), text_of(c.out), name_of(c.out.dtype));
    return line + text_of(c.epilogue);
  }
  std::string operator()(const CompositeMath& c) const {
    std::string line = fmt::format("composite {} {}x{}", name_of(c.op), c.m, c.n);
    for (const CompositeOperand& input : c.inputs) line += " in=" + text_of(input);
    return fmt::format("{} out={} {}{}", line, text_of(c.out), name_of(c.out.dtype),
                       text_of(c.epilogue));
  }
};

std::vector<int> up_to(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

}  // namespace

std::string describe(const Command& command) { return std::visit(CommandText{}, command.what); }

std::string Step::text() const {
  if (kind == Kind::wait) return fmt::format("wait {}", id);
  if (kind == Kind::cycles) return fmt::format("cycles {}", cycles);
  if (kind == Kind::barrier) return "barrier";
  if (kind == Kind::send)
    return fmt::format("send {} {}", sent.direction, kernbench::describe(sent.dtype, sent.shape));
  const std::string place = received.place ? fmt::format(" {}", *received.place) : "";
  if (kind == Kind::recv_async) return fmt::format("recv_async {}{}", received.direction, place);
  if (kind == Kind::recv) {
    return fmt::format("{}{} {}{}{}", received.consume ? "recv " : "recv_no_consume ",
                       received.direction.empty() ? "any" : received.direction,
                       kernbench::describe(received.dtype, received.shape), place,
                       received.copy_to ? " to " + std::string(name_of(*received.copy_to)) : "");
  }
  return describe(command);
}

std::vector<Command> ProgramRecording::commands() const {
  std::vector<Command> result;
  for (const Step& step : steps) {
    if (step.kind == Step::Kind::command) result.push_back(step.command);
  }
  return result;
}

std::vector<std::string> ProgramRecording::text() const {
  std::vector<std::string> lines;
  for (const Step& step : steps) lines.push_back(step.text());
  return lines;
}

const ProgramRecording& Recording::at(PeId where) const {
  for (const ProgramRecording& program : programs) {
    if (program.where == where) return program;
  }
  throw UsageError(fmt::format("nothing was recorded for {}", where.str()));
}

Recording record_call(const KernelCall& call, const Grid& grid) {
  const Attributes tile = tile_attributes(grid.tile);
  const MachineDescription machine = describe_grid(grid, tile);
  KernelLaunch launch;
  launch.body = call.body;
  launch.args = call.args;
  launch.grid = {up_to(grid.pes), up_to(grid.cubes), up_to(grid.sips)};
  Recording recording;
  for (int sip = 0; sip < grid.sips; ++sip) {
    for (int cube = 0; cube < grid.cubes; ++cube) {
      for (int pe = 0; pe < grid.pes; ++pe) {
        RecordingContext context(machine, launch, {sip, cube, pe}, grid);
        call.body->run(context);
        recording.programs.push_back(context.take());
      }
    }
  }
  return recording;
}

}  // namespace kernbench::tl
