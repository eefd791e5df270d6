// Long kernels, large address spaces, every PE at once, odd extents: what must neither leak nor go
// wrong.
#include <unistd.h>

#include <fstream>

#include "sw/collectives/shipped_graphs.h"
#include "tests/benches/verified_runs.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(endurance_test)

namespace {

// Resident memory of this process.
std::uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// The sanitizers keep what is freed, and shadow what is mapped.
#ifdef __SANITIZE_ADDRESS__
constexpr bool memory_can_be_measured = false;
#else
constexpr bool memory_can_be_measured = true;
#endif

// Runs a step of a kernel many times: what the first tenth needed of the host's memory must do for
// all.
template <class Step>
void repeat(int times, Step step) {
  std::uint64_t resolved = 0;
  for (int i = 0; i < times; ++i) {
    step(i);
    if (i == times / 10) resolved = resident_bytes();
  }
  const std::uint64_t now = resident_bytes();
  if (memory_can_be_measured)
    BOOST_TEST(now < resolved + (1 << 20), "from " << resolved << " to " << now << " bytes");
}

// Loads 256 bytes each, and stores every other one: 25 MB go through a scratch of 1 MiB.
void load_in_a_loop(tl::Program& tl, tl::Ptr t) {
  repeat(100'000, [&](int i) {
    const tl::Handle block = tl.load(t + i % 100 * 256, {128}, f16);
    if (i % 2 != 0) tl.store(t + i % 64 * 256, block);
  });
}

// Four composites in flight; then a message to the right and one from the left.
void compute_in_a_loop(tl::Program& tl, tl::Ptr t) {
  repeat(10'000, [&](int i) {
    tl.composite(tl::gemm(tl.ref(t, {32, 32}, f16), tl.ref(t + 2048, {32, 32}, f16))
                     .to(t + 4096 + i % 4 * 2048));
    if (i % 4 == 3) tl.wait();
  });
}
void send_in_a_loop(tl::Program& tl, tl::Tensor t) {
  tl::Handle block = tl.load(t.local(), t.local_shape(), f16);
  repeat(10'000, [&](int) {
    tl.send("E", block);
    block = tl.recv("W", t.local_shape(), f16);
  });
}

constexpr std::int64_t gib = std::int64_t{1} << 30;

// Copies single elements of a tensor of 4 GiB, 10 MB apart, to `found`, each with its place in its
// first two bytes.
void touch_sparsely(tl::Program& tl, tl::Tensor large, tl::Tensor found, int touched) {
  const std::int64_t stride = 2 * gib / touched;  // elements
  for (int i = 0; i < touched; ++i) tl.store(large + i * stride * 2, tl.full({1}, i, f16));
  for (int i = 0; i < touched; ++i)
    tl.store(found + i * 2, tl.load(large + i * stride * 2, {1}, f16) + 1.0);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_hundred_thousand_loads_leak_neither_scratch_nor_host_memory) {
  for (const DataMode mode : {DataMode::off, DataMode::deferred, DataMode::eager}) {
    forked([mode] {
      BenchRunOptions options;
      options.data = mode;
      options.records = false;
      const BenchOutcome outcome = run_function(
          [](Torch& torch) {
            const Tensor t = torch.zeros({1 << 16}, f16, DPPolicy::on_one_pe(), "t");
            torch.launch(LaunchSpec("loop").on_pe(0), load_in_a_loop, t);
          },
          options);
      BOOST_TEST(outcome.status == "completed", outcome.error);
    });
  }
}

BOOST_AUTO_TEST_CASE(neither_do_composites_nor_messages) {
  forked([] {
    BenchRunOptions options;
    options.data = DataMode::off;
    options.records = false;
    const BenchOutcome outcome = run_function(
        [](Torch& torch) {
          torch.launch(LaunchSpec("loop").on_pe(0), compute_in_a_loop,
                       torch.zeros({1 << 14}, f16, DPPolicy::on_one_pe(), "t"));
          torch.ipcq.install(graphs::intra_pe_ring(0, 0, 2));
          const Tensor pair =
              torch.zeros({2, 64}, f16, {Placement::replicate, Placement::row_wise, 1, 2}, "pair");
          torch.launch(LaunchSpec("ring").on_pes({0, 1}), send_in_a_loop, pair);
        },
        options);
    BOOST_TEST(outcome.status == "completed", outcome.error);
  });
}

