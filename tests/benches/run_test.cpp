// Benches on the whole machine, verified by phase 2.
#include <boost/test/unit_test.hpp>

#include "tests/benches/verified_runs.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(run_test)

BOOST_AUTO_TEST_CASE(gemm_single_pe_is_right_in_every_dtype_by_composite_and_by_dot) {
  for (const char* dtype : {"f16", "bf16", "f32", "i8", "i32"}) {
    expect_right("gemm-single-pe", {{"dtype", dtype}}, 32 * 32);
    expect_right("gemm-single-pe", {{"dtype", dtype}, {"compute", "dot"}}, 32 * 32);
  }
}

BOOST_AUTO_TEST_CASE(every_variant_is_right_for_extents_that_are_no_multiples_of_the_tile) {
  for (const char* variant : {"ref_ref", "load_ref", "load_load"}) {
    expect_right("matmul-composite", {{"variant", variant}}, 32 * 32);
    expect_right("matmul-composite", {{"variant", variant}, {"M", "33"}, {"K", "65"}, {"N", "31"}},
                 33 * 31);
    expect_right("matmul-composite", {{"variant", variant}, {"M", "1"}, {"K", "1"}, {"N", "1"}}, 1);
    expect_right("matmul-composite",
                 {{"variant", variant}, {"M", "5"}, {"K", "1"}, {"N", "70"}, {"dtype", "f32"}},
                 350);
  }
}

BOOST_AUTO_TEST_CASE(epilogues_are_right) {
  for (const char* epilogue : {"relu", "gelu", "silu"}) {
    for (const char* dtype : {"f16", "f32"})
      expect_right("matmul-composite", {{"epilogue", epilogue}, {"dtype", dtype}, {"K", "100"}},
                   32 * 32);
  }
  expect_right("matmul-composite", {{"epilogue", "relu"}, {"dtype", "i8"}}, 32 * 32);
  BOOST_TEST(contains(failure_of("matmul-composite", {{"epilogue", "gelu"}, {"dtype", "i8"}}),
                      "allowed for integers are none and relu"));
}

BOOST_AUTO_TEST_CASE(large_operands_fit_the_scratch_or_say_what_does_not) {
  expect_right("matmul-composite",
               {{"M", "256"}, {"K", "256"}, {"N", "256"}, {"variant", "load_load"}}, 256 * 256);
  // 512 x 1024 f16 is 1 MiB, all of the scratch; the second operand finds no room.
  check_contains(failure_of("matmul-composite",
                            {{"M", "512"}, {"K", "1024"}, {"N", "16"}, {"variant", "load_load"}}),
                 {"failed", "tl.load: no room for f16{1024, 16} on sip0.cube0.pe0", "32768"});
}

BOOST_AUTO_TEST_CASE(a_tensor_larger_than_the_partition_ends_the_run_before_anything_is_made) {
  const std::string failure =
      failure_of("gemm-single-pe", {{"M", "1000000"}, {"K", "10000"}});  // 20 GB of f16
  BOOST_TEST(contains(failure, "failed: tensor 'a'"), failure);
  BOOST_TEST(contains(failure, "HBM partition"), failure);
}

BOOST_AUTO_TEST_CASE(every_call_that_is_not_metadata_costs_dispatch_cycles) {
  const auto pe_exec = [](const char* cycles, void (*kernel)(tl::Program&, tl::Ptr)) {
    return forked_value([&] {
      static void (*chosen)(tl::Program&, tl::Ptr);
      static Fs measured;
      chosen = kernel;
      BenchRunOptions options;
      options.overrides.push_back(
          {std::string("cube.pe_template.components.pe_cpu.attrs.dispatch_cycles"), cycles});
      const BenchOutcome outcome = run_function(
          [](Torch& torch) {
            const Tensor t = torch.zeros({64}, f16, DPPolicy::on_one_pe(), "t");
            measured = torch.launch(LaunchSpec("k").on_pe(0), chosen, t).metrics().merged.pe_exec;
          },
          options);
      BOOST_TEST(outcome.status == "completed", outcome.error);
      return measured;
    });
  };
  const auto loads = [](tl::Program& tl, tl::Ptr t) { tl.relu(tl.load(t, {64}, f16)); };
  BOOST_TEST(pe_exec("100", loads) - pe_exec("0", loads) == 200 * fs_per_ns);
  const auto metadata = [](tl::Program& tl, tl::Ptr t) {
    tl.program_id();
    tl.trans(tl.reshape(tl.zeros({4}), {2, 2}));
    tl.ref(t, {64}, f16);
  };
  BOOST_TEST(pe_exec("100", metadata) == 0U);
  BOOST_TEST(pe_exec("100", [](tl::Program& tl, tl::Ptr) { tl.cycles(7), tl.wait(); }) ==
             207 * fs_per_ns);
}

