// EnergyTable: energy of an action and static power, by kind of component and of link (spec 11.8).
//
//   components:
//     pe_mmu:                     # a role; its actions: statistics, and those of energy_actions.h
//       look_ups: {pj: 7.5, process: 7 nm, source: Jouppi et al., ISCA 2021}
//       static: {w: 0.002}        # of each component; the source is an assumption
//   links:
//     ucie_mesh:                  # a kind of link
//       bytes: {pj_per_bit: 0.25, source: ...}
//
// An action without an entry is unknown, not 0.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/config/config_schema.h"

namespace kernbench {

// Kind of nodes ("pe_gemm") or, with `is_link`, of links ("router_mesh").
struct EnergyKind {
  bool is_link = false;
  std::string name;
  friend bool operator<(const EnergyKind& a, const EnergyKind& b) {
    return a.is_link != b.is_link ? b.is_link : a.name < b.name;
  }
};

struct EnergyEntry {
  double pj = 0;                     // energy of one action: a count, a byte, a byte and mm
  std::optional<double> pj_per_bit;  // if the entry has it
  double w = 0;                      // static power of one component or link
  std::string process, source;
  ConfigLocation place;
  std::string key;  // "components.pe_mmu.look_ups"
};

class EnergyTable {
 public:
  // Action that is the static power.
  static constexpr const char* static_power = "static";

  const std::string& path() const { return path_; }
  const EnergyEntry* find(const EnergyKind& kind, const std::string& action) const;  // null: none
  const std::map<EnergyKind, std::map<std::string, EnergyEntry>>& entries() const {
    return entries_;
  }

 private:
  friend EnergyTable load_energy_table(const std::string&, const std::vector<Override>&);
  std::string path_;
  std::map<EnergyKind, std::map<std::string, EnergyEntry>> entries_;
};

// Reads the file and applies the overrides in order. ConfigError: an unknown kind or key, a
// negative or missing value, two values of one action. Names of actions are checked against a
// machine (EnergyActions).
EnergyTable load_energy_table(const std::string& path, const std::vector<Override>& overrides);
ConfigSchema energy_schema();

}  // namespace kernbench
