// Strided accesses of PE_DMA (spec 2.6). The scheduler takes 1 ns, the DMA 1 ns, each link 1 fs;
// a flit of b bytes takes b / 256 ns on the link. A read of b bytes at zero load thus takes
// 2 ns + b / 256 ns + 2 fs, whatever its runs are: the memories of the test bench have no bursts.
#include <boost/test/unit_test.hpp>

#include "models/address/virtual_space.h"
#include "models/pe/dma_pieces.h"
#include "tests/pe/composites.h"
#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(strided_dma)

namespace {

DmaCommand strided(bool write, const AddressRuns& runs) {
  std::uint64_t bytes = 0;
  for (const AddressRun& run : runs) bytes += run.nbytes;
  return {write, runs.front().address, bytes, std::make_shared<const AddressRuns>(runs)};
}

AddressRuns rows(std::uint64_t address, std::uint64_t count, std::uint64_t bytes,
                 std::uint64_t pitch) {
  AddressRuns runs;
  for (std::uint64_t i = 0; i < count; ++i) runs.push_back({address + i * pitch, bytes});
  return runs;
}

CompositeOperand strided_operand(std::uint64_t address, const TensorLayout& layout) {
  return {false, address, DType::f16, layout, true};
}

}  // namespace

// 4 flits of 128 B, 0.5 ns each.
BOOST_AUTO_TEST_CASE(a_strided_access_is_one_request_whose_flits_carry_its_runs) {
  for (const bool write : {false, true}) {
    forked([write] {
      PeTestbench pe;
      pe.at(0, [&] { pe.submit(strided(write, rows(0x1000, 4, 128, 1024))); });
      pe.run();
      const PeTestbench::Op op = pe.op(write ? "dma_write" : "dma_read");
      BOOST_TEST(op.bytes == 512U);
      BOOST_TEST(op.end == 2 * ns + 2 * ns + 2);
      BOOST_TEST(pe.memory(0).seen().size() == 1U);
      BOOST_TEST(pe.memory(0).seen().at(0).bytes == 512U);
      BOOST_TEST(pe.statistic("pe_dma", "transactions") == 1U);
    });
  }
}

// Of 100 bytes from 200 on, 56 and 44; of 100 from 1200 on, 80 and 20: no flit crosses a multiple
// of 256, or has bytes of two runs.
BOOST_AUTO_TEST_CASE(flits_cross_neither_multiples_of_their_size_nor_the_ends_of_runs) {
  FlitList flits(256);
  flits.add(200, 100, 0);
  flits.add(1200, 100, 100);
  flits.add(1300, 4, 200);  // adjacent: it continues the run, and the flit
  std::vector<std::vector<std::uint64_t>> found;
  for (std::uint32_t i = 0; i < flits.size(); ++i)
    found.push_back({flits[i].offset, flits[i].bytes, flits[i].position});
  BOOST_TEST((found == std::vector<std::vector<std::uint64_t>>{
                           {200, 56, 0}, {256, 44, 56}, {1200, 80, 100}, {1280, 24, 180}}));
  BOOST_TEST(flits.runs() == 2U);
  BOOST_TEST(flits.bytes() == 204U);
}

KERNBENCH_SYSTEMC_TEST(adjacent_runs_take_the_time_of_a_dense_access) {
  PeTestbench pe;
  pe.at(0, [&] { pe.submit(strided(false, rows(0x1080, 8, 512, 512))); });
  pe.at(100 * ns, [&] { pe.submit(DmaCommand{false, 0x1080, 4096}); });
  pe.run();
  const Fs runs = pe.op("dma_read", -1, 1).end - pe.op("dma_read", -1, 1).start,
           dense = pe.op("dma_read", -1, 2).end - pe.op("dma_read", -1, 2).start;
  BOOST_TEST(runs == dense);
}

// 8 rows of 256 B, four in mem0 and four in mem1: two transactions, 4 flits each, side by side.
KERNBENCH_SYSTEMC_TEST(the_runs_in_one_memory_are_one_transaction) {
  PeTestbench pe;
  pe.at(0, [&] { pe.submit(strided(false, rows(mib - 4 * 1024, 8, 256, 1024))); });
  pe.run();
  BOOST_TEST(pe.op("dma_read").end == (2 + 4) * ns + 2);
  for (const int i : {0, 1}) {
    BOOST_TEST(pe.memory(i).seen().size() == 1U);
    BOOST_TEST(pe.memory(i).seen().at(0).bytes == 1024U);
  }
}

// 8 rows on 8 pages: 3 ns once.
KERNBENCH_SYSTEMC_TEST(a_strided_access_pays_one_translation) {
  PeTestbench pe({{"pe_mmu", {{"tlb_overhead_ns", "3"}}}});
  pe.at(0, [&] {
    auto map = std::make_shared<MmuMap>();
    for (std::uint64_t page = 0; page < 8; ++page)
      map->entries.push_back({va_base + page * 4096, (7 - page) * 4096, 4096});
    pe.send_control("pe_mmu", map);
  });
  pe.at(10 * ns, [&] { pe.submit(strided(false, rows(va_base, 8, 256, 4096))); });
  pe.run();
  BOOST_TEST(pe.op("dma_read").end == 11 * ns + (1 + 3 + 8) * ns + 2);
  BOOST_TEST(pe.statistic("pe_dma", "transactions") == 1U);
}

