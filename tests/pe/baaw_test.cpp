// The address model LA in a PE (spec 3.3; ADR-0011 D-LA): segments come by message, PE_DMA resolves
// accesses by them. In the bench a DMA of n flits takes overhead 1 ns + n ns + 2 fs; bursts of 256
// B go round 4 channels.
#include <boost/test/unit_test.hpp>

#include "models/address/virtual_space.h"
#include "models/base/errors.h"
#include "tests/pe/composites.h"
#include "tests/support/forked.h"
#include "tests/support/function_kernel.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(baaw)

namespace {

constexpr std::uint64_t la = va_base;

std::size_t install(PeTestbench& pe, std::vector<BaawSegment> segments) {
  auto message = std::make_shared<SegmentInstall>();
  message->segments = std::move(segments);
  return pe.send_control("pe_dma", message);
}
std::size_t remove(PeTestbench& pe, std::vector<SegmentRemove::Range> ranges) {
  auto message = std::make_shared<SegmentRemove>();
  message->segments = std::move(ranges);
  return pe.send_control("pe_dma", message);
}

BaawSegment whole(std::uint64_t base, std::uint64_t size, std::uint64_t pa) {
  return {base, size, HbmMapping::n_to_one, {pa}};
}
// `pa` is where a round of the channels begins.
BaawSegment by_channel(std::uint64_t base, std::uint64_t size, std::uint64_t pa) {
  return {base, size, HbmMapping::one_to_one, {pa, pa + 256, pa + 512, pa + 768}};
}

DmaCommand load(std::uint64_t address, std::uint64_t bytes) { return {false, address, bytes}; }
DmaCommand store(std::uint64_t address, std::uint64_t bytes) { return {true, address, bytes}; }

std::string text(const std::vector<PeNeighbour::Seen>& seen) {
  std::string all;
  for (const PeNeighbour::Seen& request : seen) {
    all += (all.empty() ? "" : " ") + std::to_string(request.offset) + "+" +
           std::to_string(request.bytes);
    if (request.channel != every_channel) all += "@ch" + std::to_string(request.channel);
  }
  return all;
}

void check_refused(const PeTestbench& pe, std::size_t request, const std::string& part) {
  const Completion& completion = pe.response(request).completion;
  BOOST_TEST(!completion.ok);
  BOOST_TEST(completion.error_code == "segment_error");
  BOOST_TEST(completion.error_message.find(part) != std::string::npos, completion.error_message);
}

}  // namespace

// One link of 1 fs, overhead 1 ns, one link back.
KERNBENCH_SYSTEMC_TEST(a_segment_message_takes_effect_after_the_overhead_and_is_answered_then) {
  PeTestbench pe({}, 0, AddressModel::la);
  std::size_t installed = 0, removed = 0;
  std::vector<bool> there;
  const auto signal = [&] {
    try {
      SegmentRequest request;
      request.address = la;
      request.nbytes = 256;
      pe.user().to_segments.transport_dbg(request);
      there.push_back(true);
    } catch (const AccessFault&) {
      there.push_back(false);
    }
  };
  pe.at(0, [&] { installed = install(pe, {whole(la, 256, 0)}); });
  pe.at(1 * ns, signal);
  pe.at(1 * ns + 2, signal);
  pe.at(5 * ns, [&] { removed = remove(pe, {{la, 256}}); });
  pe.at(6 * ns, signal);
  pe.at(6 * ns + 2, signal);
  pe.run();
  BOOST_TEST(there == (std::vector<bool>{false, true, true, false}),
             boost::test_tools::per_element());
  BOOST_TEST(pe.answer(installed).time == 1 * ns + 2);
  BOOST_TEST(pe.answer(removed).time == 6 * ns + 2);
  BOOST_TEST(pe.response(installed).completion.ok);
  BOOST_TEST(pe.response(removed).completion.ok);
  BOOST_TEST(pe.statistic("pe_dma", "segments_installed") == 1U);
  BOOST_TEST(pe.statistic("pe_dma", "segments_removed") == 1U);
}

// Dispatch and grant at 11 ns; the MMU is not asked.
KERNBENCH_SYSTEMC_TEST(
    n_to_one_is_one_request_and_every_access_costs_the_baaw_overhead_on_both_paths) {
  PeTestbench pe({{"pe_dma", {{"baaw_overhead_ns", "3"}}}, {"pe_mmu", {{"tlb_overhead_ns", "50"}}}},
                 0, AddressModel::la);
  pe.at(0, [&] { install(pe, {whole(la, 8192, 0x1000)}); });
  pe.at(10 * ns, [&] { pe.submit(load(la + 0x200, 4096)); });
  pe.at(100 * ns,
        [&] { pe.submit(load(0x200, 256)); });  // an address below the logical ones is physical
  pe.at(200 * ns, [&] { pe.submit(memory_row(la + 4096)); });
  pe.run();
  BOOST_TEST(pe.op("dma_read", -1, 1).end == 11 * ns + (1 + 3 + 16) * ns + 2);
  BOOST_TEST(pe.op("dma_read", -1, 2).end == 101 * ns + (1 + 1) * ns + 2);
  BOOST_TEST(pe.op("tile/DMA_READ").end == 201 * ns + (1 + 3 + 1) * ns + 2);
  BOOST_TEST(text(pe.memory(0).seen()) == "4608+4096 512+256 8192+256");
  BOOST_TEST(pe.statistic("pe_dma", "segment_accesses") == 2U);
  BOOST_TEST(pe.statistic("pe_mmu", "look_ups") == 0U);
}

