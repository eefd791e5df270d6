// Configuration file as a tree with the location of every value. `include: FILE` at the top uses
// another file as base: maps are merged key by key, anything else is replaced.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/base/errors.h"

namespace kernbench {

// File, line and column (from 1; 0 = not in a file).
struct ConfigLocation {
  std::string file;
  int line = 0, column = 0;
};

struct ConfigEntry;

struct ConfigNode {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  std::string text;                  // scalars
  bool quoted = false;               // scalars: quoted, therefore text
  std::vector<ConfigEntry> entries;  // maps, in file order
  std::vector<ConfigNode> items;     // lists
  ConfigLocation place;

  const ConfigNode* find(const std::string& key) const;  // null if absent or not a map
  ConfigNode* find(const std::string& key);
  // Node at a path of keys, "sip.io_chiplets.io0.side"; elements of lists by number or id. Null:
  // there is none.
  const ConfigNode* at(const std::string& path) const;
  std::string described() const;  // "the text 'abc'", "a list", ...: for messages
};

struct ConfigEntry {
  std::string key;
  ConfigLocation place;
  ConfigNode value;
  // Implementation for which an attribute of a component was given, if an including file or --set
  // has since replaced `impl`; else empty.
  std::string former_impl = {};
};

// Called before the `impl` of a component entry changes: marks its present attributes. No effect if
// the name stays the same, or on a section without `impl`.
void mark_former_attributes(ConfigNode& component, const ConfigNode& new_impl);

// `--set key=value`. A list is indexed by number or by the `id` of its elements.
struct Override {
  std::string key;
  std::string value;
  std::string prefix = {};  // prefix of the key as the user writes it: "ccl:"; for messages
};

// Splits "KEY=VALUE" at the first '='. None without '=' or with an empty key.
std::optional<std::pair<std::string, std::string>> key_and_value(const std::string& text);
// Settings of `family`, whose keys have it as a prefix: "components:KEY=VALUE". A key without a
// prefix belongs to topology.yaml. `families`: those that the command reads. Throws UsageError for
// another prefix.
std::vector<Override> overrides_of(const std::vector<std::string>& settings,
                                   const std::string& family,
                                   const std::vector<std::string>& families);

// Folder of the shipped configurations, for the whole process; initially unset. If the folder of
// the including file has no FILE, `include: FILE` is looked up here by the names that --topology
// accepts: FILE, topology.FILE.yaml, ccl.FILE.yaml, components.FILE.yaml, sweeps/FILE.yaml.
void set_shipped_configs(const std::string& folder);

// Appends faults to `issues`. A file that cannot be read at all, or whose base cannot, yields a
// null node.
ConfigNode load_config_tree(const std::string& path, std::vector<ConfigIssue>& issues);
// Returns the file itself, then the included files that still contribute content.
std::vector<std::string> files_of_config(const std::string& path);
// Parses a value in the form of `--set`, YAML on one line. `place` is the location of everything in
// it, `key` the full path for messages.
ConfigNode parse_config_value(const std::string& text, const ConfigLocation& place,
                              const std::string& key, std::vector<ConfigIssue>& issues);
void apply_override(ConfigNode& root, const Override& override, std::vector<ConfigIssue>& issues);

ConfigIssue issue_at(const ConfigLocation& place, std::string key, std::string message);

}  // namespace kernbench
