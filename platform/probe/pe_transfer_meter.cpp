#include "platform/probe/pe_transfer_meter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "models/timing/hbm_bank_timing.h"
#include "platform/observe/roofline.h"
#include "platform/probe/fair_shares.h"
#include "platform/topology/machine_message.h"
#include "platform/topology/zero_load_latency.h"

namespace kernbench {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

double gbs_of(const Rational& rate) { return rate.is_zero() ? unlimited : rate.to_double(); }

// Resources by key, each with its rate.
class Resources {
 public:
  std::size_t add(std::pair<NodeId, NodeId> key, double gbs) {
    const auto [found, is_new] = index_.try_emplace(key, capacities_.size());
    if (is_new) capacities_.push_back(gbs);
    return found->second;
  }
  const std::vector<double>& capacities() const { return capacities_; }

 private:
  std::map<std::pair<NodeId, NodeId>, std::size_t> index_;
  std::vector<double> capacities_;
};

}  // namespace

PeTransferMeter::PeTransferMeter(Platform& platform)
    : platform_(platform), breakdown_(platform),
      ends_(platform.observation().transaction_ends, *this) {}

Fs PeTransferMeter::alone(PeId initiator, PeId partition, std::uint64_t bytes, bool write) {
  const MachineDescription& machine = platform_.machine();
  const Path& path = platform_.routes().memory_path(machine.engine(initiator, PeEngine::pe_dma),
                                                    machine.hbm(partition));
  return zero_load_latency(path, machine_message(platform_.graph(), path, write, 0, bytes));
}

void PeTransferMeter::begin(bool writes) {
  measures_ = true;
  writes_ = writes;
  transfers_.clear();
  parts_ = {};
}

void PeTransferMeter::write(const TransactionEnd& end) {
  const Transaction& transaction = end.transaction;
  const TransferPath path =
      breakdown_.take(transaction);  // also of transfers that are not measured
  const RouteExtension& route = transaction.route();
  if (!measures_ || !transaction.accesses_memory() || route.path == nullptr) return;
  const Path& request = route.request_path();
  if (transaction.is_write() != writes_ ||
      platform_.graph().node(request.source()).kind != Role::pe_dma)
    return;
  transfers_.push_back({writes_ ? &request : &request.reverse(), request.source(), request.target(),
                        transaction.get_data_length(), path.issue, path.end});
  parts_ += path.parts();
}

double PeTransferMeter::rate_of(const Transfer& transfer) const {
  double narrowest = unlimited;
  for (std::uint32_t i = 0; i < transfer.data->target_position(); ++i)
    narrowest = std::min(narrowest, gbs_of(transfer.data->hop(i).bw_gbs));
  return narrowest;
}

// A write to an HBM with banks ends when it is queued there (spec 2.5), so that the rate of the
// banks does not bound it.
double PeTransferMeter::fair_gbs() const {
  Resources resources;
  std::vector<Flow> flows;
  for (const Transfer& transfer : transfers_) {
    Flow flow;
    flow.weight = static_cast<double>(transfer.bytes);
    const std::vector<PathHop>& hops = transfer.data->hops();
    for (std::size_t i = 0; i + 1 < hops.size(); ++i)
      flow.resources.push_back(
          resources.add({hops[i].node, hops[i + 1].node}, gbs_of(hops[i].bw_gbs)));
    const Node& memory = platform_.graph().node(transfer.memory);
    if (memory.kind == Role::hbm_ctrl && !(writes_ && bank_timing_of(memory.attributes())))
      flow.resources.push_back(
          resources.add({transfer.memory, transfer.memory}, gbs_of(hbm_peak_gbs(memory))));
    flows.push_back(std::move(flow));
  }
  double sum = 0;
  for (const double share : max_min_shares(resources.capacities(), flows)) sum += share;
  return sum;
}

TransferBatch PeTransferMeter::end() {
  measures_ = false;
  TransferBatch batch;
  for (std::size_t i = 0; i < latency_part_count; ++i) {
    const auto part = static_cast<LatencyPart>(i);
    batch.parts.emplace_back(name_of(part), parts_[part]);
  }
  if (transfers_.empty()) return batch;
  const auto first = std::min_element(
      transfers_.begin(), transfers_.end(), [](const Transfer& a, const Transfer& b) {
        return std::tie(a.grant, a.initiator) < std::tie(b.grant, b.initiator);
      });
  batch.requests = transfers_.size();
  batch.shortest = never_fs;
  Fs last = 0;
  for (const Transfer& transfer : transfers_) {
    const Fs latency = transfer.end - transfer.grant;
    batch.bytes += transfer.bytes;
    batch.latencies += latency;
    batch.shortest = std::min(batch.shortest, latency);
    batch.longest = std::max(batch.longest, latency);
    last = std::max(last, transfer.end);
  }
  batch.makespan = last - first->grant;
  const auto limited = [](double gbs) { return std::isinf(gbs) ? 0 : gbs; };
  batch.narrowest_gbs = limited(rate_of(*first));
  batch.fair_gbs = limited(fair_gbs());
  return batch;
}

}  // namespace kernbench
