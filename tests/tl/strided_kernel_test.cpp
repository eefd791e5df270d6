// Kernels with blocks, strides, masks and gathers on a machine, in every address model: values
// against references, the detour by a copy against the strided form.
#include <boost/test/unit_test.hpp>

#include "tests/support/torch_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(strided_kernels)

namespace {

struct Model {
  const char* model;
  const char* mapping;
};
constexpr Model models[] = {
    {"pa", "n_to_one"}, {"va", "n_to_one"}, {"la", "n_to_one"}, {"la", "one_to_one"}};

// Runs the program in every address model; checks what it has given to torch.verify.
void in_every_model(const std::function<void(Torch&)>& body) {
  for (const Model& each : models) {
    forked([&] {
      TorchMachine m("topology.tiny.yaml", {{"cube.memory_map.address_model", each.model},
                                            {"cube.memory_map.hbm_mapping_mode", each.mapping}});
      m.run(body);
      BOOST_TEST(m.failures() == "", each.model << " " << each.mapping << ": " << m.failures());
    });
  }
}

constexpr std::int64_t tokens = 24, heads = 3, width = 16;

// scores[h] = q[:, h] k[:, h]^T for all heads of {T, H * d}: nothing is copied.
void scores_kernel(tl::Program& tl, tl::Tensor q, tl::Tensor k, tl::Tensor scores) {
  for (std::int64_t h = 0; h < heads; ++h) {
    const tl::BlockPtr head = tl.make_block_ptr(q, {tokens, heads * width}, {heads * width, 1},
                                                {0, h * width}, {tokens, width});
    const tl::BlockPtr keys = tl.make_block_ptr(k, {heads * width, tokens}, {1, heads * width},
                                                {h * width, 0}, {width, tokens});
    const tl::BlockPtr out = tl.make_block_ptr(
        scores, {tokens, heads * tokens}, {heads * tokens, 1}, {0, h * tokens}, {tokens, tokens});
    tl.composite(tl::gemm(tl.ref(head), tl.ref(keys)).to(out).tile({16, 8, 16}));
  }
  tl.wait();
}

// Every PE reads a block of columns of a tensor whose rows are spread over all of them, turns it,
// and stores it as rows.
void transpose_kernel(tl::Program& tl, tl::Tensor x, tl::Tensor y) {
  const std::int64_t rows = x.shape()[0], columns = x.shape()[1], pe = tl.program_id(0);
  const std::int64_t mine = tl::Program::cdiv(columns, tl.num_programs(0));
  const tl::TensorDescriptor from =
      tl.make_tensor_descriptor(x, {rows, columns}, {columns, 1}, {rows, mine});
  const tl::TensorDescriptor to =
      tl.make_tensor_descriptor(y, {columns, rows}, {rows, 1}, {mine, rows});
  to.store({pe * mine, 0}, tl.trans(from.load({0, pe * mine})) * 2.0);
}

// Computed values go to every other column, and come back.
void pending_kernel(tl::Program& tl, tl::Tensor x, tl::Tensor y) {
  const std::int64_t n = x.shape()[0];
  const tl::BlockPtr odd = tl.make_block_ptr(y, {n, 4}, {4, 1}, {0, 1}, {n, 2});
  tl.store(odd, tl.load(x, {n, 2}, f16) + 1.0);
  const tl::Handle back = tl.load(odd);
  const tl::Handle even = 4.0 * tl.zeros({n}, f16);
  tl.store(y, tl.reshape(tl.trans(tl.reshape(tl.arange(0, n), {n, 1})), {n}), even);
  tl.store(tl.advance(odd, {0, 1}), back * 2.0);
}

}  // namespace

BOOST_AUTO_TEST_CASE(composites_stream_heads_and_a_transposed_operand) {
  in_every_model([](Torch& torch) {
    const HostArray q = torch.random({tokens, heads * width}, f16),
                    k = torch.random({tokens, heads * width}, f16);
    const Tensor scores = torch.empty({tokens, heads * tokens}, f16, DPPolicy::on_one_pe(), "s");
    torch.launch(LaunchSpec("scores").on_pe(0), scores_kernel,
                 torch.from_host(q, DPPolicy::on_one_pe(), "q"),
                 torch.from_host(k, DPPolicy::on_one_pe(), "k"), scores);
    torch.verify(scores, [q, k] {
      std::vector<double> expected;
      const std::vector<double> a = q.values(), b = k.values();
      for (std::int64_t t = 0; t < tokens; ++t) {
        for (std::int64_t h = 0; h < heads; ++h) {
          for (std::int64_t u = 0; u < tokens; ++u) {
            double sum = 0;
            for (std::int64_t i = h * width; i < (h + 1) * width; ++i)
              sum += a[static_cast<std::size_t>(t * heads * width + i)] *
                     b[static_cast<std::size_t>(u * heads * width + i)];
            expected.push_back(sum);
          }
        }
      }
      return expected;
    });
  });
}

// 6 columns of 45 for each of 8 PEs; the block of the last has 3 of them inside.
BOOST_AUTO_TEST_CASE(columns_of_a_tensor_that_is_spread_over_all_memories) {
  in_every_model([](Torch& torch) {
    const DPPolicy spread{Placement::replicate, Placement::row_wise, 1, 8};
    const HostArray x = torch.random({16, 45}, f16);
    const Tensor y = torch.empty({45, 16}, f16, spread, "y");
    torch.launch("transpose", transpose_kernel, torch.from_host(x, spread, "x"), y);
    torch.verify(y, [x] {
      std::vector<double> expected;
      for (std::size_t j = 0; j < 45; ++j) {
        for (std::size_t i = 0; i < 16; ++i) expected.push_back(2 * x.values()[i * 45 + j]);
      }
      return expected;
    });
  });
}

BOOST_AUTO_TEST_CASE(computed_values_keep_their_places_through_strided_stores_and_loads) {
  in_every_model([](Torch& torch) {
    const Tensor y = torch.zeros({6, 4}, f16, DPPolicy::on_one_pe(), "y");
    const HostArray x = torch.random({6, 2}, f16);
    torch.launch(LaunchSpec("pending").on_pe(0), pending_kernel,
                 torch.from_host(x, DPPolicy::on_one_pe(), "x"), y);
    torch.verify(
        y,
        [x] {
          std::vector<double> expected(24, 0.0);
          const std::vector<double> in = x.values();
          for (std::size_t i = 0; i < 6; ++i) {
            expected[4 * i + 1] = in[2 * i] + 1;
            expected[4 * i + 2] = in[2 * i + 1] + 1;
          }
          for (std::size_t i = 0; i < 6; ++i) expected[i] = 0;
          for (std::size_t i = 0; i < 6; ++i) {
            expected[4 * i + 2] = 2 * (in[2 * i] + 1);
            expected[4 * i + 3] = 2 * (in[2 * i + 1] + 1);
          }
          return expected;
        },
        2);
  });
}

BOOST_AUTO_TEST_SUITE_END()
