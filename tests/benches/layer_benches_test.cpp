// The benches of spec 10.3 that are parts of layers: right for odd extents, in every dtype that
// they take.
#include "tests/benches/verified_runs.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(layer_benches_test)

namespace {

const std::vector<const char*> floats{"f16", "bf16", "f32"}, all{"f16", "bf16", "f32", "i8", "i32"};

BenchRunOptions on_16_cubes() {
  BenchRunOptions options;
  options.topology = "topology.yaml";
  return options;
}

}  // namespace

BOOST_AUTO_TEST_CASE(qkv_gemm_is_right_for_odd_extents_in_every_dtype) {
  expect_right("qkv-gemm", {}, 3 * 32 * 32);
  for (const char* dtype : all) {
    expect_right("qkv-gemm", {{"dtype", dtype}, {"M", "1"}, {"K", "1"}, {"N", "1"}}, 3);
    expect_right("qkv-gemm", {{"dtype", dtype}, {"M", "37"}, {"K", "67"}, {"N", "41"}},
                 3 * 37 * 41);
  }
}

BOOST_AUTO_TEST_CASE(qkv_gemm_loads_x_in_blocks_that_fit_the_scratch) {
  // 1024 columns of f16: 128 rows are 256 KiB, so three blocks, the last of one row.
  expect_right("qkv-gemm", {{"M", "257"}, {"K", "1024"}, {"N", "3"}}, 3 * 257 * 3);
}

BOOST_AUTO_TEST_CASE(qkv_gemm_multi_pe_shares_the_columns_evenly_or_not) {
  expect_right("qkv-gemm-multi-pe", {}, 3 * 32 * 32);
  for (const char* dtype : all)
    expect_right("qkv-gemm-multi-pe", {{"dtype", dtype}, {"M", "5"}, {"K", "31"}, {"N", "37"}},
                 3 * 5 * 37);
  expect_right("qkv-gemm-multi-pe", {{"pes", "1"}, {"N", "1"}}, 3 * 32);
  expect_right("qkv-gemm-multi-pe", {{"pes", "7"}, {"N", "7"}, {"M", "1"}}, 3 * 7);
}

BOOST_AUTO_TEST_CASE(more_column_shards_than_columns_and_more_pes_than_there_are_is_wrong_usage) {
  check_contains(failure_of("qkv-gemm-multi-pe", {{"N", "7"}}),
                 {"usage: tensor 'wq' {64, 7}: column_wise over 8 PEs cuts axis 1 into 8 parts"});
  check_contains(failure_of("qkv-gemm-multi-pe", {{"pes", "9"}}),
                 {"usage: tensor 'x': policy names 9 PEs per cube, allowed: 1 to 8"});
}

BOOST_AUTO_TEST_CASE(columns_over_the_pes_of_a_cube_take_less_time_than_on_one_pe) {
  const auto pe_exec = [](const char* pes) {
    return forked_value([&] {
      BenchRunOptions options;
      options.data = DataMode::off;
      return run_bench("qkv-gemm-multi-pe", {{"pes", pes}, {"K", "512"}, {"N", "256"}}, options)
          .longest_launch;
    });
  };
  // The weights of one PE are 8 tiles wide, those of each of 8 PEs one.
  const Fs one = pe_exec("1"), eight = pe_exec("8");
  BOOST_TEST(one > 6 * eight, one << " and " << eight);
  BOOST_TEST(one < 8 * eight, one << " and " << eight);
}

BOOST_AUTO_TEST_CASE(gpt3_qkv_is_right_on_one_cube_and_over_cubes) {
  expect_right("gpt3-qkv", {}, 3 * 32 * 768);
  for (const char* dtype : floats) {
    const Parameters odd{
        {"dtype", dtype}, {"tokens", "3"}, {"d_model", "101"}, {"cubes", "5"}, {"pes", "7"}};
    expect_right("gpt3-qkv", odd, 3 * 3 * 101, on_16_cubes());
  }
  check_contains(failure_of("gpt3-qkv", {{"cubes", "2"}}),
                 {"usage: tensor 'x': policy names 2 cubes, allowed: 1 to 1"});
}

BOOST_AUTO_TEST_CASE(softmax_rows_is_right_as_one_operation_and_by_steps) {
  for (const char* compute : {"op", "steps"}) {
    expect_right("softmax-rows", {{"compute", compute}}, 64 * 512);
    for (const char* dtype : floats) {
      expect_right("softmax-rows",
                   {{"compute", compute}, {"dtype", dtype}, {"rows", "1"}, {"columns", "1"}}, 1);
      expect_right("softmax-rows",
                   {{"compute", compute}, {"dtype", dtype}, {"rows", "13"}, {"columns", "127"}},
                   13 * 127);
    }
  }
  // A row of 60 KB: two in a block of 128 KiB, and 5 rows on one PE.
  expect_right("softmax-rows",
               {{"compute", "steps"}, {"rows", "5"}, {"columns", "30011"}, {"pes", "1"}},
               5 * 30011);
}

