// Addresses of a machine: map of memories, interleaving of channels.
#include "models/address/address_map.h"

#include <rapidcheck.h>
#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "models/address/channel_interleave.h"
#include "models/base/errors.h"

using namespace kernbench;

// Address to node and back (spec 3.1), and capacity as a check of its own (ADR-0001 D4).
BOOST_AUTO_TEST_SUITE(address_map_test)

namespace {

constexpr std::uint64_t gib = std::uint64_t{1} << 30;

MemoryFacts default_machine() {
  MemoryFacts facts;
  facts.sips = 2;
  facts.cubes_per_sip = 16;
  facts.pes_per_cube = 8;
  facts.io_chiplets_per_sip = 1;
  facts.hbm_slices_per_cube = 8;
  facts.hbm_slice_bytes = 6 * gib;
  facts.hbm_bytes_per_cube = 48 * gib;
  facts.sram_bytes_per_cube = 32 << 20;
  facts.tcm_bytes_per_pe = 2 << 20;
  return facts;
}

template <class E, class Call>
void check_error(Call call, const std::string& part) {
  BOOST_CHECK_EXCEPTION(call(), E, [&part](const E& error) {
    if (std::string(error.what()).find(part) != std::string::npos) return true;
    BOOST_TEST_MESSAGE("error text: " << error.what());
    return false;
  });
}

}  // namespace

BOOST_AUTO_TEST_CASE(hbm_belongs_to_the_partition_of_its_offset) {
  const AddressMap map(default_machine());
  const MemoryLocation location = map.locate(PhysAddr::hbm_addr(1, 7, 13 * gib + 5));
  BOOST_TEST((location == MemoryLocation{MemoryArea::hbm, 1, 7, 2, gib + 5}));
}

BOOST_AUTO_TEST_CASE(tcm_sram_mcpu_and_io_sram_have_nodes) {
  const AddressMap map(default_machine());
  BOOST_TEST((map.locate(PhysAddr::pe_tcm_addr(0, 3, 5, 64)) ==
              MemoryLocation{MemoryArea::pe_tcm, 0, 3, 5, 64}));
  BOOST_TEST((map.locate(PhysAddr::cube_sram_addr(0, 3, 64)) ==
              MemoryLocation{MemoryArea::cube_sram, 0, 3, 0, 64}));
  BOOST_TEST((map.locate(PhysAddr::mcpu_resource_addr(0, 3, McpuUnit::mcpu_sram, 64)) ==
              MemoryLocation{MemoryArea::mcpu_sram, 0, 3, 0, 64}));
  BOOST_TEST((map.locate(PhysAddr::iocpu_resource_addr(1, 16, IocpuUnit::io_sram, 64)) ==
              MemoryLocation{MemoryArea::io_sram, 1, 0, 0, 64}));
}

BOOST_AUTO_TEST_CASE(units_without_a_node_are_routing_errors) {
  const AddressMap map(default_machine());
  for (int unit = 0; unit < 6; ++unit) {
    check_error<RoutingError>(
        [&] { map.locate(PhysAddr::pe_resource_addr(0, 0, 0, static_cast<PeUnit>(unit), 0)); },
        "no node");
  }
  for (int unit = 0; unit < 5; ++unit) {
    check_error<RoutingError>(
        [&] { map.locate(PhysAddr::mcpu_resource_addr(0, 0, static_cast<McpuUnit>(unit), 0)); },
        "no node");
    check_error<RoutingError>(
        [&] { map.locate(PhysAddr::iocpu_resource_addr(0, 16, static_cast<IocpuUnit>(unit), 0)); },
        "no node");
  }
  check_error<RoutingError>([&] { map.locate(PhysAddr::ual_addr(0, 16, PhysAddr::ual_begin)); },
                            "lies in the UAL region of IO chiplet 0 of sip 0, whose layout is not "
                            "defined: no node serves it");
}

BOOST_AUTO_TEST_CASE(what_the_machine_does_not_have_is_a_routing_error) {
  const AddressMap map(default_machine());
  check_error<RoutingError>([&] { map.locate(PhysAddr::hbm_addr(2, 0, 0)); }, "sip 2");
  check_error<RoutingError>([&] { map.locate(PhysAddr::hbm_addr(0, 0, 48 * gib)); }, "HBM");
  check_error<RoutingError>([&] { map.locate(PhysAddr::pe_tcm_addr(0, 0, 8, 0)); }, "pe 8");
  check_error<RoutingError>(
      [&] { map.locate(PhysAddr::iocpu_resource_addr(0, 17, IocpuUnit::io_sram, 0)); }, "die 17");
  MemoryFacts one_cube = default_machine();
  one_cube.cubes_per_sip = 1;
  check_error<RoutingError>([&] { AddressMap(one_cube).locate(PhysAddr::cube_sram_addr(0, 1, 0)); },
                            "die 1");
}

