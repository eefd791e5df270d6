#include "platform/events/machine_events.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "platform/observe/limits.h"
#include "platform/observe/transfer_path.h"

namespace kernbench {
namespace {

const char* unit_of(Quantity quantity) {
  return quantity == Quantity::time_fs ? "fs" : quantity == Quantity::bytes ? "B" : "";
}

}  // namespace

// --- Transfers

TransferProbe::TransferProbe(Platform& platform, EventSource& events)
    : graph_(platform.graph()), end_of_timestep_(platform.end_of_timestep()), events_(events),
      breakdown_(platform), nodes_(graph_.nodes().size()), links_(graph_.edges().size()),
      ends_(platform.observation().transaction_ends, *this) {}

void TransferProbe::write(const TransactionEnd& end) {
  const Transaction& transaction = end.transaction;
  TransferPath path = breakdown_.take(transaction);
  const RouteExtension& route = transaction.route();
  if (!transaction.accesses_memory() || route.path == nullptr) return;
  const NodeId source = route.request_path().source(), target = route.request_path().target();
  const Node &initiator = graph_.node(source), &memory = graph_.node(target);
  TransferRow row;
  row.initiator = initiator.name;
  row.target = memory.name;
  row.initiator_kind = name_of(initiator.kind);
  row.target_kind = name_of(memory.kind);
  row.op = transaction.is_write() ? "write" : "read";
  row.distance = name_of(distance_of(graph_, source, target));
  row.bytes = transaction.get_data_length();
  row.issued = path.issue;
  row.end = path.end;
  end_of_timestep_.ask(*this, std::numeric_limits<std::uint32_t>::max());
  instant_.add(Component::now(), {route.key, std::move(row), std::move(path)},
               [this](Transfer&& transfer) { write_rows(std::move(transfer)); });
}

void TransferProbe::close() {
  instant_.end([this](Transfer&& transfer) { write_rows(std::move(transfer)); });
}

void TransferProbe::write_rows(Transfer transfer) {
  const std::uint64_t id = transfer.row.id = ++transfers_;
  events_.rows<TransferRow>().write(transfer.row);
  for (const TransferPath::Interval& hop : transfer.path.intervals)
    events_.rows<HopRow>().write({id, id_of(hop.place), name_of(hop.part), hop.start, hop.end});
}

std::uint64_t TransferProbe::id_of(FabricPlace place) {
  const bool is_link = place.kind == FabricPlace::Kind::link;
  std::uint64_t& id = (is_link ? links_ : nodes_)[place.index];
  if (id == 0) {
    id = ++places_;
    events_.rows<PlaceRow>().write(
        {id, name_of(place, graph_), std::string(kind_name(place, graph_)), is_link});
  }
  return id;
}

// --- MachineEvents

MachineEvents::MachineEvents(Platform& platform)
    : EventSource(platform.observation()), platform_(platform), usage_(platform, resources_),
      doubled_(platform, resources_), ops_(platform.observation().executed_ops, activity_) {}

// --- Requests

KernelWindows& MachineEvents::kernel_windows() {
  if (!kernels_) kernels_.emplace(platform_, usage_.table(), doubled_);
  return *kernels_;
}

void MachineEvents::observe_kernels() { kernel_windows().observe_kernels(); }

void MachineEvents::observe_launches() {
  usage_.observe_activity(platform_);
  kernel_windows().observe_launches();
}

void MachineEvents::observe_time() {
  usage_.observe_activity(platform_);
  time_.emplace(usage_.table());
}

void MachineEvents::observe_transfers() {
  if (!transfers_) transfers_.emplace(platform_, *this);
}

void MachineEvents::observe_launch_work() {
  if (!launch_work_) launch_work_.emplace(platform_, *this, launch_ends, rated_launches);
}

// --- Events of the host program

void MachineEvents::launch_ended(LaunchEnd launch) {
  ++launch_count_;
  if (kernels_ || energy_) {
    for (const std::string& request : launch.requests) launches_[request] = launch_count_;
  }
  launch_ends.write(launch);
}

StatisticsRegions* MachineEvents::marked_regions() {
  if (!has_regions_) return nullptr;
  if (!regions_) regions_.emplace(platform_).begin_with_run();
  return &*regions_;
}

void MachineEvents::reset_region(Fs now) {
  if (StatisticsRegions* regions = marked_regions()) regions->reset(now);
}

void MachineEvents::dump_region(const std::string& label, Fs now) {
  if (StatisticsRegions* regions = marked_regions()) regions->dump(label, now);
}

void MachineEvents::begin() { usage_.begin(); }

// --- The run

void MachineEvents::add_samples_to(RunLimits& limits) {
  if (!time_ && !energy_) return;
  limits.next_sample = [this] {
    return std::min(time_ ? time_->next() : never_fs, energy_ ? energy_->next() : never_fs);
  };
  limits.sample = [this] {
    const Fs now = Component::now();
    if (time_ && time_->next() <= now) time_->take();
    if (energy_ && energy_->next() <= now) energy_->sample();
  };
}

void MachineEvents::close(Fs simulated, const RunResult& result) {
  status_ = result.status;
  failure_ = result.error;
  const bool is_estimated =
      status_ == RunStatus::completed && doubled_.has_ended() && !usage_.runs_kernels();
  usage_.close();
  if (time_) time_->close();
  if (transfers_) transfers_->close();
  if (launch_work_) launch_work_->close();
  statistics_.emplace(platform_, activity_, simulated);
  write_statistics();
  write_servers();
  write_windows();
  write_limits("pe", usage_.pe(), doubled_.saved(), is_estimated);
  write_energy();
  if (!kernels_) return;
  for (const KernelWindows::Kernel& kernel : kernels_->kernels())
    write_limits("kernel " + kernel.name, kernel.window, kernel.saved, is_estimated);
}

void MachineEvents::write_statistics() {
  const ActivitySummary& activity = statistics_->activity;
  ActivityRow row;
  if (!activity.all.empty()) {
    row.pe_begin = activity.all.begin;
    row.pe_end = activity.all.end;
  }
  if (!activity.composite.empty()) {
    row.composite_begin = activity.composite.begin;
    row.composite_end = activity.composite.end;
  }
  row.mac_utilisation = activity.mac_utilisation;
  row.useful_efficiency = activity.useful_efficiency;
  rows<ActivityRow>().write(row);
  for (const KindTotal& kind : statistics_->kinds) {
    for (const StatisticTotal& total : kind.totals) {
      rows<StatisticRow>().write({kind.kind, total.key, unit_of(total.quantity), kind.components,
                                  kind.active, total.servers, total.value});
    }
    for (const RatioTotal& ratio : kind.ratios) {
      if (ratio.parts.whole == 0) continue;
      const double millionths = 1e6 * ratio.parts.part / ratio.parts.whole;
      rows<StatisticRow>().write({kind.kind, ratio.name, "ppm", kind.components, kind.active, 0,
                                  static_cast<std::uint64_t>(millionths + 0.5)});
    }
  }
  for (const LinkTotal& link : statistics_->links) {
    rows<LinkKindRow>().write({std::string(name_of(link.kind)), link.links, link.used, link.bytes,
                               link.busiest, link.busiest_link});
  }
}

// --- Windows

void MachineEvents::write_servers() {
  AnalysisPort<ServerRow>& port = rows<ServerRow>();
  if (!port.observed()) return;
  const ServerTable& table = usage_.table();
  for (const auto& [i, use] : table.used_between({}, table.sample())) {
    const UsedServer& server = table.servers()[i];
    const Resource& resource = resources_[server.resource];
    port.write({i, server.name, server.link == nullptr ? server.part : "", server.src, server.dst,
                resource.name, name_of(resource.kind), server.places});
  }
}

void MachineEvents::write_windows() {
  if (!rows<WindowRow>().observed()) return;
  write_window("pe", usage_.pe());
  write_window("host", usage_.host());
  if (regions_) {
    for (const StatisticsRegions::Region& region : regions_->regions())
      write_window("region " + region.label, region.window);
  }
  if (kernels_) {
    for (const KernelWindows::Kernel& kernel : kernels_->kernels())
      write_window("kernel " + kernel.name, kernel.window);
    for (const KernelWindows::Launch& launch : kernels_->launches()) {
      const std::string name = launch_of(launch.requests);
      if (!name.empty())
        write_window({0, name, launch.begin, launch.end, launch.length}, launch.use);
    }
  }
  if (!time_) return;
  const Fs now = Component::now();
  for (std::size_t i = 0; i < time_->windows().size(); ++i) {
    const Fs begin = time_->width() * i, end = std::min(begin + time_->width(), now);
    write_window({0, fmt::format("time {}", i + 1), begin, end, end - begin}, time_->windows()[i]);
  }
}

void MachineEvents::write_window(const std::string& name, const UsageWindow& window) {
  SparseUse used;
  for (std::uint32_t i = 0; i < window.use.size(); ++i) {
    if (!window.use[i].empty()) used.emplace_back(i, window.use[i]);
  }
  const bool empty = window.begin == never_fs;
  write_window({0, name, empty ? 0 : window.begin, window.end, window.length}, used);
}

void MachineEvents::write_window(WindowRow row, const SparseUse& use) {
  row.id = ++windows_;
  rows<WindowRow>().write(row);
  ServerUseRow used;
  used.window = row.id;
  for (const auto& [server, times] : use) {
    used.server = server;
    static_cast<ServerUse&>(used) = times;
    rows<ServerUseRow>().write(used);
  }
}

// "launch 3"; "launch 3 + 4": concurrent launches; empty: one of them has not ended.
std::string MachineEvents::launch_of(const std::set<std::string>& requests) const {
  std::set<std::uint64_t> numbers;
  for (const std::string& request : requests) {
    const auto found = launches_.find(request);
    if (found == launches_.end()) return "";
    numbers.insert(found->second);
  }
  return fmt::format("launch {}", fmt::join(numbers, " + "));
}

// --- Energy

void MachineEvents::write_energy() {
  if (!energy_) return;
  energy_->close();
  AnalysisPort<EnergyRow>& port = rows<EnergyRow>();
  const EnergyAccount::Energy& total = energy_->total();
  port.write({"run", energy_->table().path(), "", static_cast<double>(energy_->bytes_moved()), 0,
              total.macs, energy_->end(), total.dynamic_pj, total.static_pj});
  const std::vector<EnergyActionRow>& actions = energy_->actions().rows();
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const EnergyActionRow& action = actions[i];
    const bool is_static = action.action == EnergyTable::static_power;
    EnergyRow row{"action", action.kind.name, action.action, energy_->counts()[i], 0, 0, 0, 0, 0};
    if (action.entry == nullptr || !action.is_counted) {
      row.part = "unknown";
      if (row.count == 0 && action.is_counted) continue;
    } else {
      row.pj = action.entry->pj;
      (is_static ? row.static_pj : row.dynamic_pj) = energy_->energy_of_row(i);
    }
    port.write(row);
  }
  for (const EnergyAccount::Place& place : energy_->places()) {
    port.write({"place", place.name, place.level, 0, 0, place.energy.macs, energy_->end(),
                place.energy.dynamic_pj, place.energy.static_pj});
  }
  write_energy_of_kernels();
  write_power();
}

