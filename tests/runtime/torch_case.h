// A host program on the machine that answers at once.
#pragma once

#include <boost/test/unit_test.hpp>
#include <functional>
#include <string>
#include <vector>

#include "sw/torch/torch.h"
#include "tests/runtime/stub_host.h"
#include "tests/support/forked.h"

namespace kernbench::test {

using Lines = std::vector<std::string>;

inline void run_on(StubHost& host, const std::function<void(Torch&, Runtime&)>& body) {
  Runtime runtime(host, "test");
  DistributedState distributed(runtime);
  host.run([&](HostPort&) {
    runtime.memory->start_reaper();
    {
      Torch torch(distributed, 0, 1, {});
      body(torch, runtime);
    }
    runtime.memory->close();
  });
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A predicate for BOOST_CHECK_EXCEPTION: the error's text has all the parts.
template <class Error>
auto with_text(std::vector<std::string> parts) {
  return [parts = std::move(parts)](const Error& error) {
    BOOST_TEST_MESSAGE(error.what());
    for (const std::string& part : parts) {
      if (!contains(error.what(), part)) return false;
    }
    return true;
  };
}

inline void do_nothing(tl::Program&, tl::Ptr) {}

}  // namespace kernbench::test
