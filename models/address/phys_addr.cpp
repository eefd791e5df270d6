#include "models/address/phys_addr.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>

#include "models/base/errors.h"

namespace kernbench {
namespace {

constexpr unsigned sip_shift = 47, die_shift = 42, hbm_bit = 37, kind_shift = 34;
constexpr unsigned pe_shift = 29, pe_unit_shift = 25, mcpu_unit_shift = 25, iocpu_unit_shift = 27;
constexpr std::uint64_t kib = 1024, mib = 1024 * kib;

struct Unit {
  const char* name;
  std::uint64_t budget;
};
constexpr std::array<Unit, 7> pe_units{{{"PE_CPU_DTCM", 8 * kib},
                                        {"MATH_ENGINE_DTCM", 8 * kib},
                                        {"IPCQ", 256 * kib},
                                        {"PE_CPU_SFR", 16 * kib},
                                        {"MATH_ENGINE_SFR", 16 * kib},
                                        {"DMA_ENGINE_SFR", 192 * kib},
                                        {"PE_TCM", 2 * mib}}};
constexpr std::array<Unit, 6> mcpu_units{{{"MCPU_ITCM", 512 * kib},
                                          {"MCPU_DTCM", 512 * kib},
                                          {"IPCQ", 256 * kib},
                                          {"MCPU_SFR", 8 * kib},
                                          {"MCPU_DMA_SFR", 16 * kib},
                                          {"MCPU_SRAM", 10 * mib}}};
constexpr std::array<Unit, 6> iocpu_units{{{"IOCPU_ITCM", 512 * kib},
                                           {"IOCPU_DTCM", 512 * kib},
                                           {"IPCQ", 2 * mib},
                                           {"IOCPU_SFR", 8 * kib},
                                           {"IO_DMA_SFR", 16 * kib},
                                           {"IO_SRAM", 64 * mib}}};

constexpr std::uint64_t bits_of(std::uint64_t raw, unsigned high, unsigned low) {
  return (raw >> low) & ((std::uint64_t{1} << (high - low + 1)) - 1);
}

std::string hex(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

[[noreturn]] void invalid(std::uint64_t raw, const std::string& what) {
  throw AddressError(fmt::format("physical address {}: {}", hex(raw), what));
}

void must_be_zero(std::uint64_t raw, unsigned high, unsigned low, const char* where) {
  if (bits_of(raw, high, low) != 0) {
    invalid(raw, fmt::format("{} bits [{}:{}] must be zero", where, high, low));
  }
}

// Checks a field of a factory call.
void check_field(const char* field, std::uint64_t value, std::uint64_t end) {
  if (value >= end) {
    throw AddressError(
        fmt::format("physical address field {} = {} is not below {}", field, value, end));
  }
}

std::uint64_t ahbm_base(unsigned sip, unsigned die) {
  check_field("sip", sip, PhysAddr::sips);
  check_field("die", die, PhysAddr::ahbm_dies);
  return (std::uint64_t{sip} << sip_shift) | (std::uint64_t{die} << die_shift);
}

std::uint64_t io_base(unsigned sip, unsigned die) {
  check_field("sip", sip, PhysAddr::sips);
  if (die < PhysAddr::first_io_die || die >= PhysAddr::first_io_die + PhysAddr::io_dies) {
    throw AddressError(
        fmt::format("physical address field die = {} is not an IO chiplet (16..20)", die));
  }
  return (std::uint64_t{sip} << sip_shift) | (std::uint64_t{die} << die_shift);
}

template <std::size_t N>
void check_unit(std::uint64_t raw, const char* field, const std::array<Unit, N>& units,
                std::uint64_t code) {
  if (code >= N) invalid(raw, fmt::format("{} {} is reserved", field, code));
}

template <class E, std::size_t N>
void check_offset(const std::array<Unit, N>& units, E unit, std::uint64_t offset) {
  const Unit& entry = units.at(static_cast<std::size_t>(unit));
  if (offset < entry.budget) return;  // every access of a kernel's registers passes this check
  check_field((std::string("offset of ") + entry.name).c_str(), offset, entry.budget);
}

}  // namespace

const char* name_of(AddressKind kind) {
  constexpr std::array<const char*, 7> names{"HBM",   "PE_LOCAL", "MCPU_LOCAL", "CUBE_SRAM",
                                             "IOCPU", "UAL",      "EXTERNAL"};
  return names.at(static_cast<std::size_t>(kind));
}
const char* name_of(PeUnit unit) { return pe_units.at(static_cast<std::size_t>(unit)).name; }
const char* name_of(McpuUnit unit) { return mcpu_units.at(static_cast<std::size_t>(unit)).name; }
const char* name_of(IocpuUnit unit) { return iocpu_units.at(static_cast<std::size_t>(unit)).name; }
std::uint64_t budget_bytes(PeUnit unit) {
  return pe_units.at(static_cast<std::size_t>(unit)).budget;
}
std::uint64_t budget_bytes(McpuUnit unit) {
  return mcpu_units.at(static_cast<std::size_t>(unit)).budget;
}
std::uint64_t budget_bytes(IocpuUnit unit) {
  return iocpu_units.at(static_cast<std::size_t>(unit)).budget;
}

PhysAddr PhysAddr::decode(std::uint64_t raw, std::uint64_t size_bytes) {
  must_be_zero(raw, 63, bits, "unused");
  const PhysAddr address(raw);
  if (address.die() > external_die) invalid(raw, fmt::format("die {} is reserved", address.die()));
  if (address.is_io_die()) {
    must_be_zero(raw, 41, 40, "IO chiplet");
    if (address.kind() == AddressKind::iocpu) {
      check_unit(raw, "iocpu_sub_unit", iocpu_units, bits_of(raw, 30, iocpu_unit_shift));
    }
  } else if (address.die() != external_die) {
    must_be_zero(raw, 41, 38, "AHBM");
    if (bits_of(raw, hbm_bit, hbm_bit) == 0) {
      switch (bits_of(raw, 36, kind_shift)) {
        case 0:
          must_be_zero(raw, 33, 33, "PE_LOCAL");
          check_unit(raw, "pe_sub_unit", pe_units, bits_of(raw, 28, pe_unit_shift));
          break;
        case 1:
          must_be_zero(raw, 33, 30, "MCPU_LOCAL");
          check_unit(raw, "mcpu_sub_unit", mcpu_units, bits_of(raw, 29, mcpu_unit_shift));
          break;
        case 2:
          must_be_zero(raw, 33, 25, "CUBE_SRAM");
          break;
        default:
          invalid(raw, fmt::format("resource_kind {} is reserved", bits_of(raw, 36, kind_shift)));
      }
    }
  }
  address.check_access(size_bytes);
  return address;
}

PhysAddr PhysAddr::hbm_addr(unsigned sip, unsigned die, std::uint64_t offset) {
  check_field("hbm_offset", offset, hbm_window_bytes);
  return PhysAddr(ahbm_base(sip, die) | (std::uint64_t{1} << hbm_bit) | offset);
}

PhysAddr PhysAddr::pe_hbm_addr(unsigned sip, unsigned die, unsigned slice,
                               std::uint64_t offset_in_slice, std::uint64_t slice_bytes) {
  check_field("slice_bytes", slice_bytes, hbm_window_bytes + 1);
  check_field("offset in the HBM slice", offset_in_slice, slice_bytes);
  check_field("hbm slice", slice, hbm_window_bytes / slice_bytes);
  return hbm_addr(sip, die, slice * slice_bytes + offset_in_slice);
}

PhysAddr PhysAddr::pe_resource_addr(unsigned sip, unsigned die, unsigned pe, PeUnit unit,
                                    std::uint64_t offset) {
  const std::uint64_t base = ahbm_base(sip, die);
  check_field("pe", pe, pes);
  check_offset(pe_units, unit, offset);
  return PhysAddr(base | (std::uint64_t{pe} << pe_shift) |
                  (static_cast<std::uint64_t>(unit) << pe_unit_shift) | offset);
}

PhysAddr PhysAddr::pe_tcm_addr(unsigned sip, unsigned die, unsigned pe, std::uint64_t offset) {
  return pe_resource_addr(sip, die, pe, PeUnit::pe_tcm, offset);
}

PhysAddr PhysAddr::mcpu_resource_addr(unsigned sip, unsigned die, McpuUnit unit,
                                      std::uint64_t offset) {
  const std::uint64_t base = ahbm_base(sip, die);
  check_offset(mcpu_units, unit, offset);
  return PhysAddr(base | (std::uint64_t{1} << kind_shift) |
                  (static_cast<std::uint64_t>(unit) << mcpu_unit_shift) | offset);
}

PhysAddr PhysAddr::cube_sram_addr(unsigned sip, unsigned die, std::uint64_t offset) {
  const std::uint64_t base = ahbm_base(sip, die);
  check_field("sram_offset", offset, cube_sram_bytes);
  return PhysAddr(base | (std::uint64_t{2} << kind_shift) | offset);
}

PhysAddr PhysAddr::iocpu_resource_addr(unsigned sip, unsigned die, IocpuUnit unit,
                                       std::uint64_t offset) {
  const std::uint64_t base = io_base(sip, die);
  check_offset(iocpu_units, unit, offset);
  return PhysAddr(base | (static_cast<std::uint64_t>(unit) << iocpu_unit_shift) | offset);
}

PhysAddr PhysAddr::ual_addr(unsigned sip, unsigned die, std::uint64_t chiplet_offset) {
  const std::uint64_t base = io_base(sip, die);
  check_field("chiplet_offset", chiplet_offset, chiplet_bytes);
  if (chiplet_offset < ual_begin)
    throw AddressError(
        fmt::format("physical address field chiplet_offset {} is below UAL", hex(chiplet_offset)));
  return PhysAddr(base | chiplet_offset);
}

PhysAddr PhysAddr::external_addr(unsigned sip, std::uint64_t offset) {
  check_field("sip", sip, sips);
  check_field("external_offset", offset, external_window_bytes);
  return PhysAddr((std::uint64_t{sip} << sip_shift) | (std::uint64_t{external_die} << die_shift) |
                  offset);
}

AddressKind PhysAddr::kind() const {
  if (die() == external_die) return AddressKind::external;
  if (is_io_die()) return bits_of(raw_, 39, 0) < ual_begin ? AddressKind::iocpu : AddressKind::ual;
  if (bits_of(raw_, hbm_bit, hbm_bit) == 1) return AddressKind::hbm;
  constexpr std::array<AddressKind, 3> resources{AddressKind::pe_local, AddressKind::mcpu_local,
                                                 AddressKind::cube_sram};
  return resources.at(bits_of(raw_, 36, kind_shift));
}

namespace {
void require(const PhysAddr& address, AddressKind kind, const char* field) {
  if (address.kind() != kind)
    throw AddressError(fmt::format("physical address {} has no field {}", address.str(), field));
}
}  // namespace

unsigned PhysAddr::pe() const {
  require(*this, AddressKind::pe_local, "pe");
  return static_cast<unsigned>(bits_of(raw_, 32, pe_shift));
}

PeUnit PhysAddr::pe_unit() const {
  require(*this, AddressKind::pe_local, "pe_sub_unit");
  return static_cast<PeUnit>(bits_of(raw_, 28, pe_unit_shift));
}

McpuUnit PhysAddr::mcpu_unit() const {
  require(*this, AddressKind::mcpu_local, "mcpu_sub_unit");
  return static_cast<McpuUnit>(bits_of(raw_, 29, mcpu_unit_shift));
}

IocpuUnit PhysAddr::iocpu_unit() const {
  require(*this, AddressKind::iocpu, "iocpu_sub_unit");
  return static_cast<IocpuUnit>(bits_of(raw_, 30, iocpu_unit_shift));
}

std::uint64_t PhysAddr::offset() const {
  switch (kind()) {
    case AddressKind::hbm:
      return bits_of(raw_, 36, 0);
    case AddressKind::iocpu:
      return bits_of(raw_, 26, 0);
    case AddressKind::ual:
      return bits_of(raw_, 39, 0);
    case AddressKind::external:
      return bits_of(raw_, 41, 0);
    default:
      return bits_of(raw_, 24, 0);
  }
}

namespace {
std::uint64_t end_of_unit(const PhysAddr& address) {
  switch (address.kind()) {
    case AddressKind::hbm:
      return PhysAddr::hbm_window_bytes;
    case AddressKind::pe_local:
      return budget_bytes(address.pe_unit());
    case AddressKind::mcpu_local:
      return budget_bytes(address.mcpu_unit());
    case AddressKind::cube_sram:
      return PhysAddr::cube_sram_bytes;
    case AddressKind::iocpu:
      return budget_bytes(address.iocpu_unit());
    case AddressKind::ual:
      return PhysAddr::chiplet_bytes;
    case AddressKind::external:
      return PhysAddr::external_window_bytes;
  }
  return 0;
}

std::string unit_name(const PhysAddr& address) {
  switch (address.kind()) {
    case AddressKind::pe_local:
      return fmt::format("PE_LOCAL pe {} {}", address.pe(), name_of(address.pe_unit()));
    case AddressKind::mcpu_local:
      return std::string("MCPU_LOCAL ") + name_of(address.mcpu_unit());
    case AddressKind::iocpu:
      return std::string("IOCPU ") + name_of(address.iocpu_unit());
    default:
      return name_of(address.kind());
  }
}
}  // namespace

std::uint64_t PhysAddr::bytes_to_end() const {
  const std::uint64_t end_offset = end_of_unit(*this);
  return offset() < end_offset ? end_offset - offset()
                               : 0;  // 0 only inside decode(), before its check
}

void PhysAddr::check_access(std::uint64_t size_bytes) const {
  const std::uint64_t left = bytes_to_end();
  if (left == 0 || size_bytes > left) {
    invalid(raw_, fmt::format("offset {} with {} bytes runs past the {} bytes of {}", hex(offset()),
                              size_bytes, end_of_unit(*this), unit_name(*this)));
  }
}

PhysAddr PhysAddr::plus(std::uint64_t bytes) const {
  if (bytes >= bytes_to_end()) check_access(bytes == ~std::uint64_t{0} ? bytes : bytes + 1);
  return PhysAddr(raw_ + bytes);
}

std::string PhysAddr::str() const {
  return fmt::format("{} (sip {} die {} {} +{})", hex(raw_), sip(), die(), unit_name(*this),
                     hex(offset()));
}

}  // namespace kernbench
