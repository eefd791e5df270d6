// Objects of one type in SystemC's tree, sorted by hierarchical name, outer scopes first.
#pragma once

#include <algorithm>
#include <string_view>
#include <systemc>
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

template <class T>
void collect_objects(const std::vector<sc_core::sc_object*>& objects, std::vector<T*>& found) {
  for (sc_core::sc_object* object : objects) {
    if (auto* match = dynamic_cast<T*>(object)) found.push_back(match);
    collect_objects(object->get_child_objects(), found);
  }
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
  std::vector<Component*> found;
  collect_objects({platform.components().begin(), platform.components().end()}, found);
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
