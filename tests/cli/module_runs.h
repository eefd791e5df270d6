// Runs of kernbench_modules, and what one that has ended must have told.
#pragma once

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "tests/cli/program.h"

namespace kernbench::test::module_runs {

inline ProgramResult play(const std::string& initiator, const Words& more = {},
                          const Signal& signal = {}) {
  Words words{"run", "--topology", "tiny", "--set",
              "system.tlm_initiators=[{id: ext0, attach: sip0.cube0.r0c0, bridge: {impl: "
              "builtin.tlm_initiator_bridge, attrs: {module: test." +
                  initiator + "}}}]"};
  return kernbench_program(joined(words, more), signal, nullptr, KERNBENCH_MODULES_PROGRAM);
}

inline Words with_target(const std::string& target, const Words& more = {}) {
  return joined(more, {"--set",
                       "cube.components.sram={impl: builtin.tlm_target_bridge, attrs: "
                       "{module: test." +
                           target + "}}"});
}

inline void check(const ProgramResult& result, int status, const Words& parts) {
  BOOST_TEST(result.status == status);
  check_contains(result.err, parts);
  for (const char* never : {"E546", "E548", "Segmentation", "terminate called"}) {
    BOOST_TEST(result.err.find(never) == std::string::npos, result.err);
    BOOST_TEST(result.out.find(never) == std::string::npos, result.out);
  }
}

struct Case {
  std::string module;
  Words parts;
};

inline const std::string bridge = "sip0.cube0.ext0", module = bridge + ".module.run at ",
                         protocol = "the module behind the bridge breaks the base protocol: ";

}  // namespace kernbench::test::module_runs
