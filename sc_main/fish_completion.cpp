// The script for fish: a `complete` for each word, with the command that it belongs to as its
// condition.
#include "sc_main/completion.h"

namespace kernbench {
namespace {

constexpr const char* functions = R"fish(
# Is the command before the cursor this one?
function __kernbench_at
    test "$(__kernbench_command)" = "$argv"
end

# The bench before the cursor.
function __kernbench_bench
    set -l last
    for word in (commandline -opc)
        string match -q -- '--bench=*' $word; and string replace -- '--bench=' '' $word
        test "$last" = --bench; and echo $word
        set last $word
    end
end
)fish";

// In single quotes fish knows \' and \\ only.
std::string fish_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text)
    result += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return result + "'";
}

std::string command_function(const std::vector<CompletedCommand>& commands) {
  std::string paths;
  for (const CompletedCommand& command : commands) {
    if (!command.path.empty()) paths += " " + fish_quoted(command.path);
  }
  return "function __kernbench_command\n    set -l found\n    for word in (commandline "
         "-opc)[2..-1]\n"
         "        set -l longer (string trim -- \"$found $word\")\n        contains -- "
         "\"$longer\"" +
         paths + "; and set found $longer\n    end\n    echo $found\nend\n";
}

std::string parameters_function(const std::vector<CompletedBench>& benches) {
  std::string text = "function __kernbench_parameters\n    switch (__kernbench_bench)\n";
  for (const CompletedBench& bench : benches) {
    std::vector<std::string> words;
    for (const auto& [name, choices] : bench.parameters) {
      if (choices.empty()) words.push_back(name + "=");
      for (const std::string& choice : choices) words.push_back(name + "=" + choice);
    }
    if (words.empty()) continue;
    text += "        case " + bench.name + " " + std::to_string(bench.index) +
            "\n            printf '%s\\n' " + joined(words) + "\n";
  }
  return text + "    end\nend\n";
}

// "--bench" is -l bench, "-h" is -s h.
std::string switch_of(const std::string& name) {
  return name.compare(0, 2, "--") == 0 ? "-l " + fish_quoted(name.substr(2))
                                       : "-s " + name.substr(1);
}

std::string value_of(const CompletedOption& option) {
  if (option.value == CompletedOption::Value::none) return "";
  if (option.value == CompletedOption::Value::bench_parameter)
    return " -x -a '(__kernbench_parameters)'";
  std::vector<std::string> words = option.words;
  for (const std::string& extension : option.extensions)
    words.push_back("(__fish_complete_suffix ." + extension + ")");
  const std::string list = words.empty() ? "" : " -a " + fish_quoted(joined(words));
  return (option.files && option.extensions.empty() ? " -r -F" : " -x") + list;
}

}  // namespace

std::string fish_completion(const CompletionModel& completion) {
  std::string text =
      "# Completion of kernbench for fish. For this shell: ./kernbench completion fish | source. "
      "For all: as\n"
      "# ~/.config/fish/completions/kernbench.fish.\n" +
      command_function(completion.commands) + (functions + 1) +
      parameters_function(completion.benches) + "complete -c kernbench -f\n";
  for (const CompletedCommand& command : completion.commands) {
    const std::string start =
        "complete -c kernbench -n " + fish_quoted("__kernbench_at " + command.path);
    for (const auto& [name, description] : command.subcommands)
      text += start + " -a " + name + " -d " + fish_quoted(description) + "\n";
    if (!command.words.empty()) text += start + " -a " + fish_quoted(joined(command.words)) + "\n";
    if (command.files) text += start + " -F\n";
    for (const CompletedOption& option : command.options) {
      for (const std::string& name : option.names)
        text += start + " " + switch_of(name) + value_of(option) + " -d " +
                fish_quoted(option.description) + "\n";
    }
  }
  return text;
}

}  // namespace kernbench
