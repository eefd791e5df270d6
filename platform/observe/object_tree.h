// The objects of one type in SystemC's tree, sorted by hierarchical name, outer scopes first.
#pragma once

#include <algorithm>
#include <systemc>
#include <vector>

#include "platform/observe/vcd_writer.h"

namespace kernbench {

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

}  // namespace kernbench
