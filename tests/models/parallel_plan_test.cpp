// Shapes, FLOPs and bytes of the operators of a layer on one rank, by hand.
#include "sw/models/parallel_plan.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>

#include "models/base/errors.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(parallel_plan)

namespace {

using Shape = std::vector<std::int64_t>;

struct Plan {
  Plan(const std::string& model, Parallelism parallelism, ModelStep step)
      : operators(layer_plan(model_preset(model), parallelism, step)) {}
  const OperatorPlan& operator[](const std::string& name) const {
    const auto found = std::find_if(operators.begin(), operators.end(),
                                    [&](const OperatorPlan& op) { return op.name == name; });
    BOOST_TEST_REQUIRE((found != operators.end()), name);
    return *found;
  }
  Shape shape(const std::string& name) const {
    const OperatorPlan& op = (*this)[name];
    return {op.rows, op.inner, op.columns};
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const OperatorPlan& op : operators) names.push_back(op.name);
    return names;
  }
  std::vector<OperatorPlan> operators;
};

ModelStep prefill(std::int64_t tokens) {
  ModelStep step;
  step.new_tokens = step.context = tokens;
  return step;
}

std::string fault(const std::string& model, Parallelism parallelism, ModelStep step = prefill(16)) {
  return plan_fault(model_preset(model), parallelism, step).value_or("");
}

}  // namespace

// Of 32 query and 8 KV heads of 128 elements a rank of 4 has 8 and 2: 8 * 128 + 2 * 2 * 128 = 1536
// columns. 14336 / 4 = 3584 columns of the MLP, gate and up 7168.
BOOST_AUTO_TEST_CASE(tensor_parallelism_cuts_heads_and_columns) {
  const Plan plan("llama3-8b", {4, false, false}, prefill(16));
  BOOST_TEST(plan.shape("attention_norm") == (Shape{16, 0, 4096}));
  BOOST_TEST(plan.shape("qkv") == (Shape{16, 4096, 1536}));
  BOOST_TEST(plan.shape("rotary") == (Shape{16, 0, 1280}));
  BOOST_TEST(plan.shape("attention") == (Shape{16, 16, 1024}));
  BOOST_TEST(plan.shape("attention_output") == (Shape{16, 1024, 4096}));
  BOOST_TEST(plan.shape("up") == (Shape{16, 4096, 7168}));
  BOOST_TEST(plan.shape("activation") == (Shape{16, 0, 3584}));
  BOOST_TEST(plan.shape("down") == (Shape{16, 3584, 4096}));
  const std::vector<std::string> order{"attention_norm",
                                       "qkv",
                                       "rotary",
                                       "attention",
                                       "attention_output",
                                       "attention_all_reduce",
                                       "attention_residual",
                                       "mlp_norm",
                                       "up",
                                       "activation",
                                       "down",
                                       "mlp_all_reduce",
                                       "mlp_residual"};
  BOOST_TEST(plan.names() == order);
  const OperatorPlan output =
      output_plan(model_preset("llama3-8b"), {4, false, false}, prefill(16));
  BOOST_TEST((Shape{output.rows, output.inner, output.columns}) == (Shape{1, 4096, 32064}));
}

