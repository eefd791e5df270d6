#include "platform/events/launch_work.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace kernbench {
namespace {

// Posted transfers of a launch may end after it, but not after this many later launches.
constexpr std::size_t launches_behind = 64;

Fs begin_of(const std::vector<const KernelExecution*>& kernels) {
  Fs begin = never_fs;
  for (const KernelExecution* kernel : kernels) begin = std::min(begin, kernel->begin);
  return begin;
}

Fs end_of(const std::vector<const KernelExecution*>& kernels) {
  Fs end = 0;
  for (const KernelExecution* kernel : kernels)
    end = std::max({end, kernel->end, kernel->last_transfer});
  return end;
}

}  // namespace

std::string LaunchEnd::devices() const {
  std::string devices;
  int last = -1;
  for (const auto& [where, pe] : per_pe) {  // SIP first
    if (where.sip != last)
      devices += (devices.empty() ? "sip" : ",sip") + std::to_string(where.sip);
    last = where.sip;
  }
  return devices;
}

LaunchWork::LaunchWork(Platform& platform, EventSource& events, AnalysisPort<LaunchEnd>& ends,
                       AnalysisPort<RatedLaunch>& rated)
    : work_(platform), events_(events), rated_(rated), ends_(ends, *this) {
  find_peaks();
}

void LaunchWork::find_peaks() {
  const Graph& graph = work_.graph();
  std::map<int, SipPeaks> least;  // smallest part of each SIP
  for (const Node& node : graph.nodes()) {
    const bool is_gemm = node.kind == Role::pe_gemm;
    if (!is_gemm && node.kind != Role::hbm_ctrl) continue;
    const auto [smallest, is_new] = least.try_emplace(node.at.sip, SipPeaks{HUGE_VAL, HUGE_VAL});
    SipPeaks& sum = peaks_[node.at.sip];
    const auto add = [](double rate, double& total, double& part) {
      total += rate;
      part = std::min(part, rate);
    };
    if (is_gemm) {
      const MacRate rate = mac_rate(graph, PeId{node.at.sip, node.at.cube, node.at.pe}.str());
      add(static_cast<double>(rate.macs_per_cycle) * rate.clock_ghz.to_double(), sum.macs_per_ns,
          smallest->second.macs_per_ns);
    } else {
      add(hbm_peak_gbs(node).to_double(), sum.hbm_gbs, smallest->second.hbm_gbs);
    }
  }
  for (const auto& [sip, part] : least) {
    if (part.macs_per_ns == 0) peaks_[sip].macs_per_ns = 0;
    if (part.hbm_gbs == 0) peaks_[sip].hbm_gbs = 0;
  }
}

void LaunchWork::write(const LaunchEnd& launch) {
  recent_.push_back(launch);
  if (recent_.size() <= launches_behind) return;
  take(std::move(recent_.front()));
  recent_.pop_front();
}

void LaunchWork::close() {
  for (LaunchEnd& launch : recent_) take(std::move(launch));
  recent_.clear();
}

void LaunchWork::take(LaunchEnd launch) {
  RatedLaunch rated{std::move(launch), {}, {}};
  Kernels kernels;
  for (const auto& [where, metrics] : rated.launch.per_pe) {
    const KernelExecution* kernel = work_.find(where, rated.launch.requests);
    if (kernel == nullptr) continue;
    rated.kernels[where] = kernel;
    kernels.push_back(kernel);
  }
  if (!kernels.empty() && kernels.size() == rated.launch.per_pe.size())
    rated.roofline = roofline_of(kernels);
  rated_.write(rated);
  if (events_.rows<LaunchWorkRow>().observed() && rated.roofline) write_rows(rated);
  for (const auto& [where, kernel] : rated.kernels) work_.forget(where, rated.launch.requests);
}

Roofline LaunchWork::roofline_of(const Kernels& kernels) const {
  std::vector<const PeWork*> of_pes;
  for (const KernelExecution* kernel : kernels) of_pes.push_back(&kernel->work);
  return kernbench::roofline_of(of_pes, end_of(kernels) - begin_of(kernels), work_.graph());
}

void LaunchWork::add_bytes(LaunchWorkRow& row, const PeWork& work) const {
  for (const CarriedBytes& carried : work.carried) {
    const Node &source = work_.graph().node(carried.path->source()),
               &target = work_.graph().node(carried.path->target());
    if (source.kind == Role::hbm_ctrl || target.kind == Role::hbm_ctrl)
      row.hbm_bytes += carried.bytes;
    if (source.at.sip != target.at.sip) row.remote_bytes += carried.bytes;
  }
}

void LaunchWork::write_rows(const RatedLaunch& rated) {
  std::map<int, Kernels> of_sips;
  for (const auto& [where, kernel] : rated.kernels) of_sips[where.sip].push_back(kernel);
  const std::map<std::string, std::string>& meta = rated.launch.meta;
  const auto communication = meta.find("communication"), op = meta.find("op"),
             tokens = meta.find("tokens");
  LaunchWorkRow row;
  row.is_communication = communication != meta.end();
  row.name = op != meta.end()       ? op->second
             : row.is_communication ? communication->second
                                    : rated.launch.kernel;
  if (tokens != meta.end()) row.tokens = std::strtoull(tokens->second.c_str(), nullptr, 10);
  for (const auto& [sip, kernels] : of_sips) {
    const Roofline roofline = of_sips.size() == 1 ? *rated.roofline : roofline_of(kernels);
    const auto at_ns = [&roofline](Bound bound) {
      return roofline.at_ns[static_cast<std::size_t>(bound)];
    };
    row.request = kernels.front()->request;
    row.device = "sip" + std::to_string(sip);
    row.begin = begin_of(kernels);
    row.end = end_of(kernels);
    row.macs = row.hbm_bytes = row.remote_bytes = 0;
    for (const KernelExecution* kernel : kernels) {
      row.macs += kernel->work.macs;
      add_bytes(row, kernel->work);
    }
    row.compute_ns = at_ns(Bound::compute);
    row.tcm_ns = at_ns(Bound::tcm);
    row.hbm_ns = at_ns(Bound::hbm);
    row.link_ns = at_ns(Bound::link);
    row.peak_macs_per_ns = peaks_[sip].macs_per_ns;
    row.peak_hbm_gbs = peaks_[sip].hbm_gbs;
    events_.rows<LaunchWorkRow>().write(row);
    row.tokens = 0;
  }
}

}  // namespace kernbench