// A launch whose end the program has not awaited has no row of its own.
void MachineEvents::write_energy_of_kernels() {
  struct Sum {
    std::string kernel;
    Fs begin = never_fs, end = 0, length = 0;
    std::uint64_t launches = 0;
    EnergyAccount::Energy energy;
  };
  std::map<std::string, Sum> kernels;
  std::map<std::pair<std::uint64_t, std::string>, Sum> launches;  // by number; 0: by request
  for (const EnergyAccount::Execution& execution : energy_->executions()) {
    const auto number = launches_.find(execution.request);
    const bool has_ended = number != launches_.end();
    Sum& launch = launches[{has_ended ? number->second : 0, has_ended ? "" : execution.request}];
    launch.kernel = execution.kernel;
    launch.begin = std::min(launch.begin, execution.begin);
    launch.end = std::max(launch.end, execution.end);
    launch.energy += execution.energy;
  }
  for (const auto& [key, launch] : launches) {
    Sum& kernel = kernels[launch.kernel];
    ++kernel.launches;
    kernel.length += launch.end - std::min(launch.begin, launch.end);
    kernel.energy += launch.energy;
  }
  AnalysisPort<EnergyRow>& port = rows<EnergyRow>();
  const auto write = [&port](const char* part, const std::string& name, const std::string& item,
                             std::uint64_t count, Fs length, const EnergyAccount::Energy& energy) {
    port.write({part, name, item, static_cast<double>(count), 0, energy.macs, length,
                energy.dynamic_pj, energy.static_pj});
  };
  for (const auto& [name, kernel] : kernels)
    write("kernel", name, "", kernel.launches, kernel.length, kernel.energy);
  write("kernel", "outside kernels", "", 0, 0, energy_->outside_kernels());
  for (const auto& [key, launch] : launches) {
    if (key.first > 0)
      write("launch", fmt::format("launch {}", key.first), launch.kernel, 1,
            launch.end - launch.begin, launch.energy);
  }
}

