// Composites through the tile pipeline (spec 5, 5.1, 5.2): order, overlap and completion. Numbers:
// tests/pe/composites.h.
#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>
#include <deque>
#include <tuple>

#include "models/address/virtual_space.h"
#include "models/base/errors.h"
#include "tests/pe/composites.h"
#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(pipeline_test)

KERNBENCH_SYSTEMC_TEST(a_pinned_tile_goes_through_fetch_gemm_and_store) {
  PeTestbench pe;
  pe.at(0, [&] { pe.submit(pinned_gemm()); });
  pe.run();
  check_span(pe.op("tile/FETCH"), 1 * ns, 17 * ns);
  check_span(pe.op("tile/GEMM"), 17 * ns, 33 * ns);
  check_span(pe.op("tile/STORE"), 33 * ns, 37 * ns);
  BOOST_TEST(pe.done_at(1) == 37 * ns);
  check_span(pe.op("composite_gemm"), 1 * ns, 37 * ns);
  BOOST_TEST(pe.ops("tile/DMA_READ").empty());
}

// DMA_READ of 16 flits each: granted at 1 and at 18 ns + 2 fs (in place), then FETCH, GEMM, STORE,
// DMA_WRITE of 8 flits.
KERNBENCH_SYSTEMC_TEST(dma_reads_of_a_tile_are_served_in_place_and_the_write_comes_last) {
  PeTestbench pe;
  pe.at(0, [&] { pe.submit(memory_gemm()); });
  pe.run();
  const auto reads = pe.ops("tile/DMA_READ");
  BOOST_REQUIRE(reads.size() == 2u);
  check_span(reads[0], 1 * ns, 18 * ns + 2);
  check_span(reads[1], 18 * ns + 2, 35 * ns + 4);
  check_span(pe.op("tile/FETCH"), 35 * ns + 4, 51 * ns + 4);
  check_span(pe.op("tile/GEMM"), 51 * ns + 4, 67 * ns + 4);
  check_span(pe.op("tile/STORE"), 67 * ns + 4, 71 * ns + 4);
  check_span(pe.op("tile/DMA_WRITE"), 71 * ns + 4, 80 * ns + 6);
  BOOST_TEST(pe.statistic("pe_dma", "dma_read_queue_high_water") == 1u);
}

// The second tile's FETCH overlaps the first one's GEMM, its GEMM the first one's STORE.
KERNBENCH_SYSTEMC_TEST(tiles_of_a_command_overlap) {
  PeTestbench pe;
  pe.at(0, [&] { pe.submit(pinned_gemm(64)); });
  pe.run();
  check_span(pe.op("tile/FETCH", 1), 17 * ns, 33 * ns);
  check_span(pe.op("tile/GEMM", 1), 33 * ns, 49 * ns);
  check_span(pe.op("tile/STORE", 0), 33 * ns, 37 * ns);
  BOOST_TEST(pe.done_at(1) == 53 * ns);
}

// FETCH of the third tile (33..49) overlaps STORE of the first (33..37): a read and a write
// channel, and a queue each.
KERNBENCH_SYSTEMC_TEST(a_store_never_waits_behind_a_fetch) {
  PeTestbench pe;
  pe.at(0, [&] { pe.submit(pinned_gemm(96)); });
  pe.run();
  check_span(pe.op("tile/FETCH", 2), 33 * ns, 49 * ns);
  check_span(pe.op("tile/STORE", 0), 33 * ns, 37 * ns);
}

// The read channel is taken by tile after tile; the write of tile 0 starts the moment its STORE has
// ended.
KERNBENCH_SYSTEMC_TEST(a_dma_write_never_waits_behind_a_dma_read) {
  PeTestbench pe({{"pe_dma", {{"queue_depth", "1"}}}});
  pe.at(0, [&] { pe.submit(memory_gemm(32 * 6)); });
  pe.run();
  for (int tile = 0; tile < 6; ++tile)
    BOOST_TEST(pe.op("tile/DMA_WRITE", tile).start == pe.op("tile/STORE", tile).end);
}

