// Completion of the command line at a Tab: candidates read off the CLI11 app.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

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

// `words` behind the program's name, the last one up to the cursor. Reads `app` anew. With the
// commands that only the launcher has.
Candidates complete(CLI::App& app, std::vector<std::string> words);

}  // namespace kernbench
