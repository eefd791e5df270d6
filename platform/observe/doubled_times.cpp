#include "platform/observe/doubled_times.h"

#include <algorithm>
#include <cstring>
#include <systemc>

#include "models/protocol/tile_task.h"
#include "models/protocol/transaction.h"
#include "platform/observe/activity_windows.h"

namespace kernbench {

namespace {

// Points kept: operations of one part that may overlap; commands and messages that a kernel may
// depend on; credits.
constexpr std::size_t kept = 8, kept_for_kernels = 16, kept_credits = 64;

template <class List, class Value>
void keep(List& list, Value value, std::size_t most) {
  if (list.size() == most) list.pop_front();
  list.push_back(std::move(value));
}

// The last point up to `time`, by its index + 1; 0: none.
std::size_t points_until(const RingBuffer<DoubledPoint>& points, Fs time) {
  std::size_t count = points.size();
  while (count > 0 && points[count - 1].time > time) --count;
  return count;
}

std::size_t places_of(const Component& dma, const char* busy_time) {
  for (const Statistic& statistic : dma.statistics()) {
    if (statistic.name == busy_time) return static_cast<std::size_t>(statistic.server.places);
  }
  return 1;
}

}  // namespace

DoubledTimes::DoubledTimes(Platform& platform, Resources& resources)
    : graph_(platform.graph()), transfer_savings_(graph_, resources),
      contention_(resources.add("contention", "", Server::Kind::none)),
      contention_slot_(slot_of(contention_)), by_dma_(graph_.nodes().size()),
      ops_(platform.observation().executed_ops, *this),
      events_(platform.observation().trace_events, *this),
      ends_(platform.observation().transaction_ends, transfers_),
      runs_(platform.observation().kernel_runs, *this),
      waits_(platform.observation().kernel_waits, *this),
      steps_(platform.observation().message_progress, message_steps_) {
  using Kind = Server::Kind;
  const auto slot = [&](Role role, const char* name, const char* attribute,
                        Kind kind = Kind::rate) {
    return slot_of(resources.of_attribute(role, name, attribute, kind));
  };
  part_slots_ = {slot(Role::pe_dma, "pe_dma read_channel", "rd_engines", Kind::slot),
                 slot(Role::pe_dma, "pe_dma write_channel", "wr_engines", Kind::slot),
                 slot(Role::pe_tcm, "pe_tcm read", "read_bw_gbs"),
                 slot(Role::pe_gemm, "pe_gemm gemm", "macs_per_cycle"),
                 slot(Role::pe_math, "pe_math math", "lanes"),
                 slot(Role::pe_tcm, "pe_tcm write", "write_bw_gbs")};
  accel_slot_ =
      slot(Role::pe_scheduler, "pe_scheduler accel_slot", "shared_accel_slot=false", Kind::slot);
  buffers_ =
      slot(Role::pe_fetch_store, "tile buffers and registers", "register_file_bytes", Kind::slot);
  dispatch_ = slot(Role::pe_scheduler, "pe_scheduler dispatch", "overhead_ns");
  kernel_ = slot(Role::pe_cpu, "kernel", "dispatch_cycles");
  credits_ = slot(Role::pe_ipcq, "pe_ipcq send_blocked", "ccl:defaults.n_slots", Kind::slot);
  message_slots_ = slot(Role::pe_dma, "pe_dma slot", "*_slot_bw_gbs");

  for (NodeId node = 0; node < graph_.nodes().size(); ++node) {
    const Role role = graph_.node(node).kind;
    const Component* const elaborated = platform.find_component(node);
    if (!is_engine_of_pe(role) || elaborated == nullptr) continue;
    const Component& engine = *elaborated;
    Engine& known = engine_of(engine);
    known.role = role;
    Pe& pe = *known.pe;
    pe.rates.take(role, engine);
    if (role != Role::pe_dma) continue;
    pe.dma = node;
    pe.places[Part::dma_read] = places_of(engine, "read_channel_held");
    pe.places[Part::dma_write] = places_of(engine, "write_channel_held");
    by_dma_[node] = &pe;
  }
}

DoubledTimes::Engine& DoubledTimes::engine_of(const sc_core::sc_object& engine) {
  Engine& known = engines_[&engine];
  if (known.pe != nullptr) return known;
  std::unique_ptr<Pe>& pe = pes_[engine.get_parent_object()];
  if (pe == nullptr) pe = std::make_unique<Pe>();
  known.pe = pe.get();
  return known;
}

DoubledTimes::Command* DoubledTimes::Pe::find_command(std::uint64_t id) {
  if (recent.second != nullptr && recent.first == id) return recent.second;
  const auto found = commands.find(id);
  if (found == commands.end()) return nullptr;
  recent = {id, &found->second};
  return recent.second;
}

DoubledTimes::Slot DoubledTimes::slot_of(ResourceId resource) {
  if (slots_.size() <= resource) slots_.resize(resource + 1, Point::no_slot);
  Slot& slot = slots_[resource];
  if (slot == Point::no_slot && used_slots_ < Point::most_slots) slot = used_slots_++;
  return slot;
}

std::vector<Fs> DoubledTimes::saved() const {
  std::vector<Fs> saved(slots_.size());
  for (std::size_t id = 0; id < slots_.size(); ++id)
    saved[id] = last_.time - std::min(last_.time, last_.with(slots_[id]));
  return saved;
}

// --- Transfers

void DoubledTimes::take(const TransactionEnd& end) {
  const RouteExtension& route = end.transaction.route();
  if (!end.transaction.accesses_memory() || route.path == nullptr) return;
  const Path& way = route.request_path();
  Pe* pe = by_dma_[way.source()];
  if (pe == nullptr) return;
  const bool write = end.transaction.is_write();
  const std::uint64_t bytes = end.transaction.get_data_length();
  if (graph_.node(way.target()).kind == Role::pe_dma) {
    message_ways_[{way.source(), way.target()}].savings = &transfer_savings_.of(way, write, bytes);
  } else {
    pe->transfers[write ? 1 : 0] = {&way, bytes, Component::now()};
  }
}

void DoubledTimes::transfer(const TransferSavings& savings, Fs until, Point& point) {
  const Fs took = until - std::min(until, point.time);
  point.to(until);
  for (const auto& [resource, saved] : *savings.saved)
    point.save(slot_of(resource), std::min(saved, took));
  if (took > savings.latency) point.save(contention_slot_, (took - savings.latency) / 2);
}

// --- Operations

DoubledTimes::Part DoubledTimes::part_of(const Engine& engine, const ExecutedOp& op) {
  if (!engine.role || is_composite(op)) return Part::none;
  switch (*engine.role) {
    case Role::pe_dma:
      if (std::strcmp(op.name, op_log_name_of(StageType::dma_read)) == 0 ||
          std::strcmp(op.name, "dma_read") == 0)
        return Part::dma_read;
      return std::strncmp(op.name, "ipcq", 4) == 0 ? Part::none : Part::dma_write;
    case Role::pe_gemm:
      return Part::gemm;
    case Role::pe_math:
      return Part::math;
    case Role::pe_fetch_store:
      return std::strcmp(op.name, op_log_name_of(StageType::store)) == 0 ? Part::store
                                                                         : Part::fetch;
    default:
      return Part::none;
  }
}

// Operations that ended at `time` released a buffer or a place in a queue.
void DoubledTimes::join_what_ended(const Pe& pe, Fs time, Point& point) const {
  for (const RingBuffer<Point>& part : pe.parts) {
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (part[i].time == time) point.join(part[i], buffers_);
    }
  }
}

