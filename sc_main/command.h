// Commands of the program: each is a file that registers itself; there is no list of commands.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/base/errors.h"

namespace CLI {
class App;
}

namespace kernbench {

struct Invocation {
  std::vector<std::string> words;  // words of the command line
  std::function<int()> action;     // action of the named command; returns the exit status

  std::string line() const;  // words quoted for a shell
  // Runs `action_of_command` if the command line names `command`.
  void on(CLI::App& command, std::function<int()> action_of_command);
};

// Registration of a command: an object at namespace scope in the command's file.
class CommandRegistration {
 public:
  // Declares the options and the footer of the help, and sets the action.
  using Declare = void (*)(CLI::App& command, Invocation& invocation);

  // `words`: "run", or "list keys" for a nested command. `position`: smaller ones are first in the
  // help. A command without a description is hidden from the help.
  CommandRegistration(int position, const char* words, const char* description, Declare declare);
};

// Adds all registered commands.
void add_commands(CLI::App& app, Invocation& invocation);

}  // namespace kernbench
