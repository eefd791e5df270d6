// All-to-all traffic in one cube, and what the links have carried of it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/noc/link.h"
#include "platform/assembly/machine_modules.h"
#include "platform/traffic/traffic_generator.h"
#include "tests/support/forked.h"
#include "tests/traffic/traffic_machine.h"

namespace kernbench::test {

struct Played {
  std::vector<Fs> ended;
  std::vector<std::uint64_t> bytes;  // by link
  std::uint64_t stalls = 0;          // flits that waited for credits
};

// All PEs of the cube at each other's HBM partitions, and the host.
inline Played all_to_all(const std::vector<Override>& overrides) {
  const std::vector<std::uint64_t> all = forked_value([&] {
    TrafficMachine m("topology.tiny.yaml", overrides);
    TrafficRecipe recipe;
    recipe.pattern = TrafficPattern::closed_loop;
    recipe.initiators = {"sip0.cube0.pe*.pe_dma", "sip0.io0.pcie_ep"};
    recipe.requests = 40;
    recipe.size_bytes = 3000;
    recipe.read_share = Rational::parse("0.5");
    recipe.max_outstanding = 4;
    TrafficGenerator generator(recipe, *m.platform);
    const std::vector<TrafficResult> results = m.play(generator);
    const std::string unfinished = m.platform->monitors()->unfinished();
    if (!unfinished.empty()) throw std::logic_error(unfinished);
    std::vector<std::uint64_t> numbers{results.size()};
    for (const TrafficResult& result : results) numbers.push_back(result.end);
    std::uint64_t stalls = 0;
    for (NodeId node = 0; node < m.platform->graph().nodes().size(); ++node) {
      for (const Statistic& statistic : m.platform->component(node).statistics())
        stalls += statistic.name == "credit_stalls" ? *statistic.value : 0;
    }
    numbers.push_back(stalls);
    for (const auto& entry : m.platform->links()) numbers.push_back(entry.link->statistics().bytes);
    return numbers;
  });
  Played played;
  const auto count = static_cast<std::ptrdiff_t>(all.front());
  played.ended.assign(all.begin() + 1, all.begin() + 1 + count);
  played.stalls = all[static_cast<std::size_t>(count) + 1];
  played.bytes.assign(all.begin() + count + 2, all.end());
  return played;
}

}  // namespace kernbench::test