// Stalls for a channel of PE_DMA; with twice as many channels, for the one released before it.
void DoubledTimes::wait_for_place(const Pe& pe, Part part, Fs start, Point& point) const {
  const RingBuffer<Point>& ends = pe.parts[part];
  const Slot channel = part_slots_[part];
  const std::size_t count = points_until(ends, start);
  if (count == 0) return;
  point.join(ends[count - 1], channel);
  if (count > pe.places[part])
    point.delay(channel, ends[count - 1 - pe.places[part]].with(channel));
}

DoubledTimes::Point DoubledTimes::start_of(Pe& pe, Part part, const ExecutedOp& op) {
  const Fs start = op.t_start;
  Point point;
  const Command* const command = pe.find_command(op.command_id);
  if (command == nullptr || !command->is_dispatched) {
    point = kernel_of(pe, op.stream, start);
  } else {
    point = command->dispatched;
    const auto tile = command->tiles.find(op.tile_id);
    if (op.tile_id >= 0 && tile != command->tiles.end()) point.join(tile->second);
  }

  const auto join_last = [&](Part of, Slot but = Point::no_slot) {
    const RingBuffer<Point>& ends = pe.parts[of];
    const std::size_t count = points_until(ends, start);
    if (count > 0) point.join(ends[count - 1], but);
  };
  if (part == Part::dma_read || part == Part::dma_write) {
    wait_for_place(pe, part, start, point);
  } else {
    join_last(part);
  }
  if (part == Part::gemm) join_last(Part::math, accel_slot_);
  if (part == Part::math) join_last(Part::gemm, accel_slot_);
  if (point.time < start) join_what_ended(pe, start, point);
  point.to(start);
  return point;
}

