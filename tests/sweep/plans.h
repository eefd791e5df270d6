// Plans of tests, and their points as texts.
#pragma once

#include <string>
#include <vector>

#include "platform/sweep/sweep_plan.h"
#include "platform/sweep/sweep_points.h"
#include "tests/support/temporary_folder.h"

namespace kernbench::test {

// Plan of `text` below "bench: b"; options of run: bench, topology, seed.
inline SweepPlan plan_of(const std::string& text) {
  const TemporaryFile file("plan.yaml", "bench: b\n" + text);
  return load_plan(file.path(), {"bench", "topology", "seed"});
}

// "M=1,N=2": the values of a point.
inline std::vector<std::string> points_of(const SweepPlan& plan, std::uint64_t most = 1'000'000) {
  const SweepPoints points(plan, most);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::string text;
    for (const std::string& value : points.axis_values(i))
      text += (text.empty() ? "" : ",") + value;
    texts.push_back(text);
  }
  return texts;
}
inline std::vector<std::string> points_of(const std::string& text) {
  return points_of(plan_of(text));
}

}  // namespace kernbench::test
