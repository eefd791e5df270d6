// The examples of PyTorch's documentation of torch.distributed, call by call, with the values that
// it shows; and a program of data x tensor parallel ranks.
#include <numeric>

#include "sw/distributed/model_parallel.h"
#include "tests/distributed/ranks.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(examples_of_pytorch)

namespace {

Values numbers(int count, double first) {
  Values values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), first);
  return values;
}

// torch.arange(count) + first
Tensor arange(Torch& torch, int count, double first) {
  Values values;
  for (int i = 0; i < count; ++i) values.push_back(first + i);
  return torch.from_host(HostArray({count}, i32, values), one_pe, "t");
}

Tensor zeros(Torch& torch, const Shape& shape) { return torch.zeros(shape, i32, one_pe, "out"); }

}  // namespace

KERNBENCH_SYSTEMC_TEST(all_reduce) {
  on_a_ring(2, [](Torch& torch, int rank) {
    const Group group = torch.distributed.new_group();
    const Tensor t = arange(torch, 2, 1 + 2 * rank);
    torch.distributed.all_reduce(t, ReduceOp::sum, group);
    expect(torch, t, {4, 6});
  });
}

KERNBENCH_SYSTEMC_TEST(all_gather) {
  on_a_ring(2, [](Torch& torch, int rank) {
    const std::vector<Tensor> list{zeros(torch, {2}), zeros(torch, {2})};
    torch.distributed.all_gather(list, arange(torch, 2, 1 + 2 * rank));
    expect(torch, list[0], {1, 2});
    expect(torch, list[1], {3, 4});
  });
}

KERNBENCH_SYSTEMC_TEST(all_gather_into_tensor) {
  on_a_ring(2, [](Torch& torch, int rank) {
    const Tensor in = arange(torch, 2, 1 + 2 * rank);
    const Tensor concat = zeros(torch, {4}), stack = zeros(torch, {2, 2});
    torch.distributed.all_gather_into_tensor(concat, in);
    torch.distributed.all_gather_into_tensor(stack, in);
    expect(torch, concat, {1, 2, 3, 4});
    expect(torch, stack, {1, 2, 3, 4});
  });
}

KERNBENCH_SYSTEMC_TEST(gather) {
  on_a_ring(2, [](Torch& torch, int rank) {
    const Tensor t = torch.full({2}, 1 + rank, i32, one_pe, "t");
    std::vector<Tensor> list;
    if (torch.distributed.get_rank() == 0) list = {zeros(torch, {2}), zeros(torch, {2})};
    torch.distributed.gather(t, list, 0);
    if (rank != 0) return;
    expect(torch, list[0], {1, 1});
    expect(torch, list[1], {2, 2});
  });
}

KERNBENCH_SYSTEMC_TEST(scatter) {
  on_a_ring(2, [](Torch& torch, int rank) {
    const Tensor output = zeros(torch, {2});
    std::vector<Tensor> list;
    if (rank == 0)
      list = {torch.full({2}, 1, i32, one_pe, "ones"), torch.full({2}, 5, i32, one_pe, "fives")};
    torch.distributed.scatter(output, list, 0);
    expect(torch, output, rank == 0 ? Values{1, 1} : Values{5, 5});
  });
}

KERNBENCH_SYSTEMC_TEST(reduce_scatter_tensor) {
  on_a_ring(2, [](Torch& torch, int rank) {
    const Tensor out = zeros(torch, {2}), again = zeros(torch, {2});
    const Tensor in = arange(torch, 4, 0),
                 stack = torch.from_host(HostArray(Shape{2, 2}, i32, Values{0, 1, 2, 3}), one_pe,
                                         "stack");
    torch.distributed.reduce_scatter_tensor(out, in);
    torch.distributed.reduce_scatter_tensor(again, stack);
    for (const Tensor& each : {out, again})
      expect(torch, each, rank == 0 ? Values{0, 2} : Values{4, 6});
  });
}

