// Shell completion of the command line: candidates read off the CLI11 app, written as a script for
// one shell.
//
// The script is complete as of the build that wrote it: no key press starts the program, or a
// build.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace kernbench {

class Catalogue;

struct CompletedOption {
  enum class Value {
    none,             // a flag
    bench_parameter,  // NAME=VALUE, by the bench that stands before it
    given,            // `words`, files, or values that cannot be listed
  };
  std::vector<std::string>
      names;  // "--bench"; also with a value that may be left out: "--verify-data=ops"
  std::string description;
  Value value = Value::none;
  std::string value_name;               // "NS"
  std::vector<std::string> words;       // values that there are
  bool files = false;                   // values are files, too
  std::vector<std::string> extensions;  // of these; empty: of any name
  bool repeatable = false;
};

struct CompletedCommand {
  std::string path;  // words behind the program's name: "", "run", "list components"
  std::string description;
  std::vector<std::pair<std::string, std::string>> subcommands;  // with their descriptions
  std::vector<CompletedOption> options;
  std::vector<std::string> words;  // its own
  bool files = false;              // these are files
};

struct CompletedBench {
  std::string name;
  int index = 0;  // which stands for the name
  std::vector<std::pair<std::string, std::vector<std::string>>>
      parameters;  // with their choices, if there are any
};

struct CompletionModel {
  std::vector<CompletedCommand> commands;  // the program itself first
  std::vector<CompletedBench> benches;
};

// With the commands that only the launcher has.
CompletionModel completion_of(const CLI::App& app, const Catalogue& catalogue);

std::string bash_completion(const CompletionModel& completion);
std::string zsh_completion(const CompletionModel& completion);
std::string fish_completion(const CompletionModel& completion);

// In single quotes, as all three shells read them.
std::string shell_quoted(const std::string& text);
std::string joined(const std::vector<std::string>& words, const std::string& separator = " ");

}  // namespace kernbench
