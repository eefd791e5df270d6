// Limits: gain of a run with twice as much of each resource, and the resource that limits it (spec
// 11.3). Estimated in `run` and `traffic` (bottleneck.h); `inspect` reads them from the operation
// log.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/base/units.h"
#include "platform/output/table.h"

namespace kernbench {

// A row of the table `limits` of an operation log.
struct ResourceLimit {
  std::string resource, key;  // resources.h
  std::string kind;           // "rate", "slot"
  std::string busiest;        // server
  Fs busy = 0;                // busy time of that server, mean of its places
  std::optional<Fs> stalled;  // stall time at all servers; none: unknown
  Fs twice = 0;               // length of the window with twice as much
  Fs at_least = 0;            // with it unlimited
};

// Busy share above which a server of kind `rate` limits the run.
inline constexpr double saturated = 0.9;

struct Limits {
  Fs window = 0;
  bool is_estimated = true;         // false: a kernel has not ended; only busy times are known
  std::vector<ResourceLimit> rows;  // by gain, then by busy time

  double gain(const ResourceLimit& row) const;  // 1.5: one and a half times as fast
  // The resource with the largest gain, if at least 10 %; else those with a saturated server; none:
  // latency, or not estimated.
  std::vector<const ResourceLimit*> limits() const;
  // "HBM, PE links"; "latency"; "not estimated".
  std::string name() const;
  // "HBM (KEY), 56.6 % busy: twice as much is 14.7 % faster; ..."; empty without rows.
  std::string verdict() const;
  // Rows that are significant, after the columns `first`.
  void add_significant(Table& table, const Table::Row& first, std::size_t most) const;
  // All rows, likewise.
  void add_all(Table& table, const Table::Row& first) const;
  nlohmann::ordered_json json() const;
  // Without rows; after the columns `first`.
  static Table significant_table(std::vector<Table::Column> first = {});
  static Table table(std::vector<Table::Column> first = {});
};

}  // namespace kernbench
