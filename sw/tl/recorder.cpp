#include "sw/tl/recorder.h"

#include <fmt/format.h>

#include <cstdio>

#include "models/base/errors.h"

namespace kernbench::tl {
namespace {

// A machine that is nothing but its extents.
class GridMachine final : public MachineView {
 public:
  explicit GridMachine(const Grid& grid) : grid_(grid) {
    attributes_.set("tile_m", Rational(grid.tile.m));
    attributes_.set("tile_k", Rational(grid.tile.k));
    attributes_.set("tile_n", Rational(grid.tile.n));
  }

  int sips() const override { return grid_.sips; }
  int cube_mesh_w() const override { return grid_.cubes; }
  int cube_mesh_h() const override { return 1; }
  int pes() const override { return grid_.pes; }
  std::string sip_topology() const override { return "ring_1d"; }
  int sip_w() const override { return grid_.sips; }
  int sip_h() const override { return 1; }
  AddressModel address_model() const override { return AddressModel::pa; }
  std::uint32_t flit_bytes() const override { absent(); }
  std::uint64_t hbm_slice_bytes() const override { absent(); }
  std::uint64_t sram_bytes() const override { absent(); }
  std::uint64_t tcm_bytes() const override { return grid_.scratch_bytes; }
  std::uint64_t tcm_reserved_bytes() const override { return 0; }
  std::uint64_t scratch_bytes() const override { return grid_.scratch_bytes; }
  std::uint64_t page_bytes() const override { absent(); }
  NodeId pcie_ep(int) const override { absent(); }
  NodeId io_cpu(int) const override { absent(); }
  NodeId m_cpu(int, int) const override { absent(); }
  // One node is all that there is.
  NodeId sram(int, int) const override { return 0; }
  NodeId hbm(PeId) const override { return 0; }
  NodeId engine(PeId, PeEngine) const override { return 0; }
  MemoryTarget place_of(std::uint64_t address) const override { return {0, address}; }
  std::uint32_t nodes() const override { return 0; }
  const std::string& name(NodeId) const override { absent(); }
  NodeId find(const std::string&) const override { return no_node; }
  const std::string& kind(NodeId) const override { absent(); }
  const Attributes& attributes(NodeId) const override { return attributes_; }

 private:
  [[noreturn]] static void absent() { throw ModelError("a recording has no machine"); }
  Grid grid_;
  Attributes attributes_;
};

class RecordingContext final : public KernelContext {
 public:
  RecordingContext(const GridMachine& machine, const KernelLaunch& launch, PeId where,
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
  const MachineView& machine() const override { return machine_; }
  FunctionalModel* data() override { return nullptr; }
  Fs now() const override { return 0; }

  void dispatch() override {}
  std::shared_ptr<CommandState> issue(Command command) override {
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

  const GridMachine& machine_;
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
  return operand.pinned ? "tcm" : hex(operand.address);
}

std::string text_of(const std::vector<EpilogueStage>& epilogue) {
  std::string text;
  for (const EpilogueStage& stage : epilogue)
    text += fmt::format(" {}@{}", name_of(stage.op), name_of(stage.scope));
  return text;
}

struct CommandText {
  std::string operator()(const DmaCommand& c) const {
    return fmt::format("{}{} {}", c.write ? "dma_write " : "dma_read ", hex(c.address), c.nbytes);
  }
  std::string operator()(const DotCommand& c) const {
    return fmt::format("dot {}x{}x{} {}", c.m, c.k, c.n, name_of(c.dtype));
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

}  // namespace

std::string describe(const Command& command) { return std::visit(CommandText{}, command.what); }

std::string Step::text() const {
  if (kind == Kind::wait) return fmt::format("wait {}", id);
  if (kind == Kind::cycles) return fmt::format("cycles {}", cycles);
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
  const GridMachine machine(grid);
  KernelLaunch launch;
  launch.body = call.body;
  launch.args = call.args;
  launch.grid = {{"pe", grid.pes}, {"cube", grid.cubes}, {"sip", grid.sips}};
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
