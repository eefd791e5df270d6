#include "platform/energy/energy_account.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/base/component.h"
#include "platform/observe/component_statistics.h"

namespace kernbench {
namespace {

constexpr double pj_per_w_fs = 1e-3;  // 1 W * 1 fs = 1e-15 J

double static_pj(double w, Fs time) { return w * static_cast<double>(time) * pj_per_w_fs; }

// Windows that a run can afford, an even number: reading the counters costs some 50 ns each.
std::size_t affordable_windows(std::size_t counters) {
  constexpr std::size_t reads = 8'000'000, most = 512, least = 32;
  return std::clamp(reads / std::max<std::size_t>(counters, 1), least, most) / 2 * 2;
}

}  // namespace

EnergyAccount::Energy& EnergyAccount::Energy::operator+=(const Energy& other) {
  dynamic_pj += other.dynamic_pj;
  static_pj += other.static_pj;
  macs += other.macs;
  return *this;
}

EnergyAccount::EnergyAccount(Platform& platform, const EnergyTable& table)
    : table_(table), actions_(platform, table), first_kind_(actions_.sips() + 1),
      windows_(0, 2, fs_per_ns), states_(actions_.parts().size()),
      ops_(platform.observation().executed_ops, *this),
      starts_(platform.observation().kernel_starts, *this),
      runs_(platform.observation().kernel_runs, *this) {
  std::map<EnergyKind, std::size_t> numbers;
  for (const EnergyActionRow& row : actions_.rows()) {
    const auto [kind, is_new] = numbers.emplace(row.kind, kinds_.size());
    if (is_new) kinds_.push_back(row.kind);
    kind_of_row_.push_back(kind->second);
  }
  const std::size_t most = affordable_windows(actions_.counters());
  windows_ = PowerWindows(first_kind_ + kinds_.size(), most, 512 / most * 64 * fs_per_ns);
  for (std::size_t part = 0; part < states_.size(); ++part)
    states_[part].read.resize(actions_.parts()[part].counters.size());
}

// --- Borders

void EnergyAccount::Running::pass(Fs now) {
  pe_time += static_cast<double>(pes) * static_cast<double>(now - since);
  since = now;
}

std::size_t EnergyAccount::channel_of_part(std::size_t part) const {
  const int sip = actions_.parts()[part].at.sip;
  return sip < 0 ? actions_.part_of_system() : static_cast<std::size_t>(sip);
}

// Assigns the energy since the last border to the kernels that ran.
void EnergyAccount::settle(std::size_t index) {
  const EnergyPart& part = actions_.parts()[index];
  PartState& state = states_[index];
  const Fs now = Component::now();
  Energy energy;
  for (std::size_t i = 0; i < part.counters.size(); ++i) {
    const EnergyCounter& counter = part.counters[i];
    const std::uint64_t value = counter.at(now);
    if (value <= state.read[i]) continue;  // a link cuts the flit that leaves to the byte
    const std::uint64_t amount = value - state.read[i];
    state.read[i] = value;
    const double pj = static_cast<double>(amount) * counter.pj;
    energy.dynamic_pj += pj;
    if (counter.is_mac) energy.macs += amount;
    if (counter.is_of_ops || pj == 0) continue;  // write() spreads those of operations
    windows_.add(channel_of_part(index), pj);
    windows_.add(channel_of_kind(counter.any_row()), pj);
  }
  energy.static_pj = static_pj(part.static_w, now - state.at);
  state.at = now;
  double all = 0;
  for (Running& running : state.running) {
    running.pass(now);
    all += running.pe_time;
  }
  if (state.running.empty()) outside_ += energy;
  std::uint64_t macs = energy.macs;
  for (std::size_t i = 0; i < state.running.size(); ++i) {
    Running& running = state.running[i];
    const double share =
        all > 0 ? running.pe_time / all : 1 / static_cast<double>(state.running.size());
    const bool is_last = i + 1 == state.running.size();
    const auto own =
        is_last
            ? macs
            : std::min(macs, static_cast<std::uint64_t>(share * static_cast<double>(energy.macs)));
    macs -= own;
    running.execution->energy += {energy.dynamic_pj * share, energy.static_pj * share, own};
    running.pe_time = 0;
  }
}

void EnergyAccount::enter(std::size_t part, Execution& execution) {
  std::vector<Running>& all = states_[part].running;
  auto running = std::find_if(all.begin(), all.end(),
                              [&](const Running& each) { return each.execution == &execution; });
  if (running == all.end()) {
    settle(part);
    running = all.insert(all.end(), {&execution, 0, Component::now(), 0});
  }
  running->pass(Component::now());
  ++running->pes;
}

void EnergyAccount::leave(std::size_t part, const Execution& execution) {
  std::vector<Running>& all = states_[part].running;
  const auto running = std::find_if(
      all.begin(), all.end(), [&](const Running& each) { return each.execution == &execution; });
  if (running == all.end()) return;
  running->pass(Component::now());
  if (--running->pes > 0) return;
  settle(part);
  all.erase(running);
}

void EnergyAccount::write(const KernelStart& start) {
  const std::size_t pe = actions_.part_of_pe(dynamic_cast<const Component&>(*start.node).node());
  Execution*& execution = by_request_[start.request];
  if (execution == nullptr) {
    execution = &executions_.emplace_back();
    execution->kernel = start.kernel;
    execution->request = start.request;
    execution->begin = start.start;
  }
  for (const std::size_t part :
       {pe, actions_.part_of_sip(actions_.parts()[pe].at.sip), actions_.part_of_system()})
    enter(part, *execution);
}

void EnergyAccount::write(const KernelRun& run) {
  const auto found = by_request_.find(run.request);
  if (found == by_request_.end()) return;
  Execution& execution = *found->second;
  execution.end = std::max(execution.end, run.answered);
  const std::size_t pe = actions_.part_of_pe(dynamic_cast<const Component&>(*run.node).node());
  for (const std::size_t part :
       {pe, actions_.part_of_sip(actions_.parts()[pe].at.sip), actions_.part_of_system()})
    leave(part, execution);
}

void EnergyAccount::write(const ExecutedOp& op) {
  const EnergyActions::CountedOp counted = actions_.count(op);
  if (counted.pj == 0) return;
  windows_.spread(channel_of_part(counted.part), counted.pj, op.t_start, op.t_end);
  windows_.spread(channel_of_kind(counted.row), counted.pj, op.t_start, op.t_end);
}

void EnergyAccount::sample() {
  for (std::size_t part = 0; part < states_.size(); ++part) settle(part);
  windows_.take();
}

// --- End

void EnergyAccount::close() {
  for (std::size_t part = 0; part < states_.size(); ++part) settle(part);
  end_ = Component::now();
  for (Execution& execution : executions_) {
    const bool is_running =
        std::any_of(states_[actions_.part_of_system()].running.begin(),
                    states_[actions_.part_of_system()].running.end(),
                    [&](const Running& running) { return running.execution == &execution; });
    if (is_running) execution.end = end_;
  }
  sum_up();
}

void EnergyAccount::add_place(std::map<std::string, Place>& places, const EnergyPart& part,
                              int cube, const Energy& energy) const {
  const auto add = [&](const std::string& name, const char* level) {
    Place& place = places[name];
    place.name = name;
    place.level = level;
    place.energy += energy;
  };
  if (part.at.sip < 0) return add("system", "system");
  std::string name = fmt::format("sip{}", part.at.sip);
  add(name, "sip");
  if (cube < 0) return;
  name += fmt::format(".cube{}", cube);
  add(name, "cube");
  if (part.is_pe()) add(fmt::format("{}.pe{}", name, part.at.pe), "pe");
}

void EnergyAccount::sum_up() {
  const std::vector<EnergyActionRow>& rows = actions_.rows();
  counts_.assign(rows.size(), 0);
  row_pj_.assign(rows.size(), 0);
  std::map<std::string, Place> places;
  for (std::size_t index = 0; index < states_.size(); ++index) {
    const EnergyPart& part = actions_.parts()[index];
    for (std::size_t i = 0; i < part.counters.size(); ++i) {
      const EnergyCounter& counter = part.counters[i];
      const std::uint64_t amount = states_[index].read[i];
      if (amount == 0) continue;
      const auto count = static_cast<double>(amount);
      if (counter.row != EnergyCounter::no_row) counts_[counter.row] += count;
      if (counter.length_row != EnergyCounter::no_row)
        counts_[counter.length_row] += count * counter.mm;
      const std::uint64_t macs = counter.is_mac ? amount : 0;
      add_place(places, part, counter.cube, {count * counter.pj, 0, macs});
      total_.macs += macs;
    }
    double w = part.static_w;
    for (const auto& [cube, w_of_cube] : part.static_w_of_cubes) {
      add_place(places, part, cube, {0, static_pj(w_of_cube, end_), 0});
      w -= w_of_cube;
    }
    if (w > 0) add_place(places, part, -1, {0, static_pj(w, end_), 0});
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows[row].entry != nullptr) row_pj_[row] = counts_[row] * rows[row].entry->pj;
    total_.dynamic_pj += row_pj_[row];
    const bool is_memory = rows[row].kind.name == "hbm_ctrl" || rows[row].kind.name == "sram" ||
                           rows[row].kind.name == "tlm_target";
    if (is_memory && (rows[row].action == "bytes_read" || rows[row].action == "bytes_written"))
      bytes_moved_ += static_cast<std::uint64_t>(counts_[row]);
  }
  for (const EnergyActions::StaticPower& power : actions_.static_powers()) {
    counts_[power.row] = static_cast<double>(power.components);
    row_pj_[power.row] = static_pj(power.w, end_);
    total_.static_pj += row_pj_[power.row];
  }
  for (auto& [name, place] : places) places_.push_back(std::move(place));
}

