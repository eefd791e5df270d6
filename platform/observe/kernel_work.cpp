#include "platform/observe/kernel_work.h"

#include <algorithm>
#include <cstring>

#include "models/protocol/tile_task.h"
#include "models/protocol/transaction.h"

namespace kernbench {
namespace {

bool is_stage(const ExecutedOp& op, StageType stage) {
  return op.tile_id >= 0 && std::strcmp(op.name, op_log_name_of(stage)) == 0;
}

// Flits of the leg with the data. An atomic access counts those of the old values, which are no
// more than those of its operands.
std::uint64_t data_flits(const RouteExtension& route, std::uint64_t bytes) {
  if (route.list != nullptr) return route.list->size();
  const std::uint64_t full = std::max(route.flit_bytes, 1U);
  return (route.offset % full + bytes + full - 1) / full;
}

}  // namespace

void CompositeTimes::add(const Roofline& one) {
  ++count;
  shortest = std::min(shortest, one.window);
  longest = std::max(longest, one.window);
  roofline += one;
}

CompositeTimes& CompositeTimes::operator+=(const CompositeTimes& other) {
  count += other.count;
  shortest = std::min(shortest, other.shortest);
  longest = std::max(longest, other.longest);
  roofline += other.roofline;
  return *this;
}

KernelWork::KernelWork(Platform& platform)
    : graph_(platform.graph()), by_dma_(platform.graph().nodes().size()),
      ops_(platform.observation().executed_ops, *this),
      ends_(platform.observation().transaction_ends, *this),
      runs_(platform.observation().kernel_runs, *this) {
  for (NodeId node = 0; node < graph_.nodes().size(); ++node) {
    const Role kind = graph_.node(node).kind;
    const Component* engine = platform.find_component(node);
    if (!is_engine_of_pe(kind) || engine == nullptr) continue;
    const Location& at = graph_.node(node).at;
    const auto [entry, is_new] = pes_.try_emplace({at.sip, at.cube, at.pe});
    Pe& pe = entry->second;
    if (is_new) {
      pe.peaks = pe_peaks(graph_, entry->first.str());
      pe.expect_kernel(0, 0);
    }
    by_engine_[engine] = &pe;
    if (kind == Role::pe_dma) by_dma_[node] = &pe;
  }
}

// --- Kernels

KernelExecution& KernelWork::Pe::expect_kernel(std::uint32_t stream, Fs from) {
  if (idle.empty()) idle.emplace_back();
  kernels.splice(kernels.end(), idle, std::prev(idle.end()));
  KernelExecution& kernel = kernels.back();
  kernel.begin = from;
  kernel.stream = stream;
  kernel.work.peaks = &peaks;
  latest.emplace_back(stream, &kernel);
  return kernel;
}

KernelExecution& KernelWork::Pe::latest_of(std::uint32_t stream) {
  for (const auto& [of, kernel] : latest) {
    if (of == stream) return *kernel;
  }
  return expect_kernel(stream, Component::now());
}

// A kernel of another stream than the compute stream is known from its first operation on, which
// may end after its first transfer.
KernelExecution* KernelWork::Pe::issuer_of(const RouteExtension& transfer) {
  const Fs issued = transfer.key.issued;
  const auto kernel =
      std::find_if(kernels.rbegin(), kernels.rend(), [&](const KernelExecution& run) {
        return run.stream == transfer.stream && run.begin <= issued && issued <= run.end;
      });
  if (kernel != kernels.rend()) return &*kernel;
  if (transfer.stream == 0) return nullptr;
  KernelExecution& begun = latest_of(transfer.stream);
  begun.begin = std::min(begun.begin, issued);
  return &begun;
}

std::list<KernelExecution>::const_iterator KernelWork::Pe::find(const std::string& request) const {
  return std::find_if(kernels.begin(), kernels.end(), [&request](const KernelExecution& kernel) {
    return kernel.request == request;
  });
}

void KernelWork::write(const KernelRun& run) {
  const auto found = by_engine_.find(run.node);
  if (found == by_engine_.end()) return;
  Pe& pe = *found->second;
  KernelExecution& kernel = pe.latest_of(run.stream);
  kernel.begin = run.start;
  kernel.end = run.answered;  // the engines have drained
  kernel.request = run.request;
  pe.latest.erase(std::find_if(pe.latest.begin(), pe.latest.end(),
                               [&](const auto& each) { return each.second == &kernel; }));
  // its last message may leave at the time of its response
  if (run.stream == 0) pe.expect_kernel(0, run.answered + 1);
}

const KernelExecution* KernelWork::find(const PeId& where,
                                        const std::vector<std::string>& requests) const {
  const auto pe = pes_.find(where);
  if (pe == pes_.end()) return nullptr;
  for (const std::string& request : requests) {
    const auto kernel = pe->second.find(request);
    if (kernel != pe->second.kernels.end()) return &*kernel;
  }
  return nullptr;
}

void KernelWork::forget(const PeId& where, const std::vector<std::string>& requests) {
  const auto found = pes_.find(where);
  if (found == pes_.end()) return;
  Pe& pe = found->second;
  for (const std::string& request : requests) {
    const auto kernel = pe.find(request);
    if (kernel == pe.kernels.end()) continue;
    pe.idle.splice(pe.idle.end(), pe.kernels, kernel);
    pe.idle.back() = {};
  }
}

// --- Operations

void KernelWork::add(PeWork& work, const ExecutedOp& op) {
  const Fs time = op.t_end - op.t_start;
  if (op.kind == OpKind::gemm) {
    work.macs += op.macs;
    work.gemm += time;
  } else if (op.kind == OpKind::math) {
    work.math += time;
  } else if (is_stage(op, StageType::fetch)) {
    work.fetched_bytes += op.bytes;
  } else if (is_stage(op, StageType::store)) {
    work.stored_bytes += op.bytes;
  }
}

KernelWork::Composite& KernelWork::Pe::composite(const ExecutedOp& stage) {
  Composite& composite = composites[stage.command_id];
  composite.begin = std::min(composite.begin, stage.t_start);
  composite.work.peaks = &peaks;
  return composite;
}

void KernelWork::write(const ExecutedOp& op) {
  const auto found = by_engine_.find(op.node);
  if (found == by_engine_.end()) return;
  Pe& pe = *found->second;
  if (is_composite(op)) return end_composite(pe, op);
  add(pe.latest_of(op.stream).work, op);
  if (op.tile_id < 0) return;
  PeWork& composite = pe.composite(op).work;
  add(composite, op);
  add_transfers(pe, composite, op);
}

// Transfers of a DMA stage end right before it; transfers of other stages may have ended earlier in
// this timestep.
void KernelWork::add_transfers(Pe& pe, PeWork& work, const ExecutedOp& op) {
  const bool write = is_stage(op, StageType::dma_write);
  if ((!write && !is_stage(op, StageType::dma_read)) || pe.ended_at != op.t_end) return;
  std::uint64_t left = op.bytes;
  for (auto each = pe.ended.rbegin(); each != pe.ended.rend() && left > 0; ++each) {
    if (each->write != write || each->bytes > left) break;
    work.carry(*each->path, each->bytes, each->flits);
    left -= each->bytes;
  }
}

void KernelWork::end_composite(Pe& pe, const ExecutedOp& op) {
  const auto ended = pe.composites.extract(op.command_id);
  if (ended.empty()) return;
  const Composite& composite = ended.mapped();
  pe.latest_of(op.stream).composites[op.name].add(
      roofline_of({&composite.work}, op.t_end - composite.begin, graph_));
}

// --- Transfers

void KernelWork::write(const TransactionEnd& end) {
  const RouteExtension& route = end.transaction.route();
  if (!end.transaction.accesses_memory() || route.path == nullptr) return;
  const Path& way = route.request_path();
  Pe* pe = by_dma_[way.source()];
  if (pe == nullptr) return;
  const bool write = end.transaction.is_write();
  const Path& with_data = write ? way : way.reverse();
  const std::uint64_t bytes = end.transaction.get_data_length();
  const Fs now = Component::now();
  if (pe->ended_at != now) pe->ended.clear();
  pe->ended_at = now;
  const std::uint64_t flits = data_flits(route, bytes);
  pe->ended.push_back({&with_data, bytes, flits, write});
  KernelExecution* kernel = pe->issuer_of(route);
  if (kernel == nullptr) return;
  kernel->work.carry(with_data, bytes, flits);
  if (route.atomic != nullptr) kernel->work.carry(way.reverse(), bytes, flits);  // the old values
  kernel->last_transfer = std::max(kernel->last_transfer, now);
}

}  // namespace kernbench
