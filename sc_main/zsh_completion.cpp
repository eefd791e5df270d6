// The script for zsh: an _arguments call for each command.
#include "sc_main/completion.h"

namespace kernbench {
namespace {

// Of a specification of _arguments and _describe: a colon ends a part, brackets hold the
// description.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string function_of(const std::string& path) {
  std::string name = "_kernbench";
  for (const char c : path.empty() ? "" : "_" + path) name += c == ' ' ? '_' : c;
  return name;
}

// A single name in parentheses would be a glob qualifier.
std::string glob(const std::vector<std::string>& extensions) {
  if (extensions.empty()) return "\"*\"";
  return extensions.size() == 1 ? "\"*." + extensions.front() + "\""
                                : "\"*.(" + joined(extensions, "|") + ")\"";
}

// An action that starts with a blank gets its own arguments only.
std::string action_of(const CompletedOption& option) {
  if (option.value == CompletedOption::Value::bench_parameter) return "_kernbench_parameters";
  std::vector<std::string> words;
  for (const std::string& word : option.words) words.push_back(escaped(word));
  if (option.files && words.empty()) return "_files -g " + glob(option.extensions);
  if (option.files)
    return " _kernbench_names_or_files " + glob(option.extensions) + " " + joined(words);
  return words.empty() ? " " : "(" + joined(words) + ")";
}

std::string specifications(const CompletedOption& option) {
  std::string lines;
  for (const std::string& name : option.names) {
    const bool takes_value = option.value != CompletedOption::Value::none;
    std::string text = (option.repeatable ? "*" : "") + name +
                       (takes_value && name.compare(0, 2, "--") == 0 ? "=" : "") + "[" +
                       escaped(option.description) + "]";
    if (takes_value) text += ":" + escaped(option.value_name) + ":" + action_of(option);
    lines += " \\\n    " + shell_quoted(text);
  }
  return lines;
}

std::string function_text(const CompletedCommand& command) {
  std::string text = function_of(command.path) + "() {\n";
  if (!command.subcommands.empty())
    text +=
        "  local curcontext=$curcontext state line\n  typeset -A opt_args\n  local -a commands=(\n";
  for (const auto& [name, description] : command.subcommands)
    text += "    " + shell_quoted(name + ":" + escaped(description)) + "\n";
  if (!command.subcommands.empty()) text += "  )\n";
  text += command.subcommands.empty() ? "  _arguments" : "  _arguments -C";
  for (const CompletedOption& option : command.options) text += specifications(option);
  if (!command.words.empty())
    text += " \\\n    " + shell_quoted("1:word:(" + joined(command.words) + ")");
  if (command.files) text += " \\\n    '*:file:_files'";
  if (command.subcommands.empty()) return text + "\n}\n";
  text +=
      " \\\n    '1:command:->command' \\\n    '*::argument:->argument'\n  case $state in\n    "
      "command) _describe command commands "
      ";;\n";
  text += "    argument)\n      case $line[1] in\n";
  for (const auto& entry : command.subcommands) {
    const std::string path = command.path.empty() ? entry.first : command.path + " " + entry.first;
    text += "        " + entry.first + ") " + function_of(path) + " ;;\n";
  }
  return text + "      esac\n      ;;\n  esac\n}\n";
}

std::string parameters_function(const std::vector<CompletedBench>& benches) {
  std::string text =
      "_kernbench_parameters() {\n  local bench=${opt_args[--bench]}\n  case $bench in\n";
  for (const CompletedBench& bench : benches) {
    text += "    " + bench.name + "|" + std::to_string(bench.index) + ") _values -w parameter";
    for (const auto& [name, words] : bench.parameters)
      text +=
          " " + shell_quoted(name + ":value:" + (words.empty() ? " " : "(" + joined(words) + ")"));
    text += " ;;\n";
  }
  return text + "    *) _message 'the bench comes first' ;;\n  esac\n}\n";
}

}  // namespace

std::string zsh_completion(const CompletionModel& completion) {
  std::string text =
      "#compdef kernbench\n"
      "# Completion of kernbench for zsh. For this shell, after compinit: source <(./kernbench "
      "completion zsh). For all: as "
      "_kernbench in a\n"
      "# folder of $fpath.\n"
      "_kernbench_names_or_files() {\n"
      "  local pattern=$1\n"
      "  shift\n"
      "  _alternative \"names:name:($*)\" \"files:file:_files -g ${(qq)pattern}\"\n"
      "}\n" +
      parameters_function(completion.benches);
  for (const CompletedCommand& command : completion.commands) text += function_text(command);
  return text +
         "if [[ $funcstack[1] == _kernbench ]]; then\n  _kernbench \"$@\"\nelse\n  compdef "
         "_kernbench kernbench\nfi\n";
}

}  // namespace kernbench
