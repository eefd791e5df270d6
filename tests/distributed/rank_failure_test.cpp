// Ranks that fail on a machine (spec 4.2, 4.4, 7): the others end with them, whatever their kernels
// do and wherever they wait.
#include "tests/distributed/ranks.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(rank_failure)

namespace {

const DPPolicy rows{Placement::replicate, Placement::row_wise, 1, 4};

LaunchSpec on_four_pes() { return LaunchSpec("k").on_pes({0, 1, 2, 3}); }

void add_rank(tl::Program& tl, tl::Tensor x, int rank) {
  tl.store(x.local(), tl.load(x.local(), x.local_shape(), x.dtype()) + rank);
}

// Longer on higher ranks.
void work(tl::Program& tl, tl::Tensor, int rank) {
  tl.cycles(static_cast<std::uint64_t>(1000 * (rank + 1)));
}

void run_for_ever(tl::Program& tl, tl::Tensor) {
  for (;;) tl.cycles(1000);
}

void throw_at_once(tl::Program&, tl::Tensor) { throw std::runtime_error("thrown on purpose"); }

// The error of a spawn of four ranks, of a program that catches it and comes to its end.
std::string spawn_error(
    const std::function<void(Torch&, int rank)>& body,
    const std::function<void(Torch&)>& then = [](Torch&) {}) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 4));
  std::string error;
  m.run([&](Torch& torch) {
    error = error_of<SpawnError>(
        [&] { torch.multiprocessing.spawn([&](int rank) { body(torch, rank); }, 4); });
    then(torch);
  });
  return error;
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(each_rank_computes_on_the_device_that_it_has_chosen) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 4));
  m.run([](Torch& torch) {
    torch.multiprocessing.spawn(
        [&](int rank) {
          torch.accelerator.set_device_index(3 - rank);
          const Tensor x = torch.full({4, 8}, 10, f32, rows, "x");
          BOOST_TEST(x.sip() == 3 - rank);
          torch.launch(on_four_pes(), add_rank, x, rank);
          torch.verify(x, [rank] { return std::vector<double>(32, 10.0 + rank); });
        },
        4);
  });
  BOOST_TEST(m.failures() == "");
}

// The devices share nothing, so that four ranks take the time of one.
KERNBENCH_SYSTEMC_TEST(ranks_run_side_by_side_in_simulated_time) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 4));
  m.run([](Torch& torch) {
    const auto time_of = [&](int ranks) {
      const Fs begun = torch.now();
      torch.multiprocessing.spawn(
          [&](int) {
            torch.launch(on_four_pes(), add_rank, torch.zeros({64, 64}, f16, rows, "x"), 1);
          },
          ranks);
      return torch.now() - begun;
    };
    const Fs one = time_of(1);
    sc_core::wait(10, sc_core::SC_US);  // the tensor has been given back
    BOOST_TEST(one > 0U);
    BOOST_TEST(time_of(4) == one);
  });
}

// --- Kernels

KERNBENCH_SYSTEMC_TEST(a_rank_that_throws_ends_the_kernels_of_the_others_too) {
  int unwound = 0, went_on = 0;
  const auto body = [&](Torch& torch, int rank) {
    struct Mark {
      int& unwound;
      ~Mark() { ++unwound; }
    } mark{unwound};
    const Tensor x = torch.zeros({4, 8}, f16, rows, "x");
    if (rank == 2) throw std::runtime_error("the bench gave up");
    torch.launch(on_four_pes(), run_for_ever, x);
    ++went_on;
  };
  const std::string error = spawn_error(body, [](Torch& torch) {
    check_contains(error_of<DeviceLostError>([&] { torch.zeros({4}, f16, one_pe); }),
                   {"the devices are lost", "rank 2"});
  });
  check_contains(error, {"rank 2: the bench gave up"});
  BOOST_TEST(error.find("rank 1") == error.npos, error);
  BOOST_TEST(unwound == 4);
  BOOST_TEST(went_on == 0);
}

