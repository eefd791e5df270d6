// The program: reads the command line, runs the named command, and converts errors to a message and
// an exit status.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <systemc>

#include "models/base/errors.h"
#include "models/base/exception_text.h"
#include "models/base/quote.h"
#include "platform/assembly/fault_guard.h"
#include "platform/assembly/report_guard.h"
#include "platform/config/config_tree.h"
#include "platform/config/nearest_name.h"
#include "platform/config/shipped_files.h"
#include "platform/observe/log_selection.h"
#include "platform/output/text_layout.h"
#include "sc_main/build_info.h"
#include "sc_main/command.h"

namespace kernbench {
namespace {

// --- help

// Text of at most line_width columns; command lines are continued in shell syntax.
class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(32); }

  // A value that needs '=' before it follows without a blank: "--slurm[=ARGS]".
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string type = option->get_type_name();
    return type.compare(0, 2, "[=") == 0 ? type : CLI::Formatter::make_option_opts(option);
  }

  std::string make_description(const CLI::App* app) const override {
    return fitted(CLI::Formatter::make_description(app));
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    return fitted(CLI::Formatter::make_usage(app, std::move(name)), 4);
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return fitted(CLI::Formatter::make_subcommand(command));
  }
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    const std::string name =
        "  " + make_option_name(option, is_positional) + make_option_opts(option);
    const std::size_t column = get_column_width();
    std::string text = fitted(name, 4);
    const std::string description = make_option_desc(option);
    if (description.empty()) return text + '\n';
    text += name.size() >= column ? '\n' + std::string(column, ' ')
                                  : std::string(column - name.size(), ' ');
    for (const std::string& line : broken_at_blanks(description, line_width - column))
      text += line + '\n' + std::string(column, ' ');
    return text.substr(0, text.size() - column);
  }
  std::string make_footer(const CLI::App* app) const override {
    std::istringstream lines(CLI::Formatter::make_footer(app));
    std::string text;
    for (std::string line; std::getline(lines, line);)
      text += (line.compare(0, 12, "  kernbench ") == 0 ? continued(line) : fitted(line)) + '\n';
    return text;
  }

 private:
  // Line break before an option.
  static std::string continued(std::string line) {
    std::string text;
    while (line.size() > line_width) {
      const std::size_t end = line.rfind(" --", line_width - 2);
      if (end == std::string::npos || end < line.size() / 4) break;
      text += line.substr(0, end) + " \\\n";
      line = "     " + line.substr(end);
    }
    return text + line;
  }
};

// --- messages

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> names_of_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

// CLI11 repeats values verbatim.
std::string with_printable_values(std::string text, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    for (const std::string& value : {word, word.substr(word.find('=') + 1)}) {
      const std::string shown = printable(value);
      if (shown != value) replace_all(text, value, shown);
    }
  }
  return text;
}

std::string reason(const CLI::App& app, const CLI::App& named, const CLI::ParseError& error,
                   const std::vector<std::string>& words) {
  const std::vector<std::string> left = app.remaining(true);
  const bool command_named = &named != &app;
  if (!left.empty() &&
      (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr || !command_named)) {
    const std::string& word = left.front();
    const bool option = word.compare(0, 1, "-") == 0;
    if (!option &&
        (!command_named || !named.get_subcommands([](const CLI::App*) { return true; }).empty())) {
      return fmt::format("there is no command {}{}", quote(word),
                         did_you_mean(word, names_of_commands(named)));
    }
    const std::string name = word.substr(0, word.find('='));
    const std::vector<std::string> known = names_of_options(named);
    if (option && std::find(known.begin(), known.end(), name) != known.end())
      return fmt::format("{} is an option of the command: write it after the command", quote(name));
    return (option ? "there is no option " : "what is ") + quote(name) +
           (option ? did_you_mean(name, known) : "?");
  }
  if (!command_named) return "a command is missing";
  return with_printable_values(error.what(), words);
}

// One-line message with the nearest command or option, if any, and a reference to the help.
std::string command_line_error(const CLI::App& app, const CLI::ParseError& error,
                               const std::vector<std::string>& words) {
  const CLI::App* named = &app;
  std::string help = app.get_name();
  while (!named->get_subcommands().empty()) {
    named = named->get_subcommands().front();
    help += ' ' + named->get_name();
  }
  return fmt::format("{}\nRun '{} --help' for what it takes.", reason(app, *named, error, words),
                     help);
}

int report(const std::string& what, int status) {
  std::cout << std::flush;
  std::cerr << "kernbench: error: " << what << (what.empty() || what.back() != '\n' ? "\n" : "")
            << std::flush;
  return status;
}

int run_command_line(int argc, char* argv[]) {
  Invocation invocation{{argv, argv + argc}, {}};
  CLI::App app("KernBench: a virtual platform of a multi-device AI accelerator", "kernbench");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());
  app.footer(
      "Examples:\n"
      "  kernbench list\n"
      "  kernbench run --bench matmul-composite --verify-data\n"
      "  kernbench run --help\n\n"
      "Exit status: 0 done, 1 a run or a check failed, 2 wrong usage or configuration, 3 deadlock "
      "or livelock.\n");
  add_commands(app, invocation);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return report(command_line_error(app, error, invocation.words), exit_usage);
  }
  try {
    set_shipped_configs(shipped_configs().string());
  } catch (const UsageError&) {  // reported if the command needs the catalogue
  }
  const std::function<int()> action = invocation.action;  // `complete` parses again
  return action();
}

// Lost output is a failure, also if it is lost in the last flush.
int delivered(int status) {
  std::cout << std::flush;
  if (!std::cout && status == exit_done)
    return report("standard output cannot be written", exit_failed);
  return status;
}

int run_guarded(int argc, char* argv[]) {
  const FaultGuard faults;
  const ReportGuard reports(&print_report_line);
  try {
    return delivered(run_command_line(argc, argv));
  } catch (const std::exception& error) {
    return report(text_of(error), exit_status_of(error));
  } catch (...) {
    return report("an exception that is not a std::exception", exit_failed);
  }
}

}  // namespace
}  // namespace kernbench

int sc_main(int argc, char* argv[]) {
  const int status = kernbench::run_guarded(argc, argv);
  std::cerr << std::flush;
  ::_exit(status);  // exit without destructors: tearing down a machine of thousands of modules
                    // would take longer than many runs
}

// libsystemc has its own main(), which prints a banner; this one overrides it.
int main(int argc, char* argv[]) {
  ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}
