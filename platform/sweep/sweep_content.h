// Result file of a sweep that is only read, without its rows (spec 10.6).
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace kernbench {

// Facts `kind` and `schema_version` of a result file.
inline constexpr const char* sweep_file_kind = "kernbench sweep";
inline constexpr int sweep_schema_version = 1;

using SweepFacts = std::map<std::string, std::string>;                 // table `meta`
std::string fact_of(const SweepFacts& facts, const std::string& key);  // "": there is none

struct RequestedPoint {
  std::uint64_t number = 0;  // in the plan, from 1
  std::string key, label;    // label: "M=32, N=64"
};

std::set<std::string> labels_of(const std::vector<RequestedPoint>& points);

struct SweepContent {
  std::string path;
  SweepFacts facts;
  std::vector<std::string> axes;
  std::vector<RequestedPoint> requested;
  std::uint64_t finished = 0, ok = 0;  // requested points that have a row; not failed
};
// UsageError: a file has points, and none of these labels. `advice`: what to do about it.
void check_same_plan(const std::string& path, const std::vector<RequestedPoint>& stored,
                     const std::set<std::string>& labels, const std::string& advice);

// UsageError: no result file of a sweep, or one of another schema version.
SweepContent read_sweep(const std::string& path);

// Opened so that no file is created next to it, unless a sweep is writing it. If a write-ahead log
// cannot be read there, as on a full disk, the database is a copy in memory.
SQLite::Database open_read_only(const std::string& path);

// Parts of a file that is open. Facts are empty if it has no table of them.
SweepFacts facts_of(const SQLite::Database& database);
std::vector<RequestedPoint> requested_of(const SQLite::Database& database);
// UsageError that names the file: no result file of a sweep, or one of another schema version.
// `advice`: what to do about another version.
void check_facts(const std::string& path, const SweepFacts& facts, const std::string& advice = "");

}  // namespace kernbench
