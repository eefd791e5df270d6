// The script for bash: tables as case statements, and one function that reads them.
#include "sc_main/completion.h"

namespace kernbench {
namespace {

constexpr const char* function = R"bash(
# Readline has cut words at = and :, and replaces the last piece only.
_kernbench() {
  local -a words=()
  local word i glued=0
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((i > 1)) && { ((glued)) || [[ $word =~ ^[=:]+$ ]]; }; then
      words[${#words[@]} - 1]+=$word
    else
      words+=("$word")
    fi
    if [[ $word =~ ^[=:]+$ ]]; then glued=1; else glued=0; fi
  done
  local current=${words[${#words[@]} - 1]} piece=${COMP_WORDS[COMP_CWORD]}
  [[ $piece =~ ^[=:]+$ ]] && piece=
  local before=${current%"$piece"} # of the current word, and stays as it is

  local command= option= bench=
  for word in "${words[@]:1:${#words[@]}-2}"; do
    if [[ -n $option ]]; then
      [[ $option == --bench ]] && bench=$word
      option=
    elif [[ $word == --bench=* ]]; then
      bench=${word#*=}
    elif [[ $word == -* ]]; then
      [[ $word != *=* && -n $(_kernbench_value "$command" "$word") ]] && option=$word
    elif [[ " $(_kernbench_commands "$command") " == *" $word "* ]]; then
      command+=${command:+ }$word
    fi
  done

  local kind prefix=
  if [[ -z $option && $current == --*=* ]]; then
    option=${current%%=*}
    prefix=$option=
  fi
  if [[ -n $option ]]; then
    kind=$(_kernbench_value "$command" "$option")
    # A flag may have a value that is part of its name.
    [[ -n $kind ]] || { kind="words $(_kernbench_options "$command")"; prefix=; }
  elif [[ $current == -* ]]; then
    kind="words $(_kernbench_options "$command")"
  else
    kind="words $(_kernbench_commands "$command")"
    [[ $kind == 'words ' ]] && kind=$(_kernbench_value "$command" '')
  fi

  local value=${current#"$prefix"} name extension
  local -a candidates=() rest
  read -ra rest <<<"$kind"
  case ${rest[0]-} in
    words) candidates=("${rest[@]:1}") ;;
    param)
      name=${value%%=*}
      if [[ $value == *=* ]]; then
        for word in $(_kernbench_choices "$bench" "$name"); do candidates+=("$name=$word"); done
      else
        candidates=($(_kernbench_parameters "$bench"))
      fi
      ;;
    files)
      candidates=("${rest[@]:2}")
      compopt -o filenames 2>/dev/null
      if [[ ${rest[1]} == any ]]; then
        while IFS= read -r word; do candidates+=("$word"); done < <(compgen -f -- "$value")
      else
        while IFS= read -r word; do candidates+=("$word"); done < <(compgen -d -- "$value")
        for extension in ${rest[1]//,/ }; do
          while IFS= read -r word; do candidates+=("$word"); done < <(compgen -f -X "!*.$extension" -- "$value")
        done
      fi
      ;;
  esac
  COMPREPLY=()
  for word in "${candidates[@]}"; do
    [[ $prefix$word == "$current"* ]] || continue
    word=$prefix$word
    COMPREPLY+=("${word#"$before"}")
  done
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _kernbench kernbench ./kernbench
)bash";

std::string case_line(const std::string& pattern, const std::string& text) {
  return "    " + pattern + ") echo " + shell_quoted(text) + " ;;\n";
}

std::string table(const std::string& name, const std::string& key, const std::string& lines) {
  return name + "() {\n  case " + key + " in\n" + lines + "  esac\n}\n";
}

std::string kind_of(const CompletedOption& option) {
  if (option.value == CompletedOption::Value::bench_parameter) return "param";
  if (option.files)
    return "files " + (option.extensions.empty() ? "any" : joined(option.extensions, ",")) +
           (option.words.empty() ? "" : " " + joined(option.words));
  return option.words.empty() ? "any" : "words " + joined(option.words);
}

}  // namespace

std::string bash_completion(const CompletionModel& completion) {
  std::string commands, options, values, parameters, choices;
  for (const CompletedCommand& command : completion.commands) {
    std::vector<std::string> subcommands, names;
    for (const auto& [name, description] : command.subcommands) subcommands.push_back(name);
    if (!subcommands.empty())
      commands += case_line(shell_quoted(command.path), joined(subcommands));
    if (!command.words.empty())
      values += case_line(shell_quoted(command.path + " "), "words " + joined(command.words));
    if (command.files) values += case_line(shell_quoted(command.path + " "), "files any");
    for (const CompletedOption& option : command.options) {
      names.insert(names.end(), option.names.begin(), option.names.end());
      if (option.value == CompletedOption::Value::none) continue;
      for (const std::string& name : option.names)
        values += case_line(shell_quoted(command.path + " " + name), kind_of(option));
    }
    options += case_line(shell_quoted(command.path), joined(names));
  }
  for (const CompletedBench& bench : completion.benches) {
    const std::string index = std::to_string(bench.index);
    std::string names;
    for (const auto& [name, words] : bench.parameters) {
      names += (names.empty() ? "" : " ") + name + "=";
      if (!words.empty())
        choices += case_line(
            shell_quoted(bench.name + " " + name) + "|" + shell_quoted(index + " " + name),
            joined(words));
    }
    parameters += case_line(shell_quoted(bench.name) + "|" + index, names);
  }
  return "# Completion of kernbench for bash 4 or later. For this shell: source <(./kernbench "
         "completion bash)\n" +
         table("_kernbench_commands", "$1", commands) + table("_kernbench_options", "$1", options) +
         "# Of a command's option, or of its own words: param, files EXTENSIONS WORD..., words "
         "WORD..., any.\n" +
         table("_kernbench_value", "\"$1 $2\"", values) +
         table("_kernbench_parameters", "$1", parameters) +
         table("_kernbench_choices", "\"$1 $2\"", choices) + (function + 1);
}

}  // namespace kernbench
