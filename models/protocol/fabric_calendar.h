// FabricCalendar: wakes the nodes of a machine's fabric at the instants for which they ask.
//
// One event and one process for all nodes: an entry of the heap takes the place of a timed event of
// SystemC and of its process. Nodes that are due at one instant are woken in one delta cycle; their
// order has no effect (spec 2.3).
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "models/base/units.h"

namespace kernbench {

class FabricNode;

class FabricCalendar final : public sc_core::sc_module {
 public:
  explicit FabricCalendar(const sc_core::sc_module_name& name);

  // Wakes the node at `due`: at the present instant in the next delta cycle. An entry that the node
  // has for a later instant is void.
  void add(FabricNode& node, Fs due, Fs now);
  // Nodes that will be woken in a further delta cycle of this instant.
  std::vector<const FabricNode*> due_now() const;

 private:
  struct Entry {
    Fs due = 0;
    FabricNode* node = nullptr;
  };
  struct DueNow {
    FabricNode* node = nullptr;
    std::uint64_t asked_in = 0;  // delta cycle
  };
  struct Later {
    bool operator()(const Entry& a, const Entry& b) const { return a.due > b.due; }
  };
  void run();
  void rearm(Fs now);
  void pop();

  sc_core::sc_event event_;
  std::vector<Entry> entries_;  // heap, the earliest first
  std::vector<DueNow> now_;
  std::vector<FabricNode*> woken_;
  Fs armed_ = never_fs;  // when event_ is due; 0 while run() wakes nodes
};

}  // namespace kernbench
