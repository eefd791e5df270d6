// Resolved configurations of the points of a sweep, by hash, in its result file (spec 10.6).
//
// Points of a sweep differ in a few values. A text is therefore stored whole only if no stored one
// resembles it, and else as its lines that differ from that one, the base.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kernbench {

class SweepConfigurations {
 public:
  // Adds the table to the database if there is none.
  explicit SweepConfigurations(SQLite::Database& database);
  // Stores a text; no effect if there is one of this hash.
  void add(const std::string& hash, const std::string& text);
  // Copies all texts of the result file of another sweep.
  void add_all(const SQLite::Database& other);

 private:
  struct Base {
    std::string hash;
    std::vector<std::string> lines;
  };
  void insert(const std::string& hash, const std::string& base, const std::string& text);
  void add_base(const std::string& hash, std::vector<std::string> lines);

  SQLite::Database& database_;
  std::set<std::string> hashes_;
  std::multimap<std::size_t, Base> bases_;  // by number of lines
};

// Configurations that are read, compared with their base.
class StoredConfigurations {
 public:
  // Has none if the file is of a sweep that stored none.
  explicit StoredConfigurations(const SQLite::Database& database);

  bool has(const std::string& hash) const { return stored_.count(hash) != 0; }
  // Hash of the base, of a base itself its own. The hash must be stored.
  const std::string& base_of(const std::string& hash) const;
  // Text of any stored hash.
  std::string text(const std::string& hash) const;
  // Values that differ from the base, by key path: "cube.links.hbm_to_router_bw_gbs: 512".
  std::vector<std::string> differences(const std::string& hash);

 private:
  struct Stored {
    std::string base, text;  // base: empty for a whole text
  };
  using NumberedLines = std::vector<std::pair<std::size_t, std::string>>;
  static NumberedLines changed_lines(const Stored& stored);
  const std::vector<std::string>& lines_of_base(const std::string& hash);

  std::map<std::string, Stored> stored_;
  std::map<std::string, std::vector<std::string>> base_lines_;
  // Differences in a line, by base, number and text: axes repeat their values.
  std::map<std::string, std::vector<std::string>> known_;
};

}  // namespace kernbench