BOOST_AUTO_TEST_CASE(the_values_depend_on_the_seed_and_times_do_not) {
  const auto run = [](std::uint64_t seed) {
    return forked_value([&] {
      BenchRunOptions options;
      options.seed = seed;
      const BenchOutcome outcome = run_bench("matmul-composite", {}, options);
      BOOST_TEST(outcome.failures == "");
      return std::vector<std::string>{outcome.op_log, outcome.outputs};
    });
  };
  const std::vector<std::string> first = run(1), again = run(1), other = run(2);
  BOOST_TEST((first == again));
  BOOST_TEST(first[0] == other[0]);
  BOOST_TEST((first[1] != other[1]));
}

BOOST_AUTO_TEST_CASE(a_bench_that_submits_nothing_ends_with_no_requests) {
  forked([] {
    const BenchOutcome outcome = run_function([](Torch&) {});
    BOOST_TEST(outcome.status == "failed");
    BOOST_TEST(contains(outcome.error, "NO_REQUESTS"), outcome.error);
  });
}

BOOST_AUTO_TEST_CASE(a_wrong_result_fails_with_the_tensor_s_name) {
  forked([] {
    const BenchOutcome outcome = run_function([](Torch& torch) {
      const Tensor t = torch.full({4, 4}, 2, f16, DPPolicy::on_one_pe(), "wrong_one");
      torch.verify(t, [] { return std::vector<double>(16, 3.0); });
    });
    BOOST_TEST(contains(outcome.failures, "wrong_one"), outcome.failures);
  });
}

// b and out are cut into columns, one part per PE; a is in every PE's own memory.
KERNBENCH_SYSTEMC_TEST(the_kernel_of_the_specification_runs_over_all_pes_of_a_cube) {
  const BenchOutcome outcome = check_function([](Torch& torch) {
    const HostArray a = torch.random({32, 64}, f16), b = torch.random({64, 36}, f16);
    const int pes = torch.spec().pes;
    const DPPolicy columns{Placement::replicate, Placement::column_wise, 1, pes},
        everywhere{Placement::replicate, Placement::replicate, 1, pes};
    const Tensor ta = torch.from_host(a, everywhere, "a"), tb = torch.from_host(b, columns, "b"),
                 out = torch.empty({32, 36}, f16, columns, "out");
    torch.launch(
        "column_parallel",
        [](tl::Program& tl, tl::Tensor a, tl::Tensor b, tl::Tensor out) {
          auto A = tl.load(a, a.local_shape(), f16);
          auto h =
              tl.composite(tl::gemm(A, tl.ref(b.local(), b.local_shape(), f16)).to(out.local()));
          tl.wait(h);
        },
        ta, tb, out);
    torch.verify(out, [a, b] {
      std::vector<double> product(32 * 36);
      const std::vector<double> x = a.values(), y = b.values();
      for (std::size_t i = 0; i < 32; ++i)
        for (std::size_t j = 0; j < 36; ++j)
          for (std::size_t k = 0; k < 64; ++k) product[i * 36 + j] += x[i * 64 + k] * y[k * 36 + j];
      return product;
    });
  });
  BOOST_TEST(outcome.verified == 32U * 36U);
}

