#include "sw/tl/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/base/errors.h"
#include "models/data/functional_model.h"
#include "models/data/shape_rules.h"

namespace kernbench::tl {
namespace {

[[noreturn]] void bad_axis(const char* call, int axis) {
  throw UsageError(fmt::format("{}({}): the axes are 0 (PE), 1 (cube) and 2 (SIP)", call, axis));
}

PhysAddr tcm_of(const PeId& pe) {
  return PhysAddr::pe_tcm_addr(static_cast<unsigned>(pe.sip), static_cast<unsigned>(pe.cube),
                               static_cast<unsigned>(pe.pe), 0);
}

}  // namespace

Program::Program(KernelContext& context)
    : context_(context), data_(context.data()),
      records_without_data_(data_ == nullptr && context.records_parameters()),
      who_(context.machine().engine(context.where(), PeEngine::pe_cpu)),
      tcm_(tcm_of(context.where())), scratch_(std::make_shared<Scratch>(context.scratch())) {
  begin_kernel();
}

Program::~Program() {
  end_kernel();
  scratch_->close();
}

// --- identity ---

namespace {

// The grid of a launch message without one: the coordinates of its targets.
LaunchGrid grid_of_targets(const KernelLaunch& launch, const PeId& self) {
  std::set<int> pes{self.pe}, cubes{self.cube}, sips{self.sip};
  for (const PeId& target : launch.targets) {
    pes.insert(target.pe);
    cubes.insert(target.cube);
    sips.insert(target.sip);
  }
  return {{pes.begin(), pes.end()}, {cubes.begin(), cubes.end()}, {sips.begin(), sips.end()}};
}

// Position of this program on an axis of the launch, and the extent of that axis.
std::pair<int, int> place_on(int axis, const LaunchGrid& grid, const PeId& self) {
  const std::vector<int>& ids = axis == 0 ? grid.pes : axis == 1 ? grid.cubes : grid.sips;
  const int own = axis == 0 ? self.pe : axis == 1 ? self.cube : self.sip;
  return {static_cast<int>(std::lower_bound(ids.begin(), ids.end(), own) - ids.begin()),
          static_cast<int>(ids.size())};
}

}  // namespace

std::pair<int, int> Program::place_in_launch(const char* call, int axis, CallSite site) const {
  context_.calling(call, site);
  if (axis < 0 || axis > 2) bad_axis(call, axis);
  const KernelLaunch& launch = context_.launch();
  if (!launch.grid.pes.empty()) return place_on(axis, launch.grid, context_.where());
  return place_on(axis, grid_of_targets(launch, context_.where()), context_.where());
}

int Program::program_id(int axis, CallSite site) const {
  return place_in_launch("program_id", axis, site).first;
}

int Program::num_programs(int axis, CallSite site) const {
  return place_in_launch("num_programs", axis, site).second;
}

PeId Program::pe_id() const { return context_.where(); }

// --- shared helpers ---

void Program::begin(const char* call, CallSite site) {
  context_.calling(call, site);
  context_.dispatch();
}

PhysRanges Program::resolve(const char* call, const Ptr& ptr, std::uint64_t nbytes) const {
  ptr.check_access(call, nbytes);
  try {
    return context_.translate(ptr.address(), nbytes);
  } catch (const AccessFault& fault) {
    throw AccessFault(fmt::format("{} at {}: {}", call, ptr.str(), fault.what()));
  }
}

Accessor Program::accessor() const { return {who_, context_.now()}; }

PhysRanges Program::place_of(const ScratchBlock& block) const {
  return {{tcm_.plus(block.offset()).encode(), block.nbytes()}};
}

PhysRanges Program::place_of(const Handle& handle) const { return place_of(*handle.state().block); }

// Blocks of commands in flight are freed as these complete: an allocation in a full scratch waits
// for them.
std::shared_ptr<ScratchBlock> Program::allocate(const char* call, const Shape& shape, DType dtype) {
  check_block(call, shape);
  for (;;) {
    reap();
    std::string full;
    try {
      return std::make_shared<ScratchBlock>(scratch_, bytes_of(shape, dtype));
    } catch (const AllocationError& error) {
      full = error.what();
    }
    // Outside the handler: exceptions that are being handled belong to the OS thread, which the PEs
    // share, and must not stay open across a wait.
    if (!await_oldest() && !context_.await_scratch()) {
      throw AllocationError(fmt::format("{}: no room for {} on {}: {}{}", call,
                                        describe(dtype, shape), context_.where().str(), full,
                                        context_.scratch_sharers()));
    }
  }
}

Program::NewBlock Program::new_block(TensorValue&& value, std::shared_ptr<ScratchBlock> block) {
  auto state = std::make_shared<Handle::State>();
  state->program = this;
  state->scratch = scratch_;
  state->value = std::move(value);
  state->data = data_;
  state->block = std::move(block);
  return state;
}

Handle Program::make_handle(TensorValue&& value, std::shared_ptr<ScratchBlock> block,
                            std::shared_ptr<CommandState> producer, std::uint64_t offset,
                            IndexValues index) {
  NewBlock state = new_block(std::move(value), std::move(block));
  state->producer = std::move(producer);
  state->offset = offset;
  state->index = std::move(index);
  return Handle(std::move(state));
}

// Block ready for use: the command that makes it has completed.
const Handle::State& Program::operand(const char* call, const Handle& handle, bool memory_allowed) {
  const Handle::State& state = checked(call, handle, memory_allowed);
  await(state);
  return state;
}

// Block of this kernel; its bytes may be in flight.
const Handle::State& Program::checked(const char* call, const Handle& handle, bool memory_allowed) {
  const Handle::State& state = handle.state();
  if (state.program != this)
    throw UsageError(fmt::format("{}: {} belongs to another kernel", call, handle.str()));
  if (state.ptr && !memory_allowed) {
    throw UsageError(fmt::format("{}: {} at {} is a reference; tl.load it first", call,
                                 handle.str(), state.ptr->str()));
  }
  return state;
}

void Program::await(const Handle::State& state) {
  if (!state.producer) return;
  settle(state.producer);
  state.producer.reset();
  state.value.image.replace_captures();  // the time of the issue has passed
  if (state.gathered && data_ != nullptr) state.value = gathered_value(*state.gathered);
  state.gathered.reset();
  if (state.late_view) {
    const Handle::State& whole = *state.late_view->whole;
    await(whole);
    if (data_ != nullptr) state.value = state.late_view->view(whole.value);
    state.late_view.reset();
  }
}

// Returns false if all commands have completed.
bool Program::await_oldest() {
  for (auto entry = in_flight_.lower_bound(first_unfinished_); entry != in_flight_.end(); ++entry) {
    if (entry->second.command->done() || entry->second.receives) continue;
    const std::shared_ptr<CommandState> oldest = entry->second.command;
    first_unfinished_ = entry->first;
    context_.wait(*oldest);
    return true;
  }
  return false;
}

NodeId Program::gemm_engine() const {
  if (data_ == nullptr || !data_->has_engines()) return no_node;
  const NodeId engine = context_.machine().engine(context_.where(), PeEngine::pe_gemm);
  return data_->has_engine(engine) ? engine : no_node;
}

void Program::run(Command&& command) { context_.wait(*context_.issue(std::move(command))); }

// --- control ---

void Program::cycles(std::uint64_t n, CallSite site) {
  begin("cycles", site);
  context_.cycles(n);
}

void Program::wait(const Composite& composite, CallSite site) {
  context_.calling("wait", site);
  if (!composite.command_) throw UsageError("tl.wait for a composite that was not made");
  begin("wait", site);
  wait_for(composite.command_);
}

void Program::wait(const Handle& handle, CallSite site) {
  context_.calling("wait", site);
  const Handle::State& state = checked("tl.wait", handle);
  begin("wait", site);
  if (state.producer) wait_for(state.producer);
  await(state);
}

void Program::wait(CallSite site) {
  begin("wait", site);
  reap();
  while (!in_flight_.empty())
    wait_for(std::shared_ptr<CommandState>(in_flight_.begin()->second.command));
}

// Same mapping as Triton's standard.py.
std::pair<std::int64_t, std::int64_t> Program::swizzle2d(std::int64_t i, std::int64_t j,
                                                         std::int64_t size_i, std::int64_t size_j,
                                                         std::int64_t size_g) {
  if (i < 0 || i >= size_i || j < 0 || j >= size_j || size_g < 1)
    throw UsageError(
        fmt::format("tl.swizzle2d({}, {}, {}, {}, {}): i and j lie in the sizes, and a "
                    "group has at least 1 row",
                    i, j, size_i, size_j, size_g));
  const std::int64_t place = i * size_j + j, group = size_g * size_j;
  const std::int64_t first = place / group * size_g, rows = std::min(size_i - first, size_g);
  return {first + place % group % rows, place % group / rows};
}

}  // namespace kernbench::tl
