// Predicate for BOOST_CHECK_EXCEPTION: the message of the error contains `part`.
#pragma once

#include <boost/test/unit_test.hpp>
#include <exception>
#include <string>

namespace kernbench::test {

inline auto with_text(const std::string& part) {
  return [part](const std::exception& error) {
    BOOST_TEST_MESSAGE(error.what());
    return std::string(error.what()).find(part) != std::string::npos;
  };
}

}  // namespace kernbench::test
