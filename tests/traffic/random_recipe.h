// Traffic of any pattern on the PEs of one cube and the host, for properties.
#pragma once

#include <rapidcheck.h>

#include <string>
#include <vector>

#include "platform/traffic/traffic_generator.h"

namespace kernbench::test {

inline TrafficRecipe random_recipe(std::uint64_t requests) {
  TrafficRecipe recipe;
  recipe.pattern = *rc::gen::element(TrafficPattern::random, TrafficPattern::hotspot,
                                     TrafficPattern::closed_loop, TrafficPattern::stream);
  recipe.initiators = {"sip0.cube0.pe*.pe_dma", "sip0.io0.pcie_ep"};
  recipe.targets = *rc::gen::elementOf(std::vector<std::vector<std::string>>{
      {}, {"*.hbm_ctrl.pe[0-2]", "*.sram", "*.pe[0-3].pe_tcm"}});
  recipe.requests = requests;
  recipe.size_bytes = *rc::gen::element<std::uint64_t>(1, 100, 256, 700, 4096, 20000);
  recipe.rate_gbs = Rational::parse(*rc::gen::element<std::string>("0", "100", "10"));
  recipe.read_share = Rational::parse(*rc::gen::element<std::string>("0", "1", "0.5"));
  recipe.max_outstanding = 3;
  recipe.seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
  return recipe;
}

}  // namespace kernbench::test
