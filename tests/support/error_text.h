// What errors say.
#pragma once

#include <boost/test/unit_test.hpp>
#include <exception>
#include <string>
#include <vector>

namespace kernbench::test {

// Predicate for BOOST_CHECK_EXCEPTION: the message of the error contains `part`.
inline auto with_text(const std::string& part) {
  return [part](const std::exception& error) {
    BOOST_TEST_MESSAGE(error.what());
    return std::string(error.what()).find(part) != std::string::npos;
  };
}

// Every part is in the text, of an error say.
inline void check_contains(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    BOOST_TEST(text.find(part) != text.npos, "'" << part << "' is not in: " << text);
}

}  // namespace kernbench::test
