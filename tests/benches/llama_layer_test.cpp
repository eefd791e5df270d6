// The bench llama-layer: right in each phase, with each kind of model and over any number of SIPs
// (spec 10.3).
#include "tests/benches/verified_runs.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(llama_layer)

namespace {

// The reduced model: hidden 12 * 32, two KV heads of 32 elements (gpt3-175b: 12).
constexpr std::uint64_t hidden = 12 * 32, d = 32;

// Verified on each rank: keys and values of `cache_tokens` tokens for its KV heads; the residual
// stream after each block, of which ranks have `rows` rows.
std::uint64_t elements(int ranks, std::uint64_t heads_of_rank, std::uint64_t cache_tokens,
                       std::uint64_t rows) {
  return static_cast<std::uint64_t>(ranks) *
         (2 * heads_of_rank * cache_tokens * d + 2 * rows * hidden);
}

BenchRunOptions sips(const std::string& topology, int w, int h, int cubes = 2) {
  BenchRunOptions options;
  options.overrides = {
      {"system.sips.count", std::to_string(w * h)}, {"system.sips.topology", topology},
      {"system.sips.w", std::to_string(w)},         {"system.sips.h", std::to_string(h)},
      {"sip.cube_mesh.w", std::to_string(cubes)},   {"sip.cube_mesh.h", "1"}};
  return options;
}

}  // namespace

// Two sequences of 21 tokens. Eight PEs have 84 rows of the cache: 10 or 11 each, so that heads and
// sequences end within the rows of a PE.
BOOST_AUTO_TEST_CASE(each_phase_is_right_on_one_sip_in_every_dtype) {
  for (const char* dtype : {"f16", "bf16", "f32"}) {
    const auto run = [&](const char* phase, std::uint64_t tokens) {
      expect_right("llama-layer", {{"phase", phase}, {"context", "21"}, {"dtype", dtype}},
                   elements(1, 2, 2 * 21, tokens));
    };
    run("decode", 2);
    run("prefill", 2 * 21);
    run("mixed", 21 + 1);
  }
}

// 5 new tokens after 16; room for 40 of each sequence, of which the rest must not be read.
BOOST_AUTO_TEST_CASE(prefill_continues_a_sequence_in_a_cache_with_room) {
  expect_right("llama-layer",
               {{"phase", "prefill"}, {"context", "21"}, {"new_tokens", "5"}, {"capacity", "40"}},
               elements(1, 2, 2 * 40, 2 * 5));
}

BOOST_AUTO_TEST_CASE(each_preset_has_its_kinds) {
  expect_right("llama-layer", {{"model", "llama3-70b"}, {"phase", "mixed"}},
               elements(1, 2, 2 * 48, 49));
  // Layer norm, biases, GELU, no rotation, a KV head for each query head.
  expect_right("llama-layer", {{"model", "gpt3-175b"}, {"phase", "mixed"}},
               elements(1, 12, 2 * 48, 49));
  expect_right("llama-layer", {{"model", "mixtral-8x7b"}, {"phase", "mixed"}},
               elements(1, 2, 2 * 48, 49));
}

// Four tokens choose 2 of 4 experts: the host reads the choice between launches.
BOOST_AUTO_TEST_CASE(computed_routing_is_that_of_the_router) {
  BenchRunOptions options;
  options.data = DataMode::eager;
  expect_right("llama-layer",
               {{"model", "mixtral-8x7b"}, {"routing", "computed"}, {"sequences", "4"}},
               elements(1, 2, 4 * 48, 4), options);
}

// Heads and columns of two ranks, with the reductions in one part or several, and with parts of the
// tokens on each rank.
BOOST_AUTO_TEST_CASE(two_sips_share_a_layer) {
  const BenchRunOptions two = sips("ring_1d", 2, 1);
  for (const char* chunks : {"1", "3"})
    expect_right("llama-layer", {{"chunks", chunks}}, elements(2, 1, 2 * 48, 2), two);
  for (const char* model : {"llama3-8b", "mixtral-8x7b"})
    expect_right(
        "llama-layer",
        {{"phase", "prefill"}, {"sequence_parallel", "true"}, {"model", model}, {"context", "12"}},
        elements(2, 1, 2 * 12, 12), two);
}

