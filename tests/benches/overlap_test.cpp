// Overlap on a whole machine (spec 6): commands in flight run concurrently with the kernel and with
// each other. Times are pe_exec of a kernel on one PE; the closed forms are made of the times of
// its parts, measured one at a time.
#include <algorithm>

#include "tests/benches/verified_runs.h"
#include "tests/support/torch_machine.h"

using namespace kernbench;
using test::forked_value;
using test::TorchMachine;

BOOST_AUTO_TEST_SUITE(overlap)

namespace {

constexpr Fs ns = fs_per_ns;
constexpr std::int64_t rows = 32, depth = 64;  // of a block; 4 KiB of f16

// A kernel on PE 0 of the only cube, with `blocks` blocks of f16{rows, depth} below each other and
// a result of f32{rows, columns}. Its sums are those of ones: the number of blocks times the depth.
struct Run {
  std::int64_t blocks = 1, columns = 32;
  std::vector<Override> overrides = {};
  bool verified = true;
};

template <class Kernel>
Fs time_of(const Run& run, Kernel kernel) {
  return forked_value([&] {
    TorchMachine machine("topology.tiny.yaml", run.overrides);
    Fs time = 0;
    machine.run([&](Torch& torch) {
      const DPPolicy one = DPPolicy::on_one_pe();
      const Tensor x = torch.full({run.blocks * rows, depth}, 1, f16, one, "x"),
                   w = torch.full({depth, run.columns}, 1, f16, one, "w"),
                   out = torch.full({rows, run.columns}, 0, f32, one, "out");
      const LaunchHandle launch = torch.launch(LaunchSpec("kernel").on_pe(0), kernel, x, w, out,
                                               static_cast<int>(run.blocks));
      time = launch.metrics().merged.pe_exec;
      if (!run.verified) return;
      const auto sum = static_cast<double>(run.blocks * depth);
      torch.verify(out, [=, n = static_cast<std::size_t>(rows * run.columns)] {
        return std::vector<double>(n, sum);
      });
    });
    BOOST_TEST(machine.failures() == "");
    return time;
  });
}

tl::Ptr block(const tl::Tensor& x, std::int64_t i) { return x.local() + i * rows * depth * 2; }

// --- the parts

void load_one(tl::Program& tl, tl::Tensor x, tl::Tensor, tl::Tensor, int) {
  tl.load(x.local(), {rows, depth}, f16);
}
void dot_one(tl::Program& tl, tl::Tensor, tl::Tensor, tl::Tensor out, int) {
  const std::int64_t columns = out.shape()[1];
  tl.dot(tl.zeros({rows, depth}), tl.zeros({depth, columns}), tl.zeros({rows, columns}, f32));
}

void exp_one(tl::Program& tl, tl::Tensor, tl::Tensor, tl::Tensor, int) {
  tl.exp(tl.zeros({rows, 4 * depth}));
}

// The left half of the columns, as runs of 64 B.
tl::BlockPtr half(tl::Program& tl, const tl::Tensor& x, std::int64_t i) {
  return tl.make_block_ptr(x.local(), {x.shape()[0], depth}, {depth, 1}, {i * rows, 0},
                           {rows, depth / 2});
}
void load_half(tl::Program& tl, tl::Tensor x, tl::Tensor, tl::Tensor, int) {
  tl.load(half(tl, x, 0));
}
void dot_half(tl::Program& tl, tl::Tensor, tl::Tensor, tl::Tensor out, int) {
  const std::int64_t columns = out.shape()[1];
  tl.dot(tl.zeros({rows, depth / 2}), tl.zeros({depth / 2, columns}),
         tl.zeros({rows, columns}, f32));
}

void load_without_a_wait(tl::Program& tl, tl::Tensor x, tl::Tensor, tl::Tensor, int) {
  tl.load_async(x.local(), {rows, depth}, f16);
}

// --- several engines

void dot_with_exp(tl::Program& tl, tl::Tensor, tl::Tensor, tl::Tensor out, int) {
  const std::int64_t columns = out.shape()[1];
  const tl::Overlap overlap(tl);
  tl.dot(tl.zeros({rows, depth}), tl.zeros({depth, columns}), tl.zeros({rows, columns}, f32));
  tl.exp(tl.zeros({rows, 4 * depth}));
  tl.wait();
}
void load_with_dot_and_exp(tl::Program& tl, tl::Tensor x, tl::Tensor w, tl::Tensor out, int n) {
  tl.load_async(x.local(), {rows, depth}, f16);
  dot_with_exp(tl, x, w, out, n);
}
// More loads than the queue of PE_DMA holds, and a product behind them.
void many_loads_with_dot(tl::Program& tl, tl::Tensor x, tl::Tensor, tl::Tensor out, int blocks) {
  const std::int64_t columns = out.shape()[1];
  for (int i = 0; i < blocks; ++i) tl.load_async(block(x, i), {rows, depth}, f16);
  tl.dot(tl.zeros({rows, depth}), tl.zeros({depth, columns}), tl.zeros({rows, columns}, f32));
  tl.wait();
}

// --- sums of products of blocks

void sequentially(tl::Program& tl, tl::Tensor x, tl::Tensor, tl::Tensor out, int blocks) {
  const std::int64_t columns = out.shape()[1];
  const tl::Handle w = tl.full({depth, columns}, 1, f16);
  tl::Handle sum = tl.zeros({rows, columns}, f32);
  for (int i = 0; i < blocks; ++i)
    sum = tl.dot(tl.load(block(x, i), {rows, depth}, f16), w, std::move(sum));
}

void double_buffered(tl::Program& tl, tl::Tensor x, tl::Tensor, tl::Tensor out, int blocks) {
  const std::int64_t columns = out.shape()[1];
  const tl::Handle w = tl.full({depth, columns}, 1, f16);
  tl::Handle sum = tl.zeros({rows, columns}, f32);
  tl::Handle next = tl.load_async(block(x, 0), {rows, depth}, f16);
  for (int i = 0; i < blocks; ++i) {
    const tl::Handle now = next;
    if (i + 1 < blocks) next = tl.load_async(block(x, i + 1), {rows, depth}, f16);
    sum = tl.dot(now, w, std::move(sum));
  }
}

void halves_double_buffered(tl::Program& tl, tl::Tensor x, tl::Tensor, tl::Tensor out, int blocks) {
  const std::int64_t columns = out.shape()[1];
  const tl::Handle w = tl.full({depth / 2, columns}, 1, f16);
  tl::Handle sum = tl.zeros({rows, columns}, f32);
  tl::Handle next = tl.load_async(half(tl, x, 0));
  for (int i = 0; i < blocks; ++i) {
    const tl::Handle now = next;
    if (i + 1 < blocks) next = tl.load_async(half(tl, x, i + 1));
    sum = tl.dot(now, w, std::move(sum));
  }
}

void double_buffered_and_stored(tl::Program& tl, tl::Tensor x, tl::Tensor w, tl::Tensor out,
                                int blocks) {
  const std::int64_t columns = out.shape()[1];
  const tl::Handle weights = tl.load(w.local(), {depth, columns}, f16);
  tl::Handle sum = tl.zeros({rows, columns}, f32);
  tl::Handle next = tl.load_async(block(x, 0), {rows, depth}, f16);
  for (int i = 0; i < blocks; ++i) {
    const tl::Handle now = next;
    if (i + 1 < blocks) next = tl.load_async(block(x, i + 1), {rows, depth}, f16);
    sum = tl.dot(now, weights, std::move(sum));
  }
  tl.store_async(out.local(), sum);
}

// The scheduler's time per command hides behind the command before, so that only without it the
// measured parts add up to the femtosecond.
const std::vector<Override> no_dispatch{
    {"cube.pe_template.components.pe_scheduler.attrs.overhead_ns", "0"}};

}  // namespace

