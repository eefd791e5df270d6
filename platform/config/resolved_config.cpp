#include "platform/config/resolved_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>

#include "platform/config/machine_keys.h"

namespace kernbench {
namespace {

// Key with its content before layout.
struct Entry {
  enum class Kind : std::uint8_t { scalar, section, list };
  std::string key;  // unused for list elements
  Kind kind = Kind::scalar;
  std::string text;     // scalars
  std::string comment;  // after the value
  std::vector<Entry> below;
  bool in_line = false, by_name = false, is_written = true;
};

std::string in_line(const Entry& entry) {
  if (entry.kind == Entry::Kind::scalar) return entry.text;
  const bool list = entry.kind == Entry::Kind::list;
  std::string text;
  for (const Entry& each : entry.below)
    text += (text.empty() ? "" : ", ") + (list ? "" : each.key + ": ") + in_line(each);
  return list ? fmt::format("[{}]", text) : fmt::format("{{{}}}", text);
}

bool fits_one_line(const Entry& entry) {
  return entry.kind == Entry::Kind::scalar || entry.in_line || entry.below.empty();
}

void write(std::string& out, const Entry& entry, int depth);

void write_below(std::string& out, const Entry& entry, int depth) {
  const std::string indent(static_cast<std::size_t>(2 * depth), ' ');
  for (const Entry& each : entry.below) {
    if (entry.kind == Entry::Kind::section) {
      write(out, each, depth);
    } else if (fits_one_line(each)) {
      out += fmt::format("{}- {}\n", indent, in_line(each));
    } else {
      std::string element;
      write_below(element, each, depth + 1);
      out += fmt::format("{}- {}", indent, element.substr(indent.size() + 2));
    }
  }
}

void write(std::string& out, const Entry& entry, int depth) {
  const std::string indent(static_cast<std::size_t>(2 * depth), ' ');
  if (fits_one_line(entry)) {
    out += fmt::format("{}{}: {}{}\n", indent, entry.key, in_line(entry), entry.comment);
  } else {
    out += fmt::format("{}{}:\n", indent, entry.key);
    write_below(out, entry, depth + 1);
  }
}

// YAML's double quotes are those of JSON.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Quotes a text that YAML would parse as something else, in a line or on its own.
std::string text_value(const std::string& text) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '/' || c == '-';
  };
  const bool safe = !text.empty() &&
                    (std::isalnum(static_cast<unsigned char>(text.front())) != 0) &&
                    std::all_of(text.begin(), text.end(), plain);
  return safe ? text : quoted(text);
}

// Aliases are resolved, as they exist in this run only.
std::string factory_of(const std::string& impl, const Implementation* implementation) {
  return implementation == nullptr ? impl : implementation->factory;
}

bool is_from_machine(const Implementation* implementation, const std::string& name) {
  if (implementation == nullptr) return false;
  for (const Parameter& parameter : implementation->schema) {
    if (parameter.name() == name) return parameter.is_from_machine();
  }
  return false;
}

struct ComponentText {
  ComponentText(const ComponentSpec& spec, const ComponentRegistry& registry) {
    const Implementation* implementation = registry.find(spec.impl);
    std::string attrs;
    for (const auto& [name, value] : spec.attributes.values()) {
      std::string& list = is_from_machine(implementation, name) ? machine : attrs;
      list += fmt::format("{}{}: {}", list.empty() ? "" : ", ", name, format_value(value));
    }
    own = fmt::format("{{impl: {}, attrs: {{{}}}}}", factory_of(spec.impl, implementation), attrs);
  }

  std::string own;      // "{impl: NAME, attrs: {...}}"
  std::string machine;  // attributes that the topology fills in
};

// Effect of `overrides`: a comment with one line for the instances of one component.
std::string instances_text(const InstanceSpecs& instances, const ComponentRegistry& registry) {
  struct Group {
    const ComponentSpec* component;
    std::string first;
    std::size_t count = 0;
  };
  std::vector<Group> groups;  // in the order of their first names
  std::map<const ComponentSpec*, std::size_t> positions;
  for (const auto& [name, component] : instances) {
    const auto [position, is_new] = positions.emplace(component.get(), groups.size());
    if (is_new) groups.push_back({component.get(), name});
    ++groups[position->second].count;
  }
  std::string text = groups.empty() ? "" : "# the instances of `overrides`:\n";
  for (const Group& group : groups) {
    const ComponentText component(*group.component, registry);
    text += fmt::format("#   {}{}: {}{}\n", group.first,
                        group.count == 1 ? "" : fmt::format(" and {} more", group.count - 1),
                        component.own,
                        component.machine.empty() ? "" : "; of the machine: " + component.machine);
  }
  return text;
}

class Writer final : public KeyVisitor {
 public:
  explicit Writer(const ComponentRegistry& registry) : registry_(registry), open_(1) {
    open_.back().kind = Entry::Kind::section;
  }

  std::string text() const {
    std::string out;
    write_below(out, open_.front(), 0);
    return out;
  }

 private:
  void on_value(const KeyRow& row, const Parameter& /*parameter*/,
                const ParameterMember& member) override {
    const std::optional<ParameterValue> value = member.value();
    if (row.is_written && value) add(row, format_value(*value));
  }
  void on_name(const KeyRow& row, std::string& member) override { add(row, member); }
  void on_text(const KeyRow& row, std::string& member) override { add(row, text_value(member)); }

  void on_component(const ComponentRow& row, ComponentSpec& spec) override {
    const ComponentText text(spec, registry_);
    add(row, text.own, text.machine.empty() ? "" : "  # of the machine: " + text.machine);
  }
  void on_implementation(const KeyRow& row, std::string& member) override {
    if (row.is_written) add(row, factory_of(member, registry_.find(member)));
  }
  void on_attributes(const KeyRow& row, std::vector<GivenAttribute>& member) override {
    std::string list;
    for (const GivenAttribute& each : member)
      list += fmt::format("{}{}: {}", list.empty() ? "" : ", ", text_value(each.name),
                          each.quoted ? quoted(each.value) : each.value);
    if (row.is_written) add(row, fmt::format("{{{}}}", list));
  }

  void begin_section(const KeyRow& row) override { open(row, Entry::Kind::section); }
  std::size_t begin_list(const KeyRow& row, std::size_t elements) override {
    open(row, Entry::Kind::list);
    return elements;
  }
  void end() override {
    Entry entry = std::move(open_.back());
    open_.pop_back();
    if (entry.by_name)
      std::sort(entry.below.begin(), entry.below.end(),
                [](const Entry& a, const Entry& b) { return a.key < b.key; });
    if (entry.is_written) open_.back().below.push_back(std::move(entry));
  }

  void add(const KeyRow& row, std::string text, std::string comment = "") {
    Entry entry;
    entry.key = row.key;
    entry.text = std::move(text);
    entry.comment = std::move(comment);
    open_.back().below.push_back(std::move(entry));
  }
  void open(const KeyRow& row, Entry::Kind kind) {
    Entry entry;
    entry.key = row.key;
    entry.kind = kind;
    entry.in_line = row.is_in_line;
    entry.by_name = row.is_by_name;
    entry.is_written = row.is_written;
    open_.push_back(std::move(entry));
  }

  const ComponentRegistry& registry_;
  std::vector<Entry> open_;  // from the root down to the section or list being filled
};

}  // namespace

std::string resolved_config(MachineSpec spec, const ComponentRegistry& registry) {
  Writer writer(registry);
  visit_keys(writer, spec);
  return writer.text() + instances_text(spec.instances, registry);
}

}  // namespace kernbench
