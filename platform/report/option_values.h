// Numbers on the command line, exact as written. Faults throw UsageError that names the option.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "models/base/units.h"

namespace CLI {
class Option;
}

namespace kernbench {

inline Rational decimal_option(const char* option, const std::string& text) {
  constexpr Rational::Int finest = 1'000'000'000'000'000'000;
  try {
    const Rational value = Rational::parse(text);
    if (value.den() <= finest) return value;
  } catch (const std::invalid_argument&) {
  }
  throw UsageError(fmt::format("{} {} is not a decimal number of at most 18 digits and decimals",
                               option, quote(text)));
}

// Time in nanoseconds.
inline Fs time_option(const char* option, const std::string& text) {
  try {
    return ns_to_fs(Rational::parse(text));
  } catch (const std::exception&) {
    throw UsageError(
        fmt::format("{} {} is not a time in ns, e.g. 2500 or 12.5", option, quote(text)));
  }
}

// "FROM:TO" in nanoseconds, FROM < TO.
inline std::pair<Fs, Fs> interval_option(const char* option, const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos)
    throw UsageError(
        fmt::format("{} {} is not FROM:TO in ns, e.g. 400:550.5", option, quote(text)));
  const Fs from = time_option(option, text.substr(0, colon));
  const Fs to = time_option(option, text.substr(colon + 1));
  if (from >= to) {
    throw UsageError(
        fmt::format("{} {} is empty: FROM has to be less than TO", option, quote(text)));
  }
  return {from, to};
}

// Wall-clock time in seconds; none if the text is empty.
inline std::optional<double> seconds_option(const char* option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  try {
    const Rational seconds = Rational::parse(text);
    if (Rational(0) <= seconds) return seconds.to_double();
  } catch (const std::invalid_argument&) {
  }
  throw UsageError(
      fmt::format("{} {} is not a time in seconds, e.g. 60 or 0.5", option, quote(text)));
}

// Check for counts: without it CLI11 parses -1 as 2^64 - 1.
inline CLI::Validator whole_number() {
  return CLI::Validator(
      [](const std::string& text) -> std::string {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc() && end == text.data() + text.size()) return "";
        return fmt::format("found {}, allowed is an integer, 0 to {}", quote(text), UINT64_MAX);
      },
      "");
}

// Values of an option for the completion of the command line, declared with the option.

struct Candidate {
  std::string word;  // ends in '=' or '/' where more input follows
  std::string description = {};
};
using Candidates = std::vector<Candidate>;

Candidates candidates_of(const std::vector<std::string>& words);

// Values of an option, or of a positional argument, that neither its check nor its type name
// ("F.yaml", "F.csv|.sqlite", "DIR") lists. `values` runs at a Tab behind it; the preceding words
// have been read into the variables of their options. `typed` is the value so far: candidates with
// a different start are left out. If `values` throws, there are none.
using CompletionValues = std::function<Candidates(const std::string& typed)>;
CLI::Option* completes(CLI::Option* option, CompletionValues values);
// Null: none were declared.
const CompletionValues* completion_values_of(const CLI::Option& option);

}  // namespace kernbench
