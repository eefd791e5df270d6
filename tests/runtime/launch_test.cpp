// Launches as the runtime sends them (spec 4.1, 7): targets, deployed code, waits for launches.
#include "models/address/phys_addr.h"
#include "models/address/virtual_space.h"
#include "models/data/elements.h"
#include "tests/runtime/stub_host.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(launch_test)

KERNBENCH_SYSTEMC_TEST(a_launch_targets_every_pe_of_every_cube_that_owns_a_shard) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime&) {
    const Tensor t =
        torch.empty({4, 8}, f16, {Placement::row_wise, Placement::replicate, 2, 1}, "t");
    torch.launch("all", do_nothing, t);
    BOOST_TEST(host.launches.at(0).targets.size() == 16);
    BOOST_TEST((host.launches.at(0).targets.at(8) == PeId{0, 1, 0}));
    BOOST_TEST(host.launches.at(0).grid.cubes.size() == 2);
    torch.launch(LaunchSpec("some").on_pes({3, 1}), do_nothing, t);
    BOOST_TEST((host.launches.at(1).targets ==
                std::vector<PeId>{{0, 0, 1}, {0, 0, 3}, {0, 1, 1}, {0, 1, 3}}));
    BOOST_TEST(host.launches.at(1).grid.pes == (std::vector<int>{1, 3}),
               boost::test_tools::per_element());
    BOOST_CHECK_THROW(torch.launch(LaunchSpec("none").on_pe(8), do_nothing, t), UsageError);
  });
}

KERNBENCH_SYSTEMC_TEST(a_launch_without_a_tensor_is_an_error) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime&) {
    BOOST_CHECK_THROW(torch.launch(
                          "nowhere", [](tl::Program&, int) {}, 3),
                      UsageError);
  });
}

KERNBENCH_SYSTEMC_TEST(to_host_waits_for_pending_launches_and_shape_does_not) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime&) {
    const Tensor t = torch.zeros({4}, f16, DPPolicy::on_one_pe(), "t");
    host.log.clear();
    const LaunchHandle h = torch.launch_async("k", do_nothing, t);
    BOOST_TEST(t.shape().elements() == 4);
    BOOST_TEST(!h.done());
    BOOST_CHECK_THROW(h.metrics(), UsageError);
    t.to_host();
    BOOST_TEST(host.log ==
               (Lines{"KernelLaunch k on 8", "launch ended", "MemoryRead sip0.cube0.pe0 8"}));
    BOOST_TEST(h.done());
    BOOST_TEST(h.metrics().merged.pe_exec == 100 * fs_per_ns);
    BOOST_TEST(h.metrics().per_pe.size() == 1);
    BOOST_TEST(h.metrics().ended - h.metrics().issued ==
               100'000);  // 100 ns; this test runs SystemC at its default 1 ps
  });
}

KERNBENCH_SYSTEMC_TEST(a_tensor_lives_until_the_launches_that_use_it_have_ended) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime& runtime) {
    torch.launch_async("k", do_nothing, torch.empty({4}, f16, DPPolicy::on_one_pe(), "t"));
    sc_core::wait(1, sc_core::SC_NS);
    BOOST_TEST(runtime.memory->used_bytes({0, 0, 0}) == 8);
    torch.wait_all();
    sc_core::wait(1, sc_core::SC_NS);
    BOOST_TEST(runtime.memory->used_bytes({0, 0, 0}) == 0);
  });
}

KERNBENCH_SYSTEMC_TEST(a_failed_launch_is_a_launch_error_with_its_code) {
  StubHost host;
  host.launch_result =
      Completion::failure("ACCESS_FAULT", "sip0.cube0.pe0.pe_cpu at 5 ns: no mapping");
  run_on(host, [&](Torch& torch, Runtime&) {
    const Tensor t = torch.empty({4}, f16, DPPolicy::on_one_pe(), "t");
    BOOST_CHECK_EXCEPTION(
        torch.launch("k", do_nothing, t), LaunchError, [](const LaunchError& error) {
          return error.code() == "ACCESS_FAULT" && contains(error.what(), "'k'") &&
                 contains(error.what(), "no mapping");
        });
    torch.launch_async("a", do_nothing, t);
    torch.launch_async("b", do_nothing, t);
    BOOST_CHECK_THROW(torch.wait_all(), LaunchError);
    BOOST_CHECK_NO_THROW(torch.wait_all());  // both have been waited for
  });
}

