#include "platform/assembly/process_names.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

namespace kernbench {
namespace {

using Found = std::vector<std::pair<const void*, std::string>>;

struct Entry {
  const void* process;
  const char* name;
};

// One mapping: entries by address, then the texts.
struct {
  void* memory = nullptr;
  std::size_t bytes = 0;
  std::size_t count = 0;
} table;

void find_below(const std::vector<sc_core::sc_object*>& objects, Found& found) {
  for (const sc_core::sc_object* object : objects) {
    find_below(object->get_child_objects(), found);
    if (std::strstr(object->kind(), "_process") == nullptr) continue;  // a cast costs more
    const auto* process = dynamic_cast<const sc_core::sc_process_b*>(object);
    if (process != nullptr) found.emplace_back(process, object->name());
  }
}

void map(std::size_t bytes) {
  if (table.memory != nullptr) ::munmap(table.memory, table.bytes);
  table = {nullptr, bytes, 0};
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) table.memory = memory;
}

}  // namespace

void ProcessNames::copy() {
  Found found;
  find_below(sc_core::sc_get_top_level_objects(), found);
  std::sort(found.begin(), found.end());
  std::size_t bytes = found.size() * sizeof(Entry) + 1;
  for (const auto& each : found) bytes += each.second.size() + 1;
  map(bytes);
  if (table.memory == nullptr) return;
  auto* entry = static_cast<Entry*>(table.memory);
  char* text = reinterpret_cast<char*>(entry + found.size());
  for (const auto& [process, name] : found) {
    *entry++ = {process, text};
    std::memcpy(text, name.c_str(), name.size() + 1);
    text += name.size() + 1;
  }
  table.count = found.size();
}

const char* ProcessNames::of(const void* process) {
  const auto* begin = static_cast<const Entry*>(table.memory);
  const Entry* end = begin + table.count;
  const Entry* at = std::lower_bound(
      begin, end, process, [](const Entry& entry, const void* key) { return entry.process < key; });
  return at != end && at->process == process ? at->name : nullptr;
}

}  // namespace kernbench