KERNBENCH_SYSTEMC_TEST(composites_are_fed_in_order_and_never_interleaved) {
  PeTestbench pe;
  pe.at(0, [&] {
    pe.submit(memory_gemm(32, 64, 128));
    pe.submit(memory_gemm(32, 64, 128));
  });
  pe.run();
  for (const char* stage :
       {"tile/DMA_READ", "tile/FETCH", "tile/GEMM", "tile/STORE", "tile/DMA_WRITE"}) {
    const auto ops = pe.ops(stage);
    for (std::size_t i = 1; i < ops.size(); ++i) {
      BOOST_TEST((std::make_tuple(ops[i - 1].command, ops[i - 1].tile) <=
                  std::make_tuple(ops[i].command, ops[i].tile)),
                 stage);
    }
  }
  BOOST_TEST(pe.done_at(1) < pe.done_at(2));
}

// The second composite has no DMA_READ; its tiles do not overtake those of the first on their way
// to FETCH.
KERNBENCH_SYSTEMC_TEST(a_composite_that_enters_at_fetch_does_not_overtake_the_one_before_it) {
  PeTestbench pe;
  pe.at(0, [&] {
    pe.submit(memory_gemm(32, 64, 64));
    pe.submit(pinned_gemm(32, 64, 64));
  });
  pe.run();
  const auto fetches = pe.ops("tile/FETCH");
  BOOST_REQUIRE(fetches.size() == 4u);
  for (std::size_t i = 0; i < 4; ++i) BOOST_TEST(fetches[i].command == (i < 2 ? 1u : 2u));
  BOOST_TEST(fetches[2].start == fetches[1].end);
}

KERNBENCH_SYSTEMC_TEST(the_feeder_alone_blocks_when_the_first_stage_is_full) {
  PeTestbench pe({{"pe_dma", {{"queue_depth", "1"}}}});
  pe.at(0, [&] {
    pe.submit(memory_gemm(32 * 20));
    pe.submit(MathCommand{MathOp::add, 128});
    pe.submit(DmaCommand{true, 2 * mib, 256});
  });
  pe.run();
  check_span(pe.op("add"), 2 * ns, 3 * ns);
  check_span(pe.op("dma_write"), 3 * ns, 5 * ns + 2);
}

KERNBENCH_SYSTEMC_TEST(consecutive_math_stages_are_served_in_place) {
  PeTestbench pe;
  CompositeGemm g = pinned_gemm();
  g.epilogue = {epilogue(MathOp::relu, EpilogueScope::output_tile),
                epilogue(MathOp::exp, EpilogueScope::output_tile)};
  pe.at(0, [&] { pe.submit(g); });
  pe.run();
  // 1024 elements: 8 cycles, 32 cycles.
  const auto maths = pe.ops("tile/MATH");
  check_span(maths.at(0), 33 * ns, 41 * ns);
  check_span(maths.at(1), 41 * ns, 73 * ns);
  check_span(pe.op("tile/STORE"), 73 * ns, 77 * ns);
  BOOST_TEST(pe.statistic("pe_math", "math_queue_high_water") == 1u);
}

// The slot is free the moment GEMM ends: the GEMM of tile 1 and the MATH of tile 0 ask for it at
// one instant, and tile 0 goes first.
KERNBENCH_SYSTEMC_TEST(the_slot_is_released_before_the_task_is_handed_on) {
  PeTestbench pe;
  CompositeGemm g = pinned_gemm(64);
  g.epilogue = {epilogue(MathOp::relu, EpilogueScope::output_tile)};
  pe.at(0, [&] { pe.submit(g); });
  pe.run();
  check_span(pe.op("tile/GEMM", 0), 17 * ns, 33 * ns);
  check_span(pe.op("tile/MATH", 0), 33 * ns, 41 * ns);
  check_span(pe.op("tile/GEMM", 1), 41 * ns, 57 * ns);
  check_span(pe.op("tile/MATH", 1), 57 * ns, 65 * ns);
}

