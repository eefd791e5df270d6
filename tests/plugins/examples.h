// The example plug-ins and the installed program.
#pragma once

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/program.h"

namespace kernbench::test {

using Words = std::vector<std::string>;

inline std::string example(const std::string& name) {
  return std::string(KERNBENCH_EXAMPLES) + "/lib" + name + ".so";
}

inline Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Standard output of a run that ends with status 0.
inline std::string output_of(const Words& words) {
  const ProgramResult result = kernbench_program(words);
  BOOST_TEST(result.status == 0, result.err);
  return result.out;
}

// Text whose lines the program has wrapped, with a blank for each run of white space.
inline std::string in_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n';
    if (!blank || (!line.empty() && line.back() != ' ')) line += blank ? ' ' : c;
  }
  return line;
}

// end_ns of the requests, in the order of the rows, on the machine of one cube.
inline Words ends_of(const std::string& rows, const Words& options) {
  const TemporaryFile csv("requests.csv", "at_ns,initiator,op,target,offset,bytes\n" + rows);
  const std::string out =
      output_of(Words{"traffic", csv.path(), "--csv", "--topology", "tiny"} + options);
  Words ends;
  for (std::size_t begin = out.find('\n') + 1; begin < out.size();) {
    const std::size_t end = out.find('\n', begin);
    std::size_t at = begin;
    for (int column = 0; column < 3; ++column) at = out.find(',', at) + 1;
    ends.push_back(out.substr(at, out.find(',', at) - at));
    begin = end + 1;
  }
  return ends;
}

// `totals` of --stats, of a bench on the machine of one cube.
inline nlohmann::json totals_of(const Words& options) {
  const TemporaryFile stats("stats.json");
  output_of(Words{"run", "--topology", "tiny", "--stats", stats.path()} + options);
  return nlohmann::json::parse(stats.text())["totals"];
}

}  // namespace kernbench::test
