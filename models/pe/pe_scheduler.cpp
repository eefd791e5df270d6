#include "models/pe/pe_scheduler.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "models/base/reset_in_place.h"
#include "models/pe/pe_components.h"

namespace kernbench {
namespace {

bool has(const Tile& tile, StageType type) {
  for (std::size_t i = 0; i < tile.size(); ++i) {
    if (tile[i].type == type) return true;
  }
  return false;
}

}  // namespace

PeScheduler::PeScheduler(const ComponentInit& init)
    : Component(init), machine_(machine_services(init.services)),
      trace_events_(init.services.observation().trace_events),
      overhead_(*init.attributes.as<Parameters>().overhead),
      default_tile_(init.attributes.as<Parameters>().default_tile()), outputs_(*this, *this),
      timer_("timer_event"), step_("step_event"),
      accel_slot_(*this, machine_, *init.attributes.as<Parameters>().shared_accel_slot),
      buffers_(*this, machine_) {
  add_statistic("submitted", "commands taken", Quantity::count, submitted_);
  add_statistic("completed", "commands completed", Quantity::count, completed_);
  add_statistic("failed", "commands completed with a fault", Quantity::count, failed_);
  add_statistic("tiles", "tiles completed", Quantity::count, tiles_);
  add_busy_time("accel_slot_held", "time that a compute operation held accel_slot",
                accel_slot_.ended_holds(), [this](Fs now) { return accel_slot_.held_time(now); },
                {Server::Kind::slot, "shared_accel_slot=false",
                 *init.attributes.as<Parameters>().shared_accel_slot ? 1U : 2U,
                 [this](Fs now) { return accel_slot_.stalled(now); }});
  add_busy_time(
      "dispatch_busy", "time in which commands were dispatched", dispatching_,
      [this](Fs now) { return dispatching_ + (due_ == never_fs ? 0 : now - dispatch_began_); },
      {Server::Kind::rate, "overhead_ns"});
  const AccelSlotStalls& stalls = accel_slot_.stalls();
  add_statistic("gemm_slot_waits", "GEMM stages stalled by a MATH stage in accel_slot",
                Quantity::count, stalls.gemm().count);
  add_statistic("gemm_slot_waiting", "stall time of GEMM stages behind MATH stages in accel_slot",
                Quantity::time_fs, stalls.gemm().time);
  add_statistic("math_slot_waits", "MATH stages stalled by a GEMM stage in accel_slot",
                Quantity::count, stalls.math().count);
  add_statistic("math_slot_waiting", "stall time of MATH stages behind GEMM stages in accel_slot",
                Quantity::time_fs, stalls.math().time);
  add_statistic("buffer_stalls", "tiles stalled for a tile buffer", Quantity::count,
                buffers_.stalls());
  add_statistic("buffer_high_water", "peak use of the tile buffers", Quantity::bytes,
                buffers_.high_water_bytes(), Merge::maximum);
  SC_HAS_PROCESS(PeScheduler);
  SC_METHOD(step);
  sensitive << step_ << timer_;
  dont_initialize();
}

PeScheduler::~PeScheduler() = default;

void PeScheduler::declare_signals() {
  Component::declare_signals();
  const SignalFormat commands = SignalFormat::count("commands");
  signals_.emplace(
      Signals{add_signal("inbox", "commands queued for dispatch", commands),
              add_signal("commands", "commands in flight", commands),
              add_signal("feeding", "command whose tiles the feeder sends", SignalFormat::id())});
  show_commands();
  if (!feeds_.empty()) signals_->feeding.set(feeds_.front()->id());
  accel_slot_.declare_signals(Observables(*this));
  buffers_.declare_signals(Observables(*this));
}

void PeScheduler::show_commands() {
  if (!signals_) return;
  signals_->inbox.set(inbox_.size());
  signals_->in_flight.set(contexts_.size());
}

// --- Submission

tlm::tlm_sync_enum PeScheduler::nb_transport_fw(CommandRequest& request, tlm::tlm_phase& phase) {
  submit(request);
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void PeScheduler::check_fits(const TilePlan& plan) {
  const std::uint64_t registers = plan.largest_register_bytes();
  RegisterRequest file;
  if (to_fetch_store_.connected()) to_fetch_store_.transport_dbg(file);
  if (to_fetch_store_.connected() && registers > file.capacity) {
    throw UsageError(fmt::format(
        "{} needs {} bytes of the register file for operands and results; allowed are {} "
        "(pe_fetch_store.register_file_bytes); choose a smaller one by .tile({{m, k, n}})",
        plan.tile_text(), registers, file.capacity));
  }
  buffers_.check_room(plan);
}

void PeScheduler::submit(CommandRequest& request) {
  std::unique_ptr<const TilePlan> plan = plan_of(request.command, default_tile_);
  if (plan) check_fits(*plan);
  const Stage simple = simple_stage_of(request.command);
  const std::uint64_t id = request.state->id();
  CommandContext& context = new_context(id);
  context.begin(request, std::move(plan), simple, default_tile_);
  inbox_.push_back(&context);
  ++submitted_;
  show_commands();
  trace(TraceKind::command_submitted, id, -1, simple.bytes, "", context.stream());
  log_.debug([&] { return context.text() + " accepted"; });
  if (due_ != never_fs) return;  // queued after others
  begin_dispatch();
  if (due_ != never_fs) timer_.notify(work_at(due_));
}

CommandContext& PeScheduler::new_context(std::uint64_t id) {
  const auto place = std::lower_bound(
      contexts_.begin(), contexts_.end(), id,
      [](const CommandContext* context, std::uint64_t before) { return context->id() < before; });
  if (place != contexts_.end() && (*place)->id() == id)
    throw ModelError(fmt::format("command {} has been submitted twice", id));
  if (idle_contexts_.empty()) {
    all_contexts_.push_back(std::make_unique<CommandContext>(static_cast<CommandListener&>(*this)));
    idle_contexts_.push_back(all_contexts_.back().get());
  }
  CommandContext& context = *idle_contexts_.back();
  idle_contexts_.pop_back();
  contexts_.insert(place, &context);
  return context;
}

void PeScheduler::b_transport(CommandRequest& request, sc_core::sc_time& /*delay*/) {
  for (CommandContext* context : contexts_) {
    if (context->stream() == request.stream) context->fail(request.abandon);
  }
  wake();
}

void PeScheduler::transport_dbg(CommandRequest& request) {
  DmaRequest dma;
  if (to_dma_.connected()) to_dma_.transport_dbg(dma);
  request.usage = {dma.held, accel_slot_.held_time(now())};
}

// --- The process

void PeScheduler::step() {
  guarded(services(), *this, [this] { run(); });
}

void PeScheduler::run() {
  serve_inbox();
  feed();
  if (unfetched_ > 0) buffers_.serve();  // only tiles that begin by a DMA_READ wait for one
  if (due_ != never_fs) timer_.notify(work_at(due_));
}

void PeScheduler::serve_inbox() {
  if (due_ == never_fs) begin_dispatch();
  while (due_ <= now()) {
    CommandContext& first = *inbox_.front();
    inbox_.pop_front();
    show_commands();
    dispatching_ += due_ - dispatch_began_;
    dispatch(first);
    begin_dispatch();
  }
}

void PeScheduler::begin_dispatch() {
  due_ = never_fs;
  if (inbox_.empty()) return;
  const CommandContext& first = *inbox_.front();
  if (may_dispatch(first, contexts_.size() - inbox_.size())) due_ = after(dispatch_time(first));
  dispatch_began_ = now();
}

void PeScheduler::dispatch(CommandContext& context) {
  context.dispatched(now());
  if (context.plan()) {
    feeds_.push_back(&context);
    return;
  }
  TileTask& task = new_task(context, true);
  task.alone =
      overhead_ > 0 && contexts_.size() == 1;  // no other command can arrive at this instant
  task.tile.add(context.simple());
  context.feed(task.tile);
  send(task);
}

// --- The feeder

void PeScheduler::feed() {
  while (!feeds_.empty() && feeding_ == nullptr) {
    CommandContext& context = *feeds_.front();
    if (!next_tile_ && !context.all_fed()) {
      next_tile_ = context.plan()->tile(context.fed());
      // A tile that does not continue an output begins one: no output tile is open before it.
      if (context.failed() &&
          (context.fed() == 0 || has(context.plan()->tile(context.fed() - 1), StageType::store))) {
        context.stop_feeding();
        next_tile_.reset();
      }
    }
    if (signals_) signals_->feeding.set(context.id());
    if (!next_tile_) {
      feeds_.pop_front();
      if (signals_) signals_->feeding.clear();
      end_if_complete(context);
      continue;
    }
    if (!may_feed(context, *next_tile_)) return;
    const StageType first = (*next_tile_)[0].type;
    TileTask& task = new_task(context, false);
    task.tile = *next_tile_;
    if (first == StageType::fetch && has(*next_tile_, StageType::dma_write) &&
        !buffers_.take(task)) {
      idle_tasks_.push_back(&task);
      return;
    }
    if (first == StageType::dma_read) ++unfetched_;
    context.feed(*next_tile_);
    next_tile_.reset();
    feeding_ = &task;
    send(task);
  }
}

bool PeScheduler::may_feed(const CommandContext& context, const Tile& next) const {
  if (context.plan()->waits_for_all(next.id) && !context.nothing_in_flight()) return false;
  return next[0].type == StageType::dma_read || unfetched_ == 0;
}

TileTask& PeScheduler::new_task(CommandContext& context, bool simple) {
  if (idle_tasks_.empty()) {
    tasks_.push_back(std::make_unique<TileTask>());
    idle_tasks_.push_back(tasks_.back().get());
  }
  TileTask& task = *idle_tasks_.back();
  idle_tasks_.pop_back();
  reset_in_place(task);
  task.command_id = context.id();
  task.stream = context.stream();
  task.simple = simple;
  task.completion = &context;
  task.operands = context.operands();
  task.runs = context.runs();
  if (simple) {
    task.data = context.data();
    task.atomic = context.atomic();
  }
  return task;
}

void PeScheduler::send(TileTask& task) {
  const StageType type = task.stage().type;
  trace(TraceKind::sub_command_dispatched, task.command_id,
        task.simple ? -1 : static_cast<std::int64_t>(task.tile.id), task.stage().bytes,
        kernbench::name_of(type));
  outgoing_[static_cast<std::size_t>(type)].push_back(&task);
  send_waiting(type);
}

void PeScheduler::send_waiting(StageType type) {
  auto& queue = outgoing_[static_cast<std::size_t>(type)];
  bool& offered = offered_[static_cast<std::size_t>(type)];
  while (!queue.empty() && !offered) {
    TileTask& task = *queue.front();
    offered = true;
    if (outputs_.offer(task)) task_taken(task);
  }
}

void PeScheduler::task_taken(TileTask& task) {
  for (std::size_t type = 0; type < outgoing_.size(); ++type) {
    if (!offered_[type] || outgoing_[type].front() != &task) continue;
    outgoing_[type].pop_front();
    offered_[type] = false;
    if (feeding_ == &task) {
      feeding_ = nullptr;
      wake();
    }
    if (!outgoing_[type].empty()) send_waiting(static_cast<StageType>(type));
    return;
  }
  throw ModelError(std::string(name()) + ": END_REQ for a task that is not outstanding");
}

// --- Completion

void PeScheduler::stage_ended(CommandContext& /*context*/, TileTask& task) {
  if (task.simple) return;
  const StageType ended = task.stage().type;
  if (ended == StageType::fetch) {
    if (task.tile[0].type == StageType::dma_read) --unfetched_;
    if (!has(task.tile, StageType::dma_write)) buffers_.free(task);
  } else if (ended == StageType::dma_write) {
    buffers_.free(task);
  }
  wake();
}

void PeScheduler::tile_completed(CommandContext& context, TileTask& task) {
  ++tiles_;
  trace(TraceKind::tile_ready, task.command_id,
        task.simple ? -1 : static_cast<std::int64_t>(task.tile.id), 0);
  task.data.reset();
  task.atomic.reset();
  idle_tasks_.push_back(&task);
  if (!task.simple) wake();
  end_if_complete(context);
}

void PeScheduler::end_if_complete(CommandContext& context) {
  if (!context.in_progress() || !context.complete()) return;
  for (std::size_t i = 0; i < feeds_.size(); ++i) {
    if (feeds_[i] == &context) return;
  }
  record(context);
  trace(TraceKind::command_complete, context.id(), -1, 0);
  ++completed_;
  if (context.failed()) {
    ++failed_;
    log_.warning(
        [&] { return fmt::format("command {} failed: {}", context.id(), context.error()); });
  } else {
    log_.debug([&] {
      return fmt::format("command {} ended, {} after its dispatch", context.id(),
                         format_ns(now() - context.dispatched_at()));
    });
  }
  contexts_.erase(std::find(contexts_.begin(), contexts_.end(), &context));
  show_commands();
  context.end();
  idle_contexts_.push_back(&context);
  if (due_ == never_fs && !inbox_.empty()) wake();
}

// --- Records

void PeScheduler::record(const CommandContext& context) {
  const AnalysisPort<ExecutedOp>& port = services().observation().executed_ops;
  if (!port.observed() || !context.plan()) return;
  ExecutedOp op;
  op.t_start = context.dispatched_at();
  op.t_end = now();
  op.node = this;
  op.kind = context.plan()->is_gemm() ? OpKind::gemm : OpKind::math;
  op.name = context.plan()->op_log_name();
  op.command_id = context.id();
  op.stream = context.stream();
  op.data = context.data();
  port.write(op);
}

Implementation pe_scheduler_implementation() {
  return implementation_of<PeScheduler>("builtin.pe_scheduler");
}

}  // namespace kernbench
