// Order of accesses on a whole machine: launches, messages, waits and the host (spec 9).
#include <rapidcheck/boost_test.h>

#include "sw/collectives/shipped_graphs.h"
#include "tests/benches/verified_runs.h"
#include "tests/support/error_text.h"

using namespace kernbench;
using namespace kernbench::test;

// Accesses without an order between them (spec 9, docs/decisions/asynchronous-commands.md).
BOOST_AUTO_TEST_SUITE(races_test)

namespace {

const DPPolicy in_memory_of_pe0{Placement::replicate, Placement::row_wise, 1, 1};

// Of the bench of a test, which is a plain function.
std::function<void(Torch&)> program;
void run_program(Torch& torch) { program(torch); }

std::string races_of(std::function<void(Torch&)> body) {
  return forked_value([&] {
    program = std::move(body);
    const BenchOutcome outcome = run_bench(Bench{"races", "for a test", {}, &run_program}, {});
    BOOST_TEST(outcome.status == "completed", outcome.error);
    return outcome.failures;
  });
}

// PE 0 stores and PE 1 loads; `ordered`: a message tells PE 1.
void hand_over(Torch& torch, bool ordered) {
  const Tensor cell = torch.zeros({4}, i32, in_memory_of_pe0, "cell");
  torch.ipcq.install(graphs::intra_pe_ring(0, 0, 8));
  torch.launch(
      LaunchSpec("hand_over").on_pes({0, 1}),
      [](tl::Program& tl, tl::Ptr cell, bool ordered) {
        const tl::Handle token = tl.full({1}, 1, i32);
        if (tl.program_id() == 0) {
          tl.store(cell + 8, tl.full({2}, 7, i32));
          if (ordered) tl.send("E", token);
        } else {
          if (ordered) tl.recv("W", {1}, i32);
          tl.cycles(10000);  // long behind, which orders nothing
          tl.load(cell, {4}, i32);
        }
      },
      cell, ordered);
}

enum class Known : std::uint8_t { nothing, by_wait, by_done };

// A product whose message leaves when its end is not known, or behind a wait for it, or when done()
// has said so; the message in flight or not.
void product(Torch& torch, Known known, bool async = false) {
  const Tensor x = torch.full({64, 64}, 1, f16, in_memory_of_pe0, "x"),
               out = torch.empty({64, 64}, f16, in_memory_of_pe0, "out");
  torch.ipcq.install(graphs::intra_pe_ring(0, 0, 8));
  torch.launch(
      LaunchSpec("product").on_pes({0, 1}),
      [](tl::Program& tl, tl::Ptr x, tl::Ptr out, int known, bool async) {
        if (tl.program_id() == 0) {
          const tl::Handle a = tl.load(x, {64, 64}, f16), token = tl.full({1}, 1, i32);
          const tl::Composite c = tl.composite(tl::gemm(a, a).to(out));
          if (known == static_cast<int>(Known::by_wait)) tl.wait(c);
          while (known == static_cast<int>(Known::by_done) && !c.done()) tl.cycles(100);
          tl.cycles(10000);  // by then it has ended
          if (async)
            tl.send_async("E", token);
          else
            tl.send("E", token);
          tl.wait();
        } else {
          tl.recv("W", {1}, i32);
          tl.load(out, {64, 64}, f16);
        }
      },
      x, out, static_cast<int>(known), async);
}

// PE 0 stores the even elements or rows of a table, each by another access, and PE 1 reads those
// from `first` on by another.
void strided(Torch& torch, int first) {
  const Tensor table = torch.zeros({8, 16}, i32, in_memory_of_pe0, "table");
  torch.launch(
      LaunchSpec("strided").on_pes({0, 1}),
      [](tl::Program& tl, tl::Ptr table, int first) {
        if (tl.program_id() == 0) {
          const tl::Handle lanes = tl.arange(0, 16);
          tl.store(table, lanes, tl.zeros({16}, i32), (lanes & 1) == 0);
          const auto rows = tl.make_tensor_descriptor(table, {8, 16}, {16, 1}, {1, 16});
          rows.scatter(tl.zeros({3, 16}, i32), tl.arange(1, 4) * 2);
        } else {
          tl.load(table, tl.arange(0, 8) * 2 + 1, i32);
          const auto rows = tl.make_tensor_descriptor(table, {8, 16}, {16, 1}, {1, 16});
          rows.gather(tl.arange(0, 3) * 2 + first);
        }
      },
      table, first);
}

enum class Between : std::uint8_t { nothing, wait, pause, done, same_pe };

void two_launches(Torch& torch, Between between) {
  const Tensor cell = torch.zeros({4}, i32, in_memory_of_pe0, "cell");
  const auto store = [](tl::Program& tl, tl::Ptr cell) { tl.store(cell, tl.zeros({4}, i32)); };
  const auto load = [](tl::Program& tl, tl::Ptr cell) { tl.load(cell, {4}, i32); };
  const LaunchHandle first = torch.launch_async(LaunchSpec("first").on_pe(0), store, cell);
  if (between == Between::wait) torch.wait(first);
  if (between == Between::pause || between == Between::done) {
    const auto pause = [](tl::Program& tl, tl::Ptr) { tl.cycles(100'000); };
    torch.launch(LaunchSpec("pause").on_pe(2), pause, cell);
  }
  if (between == Between::done) BOOST_TEST(first.done());
  torch.launch_async(LaunchSpec("second").on_pe(between == Between::same_pe ? 0 : 1), load, cell);
  torch.wait_all();
}

// Cells go round the ring of PEs: a PE that holds one adds to it, and sends a message to the east.
// One access of a cell that another PE has may be planted.
struct Round {
  int pes = 4, rounds = 3;
  int pe = -1, round = 0, cell = 0;  // planted; -1: none
  bool is_write = false;
};

void go_round(Torch& torch, const Round& plan) {
  const Tensor cells = torch.zeros({plan.pes, 4}, i32, in_memory_of_pe0, "cells");
  torch.ipcq.install(graphs::intra_pe_ring(0, 0, plan.pes));
  std::vector<int> pes;
  for (int pe = 0; pe < plan.pes; ++pe) pes.push_back(pe);
  torch.launch(
      LaunchSpec("round").on_pes(pes),
      [plan](tl::Program& tl, tl::Ptr cells) {
        const int pe = tl.program_id();
        const auto cell = [&](int number) { return cells + number * 16; };
        for (int round = 0; round < plan.rounds; ++round) {
          const tl::Ptr mine = cell((pe - round % plan.pes + plan.pes) % plan.pes);
          tl.store(mine, tl.load(mine, {4}, i32) + 1);
          if (pe == plan.pe && round == plan.round) {
            if (plan.is_write)
              tl.store(cell(plan.cell), tl.zeros({1}, i32), {"planted", 1});
            else
              tl.load(cell(plan.cell), {4}, i32, {"planted", 1});
          }
          tl.send("E", tl.zeros({1}, i32));
          tl.recv("W", {1}, i32);
        }
      },
      cells);
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_no_message_orders_is_reported_however_far_apart) {
  const std::string race = races_of([](Torch& torch) { hand_over(torch, false); });
  check_contains(
      race,
      {"data race on 8 bytes from 'cell' + 8: tl.load (races_test.cpp:",
       " of kernel 'hand_over' on sip0.cube0.pe1 at ", " ns reads what tl.store (races_test.cpp:",
       " of kernel 'hand_over' on sip0.cube0.pe0 at ", " ns writes; no launch, message or "});
  BOOST_TEST(races_of([](Torch& torch) { hand_over(torch, true); }) == "");
}

BOOST_AUTO_TEST_CASE(a_message_does_not_order_a_composite_that_has_not_been_waited_for) {
  for (const bool async : {false, true}) {
    check_contains(races_of([async](Torch& torch) { product(torch, Known::nothing, async); }),
                   {"data race on 8192 bytes from 'out' + 0: tl.load (", " on sip0.cube0.pe1 at ",
                    " reads what tl.composite(gemm) (", " on sip0.cube0.pe0 at "});
    BOOST_TEST(races_of([async](Torch& torch) { product(torch, Known::by_wait, async); }) == "");
  }
}

// What the kernel knows to have ended is before what it asks for next.
BOOST_AUTO_TEST_CASE(a_composite_that_is_done_when_asked_comes_before_the_message) {
  for (const bool async : {false, true})
    BOOST_TEST(races_of([async](Torch& torch) { product(torch, Known::by_done, async); }) == "");
}

BOOST_AUTO_TEST_CASE(accesses_with_masks_and_indices_race_by_the_bytes_that_they_touch) {
  BOOST_TEST(races_of([](Torch& torch) { strided(torch, 3); }) == "");
  check_contains(races_of([](Torch& torch) { strided(torch, 2); }),
                 {"data race on 192 bytes from 'table' + 128: ", "gather (races_test.cpp:",
                  "scatter (races_test.cpp:"});
}

BOOST_AUTO_TEST_CASE(launches_are_ordered_by_a_wait_by_done_or_a_common_pe) {
  check_contains(races_of([](Torch& torch) { two_launches(torch, Between::nothing); }),
                 {"tl.load (", " of kernel 'second' on sip0.cube0.pe1 at ", "tl.store (",
                  " of kernel 'first' on sip0.cube0.pe0 at "});
  BOOST_TEST(races_of([](Torch& torch) { two_launches(torch, Between::wait); }) == "");
  BOOST_TEST(races_of([](Torch& torch) { two_launches(torch, Between::pause); }) != "");
  BOOST_TEST(races_of([](Torch& torch) { two_launches(torch, Between::done); }) == "");
  BOOST_TEST(races_of([](Torch& torch) { two_launches(torch, Between::same_pe); }) == "");
}

// The launch lasts until the engines have drained, and so do its figures.
BOOST_AUTO_TEST_CASE(pe_exec_covers_unawaited_commands) {
  const std::string failures = races_of([](Torch& torch) {
    const Tensor x = torch.full({64, 64}, 1, f16, in_memory_of_pe0, "x"),
                 out = torch.empty({64, 64}, f16, in_memory_of_pe0, "out");
    const auto pe_exec = [&](bool waits) {
      const LaunchHandle launch = torch.launch(
          LaunchSpec("product").on_pe(0),
          [](tl::Program& tl, tl::Ptr x, tl::Ptr out, bool waits) {
            const tl::Handle a = tl.load(x, {64, 64}, f16);
            const tl::Composite c = tl.composite(tl::gemm(a, a).to(out));
            if (waits) tl.wait(c);
          },
          x, out, waits);
      return launch.metrics().merged.pe_exec;
    };
    BOOST_TEST(pe_exec(false) == pe_exec(true));
  });
  BOOST_TEST(failures == "");
}

RC_BOOST_PROP(random_programs_race_where_a_race_is_planted_and_nowhere_else, ()) {
  if (*rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, 8)) != 0)
    return;  // machines take time: an eighth of the samples
  Round plan;
  plan.pes = *rc::gen::inRange(3, 9);
  plan.rounds = *rc::gen::inRange(1, 5);
  RC_ASSERT(races_of([plan](Torch& torch) { go_round(torch, plan); }) == "");
  plan.pe = *rc::gen::inRange(0, plan.pes);
  plan.round = *rc::gen::inRange(0, plan.rounds);
  const int own = ((plan.pe - plan.round) % plan.pes + plan.pes) % plan.pes;
  plan.cell = (own + *rc::gen::inRange(1, plan.pes)) % plan.pes;
  plan.is_write = *rc::gen::arbitrary<bool>();
  const std::string races = races_of([plan](Torch& torch) { go_round(torch, plan); });
  RC_LOG() << races;
  RC_ASSERT(races.find(plan.is_write ? "tl.store (planted:1) of kernel 'round' on sip0.cube0.pe"
                                     : "tl.load (planted:1) of kernel 'round' on sip0.cube0.pe") !=
            std::string::npos);
  // Nothing but pairs with the planted access.
  RC_ASSERT(count(races, "data race") == count(races, "(planted:1)"));
}

BOOST_AUTO_TEST_SUITE_END()

// Accesses of one instant on a whole machine: the PEs' names order them, not the simulation
// kernel's processes (spec 2.3, 9).
BOOST_AUTO_TEST_SUITE(same_instant_test)

namespace {

// In one piece, and mapped on all PEs of the cube.
const DPPolicy in_memory_of_pe0{Placement::replicate, Placement::row_wise, 1, 1};

// All kernels of a launch start at the same simulated time, so that their first accesses are of one
// instant.
void all_store_to_one_cell(Torch& torch) {
  const Tensor cell = torch.zeros({1}, i32, in_memory_of_pe0, "cell");
  torch.launch(
      LaunchSpec("all_pes").on_pes({0, 1, 2, 3, 4, 5, 6, 7}),
      [](tl::Program& tl, tl::Ptr cell) { tl.store(cell, tl.full({1}, tl.program_id(0), i32)); },
      cell);
  torch.verify(cell, [] { return std::vector<double>{7}; });  // the last name
}

// Even PEs store, odd ones load: PE 2k + 1 sees what PE 2k has stored.
void neighbours_store_and_load(Torch& torch) {
  const Tensor cell = torch.zeros({1}, i32, in_memory_of_pe0, "cell"),
               seen = torch.zeros({8}, i32, in_memory_of_pe0, "seen");
  torch.launch(
      LaunchSpec("neighbours").on_pes({0, 1, 2, 3, 4, 5, 6, 7}),
      [](tl::Program& tl, tl::Ptr cell, tl::Ptr seen) {
        const int pe = tl.program_id(0);
        if (pe % 2 == 0) {
          tl.store(cell, tl.full({1}, pe + 1, i32));
        } else {
          tl.store(seen + pe * 4, tl.load(cell, {1}, i32));
        }
      },
      cell, seen);
  torch.verify(seen, [] { return std::vector<double>{0, 1, 0, 3, 0, 5, 0, 7}; });
}

void check_in_both_modes(void (*run)(Torch&), std::uint64_t races) {
  for (const DataMode mode : {DataMode::deferred, DataMode::eager}) {
    forked([=] {
      BenchRunOptions options;
      options.data = mode;
      options.check_races = false;  // they race
      BOOST_TEST(check_function(run, options).data_races == races);
    });
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(of_the_stores_of_one_instant_that_of_the_last_name_remains) {
  check_in_both_modes(&all_store_to_one_cell, 28);  // every pair of 8 PEs
}

BOOST_AUTO_TEST_CASE(a_load_sees_the_stores_of_the_names_before_it) {
  check_in_both_modes(&neighbours_store_and_load,
                      22);  // 6 pairs of stores, 4 x 4 of store and load
}

BOOST_AUTO_TEST_CASE(shipped_benches_have_no_races) {
  for (const char* bench : {"matmul-composite", "softmax-rows", "mlp-fused", "va-offset-verify"}) {
    forked([bench] { BOOST_TEST(run_bench(bench, {}).data_races == 0U, bench); });
  }
}

BOOST_AUTO_TEST_SUITE_END()
