// Limits: what limits a run, and what twice as much of each resource would gain (spec 11.3), as
// rows for people and programs. `run` and `traffic` work them out (bottleneck.h), `inspect` reads
// those of the run from its operation log.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/base/statistic.h"
#include "platform/report/table.h"

namespace kernbench {

// A row of the table `limits` of an operation log.
struct ResourceLimit {
  std::string resource, key;  // resources.h
  std::string kind;           // "rate", "slot"
  std::string busiest;        // server
  Fs busy = 0;                // of that, a mean of its places
  Fs stalled = 0;             // before all servers
  Fs twice = 0;               // window with twice as much
  Fs at_least = 0;            // with it unlimited
};
const char* name_of(Server::Kind kind);

struct Limits {
  Fs window = 0;
  bool is_estimated = true;  // false: a kernel has not ended, so that only busy times are known
  std::vector<ResourceLimit> rows;  // by gain, then by busy time

  double gain(const ResourceLimit& row) const;  // 1.5: one and a half times as fast
  // That which gains most with twice as much, a tenth at least; several that are busy for most of
  // the window, of which none gains alone; none: latency, or not estimated.
  std::vector<const ResourceLimit*> limits() const;
  // "HBM, PE links"; "latency"; "not estimated".
  std::string name() const;
  // "HBM (KEY), 56.6 % busy: twice as much is 14.7 % faster; ..."; empty without rows.
  std::string verdict() const;
  // The verdict, and the rows that matter; empty without rows.
  std::string text() const;
  Table table() const;  // all rows
  nlohmann::ordered_json json() const;
};

// Of a run, and of its kernels by themselves where they were asked for.
struct LimitReport {
  Limits run;
  struct Kernel {
    std::string kernel;  // "matmul"; "a + b": that ran together
    Limits limits;
  };
  std::vector<Kernel> kernels;

  std::string text() const;  // empty without limits of the run
  nlohmann::ordered_json json() const;
};

}  // namespace kernbench
