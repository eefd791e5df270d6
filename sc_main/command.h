// Commands of the program: each is a file that registers itself; no list names them.
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
  std::vector<std::string> words;  // the command line
  std::function<int()> action;     // of the command that was named; returns the exit status

  std::string line() const;  // the words, quoted where a shell needs it
  // `action_of_command` runs if the command line names `command`.
  void on(CLI::App& command, std::function<int()> action_of_command);
};

// A command of the program: an object at namespace scope in the command's file.
class CommandRegistration {
 public:
  // Declares the options and the footer of the help, and sets the action.
  using Declare = void (*)(CLI::App& command, Invocation& invocation);

  // `words`: "run", or "list keys" for a command below another one. `position`: smaller ones come
  // first in the help. Without a description the help does not show it.
  CommandRegistration(int position, const char* words, const char* description, Declare declare);
};

// All registered commands.
void add_commands(CLI::App& app, Invocation& invocation);

}  // namespace kernbench