// qkv: 2 * 16 * 4096 * 1536 FLOPs; f16: weights 4096 * 1536 * 2 B, input 16 * 4096 * 2 B, output
// 16 * 1536 * 2 B. up_activation: reads 2 * 3584 and writes 3584 elements of 16 tokens.
BOOST_AUTO_TEST_CASE(flops_and_bytes_of_products) {
  const Plan plan("llama3-8b", {4, false, false}, prefill(16));
  BOOST_TEST(plan["qkv"].flops == 201'326'592U);
  BOOST_TEST(plan["qkv"].weight_bytes == 12'582'912U);
  BOOST_TEST(plan["qkv"].input_bytes == 131'072U);
  BOOST_TEST(plan["qkv"].output_bytes == 49'152U);
  BOOST_TEST(plan["qkv"].bytes() == 12'582'912U + 131'072U + 49'152U);
  BOOST_TEST(plan["activation"].bytes() == 16U * 3 * 3584 * 2);
  BOOST_TEST(plan["activation"].flops == 0U);
  BOOST_TEST(plan["attention_all_reduce"].input_bytes == 131'072U);
}

// Prefill of 16 tokens: 16 * 17 / 2 = 136 visible pairs, for scores and values 2 FLOPs per element
// of 8 heads: 4 * 136 * 1024. Decode of 3 sequences at context 100: 100 pairs each; the cache is
// read: 3 * 100 tokens * 2 * 2 heads * 128 * 2 B.
BOOST_AUTO_TEST_CASE(attention_counts_visible_pairs_and_reads_the_cache) {
  const Parallelism tp4{4, false, false};
  BOOST_TEST(Plan("llama3-8b", tp4, prefill(16))["attention"].flops == 4U * 136 * 1024);
  ModelStep decode;
  decode.sequences = 3;
  decode.context = 100;
  const Plan plan("llama3-8b", tp4, decode);
  BOOST_TEST(plan["attention"].flops == 4U * 3 * 100 * 1024);
  BOOST_TEST(plan["attention"].input_bytes == 3U * 1024 * 2 + 3U * 100 * 512 * 2);
}

// 16 query heads of 64 and one copy of a KV head on each of 16 ranks... with 8 KV heads: TP 16 has
// two copies of each; a rank has 4 query heads and 1 KV head of 128: 4 * 128 + 2 * 128 = 768.
BOOST_AUTO_TEST_CASE(fewer_kv_heads_than_ranks_are_copied) {
  BOOST_TEST(Plan("llama3-70b", {16, false, false}, prefill(16)).shape("qkv") ==
             (Shape{16, 8192, 768}));
  ModelSpec model = model_preset("llama3-70b");  // 64 query heads
  model.kv_heads = 16;
  BOOST_TEST(rank_share(model, {8, false, false}, prefill(16)).kv_heads == 2);
  model.q_heads = 96;
  model.hidden = 96 * 128;
  model.kv_heads = 12;
  BOOST_TEST(plan_fault(model, {32, false, false}, prefill(16)).value_or("") ==
             "the 12 KV heads, fewer than TP 32, do not divide it into equal copies");
}

// Norms and residuals have 16 / 4 tokens; all_gather before each half of the layer, reduce_scatter
// after it: together the bytes of one all_reduce.
BOOST_AUTO_TEST_CASE(sequence_parallelism_cuts_the_tokens_of_norms) {
  const Plan plan("llama3-8b", {4, true, false}, prefill(16));
  BOOST_TEST(plan.shape("mlp_norm") == (Shape{4, 0, 4096}));
  BOOST_TEST(plan.shape("up") == (Shape{16, 4096, 7168}));
  BOOST_TEST(plan["mlp_all_gather"].input_bytes == 4U * 4096 * 2);
  BOOST_TEST(plan["mlp_all_gather"].output_bytes == 16U * 4096 * 2);
  BOOST_TEST(plan["mlp_reduce_scatter"].input_bytes == 16U * 4096 * 2);
  BOOST_TEST(plan["mlp_reduce_scatter"].output_bytes == 4U * 4096 * 2);
}

// 16 tokens to 2 experts each: 32 rows. Without expert parallelism a rank of 4 has a quarter of all
// 8 experts; with it 2 whole experts, and 32 / 4 rows. The weights are the same number of bytes.
BOOST_AUTO_TEST_CASE(expert_parallelism_distributes_whole_experts) {
  const Plan cut("mixtral-8x7b", {4, false, false}, prefill(16)),
      whole("mixtral-8x7b", {4, false, true}, prefill(16));
  BOOST_TEST(cut.shape("router") == (Shape{16, 4096, 8}));
  BOOST_TEST(cut.shape("up") == (Shape{32, 4096, 7168}));
  BOOST_TEST(cut["up"].experts == 8);
  BOOST_TEST(whole.shape("up") == (Shape{8, 4096, 28672}));
  BOOST_TEST(whole["up"].experts == 2);
  BOOST_TEST(cut["up"].flops == whole["up"].flops);
  BOOST_TEST(cut["up"].weight_bytes == 8U * 4096 * 7168 * 2);
  BOOST_TEST(whole["up"].weight_bytes == cut["up"].weight_bytes);
  // 8 rows to and from the experts' ranks, then the sums of 4 tokens from each rank
  for (const char* name : {"dispatch_all_to_all", "combine_all_to_all"}) {
    BOOST_TEST(whole[name].input_bytes == 8U * 4096 * 2);
    BOOST_TEST(whole[name].output_bytes == 8U * 4096 * 2);
  }
  BOOST_TEST(whole["mlp_all_gather"].input_bytes == 4U * 4096 * 2);
  BOOST_TEST(whole["mlp_all_gather"].output_bytes == 16U * 4096 * 2);
  // with sequence parallelism a rank routes the 4 tokens of its norms, and no collective follows
  const Plan own("mixtral-8x7b", {4, true, true}, prefill(16));
  BOOST_TEST(own.shape("router") == (Shape{4, 4096, 8}));
  for (const std::string& name : own.names())
    BOOST_TEST((name != "mlp_all_gather" && name != "mlp_reduce_scatter"), name);
  // decode of one token: 2 rows, so weights of 2 of the 8 experts are read
  BOOST_TEST(Plan("mixtral-8x7b", {4, false, false}, {})["up"].weight_bytes ==
             2U * 4096 * 7168 * 2);
}

// GPT-3: a KV head per query head, biases, no rotary, one product instead of gate and up.
BOOST_AUTO_TEST_CASE(gpt3_has_its_own_choices) {
  const Plan plan("gpt3-175b", {8, false, false}, prefill(16));
  BOOST_TEST(plan.shape("qkv") == (Shape{16, 12288, 3 * 12 * 128}));
  BOOST_TEST(plan["qkv"].weight_bytes == (12288U + 1) * 4608 * 2);
  BOOST_TEST(plan["attention_norm"].weight_bytes == 2U * 12288 * 2);
  BOOST_TEST(plan.shape("up") == (Shape{16, 12288, 6144}));
  BOOST_TEST(plan["activation"].bytes() == 16U * 2 * 6144 * 2);
  const std::vector<std::string> names = plan.names();
  BOOST_TEST((std::find(names.begin(), names.end(), "rotary") == names.end()));
}

BOOST_AUTO_TEST_CASE(one_rank_has_no_collectives) {
  for (const OperatorPlan& op : Plan("llama3-8b", {1, false, false}, prefill(16)).operators)
    BOOST_TEST((op.kind != OperatorKind::collective), op.name);
}

BOOST_AUTO_TEST_CASE(an_impossible_plan_is_refused_with_its_numbers) {
  BOOST_TEST(fault("llama3-8b", {3, false, false}) == "TP 3 does not divide the 32 query heads");
  BOOST_TEST(fault("gpt3-175b", {32, false, false}) == "");
  BOOST_TEST(fault("llama3-8b", {0, false, false}) == "TP is 0, allowed: at least 1");
  BOOST_TEST(fault("llama3-8b", {4, true, false}, prefill(18)) ==
             "TP 4 does not divide the 18 tokens of sequence parallelism");
  BOOST_TEST(fault("llama3-8b", {4, false, true}) ==
             "expert parallelism of a model without experts");
  BOOST_TEST(fault("mixtral-8x7b", {16, false, true}) ==
             "TP 16 does not divide the 8 experts of expert parallelism");
  BOOST_TEST(fault("gpt3-175b", {1, false, false}, prefill(2049)) ==
             "a context of 2049 tokens, but 2048 learned positions");
  ModelStep short_context;
  short_context.new_tokens = 4;
  BOOST_TEST(fault("llama3-8b", {}, short_context) ==
             "a context of 1 tokens with 4 new tokens, allowed: at least these");
  BOOST_CHECK_THROW(layer_plan(model_preset("llama3-8b"), {3, false, false}, prefill(16)),
                    UsageError);
}

BOOST_AUTO_TEST_SUITE_END()