BOOST_AUTO_TEST_CASE(a_double_buffered_kernel_takes_the_longer_of_load_and_product_per_block) {
  for (const std::int64_t columns : {8, 32, 128, 512}) {  // from load-bound to compute-bound
    const Run one{1, columns, no_dispatch, false};
    const Fs load = time_of(one, &load_one), compute = time_of(one, &dot_one);
    for (const std::int64_t n : {1, 2, 7}) {
      const Run run{n, columns, no_dispatch, false};
      const auto count = static_cast<Fs>(n);
      BOOST_TEST(time_of(run, &sequentially) == count * (load + compute));
      BOOST_TEST(
          time_of(run, &double_buffered) == load + (count - 1) * std::max(load, compute) + compute,
          n << " blocks, " << columns << " columns: load " << load << ", product " << compute);
    }
  }
}

BOOST_AUTO_TEST_CASE(loads_with_strides_hide_behind_products) {
  for (const std::int64_t columns : {8, 512}) {
    const Run one{1, columns, no_dispatch, false}, run{7, columns, no_dispatch, false};
    const Fs load = time_of(one, &load_half), compute = time_of(one, &dot_half);
    BOOST_TEST(
        time_of(run, &halves_double_buffered) == load + 6 * std::max(load, compute) + compute,
        columns << " columns: load " << load << ", product " << compute);
  }
}

// exp of 8192 elements: 64 rows of 128 lanes, 4 cycles each.
BOOST_AUTO_TEST_CASE(gemm_and_math_proceed_together_where_they_do_not_share_the_slot) {
  Run run{1, 512, no_dispatch, false};
  const Fs dot = time_of(run, &dot_one), exp = time_of(run, &exp_one),
           load = time_of(run, &load_one);
  BOOST_TEST(dot == 256 * ns);
  BOOST_TEST(exp == 256 * ns);
  BOOST_TEST(time_of(run, &dot_with_exp) == dot + exp);
  run.overrides.push_back(
      {"cube.pe_template.components.pe_scheduler.attrs.shared_accel_slot", "false"});
  BOOST_TEST(time_of(run, &dot_with_exp) == std::max(dot, exp));
  BOOST_TEST(time_of(run, &load_with_dot_and_exp) == std::max({dot, exp, load}));
}

