// Embedding and cross-entropy whose vocabulary is cut over ranks.
#include "sw/tp/vocabulary.h"

#include <cmath>

#include "sw/tp/linear.h"
#include "tests/tp/parallel_ranks.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(vocabulary_test)

namespace {

constexpr std::int64_t vocabulary = 29, width = 16, tokens = 6;
// With 3 ranks and a multiple of 4: padded to 36, 12 for each rank. Ids of every rank, the first
// and the last ones, and one twice.
const Values ids{0, 11, 12, 28, 23, 12};

HostArray table() { return pattern_array({vocabulary, width}, 1); }

Values rows_of(std::size_t begin, std::size_t end) {
  Values expected;
  for (std::size_t i = begin; i < end; ++i) {
    const Values row = box(table().values(), width, static_cast<std::int64_t>(ids[i]), 1, 0, width);
    expected.insert(expected.end(), row.begin(), row.end());
  }
  return expected;
}

tp::VocabParallelEmbedding embedding_of(const tp::ParallelState& state,
                                        tp::VocabParallelEmbeddingOptions options = {}) {
  options.make_vocab_size_divisible_by = 4;
  tp::VocabParallelEmbedding layer(state, vocabulary, width, options);
  layer.copy_weight_(table());
  return layer;
}

Tensor ids_on(Torch& torch, const Values& values) {
  return torch.from_host(HostArray({static_cast<std::int64_t>(values.size())}, i32, values), copies,
                         "ids");
}

double loss(const Values& logits, double target) {
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit);
  return std::log(sum) - logits[static_cast<std::size_t>(target)];
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(an_embedding_is_the_sum_over_ranks_of_which_one_has_the_row) {
  const std::string calls = on_parallel_ranks(3, 3, [](const tp::ParallelState& state) {
    const tp::VocabParallelEmbedding layer = embedding_of(state);
    BOOST_TEST(layer.vocab_start_index() == state.rank() * 12);
    BOOST_TEST(layer.vocab_end_index() == state.rank() * 12 + 12);
    Torch& torch = state.torch();
    torch.verify(layer.forward(ids_on(torch, ids)), [] { return rows_of(0, tokens); });
    torch.verify(layer.weight, [rank = state.rank()] {
      Values padded = table().values();
      padded.resize(36 * width, 0.0);
      return box(padded, width, rank * 12, 12, 0, width);
    });
  });
  BOOST_TEST(calls == "all_reduce sum of 3");
}

KERNBENCH_SYSTEMC_TEST(reduce_scatter_embeddings_leaves_each_rank_its_rows) {
  const std::string calls = on_parallel_ranks(3, 3, [](const tp::ParallelState& state) {
    tp::VocabParallelEmbeddingOptions options;
    options.reduce_scatter_embeddings = true;
    const auto first = static_cast<std::size_t>(state.rank()) * 2;
    Torch& torch = state.torch();
    torch.verify(embedding_of(state, options).forward(ids_on(torch, ids)),
                 [=] { return rows_of(first, first + 2); });
  });
  BOOST_TEST(calls == "reduce_scatter sum of 3");
}

// Rows of the vocabulary over PEs: a PE has a row of the table, and every PE gathers from all.
KERNBENCH_SYSTEMC_TEST(a_vocabulary_over_pes_is_gathered_from_all_of_them) {
  on_parallel_ranks(1, 1, [](const tp::ParallelState& state) {
    tp::VocabParallelEmbeddingOptions options;
    options.policy = {Placement::row_wise, Placement::row_wise, {}, 6};
    Torch& torch = state.torch();
    torch.verify(embedding_of(state, options).forward(ids_on(torch, ids)),
                 [] { return rows_of(0, tokens); });
  });
}

KERNBENCH_SYSTEMC_TEST(vocabularies_are_padded_as_by_megatron) {
  on_parallel_ranks(2, 2, [](const tp::ParallelState& state) {
    // GPT-2: 50257 to a multiple of 128 * 2.
    BOOST_TEST(tp::padded_vocabulary(state, 50257) == 50432);
    BOOST_TEST(tp::padded_vocabulary(state, 50432) == 50432);
    BOOST_TEST(tp::padded_vocabulary(state, 29, 1) == 30);
  });
}

KERNBENCH_SYSTEMC_TEST(cross_entropy_of_targets_of_any_rank) {
  constexpr std::int64_t V = 48;
  const std::string calls = on_parallel_ranks(3, 3, [](const tp::ParallelState& state) {
    Torch& torch = state.torch();
    const Values whole =
        reference::each(pattern_array({tokens, V}, 3).values(), [](double v) { return 20 * v; });
    const Tensor logits = torch.from_host(
        HostArray({tokens, V / 3}, f16, box(whole, V, 0, tokens, state.rank() * V / 3, V / 3)),
        tp::column_wise, "logits");
    const Tensor losses = tp::ParallelCrossEntropy(state).forward(logits, ids_on(torch, ids));
    torch.verify(
        losses,
        [whole] {
          Values expected;
          for (std::int64_t t = 0; t < tokens; ++t)
            expected.push_back(loss(box(whole, V, t, 1, 0, V), ids[static_cast<std::size_t>(t)]));
          return expected;
        },
        Accuracy(64, 40));
  });
  BOOST_TEST(calls == "all_reduce max of 3, all_reduce sum of 3, all_reduce sum of 3");
}

// Copies of the logits on every PE count once.
KERNBENCH_SYSTEMC_TEST(cross_entropy_of_copies) {
  on_parallel_ranks(1, 1, [](const tp::ParallelState& state) {
    Torch& torch = state.torch();
    const HostArray logits = pattern_array({tokens, vocabulary}, 2);
    torch.verify(
        tp::ParallelCrossEntropy(state).forward(torch.from_host(logits, copies, "logits"),
                                                ids_on(torch, ids)),
        [logits] {
          Values expected;
          for (std::int64_t t = 0; t < tokens; ++t)
            expected.push_back(loss(box(logits.values(), vocabulary, t, 1, 0, vocabulary),
                                    ids[static_cast<std::size_t>(t)]));
          return expected;
        },
        Accuracy(32));
  });
}

BOOST_AUTO_TEST_CASE(ids_outside_of_the_vocabulary_and_wrong_shapes_are_refused) {
  // 29 is padded: it has a row, but is no id.
  for (const double id : {-1.0, 29.0}) {
    check_contains(error_on_ranks([id](const tp::ParallelState& state) {
                     embedding_of(state).forward(ids_on(state.torch(), {0, id}));
                   }),
                   {"'ids'[1] is " + std::to_string(static_cast<int>(id)),
                    "outside of the vocabulary [0, 29)"});
  }
  check_contains(error_on_ranks([](const tp::ParallelState& state) {
                   embedding_of(state).forward(state.torch().zeros({2}, f16, copies, "ids"));
                 }),
                 {"vocab_embedding: ids 'ids' f16 {2}, expected i32 {T}"});
  const auto cross_entropy = [](const Values& targets) {
    return error_on_ranks([=](const tp::ParallelState& state) {
      Torch& torch = state.torch();
      tp::ParallelCrossEntropy(state).forward(torch.zeros({2, 16}, f16, tp::column_wise, "logits"),
                                              ids_on(torch, targets));
    });
  };
  check_contains(cross_entropy({0, 32}), {"targets are in the vocabulary [0, 32)"});
  check_contains(cross_entropy({0, 1, 2}), {"logits 'logits' {2, 16}, targets 'ids' i32 {3}"});
}

BOOST_AUTO_TEST_SUITE_END()
