#include "platform/config/machine_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/base/errors.h"

namespace kernbench {
namespace {

constexpr std::uint64_t kib = 1024, mib = 1024 * kib, gib = 1024 * mib;

// Attribute that describes the machine; every implementation in that role must declare it.
struct SizeKey {
  Role component;
  const char* attribute;
  std::uint64_t unit_bytes;
  std::uint64_t most_bytes;  // limit of a physical address
  std::uint64_t MachineSizes::*size;
  const char* one_for_all;  // reason why all instances share the value; null: each has its own
};
constexpr const char* of_kernels = "a kernel finds the same TCM in every PE";
const std::array<SizeKey, 5> size_keys{
    {{Role::sram, "size_mb", mib, PhysAddr::cube_sram_bytes, &MachineSizes::sram_bytes, nullptr},
     {Role::pe_tcm, "size_mb", mib, budget_bytes(PeUnit::pe_tcm), &MachineSizes::tcm_bytes,
      of_kernels},
     {Role::pe_tcm, "reserved_kb", kib, budget_bytes(PeUnit::pe_tcm),
      &MachineSizes::tcm_reserved_bytes, of_kernels},
     {Role::pe_cpu, "scratch_bytes", 1, budget_bytes(PeUnit::pe_tcm), &MachineSizes::scratch_bytes,
      of_kernels},
     {Role::pe_mmu, "page_bytes", 1, PhysAddr::chiplet_bytes, &MachineSizes::page_bytes,
      "a device has one virtual address space, and its allocator one page size"}}};

const ComponentSpec& component_of(const CubeSpec& cube, const SizeKey& key) {
  return key.component == Role::sram ? cube.sram
                                     : cube.engines.find(name_of(key.component))->second;
}

class SizeChecks {
 public:
  SizeChecks(const MachineSpec& machine, MachineFaults& faults)
      : machine_(machine), faults_(faults) {}

  void all() {
    bool known = faults_.sound(machine_.sip.mesh_w, machine_.sip.mesh_h);
    for (const SizeKey& key : size_keys) known = described(key) && known;
    if (!known) return;
    tcm_budget();
    addresses();
  }

 private:
  const std::string& path_of(const SizeKey& key) const {
    return faults_.key_of(component_of(machine_.cube, key));
  }
  void fault(const SizeKey& key, std::string message) {
    const std::string& path = path_of(key);
    faults_.add(issue_at(faults_.config().component(path)->place_of(key.attribute),
                         fmt::format("{}.attrs.{}", path, key.attribute), std::move(message)));
  }

  // True if the attribute is present and valid. An implementation may declare a wider range than
  // the machine has room for.
  bool described(const SizeKey& key) {
    const ComponentEntry* entry = faults_.config().component(path_of(key));
    if (entry == nullptr || entry->implementation == nullptr) return false;  // already reported
    const ParameterSchema& schema = entry->implementation->schema;
    const bool declared =
        std::any_of(schema.begin(), schema.end(), [&key](const Parameter& parameter) {
          return parameter.name() == key.attribute && parameter.type() == Parameter::Type::integer;
        });
    if (!declared) {
      faults_.add(issue_at(entry->place, path_of(key) + ".impl",
                           fmt::format("found {}, allowed is an implementation with an integer "
                                       "'{}', by which the machine is described",
                                       entry->implementation->name, key.attribute)));
      return false;
    }
    const Attributes& attributes = component_of(machine_.cube, key).attributes;
    if (!attributes.has(key.attribute)) return false;  // already reported
    const Rational value = attributes.decimal(key.attribute);
    const Rational most(static_cast<std::int64_t>(key.most_bytes / key.unit_bytes));
    if (Rational(0) <= value && value <= most) return true;
    fault(key, fmt::format("found {}, allowed is 0 to {}, the range of a physical address",
                           value.str(), most.str()));
    return false;
  }

  void tcm_budget() {
    const MachineSizes sizes = machine_sizes(machine_.cube);
    if (sizes.tcm_reserved_bytes <= sizes.tcm_bytes &&
        sizes.scratch_bytes <= sizes.tcm_bytes - sizes.tcm_reserved_bytes)
      return;
    const SizeKey& blamed =
        sizes.tcm_reserved_bytes < sizes.tcm_bytes ? size_keys[3] : size_keys[2];
    const std::string found =
        component_of(machine_.cube, blamed).attributes.decimal(blamed.attribute).str();
    fault(blamed,
          fmt::format("found {}, allowed is that the scheduler's reserve and a kernel's "
                      "scratch fit into the TCM together: {} + {} of {} B",
                      found, sizes.tcm_reserved_bytes, sizes.scratch_bytes, sizes.tcm_bytes));
  }

  void addresses() {
    const SipSpec& sip = machine_.sip;
    if (sip.cubes() > static_cast<int>(PhysAddr::ahbm_dies)) {
      faults_.add_at(faults_.section_of(sip.mesh_w),
                     fmt::format("found {} x {} = {} cubes, allowed are at most {}, as many as a "
                                 "physical address distinguishes",
                                 sip.mesh_w, sip.mesh_h, sip.cubes(), PhysAddr::ahbm_dies));
    }
    if (!faults_.none()) return;
    try {
      const AddressMap map(memory_facts(machine_));
    } catch (const AddressError& error) {
      faults_.add_at(faults_.section_of(machine_.cube.memory_map.address_model), error.what());
    }
  }

