#include "platform/sweep/sweep_configurations.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "platform/config/config_tree.h"
#include "platform/sweep/axis_reader.h"

namespace kernbench {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::size_t indent_of(const std::string& line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

bool is_comment(const std::string& line) { return line.compare(0, 1, "#") == 0; }

// --- Differences of two lines

// Key of "  key: value"; of "  - id: io0" the id.
std::string key_of(const std::string& line) {
  const std::size_t begin = indent_of(line), colon = line.find(':', begin);
  std::string key = line.substr(begin, colon - begin);
  if (key == "- id" && colon != std::string::npos) return line.substr(line.find(' ', colon) + 1);
  return key.compare(0, 2, "- ") == 0 ? key.substr(2) : key;
}

// Path of the key of a line, from the lines above that are indented less.
std::string path_of(const std::vector<std::string>& lines, std::size_t number) {
  std::string path = key_of(lines[number]);
  std::size_t indent = indent_of(lines[number]);
  for (std::size_t i = number; i-- > 0 && indent > 0;) {
    if (is_comment(lines[i]) || indent_of(lines[i]) >= indent) continue;
    path = key_of(lines[i]) + '.' + path;
    indent = indent_of(lines[i]);
  }
  return path;
}

void add_leaves(const std::string& path, const ConfigNode& node,
                std::map<std::string, std::string>& leaves) {
  if (node.kind != ConfigNode::Kind::map) {
    leaves[path] = flow_text(node);
    return;
  }
  for (const ConfigEntry& entry : node.entries)
    add_leaves(path + '.' + entry.key, entry.value, leaves);
}

// Values of "key: {a: 1, b: 2}", by path.
std::map<std::string, std::string> leaves_of(const std::string& path, const std::string& line) {
  std::map<std::string, std::string> leaves;
  const std::size_t colon = line.find(": ");
  if (colon == std::string::npos) return leaves;
  std::vector<ConfigIssue> issues;
  add_leaves(path, parse_config_value(line.substr(colon + 2), {}, path, issues), leaves);
  return leaves;
}

// Words of a comment that differ: "# bench gemm M=32 K=64" has those of the bench.
std::vector<std::string> changed_words(const std::string& base, const std::string& line) {
  std::istringstream before(base), after(line);
  std::set<std::string> words;
  for (std::string word; before >> word;) words.insert(word);
  std::vector<std::string> changed;
  for (std::string word; after >> word;)
    if (words.count(word) == 0) changed.push_back(word);
  return changed;
}

std::vector<std::string> changes(const std::vector<std::string>& base, std::size_t number,
                                 const std::string& line) {
  if (is_comment(line)) return changed_words(base[number], line);
  const std::string path = path_of(base, number);
  const std::map<std::string, std::string> before = leaves_of(path, base[number]),
                                           after = leaves_of(path, line);
  std::vector<std::string> changed;
  for (const auto& [key, value] : after) {
    const auto same = before.find(key);
    if (same == before.end() || same->second != value)
      changed.push_back(fmt::format("{}: {}", key, value));
  }
  return changed;
}

// --- Differences of two texts

// Values by path; elements of a list by their `id`, else by their index.
void add_values(const std::string& path, const ConfigNode& node,
                std::map<std::string, std::string>& values) {
  const std::string prefix = path.empty() ? "" : path + '.';
  const auto is_composed = [](const ConfigNode& item) {
    return item.kind == ConfigNode::Kind::map || item.kind == ConfigNode::Kind::list;
  };
  if (node.kind == ConfigNode::Kind::map) {
    for (const ConfigEntry& entry : node.entries)
      add_values(prefix + entry.key, entry.value, values);
  } else if (std::any_of(node.items.begin(), node.items.end(), is_composed)) {
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const ConfigNode* id = node.items[i].find("id");
      add_values(prefix + (id == nullptr ? std::to_string(i) : id->text), node.items[i], values);
    }
  } else {
    values[path] = flow_text(node);
  }
}

std::map<std::string, std::string> values_of(const std::string& text) {
  std::map<std::string, std::string> values;
  std::vector<ConfigIssue> ignored;  // the text is our own
  add_values("", parse_config_value(text, {}, "", ignored), values);
  return values;
}

// Whether two lines have the same key with a value, so that their values can be compared.
bool is_comparable(const std::string& base, const std::string& line) {
  if (is_comment(base) && is_comment(line)) return true;
  return indent_of(base) == indent_of(line) && key_of(base) == key_of(line) &&
         line.compare(indent_of(line), 2, "- ") != 0 && line.find(": ") != std::string::npos;
}

}  // namespace

// --- Writing

SweepConfigurations::SweepConfigurations(SQLite::Database& database) : database_(database) {
  database.exec(
      "CREATE TABLE IF NOT EXISTS configurations(hash TEXT PRIMARY KEY, base TEXT, text TEXT)");
  SQLite::Statement rows(database,
                         "SELECT hash, CASE WHEN base IS NULL THEN text END FROM configurations");
  while (rows.executeStep()) {
    const std::string hash = rows.getColumn(0).getString();
    hashes_.insert(hash);
    if (rows.getColumn(1).isNull()) continue;
    add_base(hash, lines_of(rows.getColumn(1).getString()));
  }
}

