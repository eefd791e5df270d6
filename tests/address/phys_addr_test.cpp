// The 51-bit layout of spec 3.1 and ADR-0001: examples of its appendix, round trips, and every way
// to be invalid.
#include "models/address/phys_addr.h"

#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>

#include "models/address/virtual_space.h"
#include "models/base/errors.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(phys_addr_test)

namespace {

constexpr std::uint64_t at(unsigned shift, std::uint64_t value) { return value << shift; }

template <class Call>
void check_error(Call call, const std::string& part) {
  BOOST_CHECK_EXCEPTION(call(), AddressError, [&part](const AddressError& error) {
    if (std::string(error.what()).find(part) != std::string::npos) return true;
    BOOST_TEST_MESSAGE("error text: " << error.what());
    return false;
  });
}

void check_decode_error(std::uint64_t raw, const std::string& part) {
  check_error([raw] { PhysAddr::decode(raw); }, part);
}

template <class T>
T below(T end) {
  return *rc::gen::inRange<T>(0, end);
}

}  // namespace

BOOST_AUTO_TEST_CASE(appendix_a1_hbm) {
  const PhysAddr address = PhysAddr::hbm_addr(2, 5, 0x1000);
  BOOST_TEST(address.encode() == (at(47, 2) | at(42, 5) | at(37, 1) | 0x1000));
  BOOST_TEST(address.sip() == 2u);
  BOOST_TEST(address.die() == 5u);
  BOOST_TEST((address.kind() == AddressKind::hbm));
  BOOST_TEST(address.offset() == 0x1000u);
}

BOOST_AUTO_TEST_CASE(appendix_a2_pe_tcm) {
  const PhysAddr address = PhysAddr::pe_tcm_addr(0, 0, 3, 0x400);
  BOOST_TEST(address.encode() == (at(34, 0) | at(29, 3) | at(25, 6) | 0x400));
  BOOST_TEST((address.kind() == AddressKind::pe_local));
  BOOST_TEST(address.pe() == 3u);
  BOOST_TEST((address.pe_unit() == PeUnit::pe_tcm));
}

BOOST_AUTO_TEST_CASE(appendix_a3_mcpu_sram) {
  const PhysAddr address = PhysAddr::mcpu_resource_addr(1, 3, McpuUnit::mcpu_sram, 0);
  BOOST_TEST(address.encode() == (at(47, 1) | at(42, 3) | at(34, 1) | at(25, 5)));
  BOOST_TEST((address.mcpu_unit() == McpuUnit::mcpu_sram));
}

BOOST_AUTO_TEST_CASE(appendix_a4_iocpu_ipcq) {
  const PhysAddr address = PhysAddr::iocpu_resource_addr(1, 17, IocpuUnit::ipcq, 0x20000);
  BOOST_TEST(address.encode() == (at(47, 1) | at(42, 17) | at(27, 2) | 0x20000));
  BOOST_TEST((address.kind() == AddressKind::iocpu));
  BOOST_TEST((address.iocpu_unit() == IocpuUnit::ipcq));
}

BOOST_AUTO_TEST_CASE(appendix_a5_ual) {
  const PhysAddr address = PhysAddr::ual_addr(0, 16, 0x100000000);
  BOOST_TEST(address.encode() == (at(42, 16) | 0x100000000));
  BOOST_TEST((address.kind() == AddressKind::ual));
}

RC_BOOST_PROP(every_kind_survives_encode_and_decode, ()) {
  const unsigned sip = below(16u), cube = below(16u), chiplet = 16 + below(5u), pe = below(16u);
  const auto pe_unit = static_cast<PeUnit>(below(7));
  const auto mcpu_unit = static_cast<McpuUnit>(below(6));
  const auto iocpu_unit = static_cast<IocpuUnit>(below(6));
  const auto check = [sip](PhysAddr address, unsigned die, AddressKind kind, std::uint64_t offset) {
    RC_ASSERT(PhysAddr::decode(address.encode()) == address);
    RC_ASSERT(address.encode() < PhysAddr::end);
    RC_ASSERT(address.sip() == sip && address.die() == die && address.kind() == kind &&
              address.offset() == offset);
  };
  std::uint64_t offset = below(PhysAddr::hbm_window_bytes);
  check(PhysAddr::hbm_addr(sip, cube, offset), cube, AddressKind::hbm, offset);
  offset = below(budget_bytes(pe_unit));
  const PhysAddr pe_address = PhysAddr::pe_resource_addr(sip, cube, pe, pe_unit, offset);
  check(pe_address, cube, AddressKind::pe_local, offset);
  RC_ASSERT(pe_address.pe() == pe && pe_address.pe_unit() == pe_unit);
  offset = below(budget_bytes(mcpu_unit));
  const PhysAddr mcpu_address = PhysAddr::mcpu_resource_addr(sip, cube, mcpu_unit, offset);
  check(mcpu_address, cube, AddressKind::mcpu_local, offset);
  RC_ASSERT(mcpu_address.mcpu_unit() == mcpu_unit);
  offset = below(PhysAddr::cube_sram_bytes);
  check(PhysAddr::cube_sram_addr(sip, cube, offset), cube, AddressKind::cube_sram, offset);
  offset = below(budget_bytes(iocpu_unit));
  const PhysAddr iocpu_address = PhysAddr::iocpu_resource_addr(sip, chiplet, iocpu_unit, offset);
  check(iocpu_address, chiplet, AddressKind::iocpu, offset);
  RC_ASSERT(iocpu_address.iocpu_unit() == iocpu_unit);
  offset = PhysAddr::ual_begin + below(PhysAddr::chiplet_bytes - PhysAddr::ual_begin);
  check(PhysAddr::ual_addr(sip, chiplet, offset), chiplet, AddressKind::ual, offset);
  offset = below(PhysAddr::external_window_bytes);
  check(PhysAddr::external_addr(sip, offset), 21, AddressKind::external, offset);
}