// Bursts 12 to 19 of the partition: on every channel the fourth and fifth, at 768 of the channel's
// own bytes. All four commands are queued at the link at 12 ns; the bench has one link for all
// channels, on which the 8 flits follow each other.
KERNBENCH_SYSTEMC_TEST(a_read_in_one_to_one_is_one_request_for_each_channel_all_at_the_grant) {
  PeTestbench pe({}, 0, AddressModel::la);
  pe.at(0, [&] { install(pe, {by_channel(la, 4096, mib + 3072)}); });
  pe.at(10 * ns, [&] { pe.submit(load(la, 2048)); });
  pe.run();
  BOOST_TEST(text(pe.memory(1).seen()) == "768+512@ch0 768+512@ch1 768+512@ch2 768+512@ch3");
  for (const PeNeighbour::Seen& request : pe.memory(1).seen())
    BOOST_TEST(request.time == 12 * ns + 1);
  BOOST_TEST(pe.op("dma_read").end == 12 * ns + 8 * ns + 2);
  BOOST_TEST(pe.statistic("pe_dma", "transactions") == 4U);
}

// 8 flits of 1 ns from 12 ns on. The flits of channel c are c and c + 4, so its write is there
// whole after flit c + 4.
KERNBENCH_SYSTEMC_TEST(the_flits_of_a_write_in_one_to_one_leave_in_the_order_of_their_bytes) {
  PeTestbench pe({}, 0, AddressModel::la);
  pe.at(0, [&] { install(pe, {by_channel(la, 4096, 0)}); });
  pe.at(10 * ns, [&] { pe.submit(store(la, 2048)); });
  pe.run();
  BOOST_TEST(text(pe.memory(0).seen()) == "0+512@ch0 0+512@ch1 0+512@ch2 0+512@ch3");
  for (std::size_t channel = 0; channel < 4; ++channel)
    BOOST_TEST(pe.memory(0).seen().at(channel).time == 12 * ns + (5 + channel) * ns + 1);
  BOOST_TEST(pe.op("dma_write").end == 12 * ns + 8 * ns + 2);  // held until all are complete
}

// From the middle of burst 1 into burst 6: 128 B, then whole bursts, 64 B of the last.
KERNBENCH_SYSTEMC_TEST(only_the_channels_that_are_touched_get_a_request) {
  PeTestbench pe({}, 0, AddressModel::la);
  pe.at(0, [&] { install(pe, {by_channel(la, 4096, 0)}); });
  pe.at(10 * ns, [&] { pe.submit(store(la + 384, 128 + 4 * 256 + 64)); });
  pe.at(100 * ns, [&] { pe.submit(load(la + 300, 100)); });
  pe.run();
  // In order of their last flits: burst 3, 4, 5 and 6 on channels 3, 0, 1, 2.
  BOOST_TEST(text(pe.memory(0).seen()) == "0+256@ch3 256+256@ch0 128+384@ch1 0+320@ch2 44+100@ch1");
}

KERNBENCH_SYSTEMC_TEST(an_access_over_several_segments_is_issued_together) {
  PeTestbench pe({}, 0, AddressModel::la);
  pe.at(0, [&] { install(pe, {whole(la, 512, 0x1000), by_channel(la + 512, 1024, mib)}); });
  pe.at(10 * ns, [&] { pe.submit(load(la + 256, 768)); });
  pe.run();
  BOOST_TEST(text(pe.memory(0).seen()) == "4352+256");
  BOOST_TEST(text(pe.memory(1).seen()) == "0+256@ch0 0+256@ch1");
  BOOST_TEST(pe.memory(0).seen().at(0).time == 12 * ns + 1);
  BOOST_TEST(pe.memory(1).seen().at(1).time == 12 * ns + 1);
}

KERNBENCH_SYSTEMC_TEST(a_logical_address_without_a_segment_is_a_fault_that_names_node_and_time) {
  PeTestbench pe({}, 0, AddressModel::la);
  std::shared_ptr<CommandState> first, second;
  pe.at(0, [&] { install(pe, {whole(la, 4096, 0)}); });
  pe.at(10 * ns, [&] { first = pe.submit(load(la + 4000, 256)); });
  pe.at(20 * ns, [&] { remove(pe, {{la, 4096}}); });
  pe.at(30 * ns, [&] { second = pe.submit(store(la, 256)); });
  pe.run();
  BOOST_TEST(first->error() ==
             "pe_dma at 12 ns: no segment for logical address 0x10000000001000 (access of 256 "
             "bytes at 0x10000000000fa0)");
  BOOST_TEST(second->error() ==
             "pe_dma at 32 ns: no segment for logical address 0x10000000000000 (access of 256 "
             "bytes at 0x10000000000000)");
  BOOST_TEST(pe.statistic("pe_dma", "faults") == 2U);
  BOOST_TEST(pe.statistic("pe_dma", "segment_misses") == 2U);
}