KERNBENCH_SYSTEMC_TEST(a_run_without_a_mapping_fails_the_access_and_is_named) {
  PeTestbench pe;
  std::shared_ptr<CommandState> command;
  pe.at(0, [&] {
    auto map = std::make_shared<MmuMap>();
    map->entries = {{va_base, 0, 4096}};
    pe.send_control("pe_mmu", map);
  });
  pe.at(10 * ns, [&] { command = pe.submit(strided(true, rows(va_base, 2, 64, 4096))); });
  pe.run();
  BOOST_TEST(
      command->error().find("no mapping for virtual address 0x10000000001000") != std::string::npos,
      command->error());
  BOOST_TEST(pe.memory(0).seen().empty());
}

// A 64 x 64 block of a 128-wide matrix in mem0, tiles 32 x 64: 32 rows of 128 B each, 0.5 ns a
// row, at a pitch of 256 B; B^T, 32 x 64 in memory, is read by its 32 rows of 128 B, adjacent.
KERNBENCH_SYSTEMC_TEST(tiles_of_strided_operands_are_read_where_they_lie) {
  PeTestbench pe;
  CompositeGemm gemm = memory_gemm(64, 64, 32);
  gemm.a = strided_operand(128, {64, 64, 256, 2});
  gemm.b = strided_operand(mib, {64, 32, 2, 128});
  gemm.out = strided_operand(2 * mib + 64, {64, 32, 192, 2});
  pe.at(0, [&] { pe.submit(gemm); });
  pe.run();
  const auto reads = pe.ops("tile/DMA_READ"), writes = pe.ops("tile/DMA_WRITE");
  BOOST_TEST(reads.size() == 4U);
  for (const auto& op : reads) BOOST_TEST(op.bytes == 4096U);
  BOOST_TEST(writes.at(0).bytes == 2048U);
  BOOST_TEST(pe.memory(0).seen().at(0).offset == 128U);
  BOOST_TEST(pe.memory(0).seen().at(1).offset == 128U + 32 * 256);
  BOOST_TEST(pe.memory(2).seen().at(0).offset == 64U);
  BOOST_TEST(pe.memory(2).seen().at(1).offset == 64U + 32 * 192);
  // The same time as of dense tiles here: as many bytes, and no bursts.
  BOOST_TEST(reads.at(0).end - reads.at(0).start == 17 * ns + 2);
}

// A stride of 0 repeats a row: it is read once for each tile.
KERNBENCH_SYSTEMC_TEST(a_repeated_row_is_read_once) {
  PeTestbench pe;
  CompositeMath math;
  math.m = math.n = 32;
  math.inputs = {strided_operand(0, {32, 32, 0, 2})};
  math.out.pinned = true;
  pe.at(0, [&] { pe.submit(math); });
  pe.run();
  BOOST_TEST(pe.op("tile/DMA_READ").bytes == 64U);
  BOOST_TEST(pe.op("tile/FETCH").bytes == 2048U);
}

// 4 channels of 256 B: from one burst of a channel to its next, 1024 bytes of the access go by.
BOOST_AUTO_TEST_CASE(pieces_for_one_channel_are_merged_with_the_places_of_their_flits) {
  const ChannelInterleave hbm{4, 256};
  const auto piece = [](std::uint16_t channel, std::uint64_t offset, std::uint64_t bytes,
                        std::uint64_t position) {
    DmaPiece piece;
    piece.place = {7, offset};
    piece.bytes = bytes;
    piece.position = position;
    piece.channel = channel;
    return piece;
  };
  // Run 1: two bursts of channel 2, with those of channel 3, 0, 1 between; run 2: one more.
  const auto merged_pieces =
      merged({piece(2, 512, 512, 0), piece(3, 512, 256, 256), piece(2, 4096, 64, 2000)}, 256, hbm);
  BOOST_REQUIRE(merged_pieces.size() == 2U);
  BOOST_TEST(merged_pieces[0].bytes == 576U);
  BOOST_REQUIRE(merged_pieces[0].flits != nullptr);
  const FlitList& flits = *merged_pieces[0].flits;
  BOOST_REQUIRE(flits.size() == 3U);
  BOOST_TEST(flits[0].position == 0U);
  BOOST_TEST(flits[1].position == 1024U);
  BOOST_TEST(flits[2].position == 2000U);
  BOOST_TEST(merged_pieces[1].flits == nullptr);
}

// Rows of 384 B at a pitch of 1024 B: on channel 0 they are adjacent, and not in the access.
BOOST_AUTO_TEST_CASE(what_is_adjacent_on_its_channel_alone_keeps_its_place_in_the_access) {
  const ChannelInterleave hbm{4, 256};
  DmaPiece first, second;
  first.place = {7, 0};
  second.place = {7, 256};
  first.bytes = second.bytes = 256;
  second.position = 384;
  first.channel = second.channel = 0;
  const auto pieces = merged({first, second}, 256, hbm);
  BOOST_REQUIRE(pieces.size() == 1U);
  BOOST_REQUIRE(pieces[0].flits != nullptr);
  BOOST_TEST((*pieces[0].flits)[1].position == 384U);
  second.position = 1024;  // as a dense access has it
  BOOST_TEST(merged({first, second}, 256, hbm)[0].flits == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()
