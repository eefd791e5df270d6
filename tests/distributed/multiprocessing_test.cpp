// The ranks of torch.multiprocessing.spawn (spec 4.4, 7): who runs where, and what becomes of the
// others when one throws.
#include <stdexcept>

#include "models/base/exception_text.h"
#include "tests/runtime/stub_host.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(multiprocessing_test)

namespace {

// What spawn(body, 2) throws.
SpawnError error_of(Torch& torch, const std::function<void(int)>& body) {
  try {
    torch.multiprocessing.spawn(body, 2);
  } catch (const SpawnError& error) {
    return error;
  }
  throw std::logic_error("no SpawnError");
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(each_rank_has_a_thread_of_its_own_and_its_sip_as_device) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime&) {
    Lines threads;
    std::vector<int> devices;
    torch.multiprocessing.spawn(
        [&](int rank) {
          threads.push_back(sc_core::sc_get_current_process_handle().basename());
          devices.push_back(torch.ahbm.current_device());
          torch.empty({4}, f16, DPPolicy::on_one_pe());
          BOOST_TEST(torch.accelerator.current_device_index() == rank);
        },
        2);
    BOOST_TEST(threads == (Lines{"rank0_0", "rank1_0"}));  // as this host makes names unique
    BOOST_TEST(devices == (std::vector<int>{0, 1}));
    BOOST_TEST(host.maps.at(1).targets.at(0).sip == 1);
    BOOST_TEST(torch.ahbm.current_device() == 0);  // that of the program
  });
}

KERNBENCH_SYSTEMC_TEST(a_device_is_chosen_for_the_calling_rank_only) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime&) {
    torch.multiprocessing.spawn(
        [&](int rank) {
          torch.ahbm.set_device(1 - rank);
          sc_core::wait(10, sc_core::SC_NS);
          BOOST_TEST(torch.ahbm.current_device() == 1 - rank);
          BOOST_CHECK_THROW(torch.ahbm.set_device(2), UsageError);
        },
        2);
  });
}

KERNBENCH_SYSTEMC_TEST(spawn_returns_when_all_ranks_and_their_launches_have_ended) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime& runtime) {
    torch.multiprocessing.spawn(
        [&](int rank) {
          sc_core::wait(10 * (rank + 1), sc_core::SC_NS);
          torch.launch_async(
              "k", do_nothing,
              torch.empty({4}, f16, DPPolicy::on_one_pe()));  // 100 ns on this machine
        },
        2);
    BOOST_TEST(sc_core::sc_time_stamp().to_double() ==
               sc_core::sc_time(120, sc_core::SC_NS).to_double());
    BOOST_TEST(runtime.launches.size() == 2);
  });
}

KERNBENCH_SYSTEMC_TEST(if_a_rank_throws_the_others_are_ended_where_they_wait) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime&) {
    bool unwound = false, went_on = false;
    const SpawnError error = error_of(torch, [&](int rank) {
      struct Leaves {
        bool& flag;
        ~Leaves() { flag = true; }
      };
      if (rank == 1) {
        sc_core::wait(5, sc_core::SC_NS);
        throw std::runtime_error("of rank 1");
      }
      const Leaves leaves{unwound};
      const Tensor t = torch.empty({4}, f16, DPPolicy::on_one_pe());
      sc_core::sc_event never;
      sc_core::wait(never);
      went_on = true;
    });
    BOOST_TEST(unwound);
    BOOST_TEST(!went_on);
    BOOST_REQUIRE(error.causes().size() == 1U);
    BOOST_TEST(text_of(error.causes().at(1)) == "of rank 1");
    BOOST_TEST(std::string(error.what()) == "a rank has failed\n  rank 1: of rank 1");
    BOOST_TEST(!error.wrong_usage());
    BOOST_TEST(sc_core::sc_time_stamp().to_double() ==
               sc_core::sc_time(5, sc_core::SC_NS).to_double());
  });
}

BOOST_AUTO_TEST_CASE(failures_of_many_ranks_that_are_alike_have_one_line) {
  std::map<int, std::exception_ptr> causes;
  for (int rank = 0; rank < 256; ++rank)
    causes[rank] = std::make_exception_ptr(
        Error("no memory on sip" + std::to_string(rank) + " at " + std::to_string(rank) + " ns"));
  causes[7] = std::make_exception_ptr(Error("something else"));
  BOOST_TEST(std::string(SpawnError(causes).what()) ==
             "256 ranks have failed\n"
             "  255 ranks alike, 0, 1, 2, 3 and 251 more; rank 0: no memory on sip0 at 0 ns\n"
             "  rank 7: something else");
}