// PE 0 reads rows that lie in the memories of all PEs.
KERNBENCH_SYSTEMC_TEST(an_operand_over_several_shards_is_gathered) {
  check_function([](Torch& torch) {
    const HostArray x = torch.random({16, 24}, f32);
    const Tensor tx =
        torch.from_host(x, {Placement::replicate, Placement::row_wise, 1, torch.spec().pes}, "x");
    const Tensor out = torch.empty({16, 24}, f32, DPPolicy::on_one_pe(), "out");
    torch.launch(
        LaunchSpec("gather").on_pe(0),
        [](tl::Program& tl, tl::Ptr x, tl::Ptr out) {
          tl.store(out, tl.relu(tl.load(x, {16, 24}, f32) + 0.5));
        },
        tx, out);
    torch.verify(out, [x] {
      std::vector<double> values = x.values();
      for (double& value : values) value = value + 0.5 > 0 ? value + 0.5 : 0;
      return values;
    });
  });
}

KERNBENCH_SYSTEMC_TEST(
    cast_keeps_the_values_that_the_other_dtype_can_hold_and_rounds_the_rest_once) {
  const BenchOutcome outcome = check_function([](Torch& torch) {
    const DPPolicy here = DPPolicy::on_one_pe();
    const HostArray numbers = torch.random({30}, i32);
    // 1/3 and 1 + 2^-11, which is a tie in f16 and rounds to the even 1.
    const HostArray parts({2}, f32, std::vector<double>{1.0 / 3, 1 + 1.0 / 2048});
    const Tensor from_numbers = torch.from_host(numbers, here, "numbers"),
                 from_parts = torch.from_host(parts, here, "parts"),
                 as_float = torch.empty({30}, f32, here, "as_float"),
                 halves = torch.empty({2}, f16, here, "halves");
    torch.launch(
        LaunchSpec("cast").on_pe(0),
        [](tl::Program& tl, tl::Ptr numbers, tl::Ptr parts, tl::Ptr as_float, tl::Ptr halves) {
          tl.store(as_float, tl.cast(tl.load(numbers, {30}, i32), f32));
          tl.store(halves, tl.cast(tl.load(parts, {2}, f32), f16));
        },
        from_numbers, from_parts, as_float, halves);
    torch.verify(
        as_float, [numbers] { return numbers.values(); }, 0);
    torch.verify(
        halves,
        [] {
          return std::vector<double>{0.333251953125, 1};
        },
        0);  // 1365 / 4096 is the f16 nearest to 1/3
  });
  BOOST_TEST(outcome.verified == 32U);
}

KERNBENCH_SYSTEMC_TEST(results_that_stay_in_tcm_feed_the_next_operation) {
  check_function([](Torch& torch) {
    const HostArray x = torch.random({20, 20}, f32);
    const Tensor tx = torch.from_host(x, DPPolicy::on_one_pe(), "x"),
                 out = torch.empty({20, 1}, f32, DPPolicy::on_one_pe(), "out");
    torch.launch(
        LaunchSpec("row_sums").on_pe(0),
        [](tl::Program& tl, tl::Ptr x, tl::Ptr out) {
          auto X = tl.load(x, {20, 20}, f32);
          auto h = tl.composite(tl::gemm(X, tl.trans(X)));
          tl.store(out, tl.sum(2.0 * h.result(), 1));  // waits for the composite
        },
        tx, out);
    torch.verify(out, [x] {
      std::vector<double> sums(20);
      const std::vector<double> v = x.values();
      for (std::size_t i = 0; i < 20; ++i)
        for (std::size_t j = 0; j < 20; ++j)
          for (std::size_t k = 0; k < 20; ++k) sums[i] += 2 * v[i * 20 + k] * v[j * 20 + k];
      return sums;
    });
  });
}