KERNBENCH_SYSTEMC_TEST(all_to_all_single) {
  on_a_ring(4, [](Torch& torch, int rank) {
    const Tensor in = arange(torch, 4, 4 * rank), out = zeros(torch, {4});
    torch.distributed.all_to_all_single(out, in);
    expect(torch, out, {0.0 + rank, 4.0 + rank, 8.0 + rank, 12.0 + rank});
  });
}

// The parts behind one another, or each for itself.
KERNBENCH_SYSTEMC_TEST(all_to_all_single_of_stacked_parts) {
  on_a_ring(2, [](Torch& torch, int rank) {
    const Tensor stack = made(torch, {2, 2, 3}, f32, numbers(12, 100 * rank)),
                 rows = torch.zeros({4, 3}, f32, one_pe, "rows");
    torch.distributed.all_to_all_single(rows, stack);
    Values expected = numbers(6, 6 * rank), other = numbers(6, 100 + 6 * rank);
    expected.insert(expected.end(), other.begin(), other.end());
    expect(torch, rows, expected);
    torch.distributed.all_to_all_single(stack, rows);
    expect(torch, stack, numbers(12, 100 * rank));
  });
}

KERNBENCH_SYSTEMC_TEST(all_to_all_single_with_split_sizes) {
  on_a_ring(4, [](Torch& torch, int rank) {
    using Sizes = std::vector<std::int64_t>;
    const auto at = static_cast<std::size_t>(rank);
    const std::vector<Sizes> in{{2, 2, 1, 1}, {3, 2, 2, 2}, {2, 1, 1, 1}, {2, 2, 2, 1}},
        out{{2, 3, 2, 2}, {2, 2, 1, 2}, {1, 2, 1, 2}, {1, 2, 1, 1}};
    const std::vector<int> count{6, 9, 5, 7};
    const std::vector<Values> expected{{0, 1, 10, 11, 12, 20, 21, 30, 31},
                                       {2, 3, 13, 14, 22, 32, 33},
                                       {4, 15, 16, 23, 34, 35},
                                       {5, 17, 18, 24, 36}};
    const Tensor input = arange(torch, count[at], 10 * rank),
                 output = zeros(torch, {static_cast<std::int64_t>(expected[at].size())});
    torch.distributed.all_to_all_single(output, input, out[at], in[at]);
    expect(torch, output, expected[at]);
  });
}

KERNBENCH_SYSTEMC_TEST(all_to_all) {
  on_a_ring(4, [](Torch& torch, int rank) {
    std::vector<Tensor> in, out;
    for (int to = 0; to < 4; ++to) {
      in.push_back(arange(torch, 1, 4 * rank + to));
      out.push_back(zeros(torch, {1}));
    }
    torch.distributed.all_to_all(out, in);
    for (int from = 0; from < 4; ++from)
      expect(torch, out[static_cast<std::size_t>(from)], {4.0 * from + rank});
  });
}

KERNBENCH_SYSTEMC_TEST(batch_isend_irecv) {
  on_a_ring(2, [](Torch& torch, int rank) {
    const int ranks = torch.distributed.get_world_size();
    const Tensor sent = arange(torch, 2, 2 * rank), came = zeros(torch, {2});
    std::vector<Work> works =
        torch.distributed.batch_isend_irecv({{P2POp::isend, sent, (rank + 1) % ranks},
                                             {P2POp::irecv, came, (rank - 1 + ranks) % ranks}});
    for (Work& work : works) work.wait();
    expect(torch, came, rank == 0 ? Values{2, 3} : Values{0, 1});
  });
}

// new_subgroups_by_enumeration: [[0, 2], [1, 3]]
KERNBENCH_SYSTEMC_TEST(new_subgroups_by_enumeration) {
  on_a_ring(4, [](Torch& torch, int rank) {
    const Subgroups groups = torch.distributed.new_subgroups_by_enumeration({{0, 2}, {1, 3}});
    const Tensor t = torch.full({1}, rank, i32, one_pe, "t");
    torch.distributed.all_reduce(t, "sum", *groups.mine);
    expect(torch, t, {rank % 2 == 0 ? 2.0 : 4.0});
  });
}

