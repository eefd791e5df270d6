#include "platform/observe/component_list.h"

#include <algorithm>

#include "platform/observe/vcd_writer.h"

namespace kernbench {
namespace {

void collect(const std::vector<sc_core::sc_object*>& objects, std::vector<Component*>& components) {
  for (sc_core::sc_object* object : objects) {
    if (auto* component = dynamic_cast<Component*>(object)) components.push_back(component);
    collect(object->get_child_objects(), components);
  }
}

}  // namespace

std::vector<Component*> elaborated_components() {
  std::vector<Component*> components;
  collect(sc_core::sc_get_top_level_objects(), components);
  std::sort(components.begin(), components.end(), [](const Component* a, const Component* b) { return scope_order(a->name(), b->name()); });
  return components;
}

}  // namespace kernbench