KERNBENCH_SYSTEMC_TEST(
    to_host_returns_what_kernels_have_copied_and_refuses_what_they_have_computed) {
  complete_function([](Torch& torch) {
    const HostArray x = torch.random({8, 8}, f16);
    const Tensor tx = torch.from_host(x, DPPolicy::on_one_pe(), "x"),
                 copied = torch.empty({8, 8}, f16, DPPolicy::on_one_pe(), "copied");
    torch.launch_async(
        LaunchSpec("copy").on_pe(0),
        [](tl::Program& tl, tl::Ptr x, tl::Ptr y) {
          tl.store(y, tl.load(x, {8, 8}, f16));
        },
        tx, copied);
    BOOST_TEST(copied.to_host().bytes() == x.bytes());
    torch.launch(
        LaunchSpec("double").on_pe(0),
        [](tl::Program& tl, tl::Ptr x) {
          tl.store(x, tl.load(x, {8, 8}, f16) * 2.0);
        },
        tx);
    BOOST_CHECK_THROW(tx.to_host(), PendingDataError);
  });
}

BOOST_AUTO_TEST_CASE(an_access_outside_a_tensor_fails_the_launch_and_names_pe_time_and_tensor) {
  const std::string error = forked_value([] {
    return run_function([](Torch& torch) {
             const Tensor t = torch.zeros({4}, f16, DPPolicy::on_one_pe(), "small");
             torch.launch(
                 LaunchSpec("reader").on_pe(0),
                 [](tl::Program& tl, tl::Ptr t) { tl.load(t, {5}, f16); }, t);
           })
        .error;
  });
  BOOST_TEST(contains(error, "sip0.cube0.pe0.pe_cpu at "), error);
  BOOST_TEST(contains(error, "tensor 'small' of 8 bytes"), error);
}

KERNBENCH_SYSTEMC_TEST(launch_metrics_come_back_merged_and_per_pe) {
  complete_function([](Torch& torch) {
    const Tensor t = torch.zeros({64, 64}, f16, DPPolicy::on_one_pe(), "t");
    const LaunchHandle h = torch.launch(
        "k",
        [](tl::Program& tl, tl::Ptr t) {
          if (tl.program_id(0) == 0) tl.dot(tl.load(t, {64, 64}, f16), tl.load(t, {64, 64}, f16));
        },
        t);
    BOOST_TEST(h.metrics().per_pe.size() == static_cast<std::size_t>(torch.spec().pes));
    const KernelMetrics& busy = h.metrics().per_pe.at({0, 0, 0});
    BOOST_TEST(h.metrics().merged.pe_exec == busy.pe_exec);
    BOOST_TEST(busy.compute == 64 * fs_per_ns);  // 64^3 MACs / 4096 per cycle at 1 GHz
    BOOST_TEST(busy.dma > 0U);
    BOOST_TEST(h.metrics().per_pe.at({0, 0, 1}).pe_exec == 0U);
  });
}

KERNBENCH_SYSTEMC_TEST(tensors_may_come_and_go_in_a_loop) {
  complete_function([](Torch& torch) {
    for (int i = 0; i < 200; ++i)
      torch.zeros({256, 256}, f16, {Placement::replicate, Placement::row_wise, 1, torch.spec().pes},
                  "t");
  });
}

BOOST_AUTO_TEST_CASE(a_single_device_bench_runs_once_per_device) {
  forked([] {
    BenchRunOptions options;
    options.topology = "topology.yaml";
    options.devices = {0, 1};
    const BenchOutcome outcome = run_bench("gemm-single-pe", {}, options);
    BOOST_TEST(outcome.status == "completed", outcome.error);
    BOOST_TEST(outcome.tensors.size() == 2U);
    BOOST_TEST(outcome.failures == "");
    BOOST_TEST(count(outcome.op_log, "sip1.cube0.pe0.pe_gemm") > 0U);
  });
}

BOOST_AUTO_TEST_CASE(a_device_that_is_not_there_is_an_error) {
  BenchRunOptions options;
  options.devices = {3};
  check_contains(failure_of("gemm-single-pe", {}, options),
                 {"device sip:3, allowed: sip:0 to sip:"});
}

BOOST_AUTO_TEST_SUITE_END()
