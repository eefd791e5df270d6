// A configuration file as a tree with the location of every value. `include: FILE` at the top takes
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
  bool quoted = false;               // scalars: written in quotes, so text
  std::vector<ConfigEntry> entries;  // maps, in the order of the file
  std::vector<ConfigNode> items;     // lists
  ConfigLocation place;

  const ConfigNode* find(const std::string& key) const;  // null if absent or not a map
  ConfigNode* find(const std::string& key);
  std::string described() const;  // "the text 'abc'", "a list", ...: for messages
};

struct ConfigEntry {
  std::string key;
  ConfigLocation place;
  ConfigNode value;
  // An attribute of a component that was given for another `impl`, replaced since by an including
  // file or --set; else empty.
  std::string former_impl = {};
};

// To be called before the `impl` of a component entry becomes another one: marks the attributes
// that it has. No effect if the name stays, or on a section without `impl`.
void mark_former_attributes(ConfigNode& component, const ConfigNode& new_impl);

// `--set key=value`. A list is indexed by number or by the `id` of its elements.
struct Override {
  std::string key;
  std::string value;
  std::string prefix = {};  // of the key, as the user writes it: "ccl:"; for messages
};

// A setting as text, "KEY=VALUE", cut at the first '='; none without one, or with nothing before
// it.
std::optional<std::pair<std::string, std::string>> key_and_value(const std::string& text);
// The given settings of `family`, whose keys have it as a prefix: "components:KEY=VALUE".
// Without a prefix the key is topology.yaml's. `families`: what the command reads.
// UsageError for another prefix.
std::vector<Override> overrides_of(const std::vector<std::string>& settings,
                                   const std::string& family,
                                   const std::vector<std::string>& families);

// Folder of the shipped configurations, for the whole process; unset at first. If the folder of the
// including file has no FILE, `include: FILE` searches here, by the names that --topology takes:
// FILE, topology.FILE.yaml, ccl.FILE.yaml, components.FILE.yaml.
void set_shipped_configs(const std::string& folder);

// Faults are appended to `issues`; a file that cannot be read at all, or whose base cannot, yields
// a null node.
ConfigNode load_config_tree(const std::string& path, std::vector<ConfigIssue>& issues);
// The file itself, then those that it includes as far as they hold anything of it.
std::vector<std::string> files_of_config(const std::string& path);
// Parses a value in the form of `--set`, YAML in one line; `place` is the location of everything in
// it, `key` the full path for messages.
ConfigNode parse_config_value(const std::string& text, const ConfigLocation& place,
                              const std::string& key, std::vector<ConfigIssue>& issues);
void apply_override(ConfigNode& root, const Override& override, std::vector<ConfigIssue>& issues);

ConfigIssue issue_at(const ConfigLocation& place, std::string key, std::string message);

}  // namespace kernbench
