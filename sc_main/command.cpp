#include "sc_main/command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

namespace kernbench {
namespace {

struct RegisteredCommand {
  int position;
  std::string words, description;
  CommandRegistration::Declare declare;
};

std::vector<RegisteredCommand>& commands() {
  static std::vector<RegisteredCommand> registered;  // filled before main() begins
  return registered;
}

// Options with a file have a type that begins with "F" ("F.csv|.json") or is a folder; others are a
// name or a query.
bool needs_a_text(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type == "F" || type.compare(0, 2, "F.") == 0 || type.compare(0, 3, "DIR") == 0 ||
         type == "TEXT" || type == "QUERY";
}

// An empty text would be interpreted as no option.
void check_texts(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    // Where a value may be left out, CLI11 has an empty one then: standard output.
    if (!needs_a_text(*option) || option->get_expected_min() == 0) continue;
    for (const std::string& text : option->results()) {
      if (text.empty())
        throw UsageError(fmt::format("{} has an empty name; it takes {}", option->get_name(),
                                     option->get_type_name()));
    }
  }
}

}  // namespace

CommandRegistration::CommandRegistration(int position, const char* words, const char* description,
                                         Declare declare) {
  commands().push_back({position, words, description, declare});
}

void add_commands(CLI::App& app, Invocation& invocation) {
  std::vector<RegisteredCommand> sorted = commands();
  std::sort(sorted.begin(), sorted.end(),
            [](const RegisteredCommand& a, const RegisteredCommand& b) {
              return std::tie(a.position, a.words) < std::tie(b.position, b.words);
            });
  for (const RegisteredCommand& each : sorted) {
    CLI::App* above = &app;
    const std::size_t blank = each.words.find(' ');
    if (blank != std::string::npos) above = app.get_subcommand(each.words.substr(0, blank));
    CLI::App* command = above->add_subcommand(
        each.words.substr(blank == std::string::npos ? 0 : blank + 1), each.description);
    if (each.description.empty()) command->group("");
    each.declare(*command, invocation);
  }
}

void Invocation::on(CLI::App& command, std::function<int()> action_of_command) {
  command.callback([this, &command, run = std::move(action_of_command)] {
    if (!command.get_subcommands().empty()) return;
    check_texts(command);
    action = run;
  });
}

std::string Invocation::line() const {
  static const std::string plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word)
      line += c == '\''   ? std::string("'\\''")
              : c == '\n' ? std::string("'$'\\n''")
                          : std::string(1, c);
    line += '\'';
  }
  return line;
}

}  // namespace kernbench