KERNBENCH_SYSTEMC_TEST(a_fault_of_segments_ends_with_what_the_host_program_knows) {
  PeTestbench pe({}, 0, AddressModel::la);
  pe.machine().address_book->set([](std::uint64_t address, PeId where) {
    return "byte " + std::to_string(address - la) + ", asked by " + where.str();
  });
  std::shared_ptr<CommandState> command;
  pe.at(0, [&] { command = pe.submit(load(la + 512, 256)); });
  pe.run();
  BOOST_TEST(command->error() ==
             "pe_dma at 2 ns: no segment for logical address 0x10000000000200 (access of 256 bytes "
             "at 0x10000000000200): byte 512, asked by sip0.cube0.pe0");
}

KERNBENCH_SYSTEMC_TEST(a_message_installs_all_its_segments_or_none) {
  PeTestbench pe({}, 0, AddressModel::la);
  std::size_t overlap = 0, two_memories = 0, end = 0, nowhere = 0, same_channel = 0, good = 0;
  pe.at(0, [&] {
    overlap = install(pe, {whole(la, 256, 0), whole(la + 128, 256, 4096)});
    two_memories = install(
        pe,
        {whole(la, 256, 0), {la + 4096, 1024, HbmMapping::one_to_one, {0, 256, 512, mib + 768}}});
    end = install(pe, {whole(la, 512, mib - 256)});
    nowhere = install(pe, {whole(la, 512, 7 * mib)});
    same_channel = install(pe, {{la, 1024, HbmMapping::one_to_one, {0, 256, 512, 1280}}});
    good = install(pe, {whole(la, 256, 0)});
  });
  pe.run();
  check_refused(pe, overlap,
                "pe_dma at 1.000001 ns: segment of 256 bytes at 0x10000000000080 overlaps the "
                "segment of 256 bytes");
  check_refused(pe, two_memories, "lies in mem0 and in mem1");
  check_refused(pe, end, "runs past the end of mem0");
  check_refused(pe, nowhere, "no node serves address");
  check_refused(pe, same_channel, "two physical bases on channel 1");
  BOOST_TEST(pe.response(good).completion.ok, pe.response(good).completion.error_message);
  BOOST_TEST(pe.statistic("pe_dma", "segments_installed") == 1U);
}

KERNBENCH_SYSTEMC_TEST(a_message_removes_all_its_segments_or_none) {
  PeTestbench pe({}, 0, AddressModel::la);
  std::size_t absent = 0, size = 0, twice = 0, good = 0;
  pe.at(0, [&] {
    install(pe, {whole(la, 256, 0), whole(la + 256, 256, 4096)});
    absent = remove(pe, {{la, 256}, {la + 512, 256}});
    size = remove(pe, {{la, 512}});
    twice = remove(pe, {{la, 256}, {la, 256}});
    good = remove(pe, {{la + 256, 256}, {la, 256}});
  });
  pe.run();
  check_refused(pe, absent, "the segment of 256 bytes at 0x10000000000200 is not installed");
  check_refused(
      pe, size,
      "the segment of 512 bytes at 0x10000000000000 is not installed, but a segment of 256 bytes");
  check_refused(pe, twice, "removed twice");
  BOOST_TEST(pe.response(good).completion.ok, pe.response(good).completion.error_message);
  BOOST_TEST(pe.statistic("pe_dma", "segments_removed") == 2U);
}

KERNBENCH_SYSTEMC_TEST(a_kernel_asks_where_its_bytes_lie_without_time) {
  PeTestbench pe({{"pe_dma", {{"baaw_overhead_ns", "3"}}}, {"pe_cpu", {{"overhead_ns", "0"}}}}, 0,
                 AddressModel::la);
  PhysRanges ranges;
  std::size_t launch = 0;
  pe.at(0, [&] {
    install(pe, {whole(la, 256, 100), {la + 256, 256, HbmMapping::one_to_one, {9216}}});
  });
  pe.at(10 * ns, [&] {
    auto message = std::make_shared<KernelLaunch>();
    message->body = std::make_shared<FunctionKernel>(
        [&](KernelContext& context) { ranges = context.translate(la + 128, 256); });
    launch = pe.send_control("pe_cpu", message);
  });
  pe.run();
  BOOST_TEST(pe.response(launch).completion.ok, pe.response(launch).completion.error_message);
  BOOST_TEST(pe.response(launch).metrics.pe_exec == 0U);
  BOOST_REQUIRE(ranges.size() == 2U);
  BOOST_TEST(ranges[0].pa == 228U);
  BOOST_TEST(ranges[0].nbytes == 128U);
  BOOST_TEST(ranges[1].pa == 9216U);
  BOOST_TEST(ranges[1].nbytes == 128U);
}

BOOST_AUTO_TEST_SUITE_END()