// Locks and atomics order the sums: run_bench checks races, too.
BOOST_AUTO_TEST_CASE(layernorm_backward_adds_up_under_locks_and_by_atomics) {
  for (const char* sums : {"locks", "atomics"}) {
    const auto right = [sums](const char* rows, const char* columns, const char* groups,
                              const char* dtype, std::uint64_t elements) {
      expect_right("layernorm-backward",
                   {{"sums", sums},
                    {"rows", rows},
                    {"columns", columns},
                    {"groups", groups},
                    {"dtype", dtype}},
                   elements);
    };
    right("64", "768", "4", "f16", 64 * 768 + 2 * 768);
    right("1", "1", "4", "f32", 3);
    right("13", "3", "1", "bf16", 13 * 3 + 6);
    right("201", "257", "3", "f32", 201 * 257 + 2 * 257);
  }
}

BOOST_AUTO_TEST_CASE(layernorm_is_right_for_odd_extents) {
  expect_right("layernorm", {}, 64 * 768);
  for (const char* dtype : floats) {
    expect_right("layernorm", {{"dtype", dtype}, {"rows", "1"}, {"columns", "1"}}, 1);
    expect_right("layernorm", {{"dtype", dtype}, {"rows", "11"}, {"columns", "2"}}, 11 * 2);
    expect_right("layernorm", {{"dtype", dtype}, {"rows", "17"}, {"columns", "257"}}, 17 * 257);
  }
  expect_right("layernorm", {{"rows", "7"}, {"columns", "10007"}, {"pes", "2"}},
               7 * 10007);  // two rows in a block, the last alone
}

BOOST_AUTO_TEST_CASE(mlp_fused_is_right_for_odd_extents) {
  expect_right("mlp-fused", {}, 32 * 64);
  for (const char* dtype : floats) {
    expect_right(
        "mlp-fused",
        {{"dtype", dtype}, {"tokens", "1"}, {"d_in", "1"}, {"hidden", "1"}, {"d_out", "1"}}, 1);
    expect_right(
        "mlp-fused",
        {{"dtype", dtype}, {"tokens", "11"}, {"d_in", "13"}, {"hidden", "67"}, {"d_out", "31"}},
        11 * 31);
  }
  // 2048 f32 are 8 KiB: 64 rows in a block of 512 KiB.
  expect_right("mlp-fused",
               {{"dtype", "f32"},
                {"tokens", "65"},
                {"d_in", "8"},
                {"hidden", "2040"},
                {"d_out", "2"},
                {"pes", "1"}},
               65 * 2);
}

BOOST_AUTO_TEST_CASE(the_hidden_layer_of_mlp_fused_does_not_leave_the_pe) {
  forked([] {
    const auto outcome = run_bench("mlp-fused", {{"pes", "1"}});
    // Two composites: 8 tiles of hidden columns x 1 of k, then 2 of result columns x 4 of k. Only
    // the two of the result are written.
    BOOST_TEST(count(outcome.op_log, ",composite_gemm,") == 2U);
    BOOST_TEST(count(outcome.op_log, ",tile/GEMM,") == 16U);
    BOOST_TEST(count(outcome.op_log, ",tile/DMA_WRITE,") == 2U);
  });
}

BOOST_AUTO_TEST_CASE(va_offsets_address_a_tensor_across_shards_pages_and_cubes) {
  expect_right("va-offset-verify", {}, 40009);
  for (const char* dtype : all) {
    expect_right("va-offset-verify", {{"dtype", dtype}, {"elements", "1"}}, 1);
    expect_right("va-offset-verify",
                 {{"dtype", dtype}, {"elements", "10007"}, {"block", "997"}, {"shift", "20011"}},
                 10007);
  }
  // One block over all eight shards and several pages, read at an odd address.
  expect_right("va-offset-verify",
               {{"dtype", "i8"}, {"elements", "70001"}, {"block", "70001"}, {"shift", "1"}}, 70001);
  expect_right("va-offset-verify", {{"cubes", "3"}}, 40009, on_16_cubes());
}

BOOST_AUTO_TEST_CASE(tensor_offsets_mean_the_same_with_physical_addresses) {
  BenchRunOptions options;
  options.overrides.push_back({"cube.memory_map.address_model", "pa"});
  expect_right("va-offset-verify", {{"dtype", "i8"}}, 40009, options);
}

BOOST_AUTO_TEST_CASE(gather_walk_follows_the_values_that_it_loads) {
  expect_right("gather-walk", {}, 32 * 64 + 64);
  for (const char* dtype : all) {
    expect_right("gather-walk", {{"dtype", dtype}, {"nodes", "1"}, {"width", "1"}}, 2);
    expect_right("gather-walk",
                 {{"dtype", dtype}, {"nodes", "53"}, {"width", "17"}, {"steps", "53"}},
                 53 * 17 + 17);
  }
  // One row and one link are read at each step, one row written, and the sum at the end: it is the
  // data that end the walk.
  for (const char* steps : {"3", "20"}) {
    forked([&] {
      const auto outcome = run_bench("gather-walk", {{"steps", steps}});
      const std::size_t n = std::stoul(steps);
      BOOST_TEST(count(outcome.op_log, ",dma_read,") == 2 * n);
      BOOST_TEST(count(outcome.op_log, ",dma_write,") == n + 1);
    });
  }
}

BOOST_AUTO_TEST_CASE(gather_walk_without_data_is_wrong_usage) {
  BenchRunOptions options;
  options.data = DataMode::off;
  check_contains(failure_of("gather-walk", {}, options),
                 {"usage: bench 'gather-walk' reads the values that its kernels load"});
}

BOOST_AUTO_TEST_SUITE_END()