void SweepConfigurations::insert(const std::string& hash, const std::string& base,
                                 const std::string& text) {
  SQLite::Statement row(database_, "INSERT INTO configurations VALUES(?, ?, ?)");
  row.bind(1, hash);
  base.empty() ? row.bind(2) : row.bind(2, base);
  row.bind(3, text);
  row.exec();
  hashes_.insert(hash);
}

void SweepConfigurations::add_base(const std::string& hash, std::vector<std::string> lines) {
  const std::size_t count = lines.size();
  bases_.emplace(count, Base{hash, std::move(lines)});
}

void SweepConfigurations::add(const std::string& hash, const std::string& text) {
  if (hashes_.count(hash) != 0) return;
  std::vector<std::string> lines = lines_of(text);
  const auto [begin, end] = bases_.equal_range(lines.size());
  for (auto base = begin; base != end; ++base) {
    std::string changed;
    std::size_t count = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i] == base->second.lines[i]) continue;
      changed += fmt::format("{}:{}\n", i, lines[i]);
      ++count;
    }
    if (count <= lines.size() / 4) return insert(hash, base->second.hash, changed);
  }
  insert(hash, "", text);
  add_base(hash, std::move(lines));
}

// A base of the other file may be known here by a text relative to another base.
void SweepConfigurations::add_all(const SQLite::Database& other,
                                  const std::set<std::string>& hashes) {
  const StoredConfigurations stored(other);
  for (const std::string& hash : hashes)
    if (stored.has(hash)) add(hash, stored.text(hash));
}

// --- Reading

StoredConfigurations::StoredConfigurations(const SQLite::Database& database) {
  if (!database.tableExists("configurations")) return;
  SQLite::Statement rows(database, "SELECT hash, base, text FROM configurations");
  while (rows.executeStep())
    stored_[rows.getColumn(0).getString()] = {rows.getColumn(1).getString(),
                                              rows.getColumn(2).getString()};
}

std::vector<std::string> StoredConfigurations::hashes() const {
  std::vector<std::string> hashes;
  for (const auto& [hash, stored] : stored_) hashes.push_back(hash);
  return hashes;
}

const std::string& StoredConfigurations::base_of(const std::string& hash) const {
  const auto found = stored_.find(hash);
  return found->second.base.empty() ? found->first : found->second.base;
}

StoredConfigurations::NumberedLines StoredConfigurations::changed_lines(const Stored& stored) {
  NumberedLines lines;
  if (stored.base.empty()) return lines;
  for (const std::string& line : lines_of(stored.text)) {
    const std::size_t colon = line.find(':');
    lines[std::stoul(line.substr(0, colon))] = line.substr(colon + 1);
  }
  return lines;
}

std::string StoredConfigurations::text(const std::string& hash) const {
  const Stored& stored = stored_.at(hash);
  if (stored.base.empty()) return stored.text;
  std::vector<std::string> lines = lines_of(stored_.at(stored.base).text);
  for (auto& [number, line] : changed_lines(stored)) lines.at(number) = line;
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

std::vector<std::string> StoredConfigurations::differences(const std::string& hash,
                                                           const std::string& from) {
  std::vector<std::string> all;
  if (hash == from) return all;
  const auto [place, is_new] = lines_.try_emplace(from);
  if (is_new) place->second = lines_of(text(from));
  const std::vector<std::string>& before = place->second;
  // Lines in which only `from` differs from the base have the text of the base here.
  NumberedLines changed = changed_lines(stored_.at(hash));
  const std::string& base = base_of(hash);
  if (base != from) {
    const std::vector<std::string> lines = lines_of(stored_.at(base).text);
    for (const auto& [number, line] : changed_lines(stored_.at(from)))
      changed.try_emplace(number, lines.at(number));
  }
  const bool comparable = std::all_of(changed.begin(), changed.end(), [&](const auto& each) {
    const auto& [number, line] = each;
    return number < before.size() && is_comparable(before[number], line);
  });
  for (const auto& [number, line] : changed) {
    if (number >= before.size() || before[number] == line) continue;
    if (!comparable && !is_comment(line)) continue;
    const auto [known, is_unknown] =
        known_.try_emplace(fmt::format("{}:{}:{}", from, number, line));
    if (is_unknown) known->second = changes(before, number, line);
    all.insert(all.end(), known->second.begin(), known->second.end());
  }
  if (!comparable) {
    const auto [values, is_first] = values_.try_emplace(from);
    if (is_first) values->second = values_of(text(from));
    for (const auto& [key, value] : values_of(text(hash))) {
      const auto same = values->second.find(key);
      if (same == values->second.end() || same->second != value)
        all.push_back(fmt::format("{}: {}", key, value));
    }
  }
  return all;
}

}  // namespace kernbench