// Both at one instant: neither is the consequence of the other.
KERNBENCH_SYSTEMC_TEST(ranks_that_fail_at_one_instant_are_all_root_causes) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime&) {
    const SpawnError error =
        error_of(torch, [&](int rank) { throw UsageError("wrong on " + std::to_string(rank)); });
    BOOST_TEST(error.causes().size() == 2U);
    BOOST_TEST(std::string(error.what()) ==
               "2 ranks have failed\n  rank 0: wrong on 0\n  rank 1: wrong on 1");
    BOOST_TEST(error.wrong_usage());
  });
}

KERNBENCH_SYSTEMC_TEST(a_failed_launch_is_the_root_cause_of_its_rank) {
  StubHost host;
  host.launch_result = Completion::failure("ACCESS_FAULT", "no mapping");
  run_on(host, [&](Torch& torch, Runtime&) {
    const SpawnError error = error_of(torch, [&](int rank) {
      if (rank == 0) sc_core::wait(1, sc_core::SC_US);
      torch.launch_async("k", do_nothing, torch.empty({4}, f16, DPPolicy::on_one_pe()));
    });
    BOOST_TEST(contains(text_of(error.causes().at(1)), "no mapping"));
    BOOST_TEST(error.causes().size() == 1U);
  });
}

KERNBENCH_SYSTEMC_TEST(after_a_spawn_error_the_devices_refuse_work) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime&) {
    Tensor before = torch.zeros({4}, f16, DPPolicy::on_one_pe(), "before");
    error_of(torch, [&](int) { throw std::runtime_error("broken"); });
    const auto names_the_cause = with_text<DeviceLostError>({"devices are lost", "rank 0: broken"});
    BOOST_CHECK_EXCEPTION(torch.launch("k", do_nothing, before), DeviceLostError, names_the_cause);
    BOOST_CHECK_EXCEPTION(before.to_host(), DeviceLostError, names_the_cause);
    BOOST_CHECK_EXCEPTION(torch.zeros({4}, f16, DPPolicy::on_one_pe()), DeviceLostError,
                          names_the_cause);
    BOOST_CHECK_EXCEPTION(
        torch.multiprocessing.spawn([&](int) { torch.zeros({4}, f16, DPPolicy::on_one_pe()); }, 1),
        SpawnError, with_text<SpawnError>({"devices are lost"}));
    BOOST_TEST(host.log.back() == "launches told to end");
  });
}

KERNBENCH_SYSTEMC_TEST(spawn_wants_between_one_rank_and_as_many_as_there_are_sips) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime&) {
    const auto nothing = [](int) {};
    BOOST_CHECK_EXCEPTION(torch.multiprocessing.spawn(nothing, 0), UsageError,
                          with_text<UsageError>({"0 ranks", "this machine has 2"}));
    BOOST_CHECK_EXCEPTION(torch.multiprocessing.spawn(nothing, 3), UsageError,
                          with_text<UsageError>({"3 ranks", "this machine has 2"}));
    BOOST_CHECK_NO_THROW(torch.multiprocessing.spawn(nothing, 1));
    BOOST_CHECK_NO_THROW(torch.multiprocessing.spawn(nothing, 2));
    BOOST_CHECK_EXCEPTION(
        torch.multiprocessing.spawn([&](int) { torch.multiprocessing.spawn(nothing, 1); }, 1),
        SpawnError,
        with_text<SpawnError>({"rank 0: torch.multiprocessing.spawn: rank 0 spawns ranks"}));
  });
}

KERNBENCH_SYSTEMC_TEST(random_numbers_differ_between_ranks_and_are_the_same_on_every_repetition) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime&) {
    const auto draw = [&] {
      std::vector<std::vector<double>> values(2);
      torch.manual_seed(7);
      torch.multiprocessing.spawn(
          [&](int rank) {
            values[static_cast<std::size_t>(rank)] = torch.random({8}, f32).values();
          },
          2);
      return values;
    };
    const auto first = draw();
    BOOST_TEST((first == draw()));
    BOOST_TEST((first[0] != first[1]));
  });
}

BOOST_AUTO_TEST_SUITE_END()