void DoubledTimes::serve(const Engine& engine, Part part, const ExecutedOp& op, Point& point) {
  const Pe& pe = *engine.pe;
  if (part != Part::dma_read && part != Part::dma_write) {
    point.to(op.t_end);
    return point.save(part_slots_[part], pe.rates.saved(*engine.role, op));
  }
  const bool write = part == Part::dma_write;
  const Transfer& last = pe.transfers[write ? 1 : 0];
  if (last.path == nullptr || last.ended != op.t_end) return point.to(op.t_end);
  serve_transfer(pe, part, transfer_savings_.of(*last.path, write, last.bytes), op.t_end, point);
}

// Twice as many channels: transfers that overlap share the slowest link of their path, and queues
// are twice as long.
void DoubledTimes::serve_transfer(const Pe& pe, Part part, const TransferSavings& savings, Fs end,
                                  Point& point) {
  const Fs took = end - std::min(end, point.time);
  transfer(savings, end, point);
  const Slot channel = part_slots_[part];
  point.delay(channel, point.with(channel) + took - std::min(took, savings.latency));
  if (pe.parts[part].empty()) return;
  point.delay(channel, pe.parts[part].back().with(channel) + savings.payload);
}

void DoubledTimes::add(const CompletedAccess& access) {
  const Part part = access.write ? Part::dma_write : Part::dma_read;
  Pe* of_dma = by_dma_[access.path.source()];
  Pe& pe = of_dma != nullptr ? *of_dma : initiators_[access.path.source()];
  // closed loop: an access is issued when an earlier one ends
  Point point;
  join_what_ended(pe, access.issue, point);
  if (point.time == 0) point = Point::at(access.issue);
  point.to(access.issue);
  wait_for_place(pe, part, access.grant, point);
  point.to(access.grant);
  serve_transfer(pe, part, transfer_savings_.of(access.path, access.write, access.bytes),
                 access.end, point);
  keep(pe.parts[part], point, kept);
  last_.join(point);
}

void DoubledTimes::write(const ExecutedOp& op) {
  const Engine& engine = engine_of(*op.node);
  const Part part = part_of(engine, op);
  if (part == Part::none) return;
  Pe& pe = *engine.pe;
  Point point = start_of(pe, part, op);
  serve(engine, part, op, point);
  if (Command* const command = pe.find_command(op.command_id)) {
    command->last.join(point);
    if (op.tile_id >= 0) command->tiles[op.tile_id] = point;
  }
  keep(pe.parts[part], point, kept);
}

// --- Commands

DoubledTimes::Point& DoubledTimes::kernel_of(Pe& pe, std::uint32_t stream, Fs now) {
  const auto [found, is_new] = pe.kernels.try_emplace(stream);
  Kernel& kernel = found->second;
  if (is_new) {
    kernel.point = last_.time == 0 ? Point::at(now) : last_;
    kernel.point.to(now);
  }
  if (const auto barrier = std::exchange(kernel.barrier, nullptr))
    kernel.point.join(barrier->point);
  return kernel.point;
}

void DoubledTimes::write(const TraceEvent& event) {
  Pe& pe = pe_of(*event.node);
  if (event.kind == TraceKind::command_submitted) {
    Point point = kernel_of(pe, event.stream, event.time);
    point.to(event.time, kernel_);
    pe.commands[event.command_id].dispatched = point;
    return;
  }
  Command* const found = pe.find_command(event.command_id);
  if (found == nullptr) return;
  Command& command = *found;
  if (event.kind == TraceKind::sub_command_dispatched && !command.is_dispatched) {
    command.dispatched.join(pe.last_dispatch);
    join_what_ended(pe, event.time, command.dispatched);
    command.dispatched.to(event.time, dispatch_);
    command.is_dispatched = true;
    pe.last_dispatch = command.last = command.dispatched;
  } else if (event.kind == TraceKind::tile_ready) {
    command.tiles.erase(event.tile_id);
  } else if (event.kind == TraceKind::command_complete) {
    Point point = command.last;
    point.to(event.time);
    keep(pe.completed, std::pair(event.command_id, point), kept_for_kernels);
    pe.recent = {};
    pe.commands.erase(event.command_id);
  }
}

