// Traversal of the keys of topology.yaml, each with the member of the MachineSpec that holds its
// value. The rows are in machine_keys.cpp; schema, reader, resolution of components and
// --print-config are visitors.
#pragma once

#include <string>
#include <vector>

#include "models/base/parameter_member.h"
#include "models/base/role.h"
#include "platform/config/machine_spec.h"

namespace kernbench {

// Key of a value: name, meaning, and notation.
struct KeyRow {
  KeyRow(std::string key, std::string description)
      : key(std::move(key)), description(std::move(description)) {}

  // Marks the key as optional; `written`: whether this machine has it.
  KeyRow& optional(bool written = true) {
    required = false;
    is_written = written;
    return *this;
  }
  // Number of elements of a list.
  KeyRow& items(std::size_t least, std::size_t most) {
    least_items = least;
    most_items = most;
    return *this;
  }
  // Written on one line.
  KeyRow& in_line() {
    is_in_line = true;
    return *this;
  }
  // Written with its keys in the order of their names.
  KeyRow& by_name() {
    is_by_name = true;
    return *this;
  }
  // Marks one of several keys with the same content; the key reference shows them once, as
  // `family_name`.
  KeyRow& of_family(std::string family_name) {
    family = std::move(family_name);
    return *this;
  }

  std::string key;
  std::string description;
  std::string family;
  bool required = true, is_written = true, is_in_line = false, is_by_name = false;
  std::size_t least_items = 0, most_items = 0;
};

// Component parameter that is a fact of the machine, and the member that holds it.
struct MachineFact {
  const char* parameter;
  const void* member;
  bool only_default = false;  // `attrs` may override it
};

struct ComponentRow : KeyRow {
  ComponentRow(std::string key, Role role, std::string description)
      : KeyRow(std::move(key), std::move(description)), role(role) {}

  ComponentRow& optional() {
    required = false;
    return *this;
  }
  // Bandwidth of the link between the component and its router.
  template <class Rate>
  ComponentRow& link(const Rate& rate) {
    facts.push_back({"link_bw_gbs", &rate});
    return *this;
  }
  template <class T>
  ComponentRow& with_default(const char* parameter, const T& member) {
    facts.push_back({parameter, &member, true});
    return *this;
  }

  Role role;
  std::vector<MachineFact> facts;
};

class KeyVisitor {
 public:
  virtual ~KeyVisitor() = default;

  // --- For the rows

  template <class T>
  void value(const Parameter& parameter, T& member) {
    value(KeyRow(parameter.name(), parameter.description()), parameter, member);
  }
  template <class T>
  void optional_value(const Parameter& parameter, T& member, bool written) {
    value(KeyRow(parameter.name(), parameter.description()).optional(written), parameter, member);
  }
  // A word of letters, digits, '_' and '-'.
  void name(const KeyRow& row, std::string& member) {
    const Step step(*this, row.key);
    on_name(row, member);
  }
  void text(const KeyRow& row, std::string& member) {
    const Step step(*this, row.key);
    on_text(row, member);
  }
  // Name of an implementation.
  void implementation(const KeyRow& row, std::string& member) {
    const Step step(*this, row.key);
    on_implementation(row, member);
  }
  void attributes(const KeyRow& row, std::vector<GivenAttribute>& member) {
    const Step step(*this, row.key);
    on_attributes(row, member);
  }
  template <class Body>
  void section(const KeyRow& row, const Body& body) {
    const Step step(*this, row.key);
    begin_section(row);
    body();
    end();
  }
  // Lists of sections.
  template <class Element, class Body>
  void list(const KeyRow& row, const KeyRow& of_element, std::vector<Element>& elements,
            const Body& body) {
    const Step step(*this, row.key);
    elements.resize(begin_list(row, elements.size()));
    for (std::size_t i = 0; i < elements.size(); ++i) {
      KeyRow element = of_element;
      element.key = element_step(i);
      section(element, [&] { body(elements[i]); });
    }
    end();
  }
  // Lists of values.
  template <class T>
  void list(const KeyRow& row, const Parameter& of_element, std::vector<T>& elements) {
    const Step step(*this, row.key);
    elements.resize(begin_list(row, elements.size()));
    for (std::size_t i = 0; i < elements.size(); ++i)
      value(KeyRow(element_step(i), of_element.description()), of_element, elements[i]);
    end();
  }
  // [x, y]
  template <class T>
  void pair(const KeyRow& row, const Parameter& of_element, T& x, T& y) {
    const Step step(*this, row.key);
    KeyRow two = row;
    begin_list(two.items(2, 2), 2);
    for (std::size_t i = 0; i < 2; ++i)
      value(KeyRow(element_step(i), of_element.description()), of_element, i == 0 ? x : y);
    end();
  }
  void component(const ComponentRow& row, ComponentSpec& member) {
    const Step step(*this, row.key);
    on_component(row, member);
  }
  void component(const ComponentRow& row, std::optional<ComponentSpec>& member) {
    const Step step(*this, row.key);
    if (!has_component(member.has_value())) return;
    if (!member) member.emplace();
    on_component(row, *member);
  }

 protected:
  // --- For the visitors; path() is the path of the row

  virtual void on_value(const KeyRow& /*row*/, const Parameter& /*parameter*/,
                        const ParameterMember& /*member*/) {}
  virtual void on_name(const KeyRow& /*row*/, std::string& /*member*/) {}
  virtual void on_text(const KeyRow& /*row*/, std::string& /*member*/) {}
  virtual void on_implementation(const KeyRow& row, std::string& member) { on_text(row, member); }
  virtual void on_attributes(const KeyRow& /*row*/, std::vector<GivenAttribute>& /*member*/) {}
  virtual void on_component(const ComponentRow& /*row*/, ComponentSpec& /*member*/) {}
  virtual void begin_section(const KeyRow& /*row*/) {}
  // Returns the number of elements that the list shall have.
  virtual std::size_t begin_list(const KeyRow& /*row*/, std::size_t elements) { return elements; }
  virtual void end() {}
  virtual bool has_component(bool present) { return present; }
  virtual std::string element_step(std::size_t index) const { return std::to_string(index); }

  const std::string& path() const { return path_; }

 private:
  class Step {
   public:
    Step(KeyVisitor& visitor, const std::string& key)
        : visitor_(visitor), length_(visitor.path_.size()) {
      visitor_.path_ += (length_ == 0 ? "" : ".") + key;
    }
    ~Step() { visitor_.path_.resize(length_); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    KeyVisitor& visitor_;
    std::size_t length_;
  };

  template <class T>
  void value(const KeyRow& row, const Parameter& parameter, T& member) {
    const Step step(*this, row.key);
    on_value(row, parameter, ParameterMember(member));
  }

  std::string path_;
};

}  // namespace kernbench
