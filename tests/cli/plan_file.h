// A plan of a sweep of gemm-single-pe on the machine of one cube.
#pragma once

#include <string>

#include "tests/cli/program.h"

namespace kernbench::test {

// In a folder of its own, with its result file.
struct PlanFile {
  explicit PlanFile(const std::string& text) { write(text); }
  void write(const std::string& text) const {
    folder.write("p.yaml", "bench: gemm-single-pe\ntopology: tiny\n" + text);
  }
  Words sweep(const Words& more = {}) const {
    return joined({"sweep", folder.file("p.yaml"), "--results", results}, more);
  }

  const TemporaryFolder folder;
  const std::string results = folder.file("r.sqlite");
};

}  // namespace kernbench::test
