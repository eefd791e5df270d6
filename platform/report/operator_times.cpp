#include "platform/report/operator_times.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace kernbench {
namespace {

constexpr double bound_share = 0.5;  // share of a roof at which it is a bound

double rate_share(std::uint64_t amount, double per_ns, Fs window) {
  const double most = per_ns * to_ns(window);
  return most > 0 ? static_cast<double>(amount) / most : 0;
}

// Launches in progress on a SIP, by operator.
class InProgress {
 public:
  void change(std::size_t op, bool is_communication, int by) {
    Counts& counts = is_communication ? communication_ : compute_;
    int& count = counts[op];
    count += by;
    if (count == 0) counts.erase(op);
  }
  // Adds an interval of this length to the operators in progress.
  void pass(Fs length, OperatorSummary& sum) const {
    const auto elapsed = static_cast<double>(length);
    for (const auto& [op, count] : compute_) {
      sum.operators[op].time += length;
      sum.operators[op].share += elapsed / static_cast<double>(compute_.size());
    }
    const bool hidden = !compute_.empty();
    for (const auto& [op, count] : communication_) {
      OperatorTimes& times = sum.operators[op];
      times.time += length;
      (hidden ? times.hidden : times.exposed) += length;
      if (!hidden) times.share += elapsed / static_cast<double>(communication_.size());
    }
    if (communication_.empty()) return;
    sum.communication += length;
    (hidden ? sum.hidden : sum.exposed) += length;
  }
  bool empty() const { return compute_.empty() && communication_.empty(); }

 private:
  using Counts = std::map<std::size_t, int>;
  Counts compute_, communication_;
};

// Start or end of a launch on a SIP.
struct Mark {
  Fs time = 0;
  std::size_t op = 0;
  bool is_communication = false;
  int by = 0;
};

void add_times(std::vector<Mark> marks, OperatorSummary& sum) {
  std::sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) {
    return std::tie(a.time, a.op, a.by) < std::tie(b.time, b.op, b.by);
  });
  InProgress in_progress;
  Fs last = sum.begin, busy = 0;
  for (const Mark& mark : marks) {
    if (mark.time > last) {
      in_progress.pass(mark.time - last, sum);
      if (!in_progress.empty()) busy += mark.time - last;
      last = mark.time;
    }
    in_progress.change(mark.op, mark.is_communication, mark.by);
  }
  sum.idle_share += static_cast<double>(sum.window() - busy);
}

void add_work(const LaunchWorkRow& row, OperatorTimes& times) {
  Roofline roofline;
  roofline.window = row.end - row.begin;
  roofline.at_ns = {row.compute_ns, row.tcm_ns, row.hbm_ns, row.link_ns};
  times.roofline += roofline;
  ++times.launches;
  times.macs += row.macs;
  times.hbm_bytes += row.hbm_bytes;
  times.remote_bytes += row.remote_bytes;
}

void add_peaks(const std::map<std::string, const LaunchWorkRow*>& sips, OperatorSummary& sum) {
  bool knows_macs = true, knows_hbm = true;
  for (const auto& [sip, row] : sips) {
    sum.peak_macs_per_ns += row->peak_macs_per_ns;
    sum.peak_hbm_gbs += row->peak_hbm_gbs;
    knows_macs = knows_macs && row->peak_macs_per_ns > 0;
    knows_hbm = knows_hbm && row->peak_hbm_gbs > 0;
  }
  if (!knows_macs) sum.peak_macs_per_ns = 0;
  if (!knows_hbm) sum.peak_hbm_gbs = 0;
}

}  // namespace

std::string OperatorTimes::bound() const {
  const Bound nearest = roofline.nearest();
  if (roofline.share(nearest) < bound_share) return "latency";
  return is_communication && nearest == Bound::link ? "communication" : name_of(nearest);
}

double OperatorSummary::mfu() const { return rate_share(macs, peak_macs_per_ns, window()); }

double OperatorSummary::hbm_utilisation() const {
  return rate_share(hbm_bytes, peak_hbm_gbs, window());
}

double OperatorSummary::tokens_per_s() const {
  return window() == 0 ? 0 : static_cast<double>(tokens) / (to_ns(window()) * 1e-9);
}

OperatorSummary operators_of(const std::vector<LaunchWorkRow>& launches) {
  OperatorSummary sum;
  if (launches.empty()) return sum;
  sum.begin = never_fs;
  std::map<std::pair<std::string, bool>, std::size_t> places;
  std::vector<Fs> first;  // first start by operator
  std::map<std::string, const LaunchWorkRow*> sips;
  std::map<std::string, std::vector<Mark>> marks;
  for (const LaunchWorkRow& row : launches) {
    const auto [place, is_new] =
        places.try_emplace({row.name, row.is_communication}, sum.operators.size());
    if (is_new) {
      sum.operators.emplace_back();
      sum.operators.back().name = row.name;
      sum.operators.back().is_communication = row.is_communication;
      first.push_back(never_fs);
    }
    const std::size_t op = place->second;
    add_work(row, sum.operators[op]);
    first[op] = std::min(first[op], row.begin);
    sum.begin = std::min(sum.begin, row.begin);
    sum.end = std::max(sum.end, row.end);
    sum.macs += row.macs;
    sum.hbm_bytes += row.hbm_bytes;
    sum.tokens += row.tokens;
    sips.try_emplace(row.device, &row);
    marks[row.device].push_back({row.begin, op, row.is_communication, 1});
    marks[row.device].push_back({row.end, op, row.is_communication, -1});
  }
  sum.sips = sips.size();
  add_peaks(sips, sum);
  for (auto& [sip, of_sip] : marks) add_times(std::move(of_sip), sum);

  const double whole = static_cast<double>(sum.window()) * static_cast<double>(sum.sips);
  for (OperatorTimes& times : sum.operators) times.share = whole > 0 ? times.share / whole : 0;
  sum.idle_share = whole > 0 ? sum.idle_share / whole : 0;
  std::vector<std::size_t> order;
  for (std::size_t op = 0; op < sum.operators.size(); ++op) order.push_back(op);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double of_a = sum.operators[a].share, of_b = sum.operators[b].share;
    return of_a != of_b ? of_a > of_b : first[a] < first[b];
  });
  std::vector<OperatorTimes> sorted;
  for (const std::size_t op : order) sorted.push_back(std::move(sum.operators[op]));
  sum.operators = std::move(sorted);
  return sum;
}

}  // namespace kernbench