KERNBENCH_SYSTEMC_TEST(a_failed_kernel_of_one_rank_is_the_only_cause) {
  const std::string error = spawn_error([](Torch& torch, int rank) {
    const Tensor x = torch.zeros({4, 8}, f16, rows, "x");
    rank == 1 ? torch.launch(on_four_pes(), throw_at_once, x)
              : torch.launch(on_four_pes(), run_for_ever, x);
  });
  check_contains(error,
                 {"rank 1: KernelLaunch 'k': sip1.cube0.pe0.pe_cpu at ", "thrown on purpose"});
  BOOST_TEST(error.find("rank 0") == error.npos, error);
}

KERNBENCH_SYSTEMC_TEST(an_uncaught_spawn_error_ends_the_run) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 4));
  const RunResult result = m.try_run([](Torch& torch) {
    torch.multiprocessing.spawn(
        [&](int rank) {
          const LaunchHandle h =
              torch.launch_async(on_four_pes(), run_for_ever, torch.zeros({4, 8}, f16, rows, "x"));
          if (rank == 0) throw std::runtime_error("the bench gave up");
          torch.wait(h);
        },
        4);
  });
  BOOST_TEST(name_of(result.status) == "failed");
  check_contains(result.error, {"rank 0: the bench gave up"});
}

KERNBENCH_SYSTEMC_TEST(ranks_that_fail_before_they_have_done_anything_are_no_hang) {
  check_contains(
      spawn_error(
          [](Torch&, int rank) { throw std::runtime_error("at once " + std::to_string(rank)); }),
      {"rank 0: at once 0", "rank 1: at once 1", "rank 2: at once 2", "rank 3: at once 3"});
}

// --- Collectives

// Their kernels wait for messages of rank 2, which never come.
KERNBENCH_SYSTEMC_TEST(a_rank_that_throws_while_others_reduce_ends_them) {
  const std::string error = spawn_error([](Torch& torch, int rank) {
    torch.distributed.init_process_group("ahbm");
    const Tensor t = torch.zeros({4000}, f16, one_pe, "t");
    if (rank == 2) {
      sc_core::wait(20, sc_core::SC_US);
      throw std::runtime_error("the bench gave up");
    }
    torch.distributed.all_reduce(t);
    BOOST_TEST(false, "reduced without rank 2");
  });
  check_contains(error, {"a rank has failed\n  rank 2: the bench gave up"});
}

// While the first rank installs the rings that a broadcast needs, and a second rank waits for them.
KERNBENCH_SYSTEMC_TEST(a_rank_that_throws_while_rings_are_installed_ends_the_others) {
  const std::string error = spawn_error([](Torch& torch, int rank) {
    torch.distributed.init_process_group("ahbm");
    const Tensor t = torch.zeros({8}, f16, one_pe, "t");
    torch.distributed.barrier();
    if (rank == 3) {
      sc_core::wait(50, sc_core::SC_NS);
      throw std::runtime_error("the bench gave up");
    }
    torch.distributed.broadcast(t, 0);
  });
  check_contains(error, {"rank 3: the bench gave up"});
}

// On the device of rank 1 a kernel fails that has nothing to do with the collective which the
// others are in.
KERNBENCH_SYSTEMC_TEST(a_kernel_that_fails_while_others_reduce_ends_them) {
  const std::string error = spawn_error([](Torch& torch, int rank) {
    torch.distributed.init_process_group("ahbm");
    const Tensor t = torch.zeros({64}, f16, one_pe, "t");
    if (rank == 1) torch.launch(LaunchSpec("k").on_pe(0), throw_at_once, t);
    torch.distributed.all_reduce(t);
  });
  check_contains(error, {"a rank has failed\n  rank 1: KernelLaunch 'k': sip1.cube0.pe0.pe_cpu at ",
                         "thrown on purpose"});
}

