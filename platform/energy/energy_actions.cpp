#include "platform/energy/energy_actions.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/energy_action.h"
#include "models/base/math_op.h"
#include "models/noc/link.h"
#include "models/protocol/pe_engine.h"
#include "models/protocol/tile_task.h"
#include "platform/assembly/fabric_edges.h"
#include "platform/assembly/machine_modules.h"
#include "platform/config/nearest_name.h"
#include "platform/observe/component_statistics.h"

namespace kernbench {
namespace {

constexpr std::array all_dtypes{DType::f16, DType::bf16, DType::f32, DType::i8, DType::i32};

std::vector<std::string> by_dtype(const char* action) {
  std::vector<std::string> names;
  for (const DType dtype : all_dtypes)
    names.push_back(fmt::format("{}_{}", action, name_of(dtype)));
  return names;
}

// Actions counted from executed operations, in the order of OpCounters.
std::vector<std::string> actions_of_ops(Role kind) {
  switch (kind) {
    case Role::pe_gemm:
      return by_dtype("macs");
    case Role::pe_math:
      return by_dtype("operations");
    case Role::pe_fetch_store:
      return {"bytes_fetched", "bytes_stored"};
    default:
      return {};
  }
}

// Statistics that every implementation of the kind should have.
std::vector<std::string> required_actions(Role kind) {
  switch (kind) {
    case Role::pe_cpu:
      return {"commands"};
    case Role::pe_mmu:
      return {"look_ups"};
    case Role::pe_scheduler:
      return {"tiles"};
    case Role::pe_dma:
      return {"transactions"};
    case Role::pe_ipcq:
      return {"sends", "receives"};
    case Role::m_cpu:
    case Role::io_cpu:
      return {"requests"};
    case Role::pe_tcm:
    case Role::sram:
    case Role::hbm_ctrl:
    case Role::tlm_target:
      return {"bytes_read", "bytes_written"};
    default:
      return declared_role(kind) == Role::router ? std::vector<std::string>{"flits"}
                                                 : std::vector<std::string>{};
  }
}

// Bytes of a controller that counts no row activations, each with the mean share of one.
constexpr const char* bytes_of_rows = "bytes_of_rows";
constexpr const char* row_activations = "activates";
constexpr const char* refreshes = "bank_refreshes";

const Statistic* find(const Component& component, const std::string& key) {
  for (const Statistic& statistic : component.statistics()) {
    if (key_of(statistic) == key) return &statistic;
  }
  return nullptr;
}

constexpr const char* link_bytes = "bytes";
constexpr const char* link_length = "byte_mm";

}  // namespace

std::uint64_t EnergyCounter::at(Fs now) const {
  if (statistic != nullptr) return statistic->at(now);
  if (link != nullptr) return link->statistics().bytes;
  return *own;
}

EnergyActions::EnergyActions(Platform& platform, const EnergyTable& table)
    : table_(table), sips_(static_cast<std::size_t>(platform.machine().sips)) {
  const Graph& graph = platform.graph();
  parts_.resize(sips_ + 1);
  for (std::size_t sip = 0; sip < sips_; ++sip) parts_[sip].at.sip = static_cast<int>(sip);
  pe_parts_.resize(graph.nodes().size());
  std::map<std::string, std::size_t> pes;
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    const Node& node = graph.node(id);
    if (!is_engine_of_pe(node.kind)) continue;
    const auto [pe, is_new] = pes.emplace(node.name.substr(0, node.name.rfind('.')), parts_.size());
    if (is_new) parts_.emplace_back().at = node.at;
    pe_parts_[id] = pe->second;
  }
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    is_elaborated_ = platform.part().has(id);
    const NodeId like = is_elaborated_ ? id : platform.part().equal_of(id);
    add_component(platform.component(like), graph.node(id), part_of(graph, id));
  }
  auto link = platform.links().begin();
  for (std::size_t i = 0; i < graph.edges().size(); ++i) {
    const FabricEdges::Edge& edge = platform.fabric_edges()[i];
    if (edge.binding != EdgeBinding::link) continue;
    is_elaborated_ = edge.is_elaborated;
    add_link(is_elaborated_ ? (link++)->link.get() : nullptr, graph.edges()[i], graph);
  }
  check_actions();
}

