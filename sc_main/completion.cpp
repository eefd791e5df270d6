#include "sc_main/completion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>

namespace kernbench {
namespace {

using Words = std::vector<std::string>;

bool begins_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

Words split(const std::string& text, char separator) {
  Words parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
  }
  return parts;
}

// Parses the type text of CLI11: "TEXT:{off,deferred,eager}".
Words listed_in(const std::string& type) {
  const std::size_t open = type.find('{'), close = type.find('}');
  return open == std::string::npos || close == std::string::npos
             ? Words()
             : split(type.substr(open + 1, close - open - 1), ',');
}

// --- files

// Kinds of files in a type name: "F", "F.yaml", "F.csv|.sqlite", "DIR", "DIR|F".
struct FileKinds {
  explicit FileKinds(const std::string& type) {
    for (const std::string& part : split(type, '|')) {
      any = any || part == "F";
      folders = folders || part == "DIR" || part == "F" || begins_with(part, "F.");
      if (folders && part.find('.') != std::string::npos)
        extensions.push_back(part.substr(part.rfind('.')));
    }
  }
  bool take(const std::filesystem::path& file) const {
    return any ||
           std::find(extensions.begin(), extensions.end(), file.extension()) != extensions.end();
  }
  bool any = false, folders = false;
  Words extensions;
};

Candidates files(const FileKinds& kinds, const std::string& typed) {
  const std::string folder = typed.substr(0, typed.rfind('/') + 1);  // as typed
  std::string place = folder.empty() ? "." : folder;
  if (const char* home = std::getenv("HOME"); home != nullptr && begins_with(place, "~/"))
    place.replace(0, 1, home);
  Candidates candidates;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(place, error)) {
    const std::string name = entry.path().filename();
    if (name.front() == '.' && typed.compare(folder.size(), 1, ".") != 0) continue;
    if (entry.is_directory(error)) {
      candidates.push_back({folder + name + '/'});
    } else if (kinds.take(name)) {
      candidates.push_back({folder + name});
    }
  }
  return candidates;
}

// --- options and commands

bool takes_value(const CLI::Option* option) {
  return option != nullptr && option->get_items_expected_max() > 0;
}

Candidates values_of(const CLI::Option& option, const std::string& typed) {
  Candidates candidates = candidates_of(listed_in(option.get_type_name()));
  if (const CompletionValues* declared = completion_values_of(option)) {
    try {
      candidates = (*declared)(typed);
    } catch (const std::exception&) {  // reported when the command runs
    }
  }
  const FileKinds kinds(option.get_name() == "FILE" ? "F" : option.get_type_name());
  if (!kinds.folders) return candidates;
  for (Candidate& file : files(kinds, typed)) candidates.push_back(std::move(file));
  return candidates;
}

Candidates names_of_options(const CLI::App& command) {
  Candidates candidates;
  for (const CLI::Option* option : command.get_options()) {
    const std::string description = option->get_description(), type = option->get_type_name();
    for (const std::string& name : option->get_snames())
      candidates.push_back({"-" + name, description});
    for (const std::string& name : option->get_lnames()) {
      candidates.push_back({"--" + name, description});
      if (!takes_value(option) && begins_with(type, "[="))
        candidates.push_back({"--" + name + type.substr(1, type.size() - 2), description});
    }
  }
  return candidates;
}

Candidates names_of_commands(const CLI::App& app) {
  Candidates candidates;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty())
      candidates.push_back({command->get_name(), command->get_description()});
  }
  return candidates;
}

// Candidates for the first missing word of the command itself.
Candidates words_of(const CLI::App& command, const std::string& typed) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional() && (option->count() == 0 || option->get_items_expected_max() > 1))
      return values_of(*option, typed);
  }
  return {};
}

// --- commands of the script ./kernbench

const Candidates launcher_commands{
    {"test", "Build everything and run the tests; arguments are passed to ctest"},
    {"bench", "Measure the simulation speed; arguments are passed to Google Benchmark"}};

Candidates launcher_options(const std::string& command) {
  if (command == "bench")
    return {{"--benchmark_filter", "Measurements whose name matches"},
            {"--rounds", "Number of rounds"}};
  return {
      {"-R", "Tests whose name matches"}, {"-E", "Exclude tests whose name matches"},
      {"-j", "Number of parallel jobs"},  {"-N", "List the tests"},
      {"-V", "Show their output"},        {"--rerun-failed", "Tests that failed in the last run"}};
}

bool is_launcher_command(const std::string& word) {
  return std::any_of(launcher_commands.begin(), launcher_commands.end(),
                     [&](const Candidate& each) { return each.word == word; });
}

// ---

// Command that the words name, also if they are incomplete or wrong.
CLI::App& command_of(CLI::App& app, Words words) {
  std::reverse(words.begin(), words.end());  // order that parse() expects
  try {
    app.parse(std::move(words));
  } catch (const std::exception&) {
  }
  CLI::App* named = &app;
  while (!named->get_subcommands().empty()) named = named->get_subcommands().front();
  return *named;
}

Candidates all_candidates(CLI::App& app, Words words, const std::string& typed) {
  if (!words.empty() && is_launcher_command(words.front()))
    return begins_with(typed, "-") ? launcher_options(words.front()) : Candidates();
  std::string last;  // may be an option whose value is completed
  if (!words.empty() && begins_with(words.back(), "-")) {
    last = words.back();
    words.pop_back();
  }
  CLI::App& command = command_of(app, words);
  if (const CLI::Option* option = command.get_option_no_throw(last);
      !last.empty() && takes_value(option))
    return values_of(*option, typed);
  const std::size_t equals = begins_with(typed, "--") ? typed.find('=') : std::string::npos;
  if (const CLI::Option* option = command.get_option_no_throw(typed.substr(0, equals));
      equals != std::string::npos && takes_value(option)) {
    Candidates candidates = values_of(*option, typed.substr(equals + 1));
    for (Candidate& each : candidates) each.word.insert(0, typed, 0, equals + 1);
    return candidates;
  }
  if (begins_with(typed, "-")) return names_of_options(command);
  Candidates candidates = names_of_commands(command);
  if (&command == &app)
    candidates.insert(candidates.end(), launcher_commands.begin(), launcher_commands.end());
  for (Candidate& word : words_of(command, typed)) candidates.push_back(std::move(word));
  return candidates;
}

}  // namespace

Candidates complete(CLI::App& app, std::vector<std::string> words) {
  std::string typed;
  if (!words.empty()) {
    typed = words.back();
    words.pop_back();
  }
  Candidates candidates = all_candidates(app, std::move(words), typed);
  candidates.erase(
      std::remove_if(candidates.begin(), candidates.end(),
                     [&](const Candidate& each) { return !begins_with(each.word, typed); }),
      candidates.end());
  return candidates;
}

}  // namespace kernbench