// No rank waits for the kernel; the collective behind it finds the queues of its PE reset. All
// ranks fail at the same time, and the kernel comes first.
KERNBENCH_SYSTEMC_TEST(a_failed_async_kernel_comes_before_the_collective_that_fails_with_it) {
  const std::string error = spawn_error([](Torch& torch, int rank) {
    torch.distributed.init_process_group("ahbm");
    const Tensor t = torch.zeros({64}, f16, one_pe, "t");
    if (rank == 2) torch.launch_async(LaunchSpec("bad").on_pe(0), throw_at_once, t);
    torch.distributed.all_reduce(t);
  });
  check_contains(error, {": KernelLaunch 'bad': sip2.cube0.pe0.pe_cpu at ", "thrown on purpose",
                         "; KernelLaunch 'lrab_hierarchical_allreduce' has failed with it"});
  BOOST_TEST(error.find("'bad'") < error.find("'lrab_hierarchical_allreduce'"), error);
}

// The end of a rank is not a std::exception, and is thrown again where a program continues after
// it, at last as a fault, which ends the process.
BOOST_AUTO_TEST_CASE(a_kernel_that_swallows_its_end_is_reported_with_its_cause) {
  const ForkResult result = run_forked([] {
    TorchMachine m("topology.tiny.yaml", sips("ring_1d", 1));
    m.try_run([](Torch& torch) {
      torch.launch(
          LaunchSpec("k"),
          [](tl::Program& tl, tl::Tensor) {
            if (tl.program_id(0) == 2) throw std::runtime_error("root");
            for (;;) {
              try {
                tl.cycles(10);
              } catch (...) {
              }
            }
          },
          torch.empty({8}, f32, {Placement::replicate, Placement::replicate, 1, 4}));
    });
    return std::string();
  });
  BOOST_TEST(result.failure == "the child exited with status 1 before the end of its body");
  check_contains(result.output,
                 {"swallowed repeatedly", "its launch has failed on another PE", "root"});
}

KERNBENCH_SYSTEMC_TEST(a_rank_does_not_swallow_its_end) {
  int caught = 0, went_on = 0, swallowed = 0;
  const std::string error = spawn_error([&](Torch& torch, int rank) {
    torch.distributed.init_process_group("ahbm");
    const Tensor t = torch.zeros({4000}, f16, one_pe, "t");
    if (rank == 3) {
      sc_core::wait(20, sc_core::SC_US);
      throw std::runtime_error("the bench gave up");
    }
    if (rank == 0) {
      try {
        torch.distributed.all_reduce(t);
      } catch (const std::exception&) {
        ++caught;
      }
      ++went_on;
    }
    for (int again = 0; rank == 1 && again < 5; ++again) {
      try {
        torch.distributed.all_reduce(t);
      } catch (...) {
        ++swallowed;
      }
    }
    torch.distributed.all_reduce(t);
    ++went_on;
  });
  check_contains(error, {"a rank has failed\n  rank 3: the bench gave up"});
  BOOST_TEST(caught == 0);
  BOOST_TEST(went_on == 0);
  BOOST_TEST(swallowed == 5);
}

// --- A PE that fails in a ring

// PE 3 of a ring of eight fails after one step; the others would go round for ever.
void fail_on_pe_3(tl::Program& tl, tl::Tensor) {
  for (int step = 0;; ++step) {
    if (tl.program_id() == 3 && step == 1) throw std::runtime_error("killed");
    tl.send("E", tl.zeros({8}));
    tl.recv("W", {8}, f16);
  }
}

RunResult run_ring(TorchMachine& m, FailurePolicy policy) {
  return m.try_run([&](Torch& torch) {
    torch.ipcq.install(graphs::intra_pe_ring(0, 0, 8));
    const Tensor x = torch.zeros({8}, f16, {Placement::replicate, Placement::row_wise, 1, 8}, "x");
    torch.launch(LaunchSpec("ring").failure_policy(policy), fail_on_pe_3, x);
  });
}