std::size_t EnergyActions::part_of(const Graph& graph, NodeId id) const {
  const Node& node = graph.node(id);
  if (is_engine_of_pe(node.kind)) return pe_parts_[id];
  return node.at.sip < 0 ? part_of_system() : part_of_sip(node.at.sip);
}

std::uint32_t EnergyActions::row_of(const EnergyKind& kind, const std::string& action) {
  const auto [row, is_new] =
      row_numbers_.emplace(std::pair(kind, action), static_cast<std::uint32_t>(rows_.size()));
  if (is_new) rows_.push_back({kind, action, table_.find(kind, action)});
  return row->second;
}

EnergyActions::KnownActions& EnergyActions::known_of(const EnergyKind& kind) {
  KnownActions& known = known_[kind];
  if (known.empty()) known.emplace(EnergyTable::static_power, false);
  return known;
}

void EnergyActions::add_static(const EnergyKind& kind, std::size_t part, int cube) {
  const std::uint32_t row = row_of(kind, EnergyTable::static_power);
  auto power = std::find_if(static_.begin(), static_.end(),
                            [row](const StaticPower& each) { return each.row == row; });
  if (power == static_.end()) power = static_.insert(power, {row, 0, 0});
  const double w = rows_[row].entry == nullptr ? 0 : rows_[row].entry->w;
  ++power->components;
  power->w += w;
  parts_[part].static_w += w;
  if (cube >= 0) parts_[part].static_w_of_cubes[cube] += w;
}

// Counter of a component or link; one that has not been elaborated counts nothing.
void EnergyActions::add_counter(std::size_t part, const EnergyCounter& counter) {
  ++counters_;
  if (is_elaborated_) parts_[part].counters.push_back(counter);
}

void EnergyActions::add_component(const Component& component, const Node& node, std::size_t part) {
  const EnergyKind kind{false, std::string(name_of(node.kind))};
  add_static(kind, part, node.at.cube);
  const std::vector<std::string> required = required_actions(node.kind);
  KnownActions& known = known_of(kind);
  for (const std::string& action : required) known.emplace(action, false);
  if (node.kind == Role::hbm_ctrl) {
    known.emplace(bytes_of_rows, false);
    known[row_activations] = known[refreshes] = true;
  }
  const auto pj_of = [this](std::uint32_t row) {
    return rows_[row].entry == nullptr ? 0 : rows_[row].entry->pj;
  };
  const auto add = [&](const Statistic& statistic, const std::string& action) {
    EnergyCounter counter;
    counter.row = row_of(kind, action);
    counter.pj = pj_of(counter.row);
    counter.statistic = &statistic;
    counter.cube = node.at.cube;
    add_counter(part, counter);
  };
  for (const Statistic& statistic : component.statistics()) {
    if (statistic.quantity == Quantity::time_fs || statistic.merge != Merge::sum) continue;
    const std::string action = key_of(statistic);
    known[action] |= statistic.quantity != Quantity::bytes;
    const bool is_of_rows =
        node.kind == Role::hbm_ctrl && (action == row_activations || action == refreshes);
    if (is_of_rows || std::find(required.begin(), required.end(), action) != required.end() ||
        table_.find(kind, action) != nullptr || EnergyAction::is_marked(component, statistic.name))
      add(statistic, action);
  }
  for (const std::string& action : required) {
    if (find(component, action) == nullptr) rows_[row_of(kind, action)].is_counted = false;
  }
  if (node.kind == Role::hbm_ctrl) {
    const bool counts_rows = find(component, row_activations) != nullptr;
    for (const std::string& action : required) {
      const Statistic* const bytes = find(component, action);
      if (!counts_rows && bytes != nullptr) add(*bytes, bytes_of_rows);
    }
  }
  add_ops(component, node, part);
}