// On one PE, whose partition has 6 GiB, and over 8, where the PE reaches into the partitions of
// all.
BOOST_AUTO_TEST_CASE(a_tensor_of_4_gib_that_is_touched_sparsely_costs_what_is_touched) {
  for (const char* model : {"va", "la", "pa"}) {
    for (const int pes : {1, 8}) {
      forked([model, pes] {
        static int parts;
        parts = pes;
        BenchRunOptions options;
        options.overrides.push_back({std::string("cube.memory_map.address_model"), model});
        const std::uint64_t before = resident_bytes();
        const BenchOutcome outcome = run_function(
            [](Torch& torch) {
              constexpr int touched = 400;
              const Tensor large = torch.empty(
                  {2 * gib}, f16, {Placement::replicate, Placement::row_wise, 1, parts}, "large");
              BOOST_TEST(large.nbytes() == static_cast<std::uint64_t>(4 * gib));
              const Tensor found = torch.empty({touched}, f16, DPPolicy::on_one_pe(), "found");
              torch.launch(LaunchSpec("touch").on_pe(0), touch_sparsely, large, found, touched);
              torch.verify(found, [] {
                std::vector<double> expected;
                for (int i = 0; i < touched; ++i) expected.push_back(i + 1);
                return expected;
              });
            },
            options);
        BOOST_TEST(outcome.status == "completed", outcome.error);
        BOOST_TEST(outcome.failures == "");
        BOOST_TEST(outcome.verified == 400U);
        // 400 pages of 64 KiB are 26 MB; the machine itself takes some.
        if (memory_can_be_measured) BOOST_TEST(resident_bytes() < before + (64U << 20));
      });
    }
  }
}

// 131 rows over 128 PEs: three of them have two rows.
BOOST_AUTO_TEST_CASE(all_128_pes_of_a_sip_work_at_once) {
  forked([] {
    BenchRunOptions options;
    options.topology = "topology.yaml";
    const BenchOutcome outcome = run_function(
        [](Torch& torch) {
          const DPPolicy everywhere{Placement::row_wise, Placement::row_wise, 16, 8},
              copies{Placement::replicate, Placement::replicate, 16, 8};
          const HostArray x = torch.random({131, 37}, f16), w = torch.random({37, 41}, f16);
          const Tensor xt = torch.from_host(x, everywhere, "x"),
                       wt = torch.from_host(w, copies, "w"),
                       out = torch.empty({131, 41}, f16, everywhere, "out");
          const auto kernel = [](tl::Program& tl, tl::Tensor x, tl::Tensor w, tl::Tensor out) {
            const tl::Handle rows = tl.load(x.local(), x.local_shape(), f16);
            tl.wait(tl.composite(tl::gemm(rows, tl.ref(w.local(), w.local_shape(), f16))
                                     .to(out.local())
                                     .epilogue({tl::relu()})));
          };
          const LaunchHandle launch = torch.launch("all", kernel, xt, wt, out);
          BOOST_TEST(launch.metrics().per_pe.size() == 128U);
          torch.verify(out, [x, w] {
            const std::vector<double> a = x.values(), b = w.values();
            std::vector<double> product(131 * 41);
            for (std::size_t i = 0; i < 131; ++i) {
              for (std::size_t k = 0; k < 37; ++k) {
                for (std::size_t j = 0; j < 41; ++j)
                  product[i * 41 + j] += a[i * 37 + k] * b[k * 41 + j];
              }
            }
            for (double& value : product) value = std::max(value, 0.0);
            return product;
          });
        },
        options);
    BOOST_TEST(outcome.status == "completed", outcome.error);
    BOOST_TEST(outcome.failures == "");
    BOOST_TEST(outcome.verified == 131U * 41U);
    BOOST_TEST(outcome.data_races == 0U);
  });
}