RC_BOOST_PROP(any_integer_decodes_to_itself_or_is_an_address_error, ()) {
  const auto raw = *rc::gen::arbitrary<std::uint64_t>() >> below(64);
  try {
    RC_ASSERT(PhysAddr::decode(raw).encode() == raw);
  } catch (const AddressError&) {
    RC_SUCCEED("invalid");
  }
}

BOOST_AUTO_TEST_CASE(bits_that_must_be_zero_are_named) {
  check_decode_error(at(51, 1), "unused bits [63:51]");
  check_decode_error(va_base, "unused bits [63:51]");
  check_decode_error(at(37, 1) | at(38, 1), "AHBM bits [41:38]");
  check_decode_error(at(41, 1), "AHBM bits [41:38]");
  check_decode_error(at(33, 1), "PE_LOCAL bits [33:33]");
  check_decode_error(at(34, 1) | at(30, 1), "MCPU_LOCAL bits [33:30]");
  check_decode_error(at(34, 2) | at(25, 1), "CUBE_SRAM bits [33:25]");
  check_decode_error(at(42, 16) | at(40, 1), "IO chiplet bits [41:40]");
}

BOOST_AUTO_TEST_CASE(reserved_codes_are_named) {
  for (unsigned die = 22; die < 32; ++die)
    check_decode_error(at(42, die), "die " + std::to_string(die) + " is reserved");
  for (unsigned kind = 3; kind < 8; ++kind)
    check_decode_error(at(34, kind), "resource_kind " + std::to_string(kind));
  for (unsigned unit = 7; unit < 16; ++unit)
    check_decode_error(at(25, unit), "pe_sub_unit " + std::to_string(unit));
  for (unsigned unit = 6; unit < 32; ++unit)
    check_decode_error(at(34, 1) | at(25, unit), "mcpu_sub_unit " + std::to_string(unit));
  for (unsigned unit = 6; unit < 16; ++unit)
    check_decode_error(at(42, 20) | at(27, unit), "iocpu_sub_unit " + std::to_string(unit));
}

BOOST_AUTO_TEST_CASE(an_access_may_reach_the_end_of_the_budget_and_not_beyond) {
  const std::uint64_t budget = budget_bytes(PeUnit::dma_engine_sfr);
  BOOST_TEST(budget == 192u * 1024);
  const std::uint64_t last =
      PhysAddr::pe_resource_addr(0, 0, 0, PeUnit::dma_engine_sfr, budget - 1).encode();
  PhysAddr::decode(last);
  PhysAddr::decode(last - 99, 100);
  check_error([last] { PhysAddr::decode(last, 2); }, "DMA_ENGINE_SFR");
  check_decode_error(last + 1, "runs past the 196608 bytes of PE_LOCAL pe 0 DMA_ENGINE_SFR");
  check_error([] { PhysAddr::hbm_addr(0, 0, PhysAddr::hbm_window_bytes - 4).check_access(5); },
              "HBM");
  check_error([] { PhysAddr::cube_sram_addr(0, 0, 0).check_access((32 << 20) + 1); }, "CUBE_SRAM");
  check_error(
      [] {
        PhysAddr::ual_addr(0, 16, PhysAddr::chiplet_bytes - 1).check_access(~std::uint64_t{0});
      },
      "UAL");
}

