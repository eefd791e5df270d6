// PE_DMA (spec 2.6, 3.3, 5). One DMA of n flits at zero load: overhead 1 ns, n ns on the 256 GB/s
// link, 1 fs there and 1 fs back.
#include <boost/test/unit_test.hpp>
#include <deque>

#include "models/address/virtual_space.h"
#include "tests/pe/composites.h"
#include "tests/support/error_text.h"
#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(dma_test)

namespace {

DmaCommand load(std::uint64_t address, std::uint64_t bytes) { return {false, address, bytes}; }
DmaCommand store(std::uint64_t address, std::uint64_t bytes) { return {true, address, bytes}; }

std::shared_ptr<MmuMap> map(std::vector<MmuEntry> entries) {
  auto message = std::make_shared<MmuMap>();
  message->entries = std::move(entries);
  return message;
}

}  // namespace

// Dispatch and grant at 1 ns, command at 2 ns, 16 flits.
KERNBENCH_SYSTEMC_TEST(a_read_pays_overhead_command_leg_and_data_leg) {
  PeTestbench pe;
  pe.at(0, [&] { pe.submit(load(0x1000, 4096)); });
  pe.run();
  BOOST_TEST(pe.op("dma_read").start == 1 * ns);
  BOOST_TEST(pe.op("dma_read").end == 18 * ns + 2);
  BOOST_TEST(pe.op("dma_read").bytes == 4096u);
  BOOST_TEST(pe.memory(0).seen().at(0).offset == 0x1000u);
  BOOST_TEST(pe.memory(0).seen().at(0).time == 2 * ns + 1);
}

KERNBENCH_SYSTEMC_TEST(a_write_is_held_until_its_acknowledgement) {
  PeTestbench pe;
  pe.at(0, [&] { pe.submit(store(0x1000, 4096)); });
  pe.run();
  BOOST_TEST(pe.memory(0).seen().at(0).time == 18 * ns + 1);
  BOOST_TEST(pe.op("dma_write").end == 18 * ns + 2);
}

// 300 bytes from 200 on touch flits of 56, 244 bytes.
KERNBENCH_SYSTEMC_TEST(flits_do_not_cross_multiples_of_the_flit_size) {
  PeTestbench pe;
  pe.at(0, [&] { pe.submit(store(200, 300)); });
  pe.run();
  BOOST_TEST(pe.op("dma_write").end == 2 * ns + 300 * ns / 256 + 2);
}

// The memory takes 10 ns: the channel is held for the round trip, and the next request granted at
// its end.
KERNBENCH_SYSTEMC_TEST(a_channel_is_held_for_the_full_round_trip) {
  PeTestbench pe({}, 10 * ns);
  pe.at(0, [&] {
    pe.submit(load(0, 256));
    pe.submit(load(4096, 256));
  });
  pe.run();
  const Fs round_trip = 1 * ns + 10 * ns + 1 * ns + 2;
  BOOST_TEST(pe.op("dma_read", -1, 1).end == 1 * ns + round_trip);
  BOOST_TEST(pe.op("dma_read", -1, 2).start == 1 * ns + round_trip);
  BOOST_TEST(pe.op("dma_read", -1, 2).end == 1 * ns + 2 * round_trip);
  BOOST_TEST(pe.commands().usage().dma == 2 * round_trip);
  BOOST_TEST(pe.kernel().usage.dma == 2 * round_trip);
}

KERNBENCH_SYSTEMC_TEST(reads_and_writes_overlap) {
  PeTestbench pe({}, 10 * ns);
  pe.at(0, [&] {
    pe.submit(load(0, 256));
    pe.submit(store(mib, 256));
  });
  pe.run();
  const Fs round_trip = 12 * ns + 2;
  BOOST_TEST(pe.op("dma_read").end == 1 * ns + round_trip);
  BOOST_TEST(pe.op("dma_write").end == 2 * ns + round_trip);
  BOOST_TEST(pe.commands().usage().dma == 2 * round_trip);
}

// Commands leave the scheduler 1 ns apart; a round trip takes 1 + 10 + 1 ns and two links of 1 fs.
KERNBENCH_SYSTEMC_TEST(each_of_several_engines_has_a_transfer_in_flight_and_one_queue_serves_all) {
  PeTestbench pe({{"pe_dma", {{"rd_engines", "2"}, {"wr_engines", "2"}}}}, 10 * ns);
  pe.at(0, [&] {
    for (std::uint64_t i = 0; i < 3; ++i) pe.submit(load(i * 4096, 256));
    for (std::uint64_t i = 0; i < 2; ++i) pe.submit(store(mib + i * 4096, 256));
  });
  pe.run();
  const Fs round_trip = 12 * ns + 2;
  BOOST_TEST(pe.op("dma_read", -1, 1).end == 1 * ns + round_trip);
  BOOST_TEST(pe.op("dma_read", -1, 2).start == 2 * ns);
  BOOST_TEST(pe.op("dma_read", -1, 2).end == 2 * ns + round_trip);
  BOOST_TEST(pe.op("dma_read", -1, 3).start == 1 * ns + round_trip);  // the first that is free
  BOOST_TEST(pe.op("dma_write", -1, 4).end == 4 * ns + round_trip);
  BOOST_TEST(pe.op("dma_write", -1, 5).end == 5 * ns + round_trip);
  BOOST_TEST(pe.statistic("pe_dma", "read_channel_held") == 3 * round_trip);
  BOOST_TEST(pe.statistic("pe_dma", "dma_read_served") == 3U);
  BOOST_TEST(pe.commands().usage().dma == 5 * round_trip);
}