KERNBENCH_SYSTEMC_TEST(a_kernel_epilogue_starts_after_the_last_tile) {
  PeTestbench pe;
  CompositeGemm g = memory_gemm(64);
  g.epilogue = {epilogue(MathOp::relu, EpilogueScope::kernel)};
  pe.at(0, [&] { pe.submit(g); });
  pe.run();
  Fs first_pass = 0;
  for (int tile : {0, 1}) first_pass = std::max(first_pass, pe.op("tile/DMA_WRITE", tile).end);
  check_span(pe.op("tile/DMA_READ", 2), first_pass, first_pass + (1 + 8) * ns + 2);
  BOOST_TEST(pe.op("tile/DMA_READ", 3).start == pe.op("tile/DMA_READ", 2).end);
  BOOST_TEST(pe.done_at(1) == pe.op("tile/DMA_WRITE", 3).end);
}

KERNBENCH_SYSTEMC_TEST(a_math_composite_reads_every_operand) {
  PeTestbench pe;
  CompositeMath m;
  m.op = MathOp::add;
  m.m = m.n = 32;
  m.inputs.resize(2);
  m.inputs[1].address = mib;
  m.out.address = 2 * mib;
  pe.at(0, [&] { pe.submit(m); });
  pe.run();
  // 8 flits per operand and for the result; FETCH 4096 B, MATH 8 cycles, STORE 2048 B.
  check_span(pe.ops("tile/DMA_READ").at(1), 10 * ns + 2, 19 * ns + 4);
  check_span(pe.op("tile/FETCH"), 19 * ns + 4, 27 * ns + 4);
  check_span(pe.op("tile/MATH"), 27 * ns + 4, 35 * ns + 4);
  check_span(pe.op("tile/STORE"), 35 * ns + 4, 39 * ns + 4);
  check_span(pe.op("tile/DMA_WRITE"), 39 * ns + 4, 48 * ns + 6);
  check_span(pe.op("composite_add"), 1 * ns, 48 * ns + 6);
}

KERNBENCH_SYSTEMC_TEST(fetch_and_store_pay_their_overhead_before_the_access) {
  PeTestbench pe({{"pe_fetch_store", {{"overhead_ns", "2"}}}});
  pe.at(0, [&] { pe.submit(pinned_gemm()); });
  pe.run();
  check_span(pe.op("tile/FETCH"), 3 * ns, 19 * ns);
  check_span(pe.op("tile/STORE"), 37 * ns, 41 * ns);
}

KERNBENCH_SYSTEMC_TEST(the_channels_of_pe_tcm_take_one_access_at_a_time_each) {
  PeTestbench pe({{"pe_tcm", {{"read_bw_gbs", "100"}, {"write_bw_gbs", "50"}}}});
  std::deque<TcmRequest> requests;
  const auto access = [&](bool write, std::uint64_t bytes, std::uint32_t command) {
    TcmRequest& request = requests.emplace_back();
    request.write = write;
    request.bytes = bytes;
    request.order.command = request.tag = command;
    pe.user().to_tcm.nb_transport_fw(request);
  };
  pe.at(0, [&] {
    access(false, 1000, 2);
    access(false, 500, 1);  // the same instant, an earlier command
    access(true, 1000, 3);
    access(true, 0, 4);
  });
  pe.run();
  const std::vector<std::string> expected{"granted 1 0 ns",  "granted 3 0 ns", "ended 1 5 ns",
                                          "granted 2 5 ns",  "ended 2 15 ns",  "ended 3 20 ns",
                                          "granted 4 20 ns", "ended 4 20 ns"};
  BOOST_TEST(pe.user().responses == expected, boost::test_tools::per_element());
}

// Tile 1 of 4 is not mapped. The command fails; what its tiles held is given back and the next
// command runs as on an idle PE.
KERNBENCH_SYSTEMC_TEST(a_fault_in_a_composite_fails_the_command_and_leaves_the_pe_usable) {
  PeTestbench pe({{"pe_fetch_store", {{"register_file_bytes", "12288"}}},
                  {"pe_tcm", {{"reserved_kb", "10"}}}});
  CompositeGemm g = memory_gemm(32, 256, 32);
  g.a.address = va_base;
  std::shared_ptr<CommandState> first;
  std::shared_ptr<CommandState> second;
  pe.at(0, [&] {
    auto map = std::make_shared<MmuMap>();
    map->entries = {{va_base, 0, 4096}};
    pe.send_control("pe_mmu", map);
    first = pe.submit(g);
    second = pe.submit(memory_gemm(64));
  });
  pe.run();
  BOOST_TEST(first->done());
  BOOST_TEST(
      first->error().find("no mapping for virtual address 0x10000000001000") != std::string::npos,
      first->error());
  BOOST_TEST(second->done());
  BOOST_TEST(second->error() == "");
  BOOST_TEST(pe.statistic("pe_scheduler", "failed") == 1u);
}

