// The example of sw/README.md, compiled verbatim
// (tests/support/cut_example.cmake), and what the guide says about it.
#include "sw/tl/recorder.h"
#include "tests/benches/guide_benches.h"
#include "tests/benches/verified_runs.h"
#include "tests/support/temporary_folder.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(guide_test)

namespace {

std::string guide() { return source_text("sw/README.md"); }

Bench scaled_add() {
  BenchRegistry registry;
  benches::register_scaled_add(registry);
  return registry.find("scaled-add");
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_example_of_the_guide_runs_and_verifies_verbatim) {
  const Bench bench = scaled_add();
  BenchRegistry registry;
  register_benches(registry);
  benches::register_scaled_add(registry);  // the name is free, the parameters have defaults
  expect_right(bench, {}, 64 * 256);
  expect_right(bench, {{"rows", "13"}, {"columns", "101"}}, 13 * 101);
}

BOOST_AUTO_TEST_CASE(the_example_of_placements_runs_and_verifies_verbatim) {
  BenchRegistry registry;
  benches::register_heads_rms(registry);
  expect_right(registry.find("heads-rms"), {}, 4 * 12 * 32);
  expect_right(registry.find("heads-rms"), {{"heads", "9"}}, 4 * 9 * 32);
}

// Each of 2 ranks verifies the whole result.
BOOST_AUTO_TEST_CASE(the_example_of_distributed_tensors_runs_and_verifies_verbatim) {
  BenchRegistry registry;
  benches::register_dtensor_mlp(registry);
  BenchRunOptions two_sips;
  two_sips.overrides = {{"system.sips.count", "2"}, {"system.sips.topology", "ring_1d"}};
  expect_right(registry.find("dtensor-mlp"), {}, 2 * 30 * 64, two_sips);
}

BOOST_AUTO_TEST_CASE(what_the_guide_shows_of_the_example_is_what_the_program_prints) {
  // "  ok    tensor 'out' {64, 256} f16: 16384 elements agree": the extents of the example's
  //     defaults.
  const std::string text = guide();
  BOOST_TEST(contains(text, "tensor 'out' {64, 256} f16: 16384 elements agree"));
  const Attributes defaults = resolve_parameters(scaled_add(), {});
  BOOST_TEST(defaults.integer("rows") == 64);
  BOOST_TEST(defaults.integer("columns") == 256);
}

// --- "Break it", row by row: what the program says is what the guide says of it

BOOST_AUTO_TEST_CASE(wrong_parameters_end_as_the_guide_says) {
  const auto error_of = [](const Parameters& parameters) {
    return forked_value([&] {
      const BenchOutcome outcome = run_bench(scaled_add(), parameters);
      return (outcome.usage_error ? "usage: " : outcome.status + ": ") + outcome.error;
    });
  };
  const std::string rows = error_of({{"rows", "7"}});
  BOOST_TEST(rows.substr(0, 7) == "usage: ");
  BOOST_TEST(contains(guide(), "exit 2: `" + rows.substr(7) + "`"), rows << " is not in the guide");
  // 8 rows of 65536 f16 are all of the scratch; the second load finds none left.
  const std::string blocks = error_of({{"columns", "65536"}, {"rows", "64"}});
  BOOST_TEST(contains(guide(),
                      "the blocks of 8 rows are 1 MiB each: `tl.load: no room for ...`, with the "
                      "largest free block"));
  BOOST_TEST(contains(blocks, "failed: "), blocks);
  BOOST_TEST(contains(blocks, "tl.load: no room for f16{8, 65536} on sip0.cube0.pe"), blocks);
  BOOST_TEST(contains(blocks, "largest free block 0 bytes"), blocks);
}

BOOST_AUTO_TEST_CASE(wrong_kernels_fail_as_the_guide_says) {
  using Kernel = void (*)(tl::Program&, tl::Tensor);
  const std::vector<std::pair<Kernel, std::string>> rows{
      {[](tl::Program& tl, tl::Tensor x) { tl.load(x, x.local_shape(), f32); },
       "tl.load of f32 at x, which holds f16; ptr.as(dtype) reinterprets"},
      {[](tl::Program& tl, tl::Tensor x) { tl.load(x + 2, x.shape(), f16); },
       "are not all inside tensor 'x' of 32768 bytes"},
      {[](tl::Program& tl, tl::Tensor x) {
         const tl::Handle a = tl.slice(tl.load(x.local(), x.local_shape(), f16), 0, 1);
         if (tl.sum(a + a, 1).item() > 0) tl.store(x.local(), a);
       },
       "a compute result is pending until phase 2 has run"},
  };
  for (const auto& [kernel, text] : rows) {
    BOOST_TEST(contains(guide(), text), text << " is not in the guide");
    forked([&kernel = kernel, &text = text] {
      static Kernel chosen;
      chosen = kernel;
      const BenchOutcome outcome = run_function([](Torch& torch) {
        const DPPolicy rows_over_pes{Placement::replicate, Placement::row_wise, 1, 8};
        torch.launch("scaled_add", chosen, torch.zeros({64, 256}, f16, rows_over_pes, "x"));
      });
      BOOST_TEST(outcome.status == "failed");
      BOOST_TEST(contains(outcome.error, "KernelLaunch 'scaled_add': sip0.cube0.pe"),
                 outcome.error);
      BOOST_TEST(contains(outcome.error, text), outcome.error);
    });
  }
}

BOOST_AUTO_TEST_CASE(a_launch_on_pes_without_a_shard_fails_as_the_guide_says) {
  forked([] {
    const BenchOutcome outcome = run_function([](Torch& torch) {
      const Tensor x =
          torch.zeros({64, 256}, f16, {Placement::replicate, Placement::row_wise, 1, 4}, "x");
      const auto kernel = [](tl::Program& tl, tl::Tensor x) {
        tl.load(x.local(), x.local_shape(), f16);
      };
      torch.launch(LaunchSpec("four").on_pes({0, 1, 2, 3}), kernel, x);
      torch.launch("eight", kernel, x);
    });
    BOOST_TEST(contains(outcome.error, "KernelLaunch 'eight': sip0.cube0.pe4.pe_cpu at"),
               outcome.error);
    const std::string text =
        "tensor 'x' has no shard on sip0.cube0.pe4; a launch starts on every PE of a cube that has "
        "one";
    BOOST_TEST(contains(outcome.error, text), outcome.error);
    BOOST_TEST(contains(guide(), text), text << " is not in the guide");
  });
}

// The index is that of the tensor, whichever shard is wrong.
BOOST_AUTO_TEST_CASE(a_wrong_reference_fails_with_index_and_both_values) {
  forked([] {
    const BenchOutcome outcome = run_function([](Torch& torch) {
      const Tensor out =
          torch.full({64, 256}, 0.5, f16, {Placement::replicate, Placement::row_wise, 1, 8}, "out");
      torch.verify(out, [] {
        std::vector<double> expected(64 * 256, 0.5);
        expected[43 * 256 + 1] = 0.25;  // in the shard of PE 5, which begins at row 40
        expected[50 * 256 + 9] = 0.25;
        return expected;
      });
    });
    BOOST_TEST(contains(outcome.failures,
                        "tensor 'out' {64, 256} f16: 2 of 16384 elements differ; first at {43, 1}: "
                        "got 0.5, expected 0.25"),
               outcome.failures);
    BOOST_TEST(contains(outcome.failures, "; on sip0.cube0.pe5"), outcome.failures);
    BOOST_TEST(contains(guide(),
                        "FAIL  tensor 'out' {64, 256} f16: 2 of 16384 elements differ; first at "
                        "{43, 1}: got 0.5, expected 0.25"));
  });
}

// "It does not compile": what the launch asserts when it is compiled.
BOOST_AUTO_TEST_CASE(a_double_does_not_go_to_a_float_nor_a_scalar_to_a_tensor) {
  static_assert(!tl::detail::HoldsExactly<float, double>::value);
  static_assert(!tl::detail::HoldsExactly<std::int32_t, std::int64_t>::value);
  static_assert(tl::detail::HoldsExactly<float, float>::value);
  static_assert(std::tuple_size_v<
                    tl::KernelSignature<void (*)(tl::Program&, tl::Tensor, float)>::Parameters> ==
                2);
  static_assert(!std::is_convertible_v<float, tl::TensorInfoPtr>);
}

// A new bench needs no row there; one that has gone may leave none.
BOOST_AUTO_TEST_CASE(the_table_of_the_readme_names_benches_that_ship) {
  const std::string readme = source_text("README.md");
  BenchRegistry registry;
  register_benches(registry);
  std::size_t rows = 0;
  const std::size_t table = readme.find("| bench |");
  BOOST_REQUIRE(table != std::string::npos);
  std::istringstream lines(readme.substr(table));
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    if (line.rfind("| `", 0) != 0) continue;
    const std::string name = line.substr(3, line.find('`', 3) - 3);
    BOOST_TEST(registry.find(name).name == name);  // find() throws for others
    ++rows;
  }
  BOOST_TEST(rows > 0u);
}

BOOST_AUTO_TEST_SUITE_END()