KERNBENCH_SYSTEMC_TEST(tensors_are_made_on_the_current_device) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime&) {
    torch.ahbm.set_device(1);
    const Tensor t = torch.empty({4}, f16, DPPolicy::on_one_pe(), "t");
    BOOST_TEST(t.shards().at(0).where.sip == 1);
    BOOST_TEST(t.va() == va_base);
    BOOST_CHECK_THROW(torch.accelerator.set_device_index(2), UsageError);
    torch.launch("k", do_nothing, t);
    BOOST_TEST(host.launches.at(0).targets.at(0).sip == 1);
  });
}

KERNBENCH_SYSTEMC_TEST(
    new_tensors_and_slices_of_them_do_not_wait_for_pending_launches_and_old_ones_do) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime&) {
    Tensor t = torch.zeros({4}, f16, DPPolicy::on_one_pe(), "t");
    const LaunchHandle h = torch.launch_async("k", do_nothing, t);
    torch.zeros({4}, f16, DPPolicy::on_one_pe());
    torch.full({4}, 1, f16, DPPolicy::on_one_pe());
    const Tensor u = torch.from_host(HostArray::full({4}, f16, 2), DPPolicy::on_one_pe());
    BOOST_TEST(!h.done());
    t.copy_(u);
    BOOST_TEST(h.done());
    const LaunchHandle i = torch.launch_async("k", do_nothing, t);
    t.fill_(3);
    BOOST_TEST(i.done());
  });
}

// --- deployed kernels ---

KERNBENCH_SYSTEMC_TEST(
    the_code_of_a_deployed_kernel_is_written_once_per_device_before_its_first_launch) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime& runtime) {
    const Tensor t = torch.empty({4}, f16, DPPolicy::on_one_pe(), "t");
    host.log.clear();
    const LaunchSpec spec = LaunchSpec("k").deployed(10'000);
    torch.launch(spec, do_nothing, t);
    torch.launch(spec, do_nothing, t);
    BOOST_TEST(host.log == (Lines{"MemoryWrite sip0.cube0.pe0 10000", "KernelLaunch k on 8",
                                  "launch ended", "KernelLaunch k on 8", "launch ended"}));
    const KernelRef& kernel = host.launches.at(1).kernel;
    BOOST_TEST((kernel.kind == KernelRef::Kind::deployed));
    BOOST_TEST(kernel.name == "k");
    BOOST_TEST(kernel.nbytes_code == 10'000);
    BOOST_TEST((kernel.deploy_where == PeId{0, 0, 0}));
    // t takes [0, 8) of the partition; the code follows at the next 256 bytes.
    BOOST_TEST(kernel.deploy_pa ==
               PhysAddr::pe_hbm_addr(0, 0, 0, 256, host.machine_.hbm_slice_bytes).encode());
    BOOST_TEST(runtime.memory->used_bytes({0, 0, 0}) == 10'008);

    torch.ahbm.set_device(1);
    const Tensor other = torch.empty({4}, f16, DPPolicy::on_one_pe(), "other");
    host.log.clear();
    torch.launch(spec, do_nothing, other);
    BOOST_TEST(host.log.front() == "MemoryWrite sip1.cube0.pe0 10000");
    BOOST_TEST((host.launches.at(2).kernel.deploy_where == PeId{1, 0, 0}));
  });
}

KERNBENCH_SYSTEMC_TEST(a_builtin_kernel_has_no_code_to_write) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime&) {
    const Tensor t = torch.empty({4}, f16, DPPolicy::on_one_pe(), "t");
    host.log.clear();
    torch.launch("k", do_nothing, t);
    BOOST_TEST(host.log == (Lines{"KernelLaunch k on 8", "launch ended"}));
    BOOST_TEST((host.launches.at(0).kernel.kind == KernelRef::Kind::builtin));
    BOOST_TEST(host.launches.at(0).kernel.nbytes_code == 0);
  });
}

KERNBENCH_SYSTEMC_TEST(
    a_kernel_without_code_of_two_sizes_or_larger_than_the_memory_cannot_be_deployed) {
  StubHost host;
  host.machine_.hbm_slice_bytes = 4096;
  run_on(host, [&](Torch& torch, Runtime&) {
    const Tensor t = torch.empty({4}, f16, DPPolicy::on_one_pe(), "t");
    BOOST_CHECK_EXCEPTION(LaunchSpec("k").deployed(0), UsageError,
                          with_text<UsageError>({"'k'", "at least 1 byte"}));
    torch.launch(LaunchSpec("k").deployed(100), do_nothing, t);
    BOOST_CHECK_EXCEPTION(torch.launch(LaunchSpec("k").deployed(200), do_nothing, t), UsageError,
                          with_text<UsageError>({"kernel 'k'", "100 bytes of code, found 200"}));
    BOOST_CHECK_EXCEPTION(torch.launch(LaunchSpec("big").deployed(5000), do_nothing, t),
                          AllocationError,
                          with_text<AllocationError>({"code of kernel 'big'", "5000"}));
    torch.launch(LaunchSpec("big").deployed(1000), do_nothing,
                 t);  // what was refused has left nothing behind
  });
}