KERNBENCH_SYSTEMC_TEST(a_pe_that_fails_ends_those_that_wait_for_it) {
  TorchMachine m;
  const RunResult result = run_ring(m, FailurePolicy::fail_fast);
  BOOST_TEST(name_of(result.status) == "failed");
  check_contains(result.error,
                 {"KernelLaunch 'ring': sip0.cube0.pe3.pe_cpu at ", "kernel 'ring': killed"});
}

// Every PE is to finish: they wait for messages of one that is gone, which is found and listed PE
// by PE.
KERNBENCH_SYSTEMC_TEST(where_all_failures_are_collected_those_that_wait_are_found_blocked) {
  TorchMachine m;
  const RunResult result = run_ring(m, FailurePolicy::collect_all);
  BOOST_TEST(name_of(result.status) == "failed");
  check_contains(result.error,
                 {"KernelLaunch 'ring': 8 PEs failed: sip0.cube0.pe3: kernel_exception: "
                  "sip0.cube0.pe3.pe_cpu at ",
                  "killed", "PEs alike, ", "sip0.cube0.pe4", "blocked: ",
                  "kernel 'ring': waited for tl.recv in direction 'W' of kernel 'ring' since ",
                  "sip0.cube0.pe2: blocked: ",
                  "kernel 'ring': waited for tl.send in direction 'E' of kernel 'ring' since "});
}

// --- Barrier

KERNBENCH_SYSTEMC_TEST(a_barrier_waits_for_the_pending_work_of_all_ranks_and_takes_no_time) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 4));
  m.run([](Torch& torch) {
    Fs last_ended = 0;
    std::vector<Fs> left;
    on_ranks(torch, {}, [&](int rank) {
      const Tensor x = torch.empty({4}, f16, one_pe, "x");
      const LaunchHandle h = torch.launch_async(LaunchSpec("work").on_pe(0), work, x, rank);
      torch.distributed.barrier();
      BOOST_TEST(h.done());
      last_ended = std::max(last_ended, h.metrics().ended);
      left.push_back(torch.now());
      const Fs begun = torch.now();
      for (int i = 0; i < 10; ++i) torch.distributed.barrier();  // nothing is pending anywhere
      BOOST_TEST(torch.now() == begun);
    });
    BOOST_TEST(left == std::vector<Fs>(4, last_ended), boost::test_tools::per_element());
  });
}

KERNBENCH_SYSTEMC_TEST(a_rank_that_throws_while_others_wait_at_a_barrier_ends_them) {
  const std::string error = spawn_error([](Torch& torch, int rank) {
    torch.distributed.init_process_group("ahbm");
    if (rank == 3) {
      torch.launch(LaunchSpec("work").on_pe(0), work, torch.empty({4}, f16, one_pe, "x"), rank);
      throw std::runtime_error("the bench gave up");
    }
    torch.distributed.barrier();
    BOOST_TEST(false, "left the barrier");
  });
  check_contains(error, {"a rank has failed\n  rank 3: the bench gave up"});
}

// Whether the missing rank has returned before the others come, or while they wait.
BOOST_AUTO_TEST_CASE(a_barrier_that_a_rank_will_never_reach_is_an_error_and_no_hang) {
  for (const bool late : {false, true}) {
    forked([late] {
      const std::string error = spawn_error([late](Torch& torch, int rank) {
        torch.distributed.init_process_group("ahbm");
        if ((rank == 1) == late)
          torch.launch(LaunchSpec("work").on_pe(0), work, torch.empty({4}, f16, one_pe, "x"), 0);
        if (rank != 1) torch.distributed.barrier();
      });
      check_contains(error, {"barrier", "rank 1"});
    });
  }
}

BOOST_AUTO_TEST_SUITE_END()