BOOST_AUTO_TEST_CASE(budgets_are_those_of_the_tables) {
  constexpr std::uint64_t kib = 1024, mib = 1024 * kib;
  BOOST_TEST(budget_bytes(PeUnit::pe_cpu_dtcm) == 8 * kib);
  BOOST_TEST(budget_bytes(PeUnit::math_engine_dtcm) == 8 * kib);
  BOOST_TEST(budget_bytes(PeUnit::ipcq) == 256 * kib);
  BOOST_TEST(budget_bytes(PeUnit::pe_cpu_sfr) == 16 * kib);
  BOOST_TEST(budget_bytes(PeUnit::math_engine_sfr) == 16 * kib);
  BOOST_TEST(budget_bytes(PeUnit::pe_tcm) == 2 * mib);
  BOOST_TEST(budget_bytes(McpuUnit::mcpu_itcm) == 512 * kib);
  BOOST_TEST(budget_bytes(McpuUnit::mcpu_dtcm) == 512 * kib);
  BOOST_TEST(budget_bytes(McpuUnit::ipcq) == 256 * kib);
  BOOST_TEST(budget_bytes(McpuUnit::mcpu_sfr) == 8 * kib);
  BOOST_TEST(budget_bytes(McpuUnit::mcpu_dma_sfr) == 16 * kib);
  BOOST_TEST(budget_bytes(McpuUnit::mcpu_sram) == 10 * mib);
  BOOST_TEST(budget_bytes(IocpuUnit::iocpu_itcm) == 512 * kib);
  BOOST_TEST(budget_bytes(IocpuUnit::iocpu_dtcm) == 512 * kib);
  BOOST_TEST(budget_bytes(IocpuUnit::ipcq) == 2 * mib);
  BOOST_TEST(budget_bytes(IocpuUnit::iocpu_sfr) == 8 * kib);
  BOOST_TEST(budget_bytes(IocpuUnit::io_dma_sfr) == 16 * kib);
  BOOST_TEST(budget_bytes(IocpuUnit::io_sram) == 64 * mib);
}

BOOST_AUTO_TEST_CASE(a_field_that_does_not_fit_is_named) {
  check_error([] { PhysAddr::hbm_addr(16, 0, 0); }, "sip = 16");
  check_error([] { PhysAddr::hbm_addr(0, 16, 0); }, "die = 16");
  check_error([] { PhysAddr::hbm_addr(0, 0, PhysAddr::hbm_window_bytes); }, "hbm_offset");
  check_error([] { PhysAddr::pe_tcm_addr(0, 0, 16, 0); }, "pe = 16");
  check_error([] { PhysAddr::pe_tcm_addr(0, 0, 0, 2 << 20); }, "PE_TCM");
  check_error([] { PhysAddr::mcpu_resource_addr(0, 0, McpuUnit::mcpu_sfr, 8192); }, "MCPU_SFR");
  check_error([] { PhysAddr::cube_sram_addr(0, 0, 32 << 20); }, "sram_offset");
  check_error([] { PhysAddr::iocpu_resource_addr(0, 15, IocpuUnit::io_sram, 0); }, "die = 15");
  check_error([] { PhysAddr::iocpu_resource_addr(0, 21, IocpuUnit::io_sram, 0); }, "die = 21");
  check_error([] { PhysAddr::iocpu_resource_addr(0, 16, IocpuUnit::io_sram, 64 << 20); },
              "IO_SRAM");
  check_error([] { PhysAddr::ual_addr(0, 16, PhysAddr::ual_begin - 1); }, "chiplet_offset");
  check_error([] { PhysAddr::ual_addr(0, 16, PhysAddr::chiplet_bytes); }, "chiplet_offset");
  check_error([] { PhysAddr::pe_hbm_addr(0, 0, 2, 0, std::uint64_t{1} << 36); }, "hbm slice");
  check_error([] { PhysAddr::pe_hbm_addr(0, 0, 0, 1024, 1024); }, "offset in the HBM slice");
  check_error([] { PhysAddr::pe_hbm_addr(0, 0, 0, 0, 0); }, "offset in the HBM slice");
}

BOOST_AUTO_TEST_CASE(a_field_of_another_kind_is_an_error) {
  const PhysAddr hbm = PhysAddr::hbm_addr(0, 0, 0);
  check_error([&] { hbm.pe(); }, "no field pe");
  check_error([&] { hbm.pe_unit(); }, "pe_sub_unit");
  check_error([&] { hbm.mcpu_unit(); }, "mcpu_sub_unit");
  check_error([&] { hbm.iocpu_unit(); }, "iocpu_sub_unit");
}

BOOST_AUTO_TEST_CASE(plus_stays_within_the_unit) {
  const PhysAddr address = PhysAddr::pe_tcm_addr(1, 2, 3, 0x100);
  BOOST_TEST((address.plus(0x40) == PhysAddr::pe_tcm_addr(1, 2, 3, 0x140)));
  check_error([&] { address.plus((2 << 20) - 0x100); }, "PE_TCM");
  check_error([&] { address.plus(~std::uint64_t{0}); }, "PE_TCM");
}

BOOST_AUTO_TEST_CASE(addresses_print_their_fields) {
  BOOST_TEST(PhysAddr::pe_tcm_addr(0, 3, 2, 0x40).str() ==
             "0xc004c000040 (sip 0 die 3 PE_LOCAL pe 2 PE_TCM +0x40)");
  BOOST_TEST(PhysAddr::hbm_addr(0, 0, 16).str() == "0x2000000010 (sip 0 die 0 HBM +0x10)");
}

BOOST_AUTO_TEST_CASE(virtual_addresses_lie_above_every_physical_one) {
  BOOST_TEST(va_base >= PhysAddr::end);
  BOOST_TEST(is_virtual(va_base));
  BOOST_TEST(!is_virtual(PhysAddr::end - 1));
}

BOOST_AUTO_TEST_SUITE_END()