// 2 * 43 tokens in 2 bands of 43, which have at least the 32 rows of a block of a product. Weights
// are whole, the residual stream between the blocks is by bands. Biases are added once.
BOOST_AUTO_TEST_CASE(bands_of_tokens_are_reduced_while_others_are_computed) {
  const BenchRunOptions two = sips("ring_1d", 2, 1);
  expect_right("llama-layer", {{"phase", "prefill"}, {"context", "43"}},
               elements(2, 1, 2 * 43, 2 * 43), two);
  expect_right("llama-layer", {{"phase", "prefill"}, {"context", "43"}, {"model", "gpt3-175b"}},
               elements(2, 6, 2 * 43, 2 * 43), two);
}

// Tokens are sent to the SIPs of their experts and back: equal shares of replicated tokens, of
// which ranks may have none in decode, or the tokens of sequence parallelism.
BOOST_AUTO_TEST_CASE(experts_are_distributed_over_sips) {
  const auto run = [](const BenchRunOptions& options, int ranks, Parameters more,
                      std::uint64_t cache_tokens, std::uint64_t rows) {
    more.push_back({"model", "mixtral-8x7b"});
    more.push_back({"expert_parallel", "true"});
    more.push_back({"tp", std::to_string(ranks)});
    expect_right("llama-layer", more, elements(ranks, ranks == 1 ? 2 : 1, cache_tokens, rows),
                 options);
  };
  BenchRunOptions two = sips("ring_1d", 2, 1), six = sips("torus_2d", 3, 2);
  run(two, 1, {{"context", "12"}}, 24, 2);
  run(two, 2, {{"context", "12"}, {"phase", "prefill"}}, 24, 24);
  run(two, 2, {{"context", "12"}, {"phase", "prefill"}, {"sequence_parallel", "true"}}, 24, 12);
  run(six, 4, {{"context", "12"}, {"phase", "mixed"}}, 24, 13);
  run(six, 6, {{"context", "12"}, {"experts", "6"}, {"sequences", "4"}}, 48,
      4);  // 2 without tokens
  two.data = six.data = DataMode::eager;
  run(two, 2, {{"context", "12"}, {"phase", "mixed"}, {"routing", "computed"}}, 24, 13);
  run(six, 6,
      {{"context", "9"},
       {"phase", "prefill"},
       {"experts", "6"},
       {"routing", "computed"},
       {"sequence_parallel", "true"}},
      18, 3);
}

// Matrices of weights over two cubes and over the PEs of each in every way that a policy has; the
// results are where they were.
BOOST_AUTO_TEST_CASE(weights_are_right_in_every_placement) {
  const auto run = [](const std::string& cubes, const std::string& pes) {
    expect_right("llama-layer",
                 {{"context", "12"}, {"weights_over_cubes", cubes}, {"weights_over_pes", pes}},
                 elements(2, 1, 2 * 12, 2), sips("ring_1d", 2, 1));
  };
  for (const char* placement : {"row_wise", "replicate", "tiled_row_major", "tiled_column_major"}) {
    run(placement, "column_wise");
    run("column_wise", placement);
  }
}

// The columns are in parts on 16 PEs.
BOOST_AUTO_TEST_CASE(the_reductions_are_right_with_each_algorithm) {
  for (const char* algorithm : {"ring_allreduce", "tree_allreduce", "lrab_hierarchical_allreduce",
                                "hierarchical_allreduce"}) {
    BenchRunOptions six = sips("torus_2d", 3, 2);
    six.ccl.algorithm = algorithm;
    expect_right("llama-layer", {{"context", "12"}}, elements(6, 1, 2 * 12, 2), six);
  }
}

// TP 6 and 4 exceed the two KV heads: ranks have copies of them. TP 4 leaves two SIPs idle.
BOOST_AUTO_TEST_CASE(six_sips_share_a_layer) {
  const BenchRunOptions six = sips("torus_2d", 3, 2);
  expect_right("llama-layer", {{"phase", "mixed"}, {"context", "12"}}, elements(6, 1, 2 * 12, 13),
               six);
  expect_right("llama-layer", {{"tp", "4"}, {"context", "12"}}, elements(4, 1, 2 * 12, 2), six);
  expect_right("llama-layer", {{"tp", "1"}, {"context", "12"}}, elements(1, 2, 2 * 12, 2), six);
}

