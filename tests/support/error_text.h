// Checks of texts: messages of errors, what a program has printed.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <exception>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kernbench::test {

// Predicates for BOOST_CHECK_EXCEPTION: the message of the error contains every part.
template <class Error = std::exception>
auto with_text(std::vector<std::string> parts) {
  return [parts = std::move(parts)](const Error& error) {
    BOOST_TEST_MESSAGE(error.what());
    const std::string text = error.what();
    return std::all_of(parts.begin(), parts.end(), [&text](const std::string& part) {
      return text.find(part) != std::string::npos;
    });
  };
}
// One part. Its type is deduced, so that {"a", "b"} are two parts, not the ends of a std::string.
template <class Error = std::exception, class Part,
          class = std::enable_if_t<std::is_convertible_v<const Part&, std::string>>>
auto with_text(const Part& part) {
  return with_text<Error>(std::vector<std::string>{part});
}

// What `call` throws; empty: nothing.
template <class Error = std::exception, class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// Every part is in the text, of an error say.
inline void check_contains(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    BOOST_TEST(text.find(part) != text.npos, "'" << part << "' is not in: " << text);
}

}  // namespace kernbench::test
