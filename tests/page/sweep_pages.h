// Results of made-up sweeps, and their pages.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "platform/page/sweep_page.h"

namespace kernbench::test {

inline ResultValues numbers(const std::string& name, const std::string& role,
                            const std::vector<double>& values) {
  return {name, role, true, values, {}};
}
inline ResultValues texts(const std::string& name, const std::string& role,
                          const std::vector<std::string>& values) {
  return {name, role, false, std::vector<double>(values.size(), NAN), values};
}

// Three points with M = 16, 8, 32: the second has failed; `name` is that of an axis.
inline SweepResults three_points(const std::string& name = "M", const std::string& text = "text") {
  SweepResults results;
  results.requested = 3;
  results.facts = {{"command_line", "kernbench sweep p.yaml --out d"},
                   {"version", "kernbench 1"},
                   {"host", "a host"},
                   {"plan", "bench: " + text}};
  results.columns = {
      numbers("point", "point", {1, 2, 3}),
      texts("status", "point", {"ok", "failed", "ok"}),
      texts("message", "point", {"", text, ""}),
      texts("hash", "point", {"h1", "h2", "h3"}),
      numbers(name, "axis", {16, 8, 32}),
      texts("command", "point", {"run --param M=16", "run " + text, "run --param M=32"}),
      numbers("simulated_ns", "summary", {250.5, NAN, 1000.25}),
      numbers("links.pcie.bytes", "summary", {64, NAN, 128}),
      texts("address_model", "summary", {"pa", "pa", "pa"}),
      numbers("rate", "derived", {0.5, NAN, 0.25})};
  results.configurations.bases = {"system:\n  text: " + text + "\n"};
  results.configurations.points = {{0, {}}, {0, {"M=8", text}}, {0, {"M=32"}}};
  return results;
}

inline std::string page_of(const SweepResults& results, const std::string& text = "A question.") {
  SweepPage page;
  page.title = "Title " + text;
  page.text = text;
  page.results_csv = "results.csv";
  return sweep_page_html(page, results);
}

}  // namespace kernbench::test
