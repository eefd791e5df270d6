// The example of sw/collectives/README.md, compiled verbatim
// (tests/support/cut_example.cmake), and what the guide says about it.
#include "sw/collectives/schedule_kernels.h"
#include "sw/distributed/distributed_state.h"
#include "tests/distributed/patterns.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torch_machine.h"

namespace kernbench::algorithms {
void register_star_allreduce(AlgorithmRegistry& registry);  // of the guide
}

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(guide_of_collectives)

namespace {

std::string guide() { return source_text("sw/collectives/README.md"); }

// As register_algorithms() would have it.
void add_the_example(DistributedState& distributed) {
  AlgorithmRegistry registry = shipped_algorithms();
  algorithms::register_star_allreduce(registry);
  distributed.configure({}, std::make_shared<const AlgorithmRegistry>(std::move(registry)));
}

void reduce(Torch& torch, int rank, int ranks, DType dtype, ReduceOp op, std::int64_t elements) {
  const HostArray mine({elements}, dtype, values(elements, [&](std::int64_t i) {
                         return pattern(op, rank, ranks, i);
                       }));
  const Tensor t = torch.from_host(mine, DPPolicy::on_one_pe(), "t");
  torch.distributed.all_reduce(t, op);
  torch.verify(
      t, [=] { return values(elements, [&](std::int64_t i) { return combined(op, ranks, i); }); });
}

// How a run of the guide's `all_reduce` of 5000 elements ends.
RunResult run_of(int ranks, const CclChanges& changes, const std::vector<Override>& machine = {}) {
  std::vector<Override> overrides = sips("ring_1d", ranks);
  overrides.insert(overrides.end(), machine.begin(), machine.end());
  TorchMachine m("topology.tiny.yaml", overrides, false);
  return m.try_run([&](Torch& torch) {
    add_the_example(*m.distributed);
    on_ranks(torch, changes,
             [&](int rank) { reduce(torch, rank, ranks, f32, ReduceOp::avg, 5000); });
  });
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_example_runs_and_verifies_verbatim) {
  for (const auto& [ranks, centre] : {std::pair(1, "0"), std::pair(2, "1"), std::pair(5, "3")}) {
    forked([ranks = ranks, centre = centre] {
      TorchMachine m("topology.tiny.yaml", sips("ring_1d", ranks));
      m.run([&](Torch& torch) {
        add_the_example(*m.distributed);
        on_ranks(torch,
                 {{"algorithm", "star_allreduce"}, {"centre", centre}, {"buffer_kind", "sram"}},
                 [&](int rank) {
                   for (const DType dtype : every_dtype) {
                     for (const ReduceOp op : every_reduction)
                       reduce(torch, rank, ranks, dtype, op, 5);
                   }
                   reduce(torch, rank, ranks, f32, ReduceOp::avg, 5000);
                 });
      });
      BOOST_TEST(m.failures() == "");
    });
  }
}

// The name is free, and the guide's file is where CMake looks for algorithms.
BOOST_AUTO_TEST_CASE(the_example_can_be_registered) {
  AlgorithmRegistry registry = shipped_algorithms();
  algorithms::register_star_allreduce(registry);
  BOOST_TEST(registry.find("star_allreduce").parameters.size() == 1U);
  check_contains(guide(), {"`sw/collectives/algorithms/star_allreduce.cpp`"});
  check_contains(source_text("sw/collectives/CMakeLists.txt"),
                 {"CONFIGURE_DEPENDS algorithms/*.cpp"});
}

// The guide quotes what the program says.
BOOST_AUTO_TEST_CASE(what_the_guide_shows_of_errors_is_what_the_program_prints) {
  const auto error_of = [](int ranks, const CclChanges& changes) {
    return forked_value([&] { return run_of(ranks, changes).error; });
  };
  const std::string no_centre =
      "star_allreduce expects any shards, the same on every rank; tensor 't' has 1 shard of 5000 "
      "elements on pe 0 of cube 0: "
      "centre 9 "
      "is none of the 2 ranks";
  check_contains(error_of(2, {{"algorithm", "star_allreduce"}, {"centre", "9"}}), {no_centre});
  check_contains(guide(), {no_centre});
  const std::string no_key =
      "algorithm 'star_allreduce' knows no key 'center'; it knows algorithm, buffer_kind, ";
  check_contains(error_of(2, {{"algorithm", "star_allreduce"}, {"center", "0"}}), {no_key});
  check_contains(guide(), {no_key});
  const std::vector<Override> few{{"cube.pe_template.components.pe_ipcq.attrs.queue_pairs", "2"}};
  check_contains(forked_value([&] {
                   return run_of(4, {{"algorithm", "star_allreduce"}}, few).error;
                 }),
                 {"3 queue pairs, allowed is 2 (queue_pairs)"});
  check_contains(error_of(16, {{"algorithm", "star_allreduce"}, {"slot_size", "16384"}}),
                 {"rings of 4 slots of 16384 bytes do not fit"});
}

// One phase instead of two: the centre sends to leaves that take nothing before they have sent all.
// Step by step that is a deadlock for data that do not fit the rings.
BOOST_AUTO_TEST_CASE(the_example_with_one_phase_is_a_deadlock_for_large_data_step_by_step_only) {
  bool pipelined = true;
  const auto one_phase = [&pipelined](const CollectiveCall& call) {
    Phase all{schedules::reduce("leaf1"), schedules::finish(), schedules::send("leaf1")};
    const Schedule schedule =
        call.rank == 0 ? Schedule{all}
                       : Schedule{{schedules::send("centre")}, {schedules::receive("centre")}};
    ScheduleOptions options = call.options(2);
    options.pipelined = pipelined;
    const auto body = [schedule, options](tl::Program& tl, tl::Tensor data) {
      run_schedule(tl, schedule, blocks_in_place(data, 1), options);
    };
    return tl::bind_kernel(body, call.inputs.front());
  };
  for (const auto& [elements, in_pipeline, status] :
       {std::tuple(10'000, true, "completed"), std::tuple(50, false, "completed"),
        std::tuple(10'000, false, "deadlock")}) {
    pipelined = in_pipeline;
    forked([&, elements = elements, status = status] {
      TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2), false);
      const RunResult result = m.try_run([&](Torch& torch) {
        AlgorithmRegistry example;
        algorithms::register_star_allreduce(example);
        CollectiveAlgorithm wrong = example.find("star_allreduce");
        wrong.kernel = one_phase;
        AlgorithmRegistry registry = shipped_algorithms();
        registry.add(std::move(wrong));
        m.distributed->configure({},
                                 std::make_shared<const AlgorithmRegistry>(std::move(registry)));
        on_ranks(torch, {{"algorithm", "star_allreduce"}},
                 [&](int rank) { reduce(torch, rank, 2, f32, ReduceOp::sum, elements); });
      });
      BOOST_TEST(name_of(result.status) == status);
    });
  }
}

BOOST_AUTO_TEST_SUITE_END()
