// Times of the forms of a bench: against each other, and against the guide.
#pragma once

#include <fmt/format.h>

#include "tests/benches/verified_runs.h"
#include "tests/support/temporary_folder.h"

namespace kernbench::test {

inline Parameters with(Parameters parameters, const Parameters& more) {
  parameters.insert(parameters.end(), more.begin(), more.end());
  return parameters;
}

inline BenchRunOptions on_16_cubes() {
  BenchRunOptions options;
  options.topology = "topology.yaml";
  return options;
}

// pe_exec of the longest launch; with as much data as the bench needs.
inline Fs time_of(const std::string& bench, const Parameters& parameters) {
  return forked_value([&] {
    BenchRegistry benches;
    register_benches(benches);
    BenchRunOptions options;
    options.data = benches.find(bench).needs_data;
    const BenchOutcome outcome = run_bench(bench, parameters, options);
    BOOST_TEST(outcome.status == "completed", outcome.error);
    return outcome.longest_launch;
  });
}

// How many times longer `other` takes than `form`.
inline double gain(const std::string& bench, const Parameters& parameters,
                   const char* form = "blocks", const char* other = "detour") {
  const Fs time = time_of(bench, with(parameters, {{"form", form}})),
           others = time_of(bench, with(parameters, {{"form", other}}));
  std::string given;
  for (const auto& [name, value] : parameters) given += " " + name + "=" + value;
  const double ratio = static_cast<double>(others) / static_cast<double>(time);
  BOOST_TEST_MESSAGE(fmt::format("{}{}: {} {} ns, {} {} ns, {:.2f} times", bench, given, form,
                                 time / fs_per_ns, other, others / fs_per_ns, ratio));
  return ratio;
}

// The guide has `row`, with the time for "{}", as the first of its kind from `heading` on.
inline void expect_in_guide(Fs time, const std::string& heading, const std::string& row) {
  const std::string guide = source_text("sw/README.md");
  const std::size_t table = guide.find(heading);
  BOOST_REQUIRE_MESSAGE(table != std::string::npos, heading << " is not in the guide");
  const std::size_t number = row.find("{}");
  const std::string before = row.substr(0, number),
                    text = before + std::to_string((time + fs_per_ns / 2) / fs_per_ns) +
                           row.substr(number + 2);
  const std::size_t at = guide.find(before, table);
  BOOST_TEST((at != std::string::npos && guide.compare(at, text.size(), text) == 0),
             text << " is not in the guide");
}

}  // namespace kernbench::test