// Four copies of each of 4 KV heads.
BOOST_AUTO_TEST_CASE(sixteen_sips_share_a_layer) {
  const BenchRunOptions sixteen = sips("ring_1d", 16, 1, 1);
  // hidden: 16 * 32
  expect_right("llama-layer", {{"q_heads", "16"}, {"kv_heads", "4"}, {"context", "12"}},
               16 * (2 * 2 * 12 * d + 2 * 2 * 16 * 32), sixteen, std::chrono::seconds(120));
  // a token each
  expect_right("llama-layer",
               {{"q_heads", "16"},
                {"kv_heads", "4"},
                {"context", "8"},
                {"phase", "prefill"},
                {"sequence_parallel", "true"}},
               16 * (2 * 2 * 8 * d + 2 * 16 * 32), sixteen, std::chrono::seconds(120));
}

BOOST_AUTO_TEST_CASE(wrong_parameters_are_refused_with_what_is_allowed) {
  const auto refused = [](const Parameters& given, const std::vector<std::string>& parts,
                          const BenchRunOptions& options = {}) {
    check_contains(failure_of("llama-layer", given, options), parts);
  };
  refused({{"kv_heads", "5"}}, {"usage", "12 query heads cannot share 5 KV heads evenly"});
  refused({{"tp", "2"}}, {"usage", "tp is 2, allowed: up to the 1 SIPs"});
  refused({{"capacity", "47"}},
          {"usage", "sequence 0 has 48 tokens, but its block table has room for 47"});
  refused({{"model", "mixtral-8x7b"}, {"top_k", "5"}},
          {"usage", "top_k is 5, allowed: at most the 4 experts"});
  refused({{"d_head", "33"}}, {"usage", "heads of 33 elements", "an even number"});
  refused({{"phase", "prefill"}, {"new_tokens", "49"}},
          {"usage", "sequence 0 has 49 new tokens and a context of 48"});
  refused({{"new_tokens", "4"}},
          {"usage", "new_tokens is 4 with phase decode, allowed: 0, or phase prefill or mixed"});
  refused({{"routing", "computed"}},
          {"usage", "routing is computed, but llama3-8b has no experts"});
  refused({{"cubes", "3"}}, {"usage", "cubes is 3, allowed: 1 to "});
  refused({{"pes", "9"}}, {"usage", "pes is 9, allowed: 1 to 8, or 0: all"});
  refused({{"expert_parallel", "true"}},
          {"usage", "expert parallelism of a model without experts"});
  const BenchRunOptions two = sips("ring_1d", 2, 1);
  refused({{"chunks", "385"}},
          {"usage", "results in 385 parts of columns, allowed: 1 to hidden, 384"}, two);
  refused({{"model", "mixtral-8x7b"}, {"experts", "3"}, {"expert_parallel", "true"}},
          {"usage", "TP 2 does not divide the 3 experts of expert parallelism"}, two);
  // 8 copies of 40 layers of 855 M parameters: more than the partitions of 16 PEs
  refused({{"size", "preset"},
           {"model", "llama3-70b"},
           {"layers", "40"},
           {"weights_over_pes", "replicate"}},
          {"usage", "needs", "GiB on each SIP"}, two);
  refused({{"q_heads", "3"}, {"kv_heads", "1"}},
          {"usage", "TP 2 does not divide the 3 query heads"}, two);
  refused({{"sequence_parallel", "true"}, {"sequences", "3"}},
          {"usage", "TP 2 does not divide the 3 tokens of sequence parallelism"}, two);
  BenchRunOptions small = sips("ring_1d", 2, 1);
  refused({{"size", "preset"}, {"model", "gpt3-175b"}, {"layers", "100000"}},
          {"usage", "needs", "GiB on each SIP", "no TP up to the 2 SIPs"}, small);
}

BOOST_AUTO_TEST_SUITE_END()