KERNBENCH_SYSTEMC_TEST(untimed_code_is_there_without_a_message) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime&) {
    const Tensor t = torch.empty({4}, f16, DPPolicy::on_one_pe(), "t");
    host.log.clear();
    torch.untimed([&] { torch.launch(LaunchSpec("k").deployed(100), do_nothing, t); });
    torch.launch(LaunchSpec("k").deployed(100), do_nothing, t);
    BOOST_TEST(host.log.front() == "KernelLaunch k on 8");
    BOOST_TEST(host.log.size() == 4);
  });
}

// --- scalar arguments ---

KERNBENCH_SYSTEMC_TEST(scalars_of_every_type_are_in_the_launch_bit_by_bit) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime&) {
    const Tensor t = torch.empty({4}, f16, DPPolicy::on_one_pe(), "t");
    const auto kernel = [](tl::Program&, tl::Ptr, std::int32_t, std::int64_t, tl::Half, float,
                           bool) {};
    torch.launch("k", kernel, t, -7, std::int64_t{1} << 40, tl::Half::from_bits(0x8000), -0.0F,
                 true);
    const std::vector<KernelArgument>& args = host.launches.at(0).args;
    const auto scalar = [&](std::size_t i) { return std::get<ScalarArgument>(args.at(i)); };
    BOOST_TEST(std::get<TensorArgument>(args.at(0)).va_base == t.va());
    BOOST_TEST(std::get<std::int32_t>(scalar(1)) == -7);
    BOOST_TEST(std::get<std::int64_t>(scalar(2)) == std::int64_t{1} << 40);
    BOOST_TEST(std::get<Float16Bits>(scalar(3)).bits == 0x8000);
    BOOST_TEST(float_bits(std::get<float>(scalar(4))) == 0x80000000U);
    BOOST_TEST(std::get<bool>(scalar(5)));
  });
}

KERNBENCH_SYSTEMC_TEST(what_a_program_says_about_a_launch_is_kept_with_its_record) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime& runtime) {
    const Tensor t = torch.zeros({4}, f16, DPPolicy::on_one_pe(), "t");
    torch.launch(LaunchSpec("k").meta({{"layer", "3"}, {"head", "all"}}), do_nothing, t);
    torch.launch("plain", do_nothing, t);
    BOOST_TEST((host.launches.at(0).meta == LaunchMeta{{"head", "all"}, {"layer", "3"}}));
    BOOST_TEST((runtime.launches.at(0).meta == LaunchMeta{{"head", "all"}, {"layer", "3"}}));
    BOOST_TEST(runtime.launches.at(1).meta.empty());
    BOOST_CHECK_THROW(torch.launch(LaunchSpec("k").meta({{"", "3"}}), do_nothing, t), UsageError);
    for (const char* tokens : {"", "0", "-1", "1.5", "many"}) {
      BOOST_CHECK_EXCEPTION(
          LaunchSpec("k").meta({{"tokens", tokens}}), UsageError,
          with_text<UsageError>({"launch 'k': meta 'tokens' is '", "a whole number from 1"}));
    }
    BOOST_TEST(LaunchSpec("k").meta({{"tokens", "16"}}).meta().at("tokens") == "16");
  });
}

KERNBENCH_SYSTEMC_TEST(a_timestamp_tag_is_on_all_messages_until_it_is_taken_back) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime&) {
    const Tensor t = torch.zeros({4}, f16, DPPolicy::on_one_pe(), "t");
    torch.launch("before", do_nothing, t);
    torch.set_timestamp_tag("step 3");
    torch.launch("within", do_nothing, t);
    torch.set_timestamp_tag();
    torch.launch("behind", do_nothing, t);
    BOOST_TEST(!host.launches.at(0).timestamp_tag.has_value());
    BOOST_TEST(host.launches.at(1).timestamp_tag.value() == "step 3");
    BOOST_TEST(!host.launches.at(2).timestamp_tag.has_value());
  });
}

BOOST_AUTO_TEST_SUITE_END()
