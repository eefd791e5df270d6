// Values of an option for the completion of the command line, declared with the option.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class Option;
}

namespace kernbench {

struct Candidate {
  std::string word;  // ends in '=' or '/' where more is to be typed
  std::string description = {};
};
using Candidates = std::vector<Candidate>;

Candidates candidates_of(const std::vector<std::string>& words);

// Values of an option, or of a word of the command itself, that neither its check nor its type name
// ("F.yaml", "F.csv|.sqlite", "DIR") lists. `values` runs at a Tab behind it; the words before have
// been read into the variables of their options. `typed` is the value so far: candidates that do
// not begin with it are left out. Where `values` throws, there are none.
using CompletionValues = std::function<Candidates(const std::string& typed)>;
CLI::Option* completes(CLI::Option* option, CompletionValues values);
// Null: none were declared.
const CompletionValues* completion_values_of(const CLI::Option& option);

}  // namespace kernbench
