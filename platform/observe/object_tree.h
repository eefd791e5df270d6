// Objects of one type in SystemC's tree, sorted by hierarchical name, outer scopes first.
#pragma once

#include <algorithm>
#include <string_view>
#include <systemc>
#include <typeinfo>
#include <unordered_map>
#include <vector>

#include "platform/assembly/platform.h"
#include "platform/topology/graph.h"

namespace kernbench {

// True if scope `a` comes before scope `b`: by the parts of the dotted names, outer scopes first.
inline bool scope_order(std::string_view a, std::string_view b) {
  const auto rank = [](char c) {
    return c == '.' ? 0 : static_cast<unsigned char>(c);
  };  // a shorter part sorts first
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [&](char x, char y) { return rank(x) < rank(y); });
}

// Whether objects are a T. A machine has ten times as many ports as components, of few types, and a
// dynamic_cast that fails takes about a microsecond.
template <class T>
class TypeFilter {
 public:
  T* cast(sc_core::sc_object* object) {
    const auto [known, is_new] = is_match_.try_emplace(&typeid(*object), false);
    if (!is_new && !known->second) return nullptr;
    T* const match = dynamic_cast<T*>(object);
    known->second = match != nullptr;
    return match;
  }

 private:
  std::unordered_map<const std::type_info*, bool> is_match_;  // looked up only
};

template <class T>
void collect_objects(const std::vector<sc_core::sc_object*>& objects, std::vector<T*>& found,
                     TypeFilter<T>& filter) {
  for (sc_core::sc_object* object : objects) {
    if (T* match = filter.cast(object)) found.push_back(match);
    collect_objects(object->get_child_objects(), found, filter);
  }
}

template <class T>
void collect_objects(const std::vector<sc_core::sc_object*>& objects, std::vector<T*>& found) {
  TypeFilter<T> filter;
  collect_objects(objects, found, filter);
}

template <class T>
std::vector<T*> objects_of() {
  std::vector<T*> found;
  collect_objects(sc_core::sc_get_top_level_objects(), found);
  std::sort(found.begin(), found.end(),
            [](const T* a, const T* b) { return scope_order(a->name(), b->name()); });
  return found;
}

// Components of one machine: its nodes, the host, and everything below them.
inline std::vector<Component*> components_of(const Platform& platform) {
  const auto before = [](const Component* a, const Component* b) {
    return a != b && scope_order(a->name(), b->name());
  };
  std::vector<sc_core::sc_object*> outer;  // nodes; those of UCIe connections are below their port
  for (Component* node : platform.components()) {
    if (outer.empty() || node->get_parent_object() != outer.back()) outer.push_back(node);
  }
  std::vector<Component*> found;
  collect_objects(outer, found);
  // Nodes are sorted by name; what is below one of them may not be.
  if (!std::is_sorted(found.begin(), found.end(), before))
    std::sort(found.begin(), found.end(), before);
  std::vector<Component*> of_host;
  collect_objects({&platform.host()}, of_host);
  for (Component* component : of_host)
    found.insert(std::upper_bound(found.begin(), found.end(), component, before), component);
  found.erase(std::unique(found.begin(), found.end()),
              found.end());  // may also be below another node
  return found;
}

}  // namespace kernbench