KERNBENCH_SYSTEMC_TEST(a_failed_command_drops_the_outputs_that_it_has_not_begun) {
  PeTestbench pe;
  CompositeGemm g = memory_gemm(32 * 1000);
  g.a.address = va_base;
  pe.at(0, [&] { pe.submit(g); });
  pe.run();
  BOOST_TEST(pe.done_at(1) < 1000 * ns);
  BOOST_TEST(pe.statistic("pe_dma", "transactions") == 0u);
}

// Any mix of commands ends, however tight queues, register file and tile buffers are, and leaves
// nothing behind.
RC_BOOST_PROP(no_mix_of_commands_deadlocks, ()) {
  std::vector<std::tuple<int, std::int64_t, std::int64_t, std::int64_t, int, int>> choices;
  const int commands = *rc::gen::inRange(1, 7);
  for (int i = 0; i < commands; ++i) {
    choices.emplace_back(*rc::gen::inRange(0, 5), *rc::gen::inRange(1, 80),
                         *rc::gen::inRange(1, 200), *rc::gen::inRange(1, 80),
                         *rc::gen::inRange(0, 8), *rc::gen::inRange(0, 4));
  }
  const std::string depth = std::to_string(*rc::gen::inRange(1, 4));
  const auto simulate = [&] {
    PeTestbench pe({{"pe_fetch_store", {{"register_file_bytes", "14336"}, {"queue_depth", depth}}},
                    {"pe_tcm", {{"reserved_kb", "14"}}},
                    {"pe_dma", {{"queue_depth", depth}}},
                    {"pe_gemm", {{"queue_depth", depth}}},
                    {"pe_math", {{"queue_depth", depth}}},
                    {"pe_scheduler", {{"overhead_ns", "0"}}}});
    pe.at(0, [&] {
      for (const auto& [kind, m, k, n, pinned, ops] : choices) {
        if (kind == 0) {
          pe.submit(DmaCommand{pinned % 2 == 1, static_cast<std::uint64_t>(k),
                               static_cast<std::uint64_t>(m * n)});
        } else if (kind == 1) {
          CompositeMath math;
          math.op = MathOp::add;
          math.m = m;
          math.n = n;
          math.inputs.resize(2);
          math.inputs[0].pinned = (pinned & 1) != 0;
          math.inputs[1].pinned = (pinned & 2) != 0;
          math.out.pinned = (pinned & 4) != 0;
          pe.submit(math);
        } else {
          CompositeGemm g = memory_gemm(m, k, n);
          g.a.pinned = (pinned & 1) != 0;
          g.b.pinned = (pinned & 2) != 0;
          g.out.pinned = (pinned & 4) != 0;
          if (ops > 0)
            g.epilogue.push_back({MathOp::add, static_cast<EpilogueScope>(ops - 1), 2, 0});
          if (kind == 2) g.a.address = va_base;  // a fault
          pe.submit(g);
        }
      }
    });
    pe.run();
    BOOST_TEST(pe.kernel().in_flight == 0U);
    BOOST_TEST(pe.statistic("pe_scheduler", "completed") == choices.size());
    for (const TraceSignal& signal : pe.engine("pe_scheduler").signals())
      BOOST_TEST(signal.value() == 0u, signal.name());
    for (const TraceSignal& signal : pe.engine("pe_fetch_store").signals())
      BOOST_TEST(signal.value() == 0u, signal.name());
    std::vector<std::string> log;
    for (const auto& op : pe.ops()) {
      log.push_back(std::to_string(op.start) + " " + std::to_string(op.end) + " " + op.node + " " +
                    op.name + " " + std::to_string(op.command) + " " + std::to_string(op.tile));
    }
    return log;
  };
  const auto first = forked_value(simulate);
  RC_ASSERT(first == forked_value(simulate));  // and the same inputs give the same log
}

BOOST_AUTO_TEST_SUITE_END()