// 4097 is one more than a page, than 128 tiles of 32 and than 64 of 64, and is 17 * 241.
BOOST_AUTO_TEST_CASE(extents_of_4097_are_right_on_every_axis_in_every_dtype) {
  for (const char* dtype : {"f16", "bf16", "f32", "i8", "i32"}) {
    expect_right("matmul-composite",
                 {{"dtype", dtype}, {"M", "4097"}, {"K", "3"}, {"N", "2"}, {"variant", "ref_ref"}},
                 4097 * 2);
    expect_right("matmul-composite",
                 {{"dtype", dtype}, {"M", "3"}, {"K", "4097"}, {"N", "5"}, {"variant", "load_ref"}},
                 15);
    expect_right(
        "matmul-composite",
        {{"dtype", dtype}, {"M", "1"}, {"K", "2"}, {"N", "4097"}, {"variant", "load_load"}}, 4097);
    expect_right("gemm-single-pe",
                 {{"dtype", dtype}, {"M", "1"}, {"K", "4097"}, {"N", "1"}, {"compute", "dot"}}, 1);
    expect_right("qkv-gemm-multi-pe", {{"dtype", dtype}, {"M", "3"}, {"K", "7"}, {"N", "4097"}},
                 3 * 3 * 4097);
    expect_right("va-offset-verify", {{"dtype", dtype}, {"elements", "4097"}}, 4097);
  }
  for (const char* dtype : {"f16", "bf16", "f32"}) {
    expect_right("softmax-rows", {{"dtype", dtype}, {"rows", "4097"}, {"columns", "3"}}, 4097 * 3);
    expect_right("softmax-rows",
                 {{"dtype", dtype}, {"rows", "3"}, {"columns", "4097"}, {"compute", "steps"}},
                 3 * 4097);
    expect_right("layernorm", {{"dtype", dtype}, {"rows", "3"}, {"columns", "4097"}}, 3 * 4097);
    expect_right(
        "mlp-fused",
        {{"dtype", dtype}, {"tokens", "1"}, {"d_in", "4097"}, {"hidden", "7"}, {"d_out", "13"}},
        13);
  }
}

namespace {

// Reads its shard, and stores what phase 2 computes of it.
void scale(tl::Program& tl, tl::Tensor x, tl::Tensor out) {
  tl.store(out.local(), tl.load(x.local(), x.local_shape(), f16) * 2.0);
}

// What a launch on 8 PEs, each with 256 bytes, adds to the resident memory. `writes_input`: the
// host writes x before each launch.
template <bool writes_input>
void launch_often(Torch& torch) {
  constexpr int launches = 3000, pes = 8;
  const DPPolicy everywhere{Placement::row_wise, Placement::row_wise, 1, pes};
  Tensor x = torch.full({pes, 128}, 1, f16, everywhere, "x");
  const Tensor out = torch.empty({pes, 128}, f16, everywhere, "out");
  std::uint64_t resolved = 0;
  for (int i = 0; i < launches; ++i) {
    if (writes_input) x.fill_(i % 7);
    torch.launch("scale", scale, x, out);
    if (i == launches / 10) resolved = resident_bytes();
  }
  const std::uint64_t each = (resident_bytes() - resolved) / (launches - launches / 10) / pes;
  // The bytes that the operation reads, 256, its record and the metrics of the launch; a page of
  // memory would be 65536.
  if (memory_can_be_measured) BOOST_TEST(each < 2048U, each << " bytes for each PE and launch");
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_small_launch_keeps_its_operands_and_no_page_around_them) {
  for (const auto run : {&launch_often<false>, &launch_often<true>}) {
    forked([run] {
      BenchRunOptions options;
      options.records = false;
      const BenchOutcome outcome = run_function(run, options);
      BOOST_TEST(outcome.status == "completed", outcome.error);
    });
  }
}

BOOST_AUTO_TEST_SUITE_END()
