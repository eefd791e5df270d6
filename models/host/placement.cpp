#include "models/host/placement.h"

#include <fmt/format.h>

#include <limits>

#include "models/base/errors.h"

namespace kernbench {
namespace {

void check_pe(const MachineDescription& machine, const std::string& message, const PeId& pe) {
  const auto check = [&](const char* what, int value, int count) {
    if (value >= 0 && value < count) return;
    throw UsageError(
        fmt::format("{}: {} is {}, allowed is 0..{}", message, what, value, count - 1));
  };
  check("sip", pe.sip, machine.sips);
  check("cube", pe.cube, machine.cubes());
  check("pe", pe.pe, machine.pes);
}

bool is_in(const MachineDescription& machine, NodeId node, const PeId& where, MemoryKind kind) {
  if (kind != MemoryKind::tcm && node == machine.hbm(where)) return true;
  if (kind != MemoryKind::hbm && node == machine.engine(where, PeEngine::pe_tcm)) return true;
  if (kind != MemoryKind::automatic) return false;
  if (machine.nodes[node].kind == name_of(Role::tlm_target)) return true;  // belongs to no PE
  return node == machine.sram(where.sip, where.cube) ||
         node == machine.m_cpu(where.sip, where.cube) || node == machine.io_cpu(where.sip);
}

}  // namespace

MemoryTarget check_placement(const MachineDescription& machine, const char* message,
                             const PeId& where, std::uint64_t pa, std::uint64_t nbytes,
                             MemoryKind kind) {
  check_pe(machine, message, where);
  if (nbytes > std::numeric_limits<std::uint32_t>::max()) {
    throw UsageError(fmt::format("{}: nbytes is {}, allowed is less than 4 GiB", message, nbytes));
  }
  const MemoryTarget place = machine.place_of(pa);
  const auto reject = [&](const std::string& what) {
    throw UsageError(fmt::format("{}: {}", message, what));
  };
  if (!is_in(machine, place.node, where, kind)) {
    const std::string asked = kind == MemoryKind::hbm   ? " HBM"
                              : kind == MemoryKind::tcm ? " TCM"
                                                        : "";
    reject(fmt::format("the address lies in {}, the message says {}{}", machine.name(place.node),
                       where.str(), asked));
  }
  if (machine.place_of(pa + nbytes - 1).node != place.node) {
    reject(fmt::format("{} bytes from offset {} run past the end of {}", nbytes, place.offset,
                       machine.name(place.node)));
  }
  return place;
}

void check_targets(const MachineDescription& machine, const PeMessage& message) {
  for (const PeId& pe : message.targets) check_pe(machine, message.type_name(), pe);
}

}  // namespace kernbench
