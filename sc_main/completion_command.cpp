// `kernbench completion`: the script by which a shell completes the words of this program.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>

#include "sc_main/command.h"
#include "sc_main/completion.h"
#include "sc_main/machine_options.h"

namespace kernbench {
namespace {

struct Shell {
  const char* name;
  std::string (*script)(const CompletionModel& completion);
};
constexpr Shell shells[] = {
    {"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};

std::vector<std::string> shell_names() {
  std::vector<std::string> names;
  for (const Shell& shell : shells) names.emplace_back(shell.name);
  return names;
}

struct CompletionOptions {
  std::string shell;
  MachineOptions machine;
};

int print_completion(const CLI::App& app, const CompletionOptions& options) {
  const auto shell = std::find_if(std::begin(shells), std::end(shells),
                                  [&](const Shell& each) { return options.shell == each.name; });
  std::cout << shell->script(completion_of(app, options.machine.load_catalogue()));
  return exit_done;
}

}  // namespace

void add_completion_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<CompletionOptions>();
  CLI::App* command = app.add_subcommand(
      "completion", "Prints a script by which a shell completes commands, options and values");
  command->add_option("SHELL", options->shell, "The shell")
      ->required()
      ->type_name("")
      ->check(CLI::IsMember(shell_names()));
  options->machine.add_components_to(*command);
  command->footer(
      "Offered are commands, options, benches and their parameters, topologies, modes and files, "
      "for kernbench and ./kernbench "
      "alike, "
      "with\n`test` and `bench` of the latter.\n\n"
      "Examples:\n"
      "  source <(./kernbench completion bash)                             this shell; in "
      "~/.bashrc: every one\n"
      "  source <(./kernbench completion zsh)                              in ~/.zshrc, after "
      "compinit\n"
      "  ./kernbench completion fish > ~/.config/fish/completions/kernbench.fish\n"
      "  kernbench completion bash --plugin libacme.so                     with the benches of a "
      "plug-in\n");
  command->callback([&app, options, &invocation] {
    invocation.action = [&app, options] { return print_completion(app, *options); };
  });
}

}  // namespace kernbench