std::vector<EnergyAccount::Power> EnergyAccount::power() const {
  std::vector<double> fixed(first_kind_ + kinds_.size());  // static power by channel, W
  for (std::size_t part = 0; part < states_.size(); ++part)
    fixed[channel_of_part(part)] += actions_.parts()[part].static_w;
  for (const EnergyActions::StaticPower& power : actions_.static_powers())
    fixed[channel_of_kind(power.row)] += power.w;
  std::vector<Power> powers;
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    const Fs begin = windows_.width() * i;
    if (begin >= end_ && i > 0) break;
    // The last window counts in full, unless it is the only one: a short rest is no peak.
    const Fs length = i == 0 ? std::min(windows_.width(), std::max<Fs>(end_, 1)) : windows_.width();
    Power power;
    power.begin = begin;
    power.end = std::min(begin + windows_.width(), end_);
    for (std::size_t channel = 0; channel < fixed.size(); ++channel) {
      const double w =
          fixed[channel] + windows_[i][channel] / (static_cast<double>(length) * pj_per_w_fs);
      (channel < first_kind_ ? power.w_of_sips : power.w_of_kinds).push_back(w);
    }
    powers.push_back(std::move(power));
  }
  return powers;
}

// --- Windows

void PowerWindows::take() {
  Energies empty(open_.size());
  windows_.push_back(std::exchange(open_, std::move(empty)));
  if (windows_.size() < most_) return;
  for (std::size_t i = 0; i < windows_.size() / 2; ++i) {
    Energies sum = windows_[2 * i];
    for (std::size_t channel = 0; channel < sum.size(); ++channel)
      sum[channel] += windows_[2 * i + 1][channel];
    windows_[i] = std::move(sum);
  }
  windows_.resize(windows_.size() / 2);
  width_ *= 2;
}

void PowerWindows::spread(std::size_t channel, double pj, Fs from, Fs to) {
  if (from >= to) return add(channel, pj);
  const double share = pj / static_cast<double>(to - from);
  while (from < to) {
    const auto window = static_cast<std::size_t>(from / width_);
    if (window >= windows_.size()) return add(channel, share * static_cast<double>(to - from));
    const Fs end = std::min(to, width_ * (window + 1));
    windows_[window][channel] += share * static_cast<double>(end - from);
    from = end;
  }
}

}  // namespace kernbench
