// Region functions: what each rank has before and after, and the collective between.
#include "sw/tp/regions.h"

#include "tests/tp/parallel_ranks.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(regions_test)

namespace {

constexpr std::int64_t rows = 6, columns = 48;

HostArray whole() { return pattern_array({rows, columns}, 1); }

// A third of the columns, or of the rows, of each of 3 ranks.
Values columns_of(int rank) {
  return box(whole().values(), columns, 0, rows, rank * columns / 3, columns / 3);
}
Values rows_of(int rank) {
  return box(whole().values(), columns, rank * rows / 3, rows / 3, 0, columns);
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(scatter_and_gather_of_columns_are_inverse) {
  const std::string calls = on_parallel_ranks(3, 3, [](const tp::ParallelState& state) {
    Torch& torch = state.torch();
    // From copies, and from parts on other PEs.
    for (const DPPolicy& policy : {copies, tp::column_wise}) {
      const Tensor x = torch.from_host(whole(), policy, "x"),
                   part = tp::scatter_to_tp_region(state, x, tp::column_wise),
                   again = tp::gather_from_tp_region(state, part);
      torch.verify(part, [rank = state.rank()] { return columns_of(rank); });
      torch.verify(again, [] { return whole().values(); });
    }
  });
  BOOST_TEST(calls == "all_gather of 3, all_gather of 3");
}

KERNBENCH_SYSTEMC_TEST(scatter_and_gather_of_the_sequence_are_inverse) {
  const std::string calls = on_parallel_ranks(3, 3, [](const tp::ParallelState& state) {
    Torch& torch = state.torch();
    const Tensor x = torch.from_host(whole(), tp::column_wise, "x"),
                 part = tp::scatter_to_sequence_parallel_region(state, x);
    torch.verify(part, [rank = state.rank()] { return rows_of(rank); });
    torch.verify(tp::gather_from_sequence_parallel_region(state, part),
                 [] { return whole().values(); });
  });
  BOOST_TEST(calls == "all_gather of 3");
}

KERNBENCH_SYSTEMC_TEST(copy_reduce_and_reduce_scatter) {
  const std::string calls = on_parallel_ranks(3, 3, [](const tp::ParallelState& state) {
    Torch& torch = state.torch();
    const auto thrice = [](Values values) {
      return reference::each(std::move(values), [](double v) { return 3 * v; });
    };
    const Tensor x = torch.from_host(whole(), tp::column_wise, "x");
    BOOST_TEST(tp::copy_to_tp_region(state, x).va() == x.va());
    torch.verify(tp::reduce_scatter_to_sequence_parallel_region(state, x),
                 [=, rank = state.rank()] { return thrice(rows_of(rank)); });
    torch.verify(tp::reduce_from_tp_region(state, x), [=] { return thrice(whole().values()); });
  });
  BOOST_TEST(calls == "reduce_scatter sum of 3, all_reduce sum of 3");
}

BOOST_AUTO_TEST_CASE(uneven_extents_and_other_ranks_are_refused) {
  using Region = std::function<void(const tp::ParallelState&, const Tensor&)>;
  const auto error = [](const Shape& shape, const Region& region) {
    return error_on_ranks([&](const tp::ParallelState& state) {
      region(state, state.torch().zeros(shape, f16, copies, "x"));
    });
  };
  check_contains(
      error({2, 9}, [](const auto& s, const auto& x) { tp::scatter_to_tp_region(s, x); }),
      {"scatter_to_tp_region: number of columns of 'x' {2, 9} is 9: expected a multiple "
       "of the 2 tensor-parallel ranks"});
  check_contains(
      error({3, 8}, [](const auto& s,
                       const auto& x) { tp::reduce_scatter_to_sequence_parallel_region(s, x); }),
      {"number of rows of 'x' {3, 8} is 3: expected a multiple"});
  check_contains(error({8}, [](const auto& s, const auto& x) { tp::gather_from_tp_region(s, x); }),
                 {"gather_from_tp_region: 'x' {8} has rank 1, expected 2"});
}

BOOST_AUTO_TEST_CASE(a_state_is_used_after_it_is_initialized) {
  const tp::ParallelState none;
  BOOST_CHECK_EXCEPTION(tp::copy_to_tp_region(none, Tensor()), UsageError, [](const auto& error) {
    return std::string(error.what()).find("before initialize_model_parallel") != std::string::npos;
  });
  BOOST_CHECK_THROW(none.size(), UsageError);
  const std::string error = forked_value([] {
    TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2));
    return m.error([](Torch& torch) {
      torch.multiprocessing.spawn([&](int) { tp::initialize_model_parallel(torch); }, 2);
    });
  });
  check_contains(error, {"init_process_group"});
}

BOOST_AUTO_TEST_SUITE_END()