BOOST_AUTO_TEST_CASE(capacity_is_checked_apart_from_decoding) {
  MemoryFacts facts = default_machine();
  facts.tcm_bytes_per_pe = 1 << 20;
  const AddressMap map(facts);
  const PhysAddr beyond = PhysAddr::pe_tcm_addr(0, 0, 0, 1 << 20);
  map.locate(beyond);  // the layout allows 2 MiB
  check_error<AddressError>([&] { map.check_capacity(beyond, 1); },
                            "1048576 bytes of tcm of sip 0 cube 0 pe 0");
  map.check_capacity(PhysAddr::pe_tcm_addr(0, 0, 0, 0), 1 << 20);
  check_error<AddressError>([&] { map.check_capacity(PhysAddr::pe_tcm_addr(0, 0, 0, 1), 1 << 20); },
                            "tcm");
  check_error<AddressError>([&] { map.check_capacity(PhysAddr::hbm_addr(0, 0, 6 * gib - 1), 2); },
                            "slice 0");
}

BOOST_AUTO_TEST_CASE(facts_that_do_not_fit_the_layout_are_named) {
  const auto with = [](auto change) {
    return [change] {
      MemoryFacts facts = default_machine();
      change(facts);
      AddressMap map(facts);
    };
  };
  check_error<AddressError>(with([](MemoryFacts& f) { f.sips = 17; }), "sips = 17");
  check_error<AddressError>(with([](MemoryFacts& f) { f.cubes_per_sip = 17; }), "cubes_per_sip");
  check_error<AddressError>(with([](MemoryFacts& f) { f.pes_per_cube = 17; }), "pes_per_cube");
  check_error<AddressError>(with([](MemoryFacts& f) { f.io_chiplets_per_sip = 6; }),
                            "io_chiplets_per_sip");
  check_error<AddressError>(with([](MemoryFacts& f) { f.hbm_bytes_per_cube = 129 * gib; }),
                            "hbm_bytes_per_cube");
  check_error<AddressError>(with([](MemoryFacts& f) { f.hbm_slice_bytes = 7 * gib; }),
                            "hbm_slices_per_cube");
  check_error<AddressError>(with([](MemoryFacts& f) { f.hbm_slice_bytes = 0; }), "hbm_slice_bytes");
  check_error<AddressError>(with([](MemoryFacts& f) { f.sram_bytes_per_cube = 33 << 20; }),
                            "sram_bytes_per_cube");
  check_error<AddressError>(with([](MemoryFacts& f) { f.tcm_bytes_per_pe = 3 << 20; }),
                            "tcm_bytes_per_pe");
}

BOOST_AUTO_TEST_CASE(address_of_is_the_inverse_of_locate) {
  const AddressMap map(default_machine());
  BOOST_TEST(rc::check("locate(address_of(x)) == x", [&map] {
    MemoryLocation location;
    location.area = static_cast<MemoryArea>(*rc::gen::inRange(0, 5));
    location.sip = *rc::gen::inRange(0u, 2u);
    location.die = *rc::gen::inRange(0u, location.area == MemoryArea::io_sram ? 1u : 16u);
    location.pe = location.area == MemoryArea::hbm || location.area == MemoryArea::pe_tcm
                      ? *rc::gen::inRange(0u, 8u)
                      : 0;
    location.offset = *rc::gen::inRange<std::uint64_t>(0, map.capacity(location.area));
    RC_ASSERT(map.locate(map.address_of(location)) == location);
  }));
  check_error<AddressError>(
      [&] {
        map.address_of({MemoryArea::pe_tcm, 0, 0, 8, 0});
      },
      "not in this machine");
  check_error<AddressError>(
      [&] {
        map.address_of({MemoryArea::hbm, 0, 0, 0, 6 * gib});
      },
      "beyond the 6442450944 bytes");
}

BOOST_AUTO_TEST_SUITE_END()

// How bytes go round the channels of a partition (spec 2.5, 3.3): pc(a) = (a / burst_bytes) mod
// num_pcs, dense in each channel.
BOOST_AUTO_TEST_SUITE(channel_interleave)

BOOST_AUTO_TEST_CASE(bursts_go_round_the_channels) {
  const ChannelInterleave hbm{8, 256};
  BOOST_TEST(hbm.channel_of(0) == 0U);
  BOOST_TEST(hbm.channel_of(255) == 0U);
  BOOST_TEST(hbm.channel_of(256) == 1U);
  BOOST_TEST(hbm.channel_of(2047) == 7U);
  BOOST_TEST(hbm.channel_of(2048) == 0U);
  BOOST_TEST(hbm.round_bytes() == 2048U);
}

BOOST_AUTO_TEST_CASE(a_channel_counts_its_own_bytes) {
  const ChannelInterleave hbm{8, 256};
  BOOST_TEST(hbm.offset_in_channel(3 * 256 + 5) == 5U);
  BOOST_TEST(hbm.offset_in_channel(2048 + 3 * 256 + 5) == 256U + 5);
}

// Walking up the partition, every channel sees its bytes as 0, 1, 2, ...
RC_BOOST_PROP(every_channel_s_bytes_are_dense_and_in_order, ()) {
  const ChannelInterleave hbm{std::uint32_t{1} << *rc::gen::inRange(0, 5),
                              std::uint32_t{1} << *rc::gen::inRange(0, 6)};
  std::vector<std::uint64_t> next(hbm.channels, 0);
  for (std::uint64_t offset = 0; offset < 3 * hbm.round_bytes(); ++offset) {
    RC_ASSERT(hbm.channel_of(offset) == offset / hbm.burst_bytes % hbm.channels);
    RC_ASSERT(hbm.offset_in_channel(offset) == next[hbm.channel_of(offset)]++);
  }
}

BOOST_AUTO_TEST_SUITE_END()