  const MachineSpec& machine_;
  MachineFaults& faults_;
};

std::string value_text(const ComponentSpec& component, const char* attribute) {
  if (!component.attributes.has(attribute)) return "none";
  return format_value(component.attributes.values().find(attribute)->second);
}

std::optional<SizeFault> size_fault(const SizeKey& key, const ComponentSpec& of_kind,
                                    const ComponentSpec& own) {
  const auto found = own.attributes.values().find(key.attribute);
  if (found == own.attributes.values().end() || !std::holds_alternative<Rational>(found->second))
    return SizeFault{key.attribute,
                     fmt::format("found {}, allowed is an implementation with an integer '{}', by "
                                 "which the machine is described",
                                 own.impl, key.attribute)};
  const Rational& value = std::get<Rational>(found->second);
  const Rational& common = of_kind.attributes.decimal(key.attribute);
  if (key.one_for_all != nullptr && value != common)
    return SizeFault{key.attribute,
                     fmt::format("found {}, allowed is {}, that of all {}: {}", value.str(),
                                 common.str(), name_of(key.component), key.one_for_all)};
  const Rational most(static_cast<std::int64_t>(key.most_bytes / key.unit_bytes));
  if (Rational(0) <= value && value <= most) return std::nullopt;
  return SizeFault{key.attribute,
                   fmt::format("found {}, allowed is 0 to {}, the range of a physical address",
                               value.str(), most.str())};
}

// Segments and channel links assume identically interleaved partitions.
std::optional<SizeFault> interleave_fault(const CubeSpec& cube, const ComponentSpec& own) {
  if (cube.memory_map.address_model != AddressModel::la) return std::nullopt;
  for (const char* attribute : {"num_pcs", "burst_bytes"}) {
    const std::string found = value_text(own, attribute);
    const std::string allowed = value_text(cube.hbm_ctrl, attribute);
    if (found != allowed)
      return SizeFault{attribute,
                       fmt::format("found {} as {}, allowed with address_model la is {}, that of "
                                   "all hbm_ctrl: segments are interleaved in the same way",
                                   found, attribute, allowed)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<SizeFault> instance_size_fault(const MachineSpec& machine, Role role,
                                             const ComponentSpec& component) {
  if (role == Role::hbm_ctrl) return interleave_fault(machine.cube, component);
  for (const SizeKey& key : size_keys) {
    if (key.component != role) continue;
    if (auto fault = size_fault(key, component_of(machine.cube, key), component)) return fault;
  }
  return std::nullopt;
}

MachineSizes machine_sizes(const CubeSpec& cube) {
  MachineSizes sizes;
  for (const SizeKey& key : size_keys) {
    const ComponentSpec& component = component_of(cube, key);
    if (!component.attributes.has(key.attribute))
      throw UsageError(fmt::format("the implementation {} of {} does not declare '{}'",
                                   component.impl, name_of(key.component), key.attribute));
    sizes.*key.size =
        static_cast<std::uint64_t>(component.attributes.integer(key.attribute)) * key.unit_bytes;
  }
  const Attributes& pe_cpu = cube.engines.find(name_of(Role::pe_cpu))->second.attributes;
  if (pe_cpu.has("kernel_contexts"))
    sizes.kernel_contexts = static_cast<std::size_t>(pe_cpu.integer("kernel_contexts"));
  return sizes;
}

std::uint64_t sram_bytes(const ComponentSpec& sram) {
  return static_cast<std::uint64_t>(sram.attributes.integer("size_mb")) * mib;
}

MemoryFacts memory_facts(const MachineSpec& machine) {
  const MachineSizes sizes = machine_sizes(machine.cube);
  const MemoryMapSpec& map = machine.cube.memory_map;
  MemoryFacts facts;
  facts.sips = static_cast<unsigned>(machine.system.sips.count);
  facts.cubes_per_sip = static_cast<unsigned>(machine.sip.cubes());
  facts.pes_per_cube = static_cast<unsigned>(machine.cube.pe_layout.pes());
  facts.io_chiplets_per_sip = static_cast<unsigned>(machine.sip.io_chiplets.size());
  facts.hbm_slices_per_cube = static_cast<unsigned>(map.hbm_slices_per_cube);
  facts.hbm_slice_bytes = map.hbm_slice_bytes();
  facts.hbm_bytes_per_cube = static_cast<std::uint64_t>(map.hbm_total_gb_per_cube) * gib;
  facts.sram_bytes_per_cube = sizes.sram_bytes;
  facts.tcm_bytes_per_pe = sizes.tcm_bytes;
  return facts;
}

void check_sizes(const MachineSpec& machine, MachineFaults& faults) {
  SizeChecks(machine, faults).all();
}

}  // namespace kernbench
