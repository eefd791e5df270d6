// EnergyActions: the actions of a machine that cost energy, with their counters (spec 11.8).
//
// Counters are those that the machine has: statistics of components and bytes of links, read when
// an observer asks for them. Multiply-accumulates, operations of PE_MATH and bytes of the register
// file have no counter; they are counted from executed operations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/protocol/observation.h"
#include "platform/assembly/platform.h"
#include "platform/energy/energy_table.h"
#include "platform/topology/graph.h"

namespace kernbench {

class Link;

// Action of a kind of component or link.
struct EnergyActionRow {
  EnergyKind kind;
  std::string action;
  const EnergyEntry* entry = nullptr;  // null: unknown
  bool is_counted = true;              // false: an implementation has no such statistic
};

// Counter of a component or a link.
struct EnergyCounter {
  static constexpr std::uint32_t no_row = UINT32_MAX;
  std::uint32_t row = no_row;  // index of the EnergyActionRow
  double pj = 0;               // energy of one count; for a link including its length
  bool is_mac = false;
  bool is_of_ops = false;  // counted from executed operations
  const Statistic* statistic = nullptr;
  const std::uint64_t* own = nullptr;
  const Link* link = nullptr;
  std::uint32_t length_row = no_row;  // row of bytes times `mm` of a link
  double mm = 0;
  int cube = -1;  // cube of the component; -1: outside cubes

  std::uint64_t at(Fs now) const;
  std::uint32_t any_row() const { return row != no_row ? row : length_row; }
};

// Part of the machine whose energy belongs to the same kernels: a PE; the rest of a SIP; the rest
// of the system.
struct EnergyPart {
  Location at;  // without a SIP: the system
  std::vector<EnergyCounter> counters;
  double static_w = 0;
  std::map<int, double> static_w_of_cubes;
  bool is_pe() const { return at.pe >= 0; }
};

class EnergyActions {
 public:
  // Throws ConfigError for an action of the table that no component of its kind has, and for an
  // energy per bit of an action that is not bytes. Both outlive this object.
  EnergyActions(Platform& platform, const EnergyTable& table);

  const std::vector<EnergyActionRow>& rows() const { return rows_; }
  const std::vector<EnergyPart>& parts() const { return parts_; }
  std::size_t sips() const { return sips_; }
  // Indices of parts.
  std::size_t part_of_sip(int sip) const { return static_cast<std::size_t>(sip); }
  std::size_t part_of_system() const { return sips_; }
  std::size_t part_of_pe(NodeId engine) const { return pe_parts_[engine]; }
  // Number of counters of the whole machine, elaborated or not.
  std::size_t counters() const { return counters_; }

  // Components by kind that have a static power, and that power in W.
  struct StaticPower {
    std::uint32_t row = 0;
    std::uint64_t components = 0;
    double w = 0;
  };
  const std::vector<StaticPower>& static_powers() const { return static_; }

  // Counts an operation; its energy.
  struct CountedOp {
    std::uint32_t row = 0;
    std::size_t part = 0;
    double pj = 0;  // 0: no action
  };
  CountedOp count(const ExecutedOp& op);

 private:
  static constexpr std::size_t dtypes = 5;
  struct OpCounters {
    std::size_t part = 0;
    std::array<std::uint64_t, dtypes> values{};  // PE_FETCH_STORE: fetched, stored
    std::array<std::uint32_t, dtypes> rows{};
    std::array<double, dtypes> pj{};
  };

  using KnownActions = std::map<std::string, bool>;  // true: a count, not bytes

  std::uint32_t row_of(const EnergyKind& kind, const std::string& action);
  KnownActions& known_of(const EnergyKind& kind);
  std::size_t part_of(const Graph& graph, NodeId node) const;
  void add_component(const Component& component, const Node& node, std::size_t part);
  void add_ops(const Component& component, const Node& node, std::size_t part);
  void add_counter(std::size_t part, const EnergyCounter& counter);
  void add_link(const Link* link, const Edge& edge, const Graph& graph);
  void add_static(const EnergyKind& kind, std::size_t part, int cube);
  void check_actions() const;

  const EnergyTable& table_;
  std::size_t sips_ = 0;
  std::vector<EnergyActionRow> rows_;
  std::map<std::pair<EnergyKind, std::string>, std::uint32_t> row_numbers_;
  std::vector<EnergyPart> parts_;      // SIPs, the system, PEs
  std::vector<std::size_t> pe_parts_;  // by NodeId
  std::vector<StaticPower> static_;
  std::map<EnergyKind, KnownActions> known_;  // kinds in the machine
  std::size_t counters_ = 0;
  bool is_elaborated_ = true;  // the component or link that is being added
  std::deque<OpCounters> op_counters_;
  std::unordered_map<const sc_core::sc_object*, OpCounters*> by_node_;  // looked up only
};

}  // namespace kernbench
