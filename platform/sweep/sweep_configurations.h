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
#include <vector>

namespace kernbench {

class SweepConfigurations {
 public:
  // Adds the table to the database if there is none.
  explicit SweepConfigurations(SQLite::Database& database);
  // Stores a text; no effect if there is one of this hash.
  void add(const std::string& hash, const std::string& text);
  // Copies the texts of these hashes from the result file of another sweep.
  void add_all(const SQLite::Database& other, const std::set<std::string>& hashes);

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

// Configurations that are read, and compared.
class StoredConfigurations {
 public:
  // Empty if the file is of a sweep that stored none.
  explicit StoredConfigurations(const SQLite::Database& database);

  bool has(const std::string& hash) const { return stored_.count(hash) != 0; }
  std::vector<std::string> hashes() const;  // sorted
  // Hash of the base of a stored text; a base is its own.
  const std::string& base_of(const std::string& hash) const;
  // Text of any stored hash.
  std::string text(const std::string& hash) const;
  // Values of `hash` that differ from those of `from`, by key path: "cube.links.x_bw_gbs: 512".
  // Both have the same base: points finish in any order, so that the base may be any of them.
  std::vector<std::string> differences(const std::string& hash, const std::string& from);

 private:
  struct Stored {
    std::string base, text;  // base: empty for a whole text
  };
  using NumberedLines = std::map<std::size_t, std::string>;
  static NumberedLines changed_lines(const Stored& stored);

  std::map<std::string, Stored> stored_;
  // Lines of texts that others are compared with, and the differences of a line from those, by
  // hash, number and text: axes repeat their values.
  std::map<std::string, std::vector<std::string>> lines_;
  std::map<std::string, std::vector<std::string>> known_;
  std::map<std::string, std::map<std::string, std::string>>
      values_;  // values of whole texts, by path
};

}  // namespace kernbench