BOOST_AUTO_TEST_CASE(a_kernel_lasts_until_what_it_has_left_in_flight_is_done) {
  const Run run{1, 32, {}, false};
  BOOST_TEST(time_of(run, &load_without_a_wait) == time_of(run, &load_one));
}

// Loads that the queue of PE_DMA does not hold wait in PE_SCHEDULER, and nothing behind them does.
BOOST_AUTO_TEST_CASE(commands_of_other_engines_pass_a_full_queue) {
  const Run one{1, 128, no_dispatch, false}, run{12, 128, no_dispatch, false};
  const Fs load = time_of(one, &load_one), dot = time_of(one, &dot_one);
  BOOST_TEST(dot > 0U);
  BOOST_TEST(time_of(run, &many_loads_with_dot) == 12 * load);
}

// The table of sw/README.md, Overlap: 8 blocks, PE_SCHEDULER's 1 ns per command included. A load is
// dispatched in 1 ns and takes 30 ns; those behind it are dispatched meanwhile. A product is
// dispatched behind the load that the kernel has issued before it.
BOOST_AUTO_TEST_CASE(the_guide_tells_the_times_of_the_shipped_pe) {
  struct Row {
    std::int64_t columns;
    Fs load, product, serial, buffered;
  };
  const auto in_ns = [](Fs time) { return (time + ns / 2) / ns; };
  for (const Row& row :
       {Row{8, 31, 5, 8 * 36, 1 + 8 * 30 + 5}, Row{32, 31, 17, 8 * 48, 1 + 8 * 30 + 17},
        Row{128, 31, 65, 8 * 96, 31 + 65 + 6 * 66 + 65},
        Row{512, 31, 257, 8 * 288, 31 + 257 + 6 * 258 + 257}}) {
    const Run one{1, row.columns, {}, false}, run{8, row.columns, {}, false};
    BOOST_TEST(in_ns(time_of(one, &load_one)) == row.load);
    BOOST_TEST(in_ns(time_of(one, &dot_one)) == row.product);
    BOOST_TEST(in_ns(time_of(run, &sequentially)) == row.serial);
    BOOST_TEST(in_ns(time_of(run, &double_buffered)) == row.buffered);
  }
}

BOOST_AUTO_TEST_CASE(a_double_buffered_kernel_computes_the_same) {
  for (const std::int64_t n : {1, 2, 7}) time_of({n, 32}, &double_buffered_and_stored);
}

// Six blocks of 256 KiB in flight in a scratch of 1 MiB, on all PEs at a time: each waits while
// others wait, too.
BOOST_AUTO_TEST_CASE(pes_whose_scratch_is_full_stall_concurrently) {
  test::forked([] {
    constexpr std::int64_t pes = 8, loads = 6, elements = 128 * 1024;
    TorchMachine machine("topology.tiny.yaml");
    machine.run([=](Torch& torch) {
      const DPPolicy rows{Placement::replicate, Placement::row_wise, 1, pes};
      const Tensor x = torch.full({pes * loads, elements}, 1, f16, rows, "x"),
                   out = torch.full({pes, elements}, 0, f16, rows, "out");
      torch.launch(
          "kernel",
          [=](tl::Program& tl, tl::Tensor x, tl::Tensor out) {
            tl::Handle last;
            for (std::int64_t i = 0; i < loads; ++i)
              last = tl.load_async(x.local() + i * elements * 2, {1, elements}, f16);
            tl.store(out.local(), last);
            tl.wait();
          },
          x, out);
      torch.verify(out, [=] { return std::vector<double>(pes * elements, 1); });
    });
    BOOST_TEST(machine.failures() == "");
  });
}

BOOST_AUTO_TEST_CASE(a_block_that_has_no_room_is_an_error_in_every_form_of_load) {
  using Kernel = void (*)(tl::Program&, tl::Tensor);
  constexpr std::int64_t n = 1024;  // {n, n} of f16: 2 MiB
  const std::vector<Kernel> kernels{
      [](tl::Program& tl, tl::Tensor x) {
        tl.load(x, {n, n}, f16);
      },
      [](tl::Program& tl, tl::Tensor x) {
        tl.load_async(x, {n, n}, f16);
      },
      [](tl::Program& tl, tl::Tensor x) {
        tl.load_async(tl.make_block_ptr(x, {n, n}, {n, 1}, {0, 0}, {n, n}));
      }};
  for (const Kernel kernel : kernels) {
    const std::string error = test::forked_value([&] {
      TorchMachine machine;
      return machine.error([&](Torch& torch) {
        const Tensor x = torch.full({n, n}, 1, f16, DPPolicy::on_one_pe(), "x");
        torch.launch(LaunchSpec("kernel").on_pe(0), kernel, x);
      });
    });
    BOOST_TEST(test::contains(error, "no room for f16{1024, 1024}"), error);
  }
}

BOOST_AUTO_TEST_SUITE_END()
