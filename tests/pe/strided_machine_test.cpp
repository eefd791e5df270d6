// Strided accesses at an HBM (spec 2.5, 2.6): times against a count of bursts and flits by hand.
//
// topology.tiny.yaml, PE 0 and its own partition, both at router r0c0: scheduler 1 ns, pe_dma 1 ns,
// the router 2 ns for a command and for the first flit of a leg, links of 256 GB/s and 1 fs;
// 8 channels, bursts of 256 B take 8 ns. A read's command is at the HBM 4 ns after its issue; a
// write's first flit after 2 ns + its own time on two links + 2 ns.
#include <boost/test/unit_test.hpp>

#include "models/address/virtual_space.h"
#include "tests/support/forked.h"
#include "tests/support/whole_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(strided_machine)

namespace {

constexpr Fs ns = fs_per_ns;
const PeId pe0{0, 0, 0};

struct Access {
  bool write = false;
  std::uint64_t rows = 1, bytes = 256, pitch = 256, offset = 0;
};

Command command_of(const Access& access, std::uint64_t base) {
  auto runs = std::make_shared<AddressRuns>();
  for (std::uint64_t i = 0; i < access.rows; ++i)
    runs->push_back({base + access.offset + i * access.pitch, access.bytes});
  Command command;
  command.what = DmaCommand{access.write, runs->front().address, access.rows * access.bytes, runs};
  return command;
}

std::vector<Override> with_model(const std::string& model, const std::string& mapping) {
  return {{"cube.memory_map.address_model", model}, {"cube.memory_map.hbm_mapping_mode", mapping}};
}

// Makes va_base the first byte of PE 0's partition there.
void map_partition(WholeMachine& m, HostPort& port, const std::string& mapping) {
  if (m.platform->machine().address_model == AddressModel::va) {
    auto map = host_message<MmuMap>();
    map->entries = {{va_base, m.hbm(pe0), 1 << 22}};
    map->targets = {pe0};
    port.wait(*port.submit(std::shared_ptr<const MmuMap>(map)));
    return;
  }
  const bool per_channel = mapping == "one_to_one";
  BaawSegment segment{
      va_base, 1 << 22, per_channel ? HbmMapping::one_to_one : HbmMapping::n_to_one, {}};
  for (std::uint64_t channel = 0; channel < (per_channel ? 8 : 1); ++channel)
    segment.pa_bases.push_back(m.hbm(pe0, channel * 256));
  auto install = host_message<SegmentInstall>();
  install->segments = {segment};
  install->targets = {pe0};
  port.wait(*port.submit(std::shared_ptr<const SegmentInstall>(install)));
}

// From the issue to the end, alone on the machine; several accesses back to back, the last
// of which counts.
Fs taken(const std::vector<Access>& accesses, const std::string& model = "pa",
         const std::string& mapping = "n_to_one") {
  return forked_value([=] {
    WholeMachine m("topology.tiny.yaml", with_model(model, mapping),
                   WholeMachine::Engines::builtin);
    Fs time = 0;
    const RunResult result = m.run([&](HostPort& port) {
      if (model != "pa") map_partition(m, port, mapping);
      auto message = kernel_launch({pe0});
      message->body = std::make_shared<FunctionKernel>([&](KernelContext& context) {
        for (const Access& access : accesses) {
          const Fs before = context.now();
          context.wait(*context.issue(command_of(access, model == "pa" ? m.hbm(pe0) : va_base)));
          time = context.now() - before;
        }
      });
      port.wait(*port.submit(std::shared_ptr<const KernelLaunch>(message)));
    });
    BOOST_TEST(result.error == "");
    return time;
  });
}

void check(Fs found, double expected_ns, std::uint64_t links) {
  const Fs expected = static_cast<Fs>(expected_ns * 1e6) + links;
  BOOST_TEST(found == expected,
             "found " << format_ns(found) << ", expected " << format_ns(expected));
}

}  // namespace

// 64 rows of 128 B at a pitch of 9 bursts: row i touches one burst, on channel i mod 8. Eight
// rounds of 8 ns; the flits of a round, 0.5 ns each, leave together at its end. Those of the last
// leave the HBM from 64 ns on, 4 ns on the link; the router has long been free; 0.5 ns on the
// second.
BOOST_AUTO_TEST_CASE(rows_on_all_channels_take_a_burst_each_in_parallel) {
  check(taken({{false, 64, 128, 9 * 256}}), 4 + 64 + 4 + 0.5, 4);
}