// --- Kernels

void DoubledTimes::write(const KernelWait& wait) {
  Pe& pe = pe_of(*wait.node);
  Point& kernel = kernel_of(pe, wait.stream, wait.start);
  kernel.to(wait.start, kernel_);
  const auto ends_wait = [&wait](const Point& point) {
    return point.time > wait.start && point.time <= wait.end;
  };
  switch (wait.reason) {
    case KernelWait::Reason::command:
      for (const auto& [command, point] : pe.completed) {
        if (command == wait.command && point.time <= wait.end) kernel.join(point);
      }
      break;
    case KernelWait::Reason::receive:
      for (const Point& point : pe.received) {
        if (ends_wait(point)) kernel.join(point);
      }
      break;
    case KernelWait::Reason::send:
      for (const Credit& credit : pe.credits) {
        if (!ends_wait(credit.point)) continue;
        kernel.join(credit.point, credits_);
        for (const Credit& before : pe.credits) {
          if (before.ring == credit.ring && before.number + credit.slots == credit.number)
            kernel.delay(credits_, before.point.with(credits_));
        }
      }
      break;
    case KernelWait::Reason::barrier:
      if (barrier_ == nullptr || barrier_->released != wait.end)
        barrier_ = std::make_shared<Barrier>(Barrier{wait.end, {}});
      barrier_->point.join(kernel);
      pe.kernels[wait.stream].barrier = barrier_;
      break;
  }
  kernel.to(wait.end);
}

void DoubledTimes::write(const KernelRun& run) {
  Pe& pe = pe_of(*run.node);
  Point end = kernel_of(pe, run.stream, run.returned);
  end.to(run.returned, kernel_);
  for (const auto& [command, point] : pe.completed) {
    if (point.time <= run.answered && point.time > run.start) end.join(point);
  }
  end.to(run.answered);
  pe.kernels.erase(run.stream);
  last_.join(end);
}

// --- Messages

void DoubledTimes::take(const MessageProgress& step) {
  const MessageKey key{step.installation, step.slot, step.number};
  Pe& pe = pe_of(*step.node);
  if (step.step == MessageProgress::Step::sent) {
    Message& message = messages_[key];
    message.sender = step.node;
    std::uint64_t& last = last_in_slot_[{step.installation, step.slot}];
    message.slots = step.number - std::min(last, step.number);
    last = step.number;
    message.point = kernel_of(pe, step.stream, step.end);
    message.point.to(step.end, kernel_);
    return;
  }
  const auto found = messages_.find(key);
  if (found == messages_.end()) return;
  Message& message = found->second;
  Pe& sender = pe_of(*message.sender);
  if (step.step == MessageProgress::Step::written) {
    MessageWay& way = message_ways_[{sender.dma, pe.dma}];
    if (way.savings != nullptr) transfer(*way.savings, step.arrived, message.point);
    message.point.to(step.start);
    message.point.to(step.end, message_slots_);
    if (way.savings != nullptr) {
      message.point.delay(credits_,
                          way.written + std::max(way.savings->payload, step.end - step.start));
      way.written = message.point.with(credits_);
    }
    return;
  }
  Point point = message.point;
  point.join(kernel_of(pe, step.stream, step.start));
  point.to(step.start);
  point.to(step.end, message_slots_);
  keep(pe.received, point, kept_for_kernels);
  const Fs flight = step.credit - std::min(step.credit, point.time);
  point.to(step.credit);
  const auto way = message_ways_.find({sender.dma, pe.dma});
  if (way != message_ways_.end() && way->second.savings != nullptr) {
    for (const auto& [resource, saved] : way->second.savings->control_back)
      point.save(slot_of(resource), std::min(saved, flight));
  }
  keep(pe.received, point, kept_for_kernels);  // receives that depend on the credit
  keep(sender.credits, Credit{point, step.ring, step.number, message.slots}, kept_credits);
  messages_.erase(found);
}

}  // namespace kernbench