void MachineEvents::write_power() {
  AnalysisPort<PowerRow>& port = rows<PowerRow>();
  if (!port.observed()) return;
  const std::vector<EnergyAccount::Power> powers = energy_->power();
  const std::vector<EnergyKind>& kinds = energy_->kinds();
  for (const EnergyAccount::Power& power : powers) {
    const auto write = [&](const char* part, const std::string& name, double w) {
      port.write({part, name, power.begin, power.end, w});
    };
    const std::size_t sips = power.w_of_sips.size() - 1;
    for (std::size_t sip = 0; sip < sips; ++sip)
      write("place", fmt::format("sip{}", sip), power.w_of_sips[sip]);
    write("place", "system", power.w_of_sips[sips]);
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      const bool is_used = std::any_of(powers.begin(), powers.end(), [kind](const auto& each) {
        return each.w_of_kinds[kind] > 0;
      });
      if (is_used) write("kind", kinds[kind].name, power.w_of_kinds[kind]);
    }
  }
}

// --- Limits

void MachineEvents::write_limits(const std::string& window, const UsageWindow& use,
                                 const std::vector<Fs>& saved, bool is_estimated) {
  const Limits limits = limits_of(usage_.table(), resources_, use, saved, doubled_.contention());
  for (const ResourceLimit& resource : limits.rows) {
    LimitRow row;
    static_cast<ResourceLimit&>(row) = resource;
    row.window = window;
    row.length = limits.window;
    row.is_estimated = is_estimated;
    rows<LimitRow>().write(row);
  }
}

}  // namespace kernbench