// --- Data x tensor parallel

namespace {

constexpr int rows = 6, inner = 8, columns = 4;

// Small integers: all sums are exact.
double x_at(int replica, int row, int k) { return (replica + row + 2 * k) % 5 - 2; }
double w_at(int k, int column) { return (3 * k + column) % 7 - 3; }

// y = x w of the rank's part of the inner axis: a partial product of the tensor-parallel ranks.
void multiply(tl::Program& tl, tl::Tensor x, tl::Tensor w, tl::Tensor y) {
  tl.store(y.local(), tl.dot(tl.load(x.local(), x.local_shape(), f32),
                             tl.load(w.local(), w.local_shape(), f32)));
}

double y_at(int replica, int row, int column) {
  double sum = 0;
  for (int k = 0; k < inner; ++k) sum += x_at(replica, row, k) * w_at(k, column);
  return sum;
}

}  // namespace

// 2 x 2 of 4 SIPs. The inner axis of a product is cut over the ranks of a tensor-parallel group,
// which add it up; each replica has rows of its own, and the sum over all of them (a stand-in for
// the gradient) is taken over the data-parallel groups, while the next product is computed.
KERNBENCH_SYSTEMC_TEST(data_and_tensor_parallel_ranks) {
  on_a_ring(4, [](Torch& torch, int rank) {
    Distributed& dist = torch.distributed;
    const ModelParallel parallel = initialize_model_parallel(dist, 2);
    const int part = dist.get_rank(parallel.tensor), replica = dist.get_rank(parallel.data);
    BOOST_TEST(part == rank % 2);
    BOOST_TEST(replica == rank / 2);
    BOOST_TEST(dist.get_world_size(parallel.tensor) == 2);
    BOOST_TEST(dist.get_world_size(parallel.data) == 2);

    const int mine = inner / 2;
    Values x, w;
    for (int row = 0; row < rows; ++row) {
      for (int k = 0; k < mine; ++k) x.push_back(x_at(replica, row, part * mine + k));
    }
    for (int k = 0; k < mine; ++k) {
      for (int column = 0; column < columns; ++column) w.push_back(w_at(part * mine + k, column));
    }
    const Tensor xs = torch.from_host(HostArray({rows, mine}, f32, x), one_pe, "x"),
                 ws = torch.from_host(HostArray({mine, columns}, f32, w), one_pe, "w"),
                 y = torch.empty({rows, columns}, f32, one_pe, "y"),
                 next = torch.empty({rows, columns}, f32, one_pe, "next");
    const auto product = [&](const Tensor& to) {
      torch.launch(LaunchSpec("multiply").on_pe(0), multiply, xs, ws, to);
    };
    product(y);
    dist.all_reduce(y, "sum", parallel.tensor);
    Work over_replicas = dist.all_reduce(y, "sum", {parallel.data, true});
    product(next);
    Work again = dist.all_reduce(next, "sum", {parallel.tensor, true});
    over_replicas.wait();
    again.wait();

    Values of_all, of_replica;
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        of_replica.push_back(y_at(replica, row, column));
        of_all.push_back(y_at(0, row, column) + y_at(1, row, column));
      }
    }
    expect(torch, y, of_all);
    expect(torch, next, of_replica);
  });
}

BOOST_AUTO_TEST_CASE(the_size_of_tensor_parallel_groups_divides_the_number_of_ranks) {
  refused({"initialize_model_parallel: 2 tensor-parallel ranks, of 3; they divide the number of "
           "ranks"},
          [](Torch& torch, int) { initialize_model_parallel(torch.distributed, 2); });
}

BOOST_AUTO_TEST_SUITE_END()
