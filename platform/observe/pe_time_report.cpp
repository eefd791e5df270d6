#include "platform/observe/pe_time_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/report/json_text.h"
#include "platform/report/table.h"

namespace kernbench {
namespace {

using Align = Table::Align;

// A share of the time: a part of it, or what an engine did meanwhile.
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

// Those in which a kernel has something.
std::vector<Share> used(const std::vector<KernelPeTime>& kernels) {
  std::vector<Share> list;
  std::copy_if(shares.begin(), shares.end(), std::back_inserter(list), [&](const Share& share) {
    return std::any_of(kernels.begin(), kernels.end(),
                       [&](const KernelPeTime& kernel) { return share.of(kernel.time) > 0; });
  });
  return list;
}

}  // namespace

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
  return '\n' + table.text();
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

}  // namespace kernbench
