// RunPlaces: where rows of a run's reports lead: to a place on the map and a part of the time.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/web/served_machine.h"

namespace kernbench {

// First `parts` parts of a dotted name.
std::string first_parts(const std::string& name, int parts);

class RunPlaces {
 public:
  using Json = nlohmann::ordered_json;

  // `machine` outlives this object.
  explicit RunPlaces(const ServedMachine& machine);

  // A kernel or an operator ran on a PE (or a device), first and last; equal times: unknown.
  void add_run(const std::string& name, const std::string& pe, Fs start, Fs end);
  // Share in which a server of a node or link was busy. `resource`: its name in reports.
  void add_use(const std::string& place, const std::string& resource, double share);

  // Target of a row, the first of:
  //  1. the link between two neighbouring cells that name its ends
  //  2. the place or kernel that a text names
  //  3. the busiest place of the kind that a text begins with ("pe_dma", "HBM", "router_mesh") or
  //     that is a part of a key
  //  4. the scope in which kernels ran
  // A target is the name of a node, link or scope, or {"place", "scopes", "from_fs", "to_fs"}: the
  // common scope ("": the machine), all scopes, first start and last end. Null: nowhere.
  Json of_row(const std::vector<Json>& cells) const;
  // Null: no such place, or kernel.
  Json of_text(const std::string& text) const;

 private:
  struct Run {
    std::set<std::string> pes;
    Fs start = 0, end = 0;
  };
  static Json target_of(const Run& run);
  std::string of_kind(const std::string& text) const;

  const ServedMachine& machine_;
  std::map<std::string, Run> runs_;  // by kernel or operator
  Run all_;
  std::map<std::string, std::pair<double, std::string>, std::less<>> busiest_;  // by kind
};

}  // namespace kernbench
