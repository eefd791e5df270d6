#include "sc_main/command_line_error.h"

#include <fmt/format.h>

#include <vector>

#include "models/base/quote.h"
#include "platform/config/nearest_name.h"

namespace kernbench {
namespace {

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
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

// CLI11 repeats values as they are.
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
    return (option ? "there is no option " : "what is ") + quote(name) +
           (option ? did_you_mean(name, names_of_options(named)) : "?");
  }
  if (!command_named) return "a command is missing";
  return with_printable_values(error.what(), words);
}

}  // namespace

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

}  // namespace kernbench
