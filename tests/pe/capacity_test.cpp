// What limits the tile pipeline (spec 5): the register file and the tile buffers. Numbers:
// tests/pe/composites.h.
#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "tests/pe/composites.h"
#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(capacity_test)

// 12288 B hold one tile and its accumulator: FETCH of the next output waits for the STORE of the
// first, at 37.
KERNBENCH_SYSTEMC_TEST(fetch_stalls_while_the_register_file_is_full) {
  PeTestbench pe({{"pe_fetch_store", {{"register_file_bytes", "12288"}}}});
  pe.at(0, [&] { pe.submit(pinned_gemm(64)); });
  pe.run();
  check_span(pe.op("tile/FETCH", 1), 37 * ns, 53 * ns);
  BOOST_TEST(pe.statistic("pe_fetch_store", "register_stalls") == 1u);
  BOOST_TEST(pe.statistic("pe_fetch_store", "register_bytes_high_water") == 12288u);
}

// Two k tiles of one output: the second needs operands only, and they are free after the GEMM of
// the first, at 33.
KERNBENCH_SYSTEMC_TEST(operands_leave_after_gemm_and_the_accumulator_stays_across_k) {
  PeTestbench pe({{"pe_fetch_store", {{"register_file_bytes", "12288"}}}});
  pe.at(0, [&] { pe.submit(pinned_gemm(32, 128)); });
  pe.run();
  check_span(pe.op("tile/FETCH", 1), 33 * ns, 49 * ns);
  check_span(pe.op("tile/GEMM", 1), 49 * ns, 65 * ns);
  check_span(pe.op("tile/STORE"), 65 * ns, 69 * ns);
}

KERNBENCH_SYSTEMC_TEST(a_tile_that_can_never_fit_is_an_error_at_the_call) {
  PeTestbench pe({{"pe_fetch_store", {{"register_file_bytes", "12287"}}},
                  {"pe_tcm", {{"reserved_kb", "10"}}}});
  std::vector<std::string> errors;
  pe.at(0, [&] {
    for (const CompositeGemm& g : {pinned_gemm(), memory_gemm(8, 64, 128)}) {
      try {
        pe.submit(g);
      } catch (const UsageError& error) {
        errors.emplace_back(error.what());
      }
    }
  });
  pe.run();
  BOOST_REQUIRE(errors.size() == 1u);
  BOOST_TEST(errors[0] ==
             "tile 32x64x32 (m, k, n) of composite_gemm needs 12288 bytes of the register file for "
             "operands and results; allowed are 12287 (pe_fetch_store.register_file_bytes); choose "
             "a smaller one by .tile({m, k, n})");
  BOOST_TEST(pe.kernel().in_flight == 0U);
}

KERNBENCH_SYSTEMC_TEST(a_tile_larger_than_the_reserve_is_an_error_at_the_call) {
  PeTestbench pe({{"pe_tcm", {{"reserved_kb", "9"}}}});
  std::string error;
  pe.at(0, [&] {
    try {
      pe.submit(memory_gemm());
    } catch (const UsageError& caught) {
      error = caught.what();
    }
  });
  pe.run();
  BOOST_TEST(error ==
             "tile 32x64x32 (m, k, n) of composite_gemm needs 10240 bytes of tile buffers in TCM; "
             "allowed are 9216 (pe_tcm.reserved_kb); choose a smaller one by .tile({m, k, n})");
}

// A reserve of 10 KiB holds one tile (A, B 4096 B each, result 2048 B): the next DMA_READ starts
// when DMA_WRITE has ended.
KERNBENCH_SYSTEMC_TEST(a_dma_read_waits_for_a_tile_buffer_until_the_dma_write_before_it_has_ended) {
  PeTestbench pe({{"pe_tcm", {{"reserved_kb", "10"}}}});
  pe.at(0, [&] { pe.submit(memory_gemm(64)); });
  pe.run();
  BOOST_TEST(pe.ops("tile/DMA_READ")[2].start == pe.op("tile/DMA_WRITE", 0).end);
  BOOST_TEST(pe.statistic("pe_scheduler", "buffer_stalls") == 1u);
  BOOST_TEST(pe.statistic("pe_scheduler", "buffer_high_water") == 10240u);
}

// Without a DMA_WRITE the buffer is free when FETCH has ended: the first k tile.
KERNBENCH_SYSTEMC_TEST(the_buffer_of_a_tile_without_dma_write_is_free_after_its_fetch) {
  PeTestbench pe({{"pe_tcm", {{"reserved_kb", "10"}}}});
  pe.at(0, [&] { pe.submit(memory_gemm(32, 128)); });
  pe.run();
  BOOST_TEST(pe.ops("tile/DMA_READ")[2].start == pe.op("tile/FETCH", 0).end);
}

KERNBENCH_SYSTEMC_TEST(simple_commands_take_no_tile_buffer) {
  PeTestbench pe({{"pe_tcm", {{"reserved_kb", "0"}}}});
  pe.at(0, [&] { pe.submit(DmaCommand{false, 0, 4096}); });
  pe.run();
  BOOST_TEST(pe.done_at(1) == 18 * ns + 2);
  BOOST_TEST(pe.statistic("pe_scheduler", "buffer_high_water") == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
