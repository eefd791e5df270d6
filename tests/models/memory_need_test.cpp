// Memory of a model on a SIP by hand, and the refusal before a run.
#include "sw/models/memory_need.h"

#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(memory_need_test)

namespace {

constexpr std::uint64_t gib = 1ULL << 30U;

ModelStep chat(std::int64_t context) {
  ModelStep step;
  step.sequences = 2;
  step.context = context;
  return step;
}

std::string refusal(const std::string& model, std::int64_t tp, std::uint64_t memory,
                    std::int64_t sips) {
  try {
    check_memory(model_preset(model), {tp, false, false}, chat(1024), memory, sips);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

// q 4096 * 4096, k and v 4096 * 1024 each, o 4096 * 4096: 41943040; gate, up, down 3 * 4096 * 14336
// = 176160768; two norms of 4096: 218112000 elements of 2 B. A rank of 4 has a quarter of all but
// the norms.
BOOST_AUTO_TEST_CASE(weights_of_a_layer) {
  const ModelSpec& llama = model_preset("llama3-8b");
  BOOST_TEST(layer_weight_bytes(llama, {1, false, false}, {}) == 2U * 218'112'000);
  BOOST_TEST(layer_weight_bytes(llama, {4, false, false}, {}) ==
             2U * ((41'943'040 + 176'160'768) / 4 + 8192));
  // attention as above, 8 experts of 176160768, router 4096 * 8, norms
  const std::uint64_t mixtral = 41'943'040ULL + 8ULL * 176'160'768 + 32'768 + 8192;
  BOOST_TEST(layer_weight_bytes(model_preset("mixtral-8x7b"), {1, false, false}, {}) ==
             2 * mixtral);
  // cut or whole experts: the same bytes
  BOOST_TEST(layer_weight_bytes(model_preset("mixtral-8x7b"), {8, false, false}, {}) ==
             layer_weight_bytes(model_preset("mixtral-8x7b"), {8, false, true}, {}));
}

// One rank has all parameters; of GPT-3 47 rows of 12288 pad the vocabulary 50257 to 50304.
BOOST_AUTO_TEST_CASE(weights_of_one_rank_are_the_parameters) {
  const auto weights = [](const std::string& name) {
    return memory_need(model_preset(name), {}, {}).weights;
  };
  BOOST_TEST(weights("llama3-8b") == 2U * 8'030'261'248);
  BOOST_TEST(weights("mixtral-8x7b") == 2U * 46'702'792'704);
  BOOST_TEST(weights("gpt3-175b") ==
             2U *
                 (static_cast<std::uint64_t>(model_preset("gpt3-175b").parameters()) + 47 * 12288));
}

// 32 layers * 2 * 8 heads * 128 elements * 2 B = 128 KiB per token, 2 sequences of 1024 tokens; a
// rank of 4 a quarter; ranks of 16 one of the 8 heads each, an eighth.
BOOST_AUTO_TEST_CASE(kv_cache_of_copied_heads) {
  const auto cache = [](std::int64_t tp) {
    return memory_need(model_preset("llama3-8b"), {tp, false, false}, chat(1024)).kv_cache;
  };
  BOOST_TEST(cache(1) == 2048U * 128 * 1024);
  BOOST_TEST(cache(4) == cache(1) / 4);
  BOOST_TEST(cache(16) == cache(1) / 8);
}

// 2 tokens: the output projection is largest: 2 * (4096 + 128256) elements, residual stream before
// and after the attention 2 * 2 * 4096. 512 tokens: gate and up are read and their product written,
// 512 * (28672 + 14336), residual 2 * 512 * 4096; 2 B each.
BOOST_AUTO_TEST_CASE(activations_are_those_of_the_largest_operator) {
  const ModelSpec& llama = model_preset("llama3-8b");
  BOOST_TEST(memory_need(llama, {}, chat(1024)).activations == 2U * 2 * (4096 + 128256 + 2 * 4096));
  ModelStep prefill;
  prefill.new_tokens = prefill.context = 512;
  BOOST_TEST(memory_need(llama, {}, prefill).activations == 2U * 512 * (28672 + 14336 + 2 * 4096));
}

// Expert parallelism: a rank of 2 receives rows of half of 2 * 512 * 2 of the tokens' experts; gate
// and up of whole experts are largest. With 8 copies of the weights on a SIP, 8 times their bytes.
BOOST_AUTO_TEST_CASE(distributed_experts_and_copies_of_weights) {
  const ModelSpec& mixtral = model_preset("mixtral-8x7b");
  ModelStep prefill;
  prefill.new_tokens = prefill.context = 512;
  const MemoryNeed whole = memory_need(mixtral, {2, false, true}, prefill),
                   cut = memory_need(mixtral, {2, false, false}, prefill);
  BOOST_TEST(whole.activations == 2U * (512 * (28672 + 14336) + 2 * 512 * 4096));
  BOOST_TEST(whole.weights == cut.weights);
  BOOST_TEST(memory_need(mixtral, {2, false, true}, prefill, 8).weights == 8 * whole.weights);
}

// 70553706496 parameters of 2 B = 131.417 GiB. TP 2: 65.7 GiB; TP 4: 32.9 GiB.
BOOST_AUTO_TEST_CASE(a_model_that_does_not_fit_is_refused_with_the_smallest_tp) {
  BOOST_TEST(refusal("llama3-70b", 1, 48 * gib, 8) ==
             "model 'llama3-70b' with TP 1 needs 132.042 GiB on each SIP (weights 131.417 GiB, KV "
             "cache 0.625 GiB, activations 0.001 GiB), which has 48.000 GiB; the smallest TP that "
             "fits is 4");
  BOOST_TEST(refusal("llama3-70b", 4, 48 * gib, 8) == "");
  const std::string none = refusal("llama3-70b", 1, 48 * gib, 2);
  BOOST_TEST(none.find("; no TP up to the 2 SIPs of the machine fits") != std::string::npos, none);
}

BOOST_AUTO_TEST_CASE(memory_of_a_sip_is_that_of_its_partitions) {
  MachineDescription machine;
  machine.cube_mesh_w = 4;
  machine.cube_mesh_h = 4;
  machine.pes = 8;
  machine.hbm_slice_bytes = 6 * gib;
  BOOST_TEST(sip_memory_bytes(machine) == 768 * gib);
}

BOOST_AUTO_TEST_SUITE_END()
