#include "platform/report/pe_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <systemc>

#include "platform/observe/activity_windows.h"
#include "platform/output/json_text.h"
#include "platform/output/table.h"
#include "platform/report/report.h"

namespace kernbench {
namespace {

PeTimePart part_of(const KernelWait& wait) {
  if (wait.reason == KernelWait::Reason::send) return PeTimePart::send;
  if (wait.reason == KernelWait::Reason::receive) return PeTimePart::receive;
  if (wait.reason == KernelWait::Reason::barrier) return PeTimePart::barrier;
  switch (wait.command_kind) {
    case KernelWait::CommandKind::dma:
      return PeTimePart::dma;
    case KernelWait::CommandKind::gemm:
      return PeTimePart::gemm;
    case KernelWait::CommandKind::math:
      return PeTimePart::math;
    case KernelWait::CommandKind::composite:
    case KernelWait::CommandKind::none:
      break;
  }
  return PeTimePart::composite;
}

// --- Columns

using Align = Table::Align;

// Share of the time: a part of it, or the activity of an engine during it.
struct Share {
  const char* title;
  const char* key;
  Fs (*of)(const PeTime& time);
};

template <PeTimePart part>
Fs time_of(const PeTime& time) {
  return time.of(part);
}

constexpr std::array<Share, pe_time_part_count + 3> shares{{
    {"running", "running_ns", time_of<PeTimePart::running>},
    {"wait DMA", "waiting_dma_ns", time_of<PeTimePart::dma>},
    {"wait GEMM", "waiting_gemm_ns", time_of<PeTimePart::gemm>},
    {"wait MATH", "waiting_math_ns", time_of<PeTimePart::math>},
    {"wait composite", "waiting_composite_ns", time_of<PeTimePart::composite>},
    {"send", "sending_ns", time_of<PeTimePart::send>},
    {"receive", "receiving_ns", time_of<PeTimePart::receive>},
    {"barrier", "barrier_ns", time_of<PeTimePart::barrier>},
    {"late start", "late_start_ns", time_of<PeTimePart::late_start>},
    {"drain", "draining_ns", time_of<PeTimePart::draining>},
    {"| MAC busy", "mac_busy_ns", [](const PeTime& time) { return time.gemm_busy(); }},
    {"slot: GEMM", "gemm_for_slot_ns", [](const PeTime& time) { return time.gemm_for_slot(); }},
    {"slot: MATH", "math_for_slot_ns", [](const PeTime& time) { return time.math_for_slot(); }},
}};

std::string share_text(Fs part, Fs total) {
  return total == 0 ? "-" : percent(static_cast<double>(part) / static_cast<double>(total));
}

// Shares that are nonzero in some kernel.
std::vector<Share> used(const std::vector<KernelPeTime>& kernels) {
  std::vector<Share> list;
  std::copy_if(shares.begin(), shares.end(), std::back_inserter(list), [&](const Share& share) {
    return std::any_of(kernels.begin(), kernels.end(),
                       [&](const KernelPeTime& kernel) { return share.of(kernel.time) > 0; });
  });
  return list;
}

}  // namespace

// --- Time of a kernel

void PeTime::add_run(Fs target, Fs start, Fs returned, Fs answered) {
  ++runs_;
  at(PeTimePart::late_start) += start - target;
  at(PeTimePart::running) += returned - start;
  at(PeTimePart::draining) += answered - returned;
}

void PeTime::add_wait(PeTimePart part, Fs time) {
  at(part) += time;
  at(PeTimePart::running) -= time;
}

PeTime& PeTime::operator+=(const PeTime& other) {
  runs_ += other.runs_;
  for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i] += other.parts_[i];
  gemm_busy_ += other.gemm_busy_;
  gemm_for_slot_ += other.gemm_for_slot_;
  math_for_slot_ += other.math_for_slot_;
  return *this;
}

Fs PeTime::total() const { return std::accumulate(parts_.begin(), parts_.end(), Fs{0}); }

// --- Events

PeTimes::PeTimes(Observation& observation)
    : runs_(observation.kernel_runs, *this), waits_(observation.kernel_waits, *this),
      slot_waits_(observation.slot_waits, *this), ops_(observation.executed_ops, *this) {}

PeTime& PeTimes::in_progress(const sc_core::sc_object& engine, std::uint32_t stream) {
  auto& streams = in_progress_[engine.get_parent_object()];
  for (auto& [number, time] : streams) {
    if (number == stream) return time;
  }
  return streams.emplace_back(stream, PeTime()).second;
}

void PeTimes::write(const KernelRun& run) {
  PeTime& time = in_progress(*run.node, run.stream);
  time.add_run(run.target, run.start, run.returned, run.answered);
  const auto [place, is_new] = places_.try_emplace(run.kernel, kernels_.size());
  if (is_new) kernels_.push_back({run.kernel, {}});
  kernels_[place->second].time += time;
  time = PeTime();
}

void PeTimes::write(const KernelWait& wait) {
  in_progress(*wait.node, wait.stream).add_wait(part_of(wait), wait.end - wait.start);
}

void PeTimes::write(const SlotWait& wait) {
  in_progress(*wait.node, wait.stream).add_slot_wait(wait.waiting, wait.end - wait.start);
}

void PeTimes::write(const ExecutedOp& op) {
  if (op.kind != OpKind::gemm || op.node == nullptr || is_composite(op)) return;
  in_progress(*op.node, op.stream).add_gemm(op.t_end - op.t_start);
}

// --- Tables

std::string pe_time_text(const std::vector<KernelPeTime>& kernels) {
  if (kernels.empty()) return "";
  const std::vector<Share> columns = used(kernels);
  std::vector<Table::Column> titles{
      {"time on PEs"}, {"runs", Align::right}, {"sum", Align::right}, {"mean", Align::right}};
  for (const Share& column : columns) titles.push_back({column.title, Align::right});
  Table table(std::move(titles));
  for (const auto& [kernel, time] : kernels) {
    const double total = to_ns(time.total());
    std::vector<std::string> cells{kernel, fmt::format("{}", time.runs()), readable_time(total),
                                   readable_time(total / static_cast<double>(time.runs()))};
    for (const Share& column : columns) cells.push_back(share_text(column.of(time), time.total()));
    table.add(row_of(std::move(cells)));
  }
  return table.text();
}

nlohmann::ordered_json pe_time_json(const std::vector<KernelPeTime>& kernels) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& [kernel, time] : kernels) {
    nlohmann::ordered_json entry{
        {"kernel", kernel}, {"runs", time.runs()}, {"total_ns", ns_json(time.total())}};
    for (const Share& share : shares) entry[share.key] = ns_json(share.of(time));
    list.push_back(std::move(entry));
  }
  return list;
}

// --- Report

namespace {

class PeTimeReport final : public Report {
 public:
  explicit PeTimeReport(const ReportContext& context) : times_(context.events.observation()) {}
  std::string text() override { return pe_time_text(times_.kernels()); }
  Json json() override { return pe_time_json(times_.kernels()); }

 private:
  PeTimes times_;
};

const ReportRegistration pe_time_registration({40, "pe_time",
                                               ReportSource::run | ReportSource::log},
                                              report_in_summary<PeTimeReport>());

}  // namespace

}  // namespace kernbench