void EnergyActions::add_ops(const Component& component, const Node& node, std::size_t part) {
  const std::vector<std::string> actions = actions_of_ops(node.kind);
  if (actions.empty()) return;
  const EnergyKind kind{false, std::string(name_of(node.kind))};
  for (const std::string& action : actions)
    known_of(kind)[action] = node.kind != Role::pe_fetch_store;
  OpCounters& counters = op_counters_.emplace_back();
  counters.part = part;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    EnergyCounter counter;
    counter.row = counters.rows[i] = row_of(kind, actions[i]);
    const EnergyEntry* const entry = rows_[counter.row].entry;
    counter.pj = counters.pj[i] = entry == nullptr ? 0 : entry->pj;
    counter.is_mac = node.kind == Role::pe_gemm;
    counter.is_of_ops = true;
    counter.own = &counters.values[i];
    counter.cube = node.at.cube;
    add_counter(part, counter);
  }
  if (is_elaborated_) by_node_[&component] = &counters;
}

// A link belongs to the part of its source node, inside a PE to the PE.
void EnergyActions::add_link(const Link* link, const Edge& edge, const Graph& graph) {
  const EnergyKind kind{true, std::string(name_of(edge.kind))};
  const Location& at = graph.node(edge.src).at;
  const std::size_t part = edge.kind == EdgeKind::pe_internal ? part_of(graph, edge.src)
                           : at.sip < 0                       ? part_of_system()
                                                              : part_of_sip(at.sip);
  EnergyCounter counter;
  counter.link = link;
  counter.mm = edge.distance_mm.to_double();
  counter.cube = at.cube;
  const EnergyEntry* const bytes = table_.find(kind, link_bytes);
  const EnergyEntry* const length = table_.find(kind, link_length);
  if (bytes != nullptr || length == nullptr) counter.row = row_of(kind, link_bytes);
  if (bytes != nullptr) counter.pj += bytes->pj;
  if (length != nullptr) {
    counter.length_row = row_of(kind, link_length);
    counter.pj += length->pj * counter.mm;
  }
  add_counter(part, counter);
  KnownActions& known = known_of(kind);
  for (const char* action : {link_bytes, link_length}) known.emplace(action, false);
  if (table_.find(kind, EnergyTable::static_power) != nullptr) add_static(kind, part, at.cube);
}

// Kinds that the machine lacks are not checked.
void EnergyActions::check_actions() const {
  std::vector<ConfigIssue> issues;
  for (const auto& [kind, actions] : table_.entries()) {
    const auto found = known_.find(kind);
    if (found == known_.end()) continue;
    std::vector<std::string> known;
    for (const auto& [action, is_count] : found->second) known.push_back(action);
    for (const auto& [action, entry] : actions) {
      const auto place = found->second.find(action);
      if (place == found->second.end()) {
        issues.push_back(
            issue_at(entry.place, entry.key,
                     fmt::format("no {} of this machine has this action{}; it has {}", kind.name,
                                 did_you_mean(action, known), listed(known, "none"))));
      } else if (entry.pj_per_bit && place->second) {
        issues.push_back(
            issue_at(entry.place, entry.key,
                     fmt::format("found pj_per_bit {:g}, allowed is pj: a count has no bits",
                                 *entry.pj_per_bit)));
      }
    }
  }
  if (!issues.empty()) throw ConfigError(std::move(issues));
}

EnergyActions::CountedOp EnergyActions::count(const ExecutedOp& op) {
  const auto found = op.task == nullptr ? by_node_.end() : by_node_.find(op.node);
  if (found == by_node_.end()) return {};
  OpCounters& counters = *found->second;
  const Stage& stage = op.task->stage();
  std::size_t i = static_cast<std::size_t>(
      std::find(all_dtypes.begin(), all_dtypes.end(), stage.dtype) - all_dtypes.begin());
  std::uint64_t amount = 0;
  switch (stage.type) {
    case StageType::gemm:
      amount = op.macs;
      break;
    case StageType::math:
      amount = static_cast<std::uint64_t>(stage.elements) *
               static_cast<std::uint64_t>(default_cycles(stage.math_op));
      break;
    case StageType::fetch:
    case StageType::store:
      i = stage.type == StageType::fetch ? 0 : 1;
      amount = op.bytes;
      break;
    default:
      return {};
  }
  counters.values.at(i) += amount;
  return {counters.rows[i], counters.part, static_cast<double>(amount) * counters.pj[i]};
}

}  // namespace kernbench
