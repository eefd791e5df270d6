// Allocation of the address ranges of plain TLM-2.0 targets in the window of their SIP (spec 3.1).
#include <fmt/format.h>

#include <map>
#include <vector>

#include "models/address/phys_addr.h"
#include "platform/topology/load_machine.h"
#include "platform/topology/node_names.h"

namespace kernbench {
namespace {

using Bytes = std::int64_t;

class Ranges {
 public:
  Ranges(MachineSpec& machine, MachineFaults& faults) : machine_(machine), faults_(faults) {}

  void all() {
    for (TlmTargetSpec& target : machine_.system.tlm_targets) {
      if (target.base_bytes && is_aligned(target)) put(target);
    }
    if (!faults_.none()) return;
    for (TlmTargetSpec& target : machine_.system.tlm_targets) {
      if (!target.base_bytes) find_place(target);
    }
  }

 private:
  static constexpr auto window = static_cast<Bytes>(PhysAddr::external_window_bytes);

  bool is_aligned(const TlmTargetSpec& target) {
    return aligned(*target.base_bytes, target.base_bytes);
  }
  template <class Member>
  bool aligned(Bytes value, const Member& member) {
    constexpr auto alignment = static_cast<Bytes>(PhysAddr::external_alignment);
    if (value % alignment == 0) return true;
    faults_.add(member, fmt::format("found {}, allowed is a multiple of {}", value, alignment));
    return false;
  }

  void put(TlmTargetSpec& target) {
    if (!aligned(target.size_bytes, target.size_bytes)) return;
    const Bytes base = *target.base_bytes, end = base + target.size_bytes;
    if (end > window) {
      faults_.add(target.base_bytes,
                  fmt::format("found {}, allowed is that the {} bytes end within the window of {}",
                              base, target.size_bytes, window));
      return;
    }
    std::map<Bytes, const TlmTargetSpec*>& taken = taken_[sip_of_tlm_target(target)];
    const auto behind = taken.lower_bound(base);
    const TlmTargetSpec* other = nullptr;
    if (behind != taken.end() && behind->first < end) other = behind->second;
    if (behind != taken.begin() && end_of(*std::prev(behind)->second) > base)
      other = std::prev(behind)->second;
    if (other != nullptr) {
      faults_.add(target.base_bytes,
                  fmt::format("found {} to {}, which overlaps {} with {} to {}", base, end - 1,
                              node_names::attached_to(other->attach, other->id), *other->base_bytes,
                              end_of(*other) - 1));
      return;
    }
    taken[base] = &target;
  }

  void find_place(TlmTargetSpec& target) {
    if (!aligned(target.size_bytes, target.size_bytes)) return;
    Bytes base = 0;
    for (const auto& [begin, other] : taken_[sip_of_tlm_target(target)]) {
      if (base + target.size_bytes <= begin) break;
      base = end_of(*other);
    }
    if (base + target.size_bytes > window) {
      faults_.add(target.size_bytes,
                  fmt::format("found {}, which fits in no free place of the window of {} bytes",
                              target.size_bytes, window));
      return;
    }
    target.base_bytes = base;
    put(target);
  }

  static Bytes end_of(const TlmTargetSpec& target) {
    return *target.base_bytes + target.size_bytes;
  }

  MachineSpec& machine_;
  MachineFaults& faults_;
  std::map<int, std::map<Bytes, const TlmTargetSpec*>> taken_;  // [SIP][base]
};

}  // namespace

int sip_of_tlm_target(const TlmTargetSpec& target) {
  return node_names::sip_of(target.attach).value_or(0);
}

void place_tlm_targets(MachineSpec& machine, MachineFaults& faults) {
  if (faults.none()) Ranges(machine, faults).all();
}

}  // namespace kernbench
