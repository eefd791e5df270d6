// Presets of models: their published numbers of parameters, and faults of a description.
#include "sw/models/model_spec.h"

#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(model_spec)

namespace {

std::string fault_of(const ModelSpec& model) {
  try {
    check_model(model);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

// Independent of the dimensions: the numbers of elements in the published checkpoints (safetensors
// index of meta-llama/Meta-Llama-3-8B, -70B: 16060522496 and 141107412992 B at 2 B;
// mistralai/Mixtral-8x7B-v0.1: 93405585408 B), and table D.1 of the GPT-3 paper: 174600 million.
BOOST_AUTO_TEST_CASE(presets_have_the_published_numbers_of_parameters) {
  BOOST_TEST(model_preset("llama3-8b").parameters() == 8'030'261'248);
  BOOST_TEST(model_preset("llama3-70b").parameters() == 70'553'706'496);
  BOOST_TEST(model_preset("mixtral-8x7b").parameters() == 46'702'792'704);
  BOOST_TEST(model_preset("gpt3-175b").parameters() / 1'000'000 == 174'604);
  for (const ModelSpec& model : model_presets()) {
    BOOST_TEST(fault_of(model) == "");
    BOOST_TEST(model.source != "", model.name);
  }
}

BOOST_AUTO_TEST_CASE(an_unknown_preset_is_refused_with_the_list) {
  BOOST_CHECK_EXCEPTION(model_preset("llama3"), UsageError, [](const UsageError& error) {
    return std::string(error.what()) ==
           "unknown model 'llama3'; there are: llama3-8b, llama3-70b, mixtral-8x7b, gpt3-175b";
  });
}

BOOST_AUTO_TEST_CASE(an_inconsistent_model_is_refused_with_its_numbers) {
  const auto fault = [](auto change) {
    ModelSpec model = model_preset("mixtral-8x7b");
    change(model);
    return fault_of(model);
  };
  BOOST_TEST(fault([](ModelSpec& model) { model.top_k = 9; }) ==
             "model 'mixtral-8x7b': top_k is 9, allowed: at most the 8 experts");
  BOOST_TEST(fault([](ModelSpec& model) { model.kv_heads = 5; }) ==
             "model 'mixtral-8x7b': 32 query heads cannot share 5 KV heads evenly");
  BOOST_TEST(fault([](ModelSpec& model) { model.d_head = 64; }) ==
             "model 'mixtral-8x7b': hidden is 4096, but 32 query heads of 64 elements have 2048");
  BOOST_TEST(fault([](ModelSpec& model) { model.layers = 0; }) ==
             "model 'mixtral-8x7b': layers is 0, allowed: at least 1");
}

BOOST_AUTO_TEST_SUITE_END()