// At a pitch of 8 bursts all rows are on channel 0: 64 bursts of 8 ns, back to back.
BOOST_AUTO_TEST_CASE(rows_on_one_channel_wait_for_each_other) {
  check(taken({{false, 64, 128, 8 * 256}}), 4 + 64 * 8 + 0.5 + 0.5, 4);
}

// 64 rows of 64 B at a pitch of 128 B, two in each of 32 bursts, which are read once: four rounds.
// The last round has 16 flits of 0.25 ns.
BOOST_AUTO_TEST_CASE(rows_in_one_burst_share_it) {
  check(taken({{false, 64, 64, 128}}), 4 + 4 * 8 + 16 * 0.25 + 0.25, 4);
}

// A row of 256 B from 128 on touches two bursts and has two flits; the next row, at a pitch of
// 512 B, touches two others. 16 rows: 32 bursts, four rounds; flits of a round are ready at its
// end: the second flit of each row with its own burst, 8 flits a round, 0.5 ns each.
BOOST_AUTO_TEST_CASE(rows_across_bursts_touch_both) {
  check(taken({{false, 16, 256, 512, 128}}), 4 + 4 * 8 + 8 * 0.5 + 0.5, 4);
}

// Flits of 128 B take 0.5 ns on each of two links. The first holds the router for 2 ns, the others
// have come by then or follow without a gap: flit i is at the HBM after 2 + 0.5 + 2 + 0.5 (i + 1)
// ns. Channel 7 gets its first at i = 7, after 8.5 ns, then one every 4 ns; its 8 bursts take 64
// ns. The acknowledgement passes the router, 2 ns.
BOOST_AUTO_TEST_CASE(a_strided_write_books_the_bursts_of_each_flit) {
  check(taken({{true, 64, 128, 9 * 256}}), 8.5 + 64 + 2, 4);
}

// Each of the two flits in a burst writes it: 64 bursts on 8 channels, as with any partial write.
// Flit i is there after 2 + 0.25 + 2 + 0.25 (i + 1) ns; the flits 14, 15 mod 16 are of channel 7,
// the first of them after 4.25 + 3.75 = 8 ns, and take 8 x 8 ns.
BOOST_AUTO_TEST_CASE(flits_of_two_rows_in_one_burst_write_it_twice) {
  check(taken({{true, 64, 64, 128}}), 8 + 64 + 2, 4);
}

BOOST_AUTO_TEST_CASE(adjacent_rows_take_the_time_of_one_run) {
  for (const bool write : {false, true}) {
    BOOST_TEST(taken({{write, 32, 512, 512, 64}}) == taken({{write, 1, 32 * 512, 0, 64}}));
    BOOST_TEST(taken({{write, 32, 512, 512, 64}}, "la", "one_to_one") ==
               taken({{write, 1, 32 * 512, 0, 64}}, "la", "one_to_one"));
  }
}

// By virtual and logical addresses the bursts and flits are the same.
BOOST_AUTO_TEST_CASE(the_address_models_agree) {
  for (const bool write : {false, true}) {
    const Access access{write, 64, 128, 9 * 256};
    const Fs physical = taken({access});
    BOOST_TEST(taken({access}, "va") == physical);
    BOOST_TEST(taken({access}, "la") == physical);
  }
}

// One request for each channel touched, all issued at the grant: 8 rows of 256 B at a pitch of 9
// bursts are one burst on each channel, as a dense access to 8 bursts is.
BOOST_AUTO_TEST_CASE(rows_on_channels_of_their_own_are_one_request_each) {
  for (const bool write : {false, true}) {
    BOOST_TEST(taken({{write, 8, 256, 9 * 256}}, "la", "one_to_one") ==
               taken({{write, 1, 2048, 0}}, "la", "one_to_one"));
  }
}

// 64 rows of 128 B on 8 channels: 8 ns a burst and 4 ns on the channel's link (32 GB/s) for each of
// 8 rows. Every channel's first flit is at r0c0 8 + 4 ns after the command; 8 first flits hold it
// for 2 ns each; later ones come at the rate of the bursts. The last burst ends after 64 ns, its
// flit is at r0c0 after 68 ns, with those of 7 other channels, 0.5 ns each on the way to pe_dma.
BOOST_AUTO_TEST_CASE(channels_of_their_own_read_their_rows_side_by_side) {
  check(taken({{false, 64, 128, 9 * 256}}, "la", "one_to_one"), 4 + 64 + 4 + 8 * 0.5, 6);
}

BOOST_AUTO_TEST_SUITE_END()