// A of tile 0 is 4096 B in mem0, A of tile 1 1024 B in mem1: its 4 flits are there before the 16 of
// tile 0, which is fetched first all the same: 1 ns scheduler, 1 ns overhead, 16 flits, 2 fs.
KERNBENCH_SYSTEMC_TEST(tiles_are_handed_on_in_their_order_by_several_engines) {
  PeTestbench pe({{"pe_dma", {{"rd_engines", "2"}}}});
  CompositeGemm gemm;
  gemm.m = gemm.n = 32;
  gemm.k = 64 + 16;
  gemm.a.address = mib - 4096;
  gemm.b.pinned = gemm.out.pinned = true;
  pe.at(0, [&] { pe.submit(gemm); });
  pe.run();
  BOOST_TEST(pe.op("tile/DMA_READ", 0).end == (1 + 1 + 16) * ns + 2);
  BOOST_TEST(pe.op("tile/DMA_READ", 1).end == (1 + 1 + 4) * ns + 2);
  BOOST_TEST(pe.op("tile/FETCH", 0).start == pe.op("tile/DMA_READ", 0).end);
  BOOST_TEST(pe.op("tile/FETCH", 1).start == pe.op("tile/FETCH", 0).end);
}

KERNBENCH_SYSTEMC_TEST(requests_of_one_instant_are_granted_by_command) {
  PeTestbench pe({{"pe_scheduler", {{"overhead_ns", "0"}}}});
  struct Transfer {
    bool write;
    const char* memory;
    std::uint64_t bytes;
    std::uint32_t command;
  };
  std::deque<DmaRequest> requests;
  pe.at(0, [&] {
    for (const Transfer& transfer :
         {Transfer{false, "mem0", 256, 7}, Transfer{false, "mem1", 512, 5},
          Transfer{true, "mem2", 256, 9}}) {
      DmaRequest& request = requests.emplace_back();
      request.write = transfer.write;
      request.place = {pe.machine().find(transfer.memory), 0};
      request.bytes = transfer.bytes;
      request.order.command = request.tag = transfer.command;
      pe.user().to_dma.nb_transport_fw(request);
    }
  });
  pe.run();
  const std::vector<std::string> expected{"granted 5 0 ns",        "granted 9 0 ns",
                                          "ended 9 2.000002 ns",   "ended 5 3.000002 ns",
                                          "granted 7 3.000002 ns", "ended 7 5.000004 ns"};
  BOOST_TEST(pe.user().responses == expected, boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(every_translation_costs_the_tlb_overhead_and_a_physical_address_none) {
  PeTestbench pe({{"pe_mmu", {{"tlb_overhead_ns", "3"}}}});
  pe.at(0, [&] { pe.send_control("pe_mmu", map({{va_base, 0, 8192}})); });
  pe.at(10 * ns, [&] { pe.submit(load(va_base, 256)); });
  pe.at(100 * ns, [&] { pe.submit(load(0, 256)); });
  pe.at(200 * ns, [&] { pe.submit(memory_row(va_base + 4096)); });
  pe.run();
  BOOST_TEST(pe.op("dma_read", -1, 1).end == 11 * ns + (1 + 3 + 1) * ns + 2);
  BOOST_TEST(pe.op("dma_read", -1, 2).end == 101 * ns + (1 + 1) * ns + 2);
  BOOST_TEST(pe.op("tile/DMA_READ").end == 201 * ns + (1 + 3 + 1) * ns + 2);
}

// 4096 bytes, half in mem0 and half in mem1: two transactions of 8 flits at one time.
KERNBENCH_SYSTEMC_TEST(a_transfer_across_shards_is_split_and_issued_together) {
  PeTestbench pe;
  pe.at(0, [&] {
    pe.send_control("pe_mmu", map({{va_base, 0x800, 2048}, {va_base + 2048, mib + 0x1000, 2048}}));
  });
  pe.at(10 * ns, [&] { pe.submit(load(va_base, 4096)); });
  pe.run();
  BOOST_TEST(pe.op("dma_read").end == 11 * ns + (1 + 8) * ns + 2);
  BOOST_REQUIRE(pe.memory(0).seen().size() == 1u);
  BOOST_REQUIRE(pe.memory(1).seen().size() == 1u);
  BOOST_TEST(pe.memory(0).seen()[0].offset == 0x800u);
  BOOST_TEST(pe.memory(0).seen()[0].bytes == 2048u);
  BOOST_TEST(pe.memory(1).seen()[0].offset == 0x1000u);
  BOOST_TEST(pe.memory(1).seen()[0].time == 12 * ns + 1);
}

KERNBENCH_SYSTEMC_TEST(a_transfer_across_memories_is_split_where_the_memory_changes) {
  PeTestbench pe;
  pe.at(0, [&] { pe.submit(store(mib - 100, mib + 300)); });
  pe.run();
  BOOST_TEST(pe.memory(0).seen().at(0).bytes == 100u);
  BOOST_TEST(pe.memory(1).seen().at(0).bytes == mib);
  BOOST_TEST(pe.memory(1).seen().at(0).offset == 0u);
  BOOST_TEST(pe.memory(2).seen().at(0).bytes == 200u);
}

KERNBENCH_SYSTEMC_TEST(an_unmapped_virtual_address_is_a_fault_that_names_node_and_time) {
  PeTestbench pe;
  std::shared_ptr<CommandState> command;
  pe.at(0, [&] { command = pe.submit(load(va_base + 4096, 256)); });
  pe.run();
  BOOST_TEST(pe.done_at(1) == 2 * ns);  // granted at 1, overhead
  BOOST_TEST(
      contains(command->error(), "pe_dma at 2 ns: no mapping for virtual address 0x10000000001000"),
      command->error());
  BOOST_TEST(pe.statistic("pe_dma", "faults") == 1u);
  BOOST_TEST(pe.statistic("pe_mmu", "misses") == 1u);
}

KERNBENCH_SYSTEMC_TEST(a_fault_ends_with_what_the_host_program_knows_of_the_address) {
  PeTestbench pe;
  pe.machine().address_book->set([](std::uint64_t address, PeId where) {
    return "byte " + std::to_string(address - va_base) + ", asked by " + where.str();
  });
  std::shared_ptr<CommandState> command;
  pe.at(0, [&] { command = pe.submit(load(va_base + 4096, 256)); });
  pe.run();
  BOOST_TEST(contains(command->error(), "0x10000000001000): byte 4096, asked by sip0.cube0.pe0"),
             command->error());
}

KERNBENCH_SYSTEMC_TEST(an_address_without_a_node_is_a_fault) {
  PeTestbench pe;
  std::shared_ptr<CommandState> command;
  pe.at(0, [&] { command = pe.submit(load(3 * mib - 128, 256)); });
  pe.run();
  BOOST_TEST(contains(command->error(), "no node serves address"), command->error());
}

KERNBENCH_SYSTEMC_TEST(a_transfer_of_no_bytes_pays_the_overhead) {
  PeTestbench pe;
  pe.at(0, [&] { pe.submit(load(va_base, 0)); });
  pe.run();
  BOOST_TEST(pe.op("dma_read").end == 2 * ns);
}

// Two flits take 2 ns to the DMA and stand before the TCM at once; the acknowledgement takes one
// link back.
KERNBENCH_SYSTEMC_TEST(traffic_to_the_tcm_passes_at_once_even_while_the_channels_are_held) {
  PeTestbench pe({}, 50 * ns);
  std::size_t write = 0;
  std::size_t read = 0;
  pe.at(0, [&] {
    pe.submit(load(0, 256));
    pe.submit(store(0, 256));
  });
  pe.at(10 * ns, [&] { write = pe.send_to_tcm(true, 0, 512); });
  pe.at(20 * ns, [&] { read = pe.send_to_tcm(false, 0, 512); });
  pe.run();
  BOOST_TEST(pe.answer(write).time == 12 * ns + 2);
  BOOST_TEST(pe.answer(read).time == 22 * ns + 2);
  BOOST_TEST(pe.statistic("pe_dma", "transactions") == 2u);
}

KERNBENCH_SYSTEMC_TEST(a_dma_may_address_the_pe_s_own_tcm) {
  PeTestbench pe;
  pe.at(0, [&] { pe.submit(load(PeTestbench::tcm_base, 512)); });
  pe.run();
  BOOST_TEST(pe.op("dma_read").end == 2 * ns);  // no link between the two
}

// 3 commands in the inbox at 0: dispatched at 1, 2, 3.
KERNBENCH_SYSTEMC_TEST(the_scheduler_pays_its_overhead_once_per_command_serially) {
  PeTestbench pe;
  pe.at(0, [&] {
    for (int i = 0; i < 3; ++i) pe.submit(load(0, 256));
  });
  pe.run();
  std::vector<Fs> dispatched;
  for (const TraceEvent& event : pe.trace()) {
    if (event.kind == TraceKind::sub_command_dispatched) dispatched.push_back(event.time);
  }
  const std::vector<Fs> expected{1 * ns, 2 * ns, 3 * ns};
  BOOST_TEST(dispatched == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
