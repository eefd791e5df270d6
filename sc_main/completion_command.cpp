// `kernbench completion`: script for shell completion of this program, and `kernbench complete`,
// which the script calls at each Tab.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "sc_main/command.h"
#include "sc_main/completion.h"

namespace kernbench {
namespace {

constexpr const char* bash_script = R"bash(# Completion of kernbench for bash 4 or later.
# For this shell: source <(./kernbench completion bash)
_kernbench() {
  local program=@program@ line
  COMPREPLY=()
  [[ -x $program ]] || return 0
  while IFS= read -r line; do
    COMPREPLY+=("$line")
  done < <("$program" complete bash "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=/] ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _kernbench kernbench ./kernbench
)bash";

constexpr const char* zsh_script = R"zsh(#compdef kernbench
# Completion of kernbench for zsh.
# For this shell, after compinit: source <(./kernbench completion zsh). For all: as _kernbench in a folder of $fpath.
_kernbench() {
  local program=@program@ line word
  local -a whole begun
  [[ -x $program ]] || return 1
  for line in "${(@f)$("$program" complete zsh "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    word=${${line%%$'\t'*}//:/\\:}
    case $word in
      '') ;;
      *[=/]) begun+=("$word:${line#*$'\t'}") ;;
      *) whole+=("$word:${line#*$'\t'}") ;;
    esac
  done
  _describe kernbench whole -- begun -S ''
}
if [[ $funcstack[1] == _kernbench ]]; then _kernbench "$@"; else compdef _kernbench kernbench; fi
)zsh";

constexpr const char* fish_script = R"fish(# Completion of kernbench for fish.
# For this shell: ./kernbench completion fish | source. For all: as ~/.config/fish/completions/kernbench.fish.
function __kernbench_complete
    set -l program @program@
    set -l words (commandline -opc)
    test -x $program; and $program complete fish $words[2..-1] "$(commandline -ct)" 2>/dev/null
end
complete -c kernbench -f -a '(__kernbench_complete)'
)fish";

// Single quotes, which all three shells support.
std::string shell_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// The script calls the program that has written it, so that no key press starts a build.
int print_script(const std::string& shell) {
  std::string script = shell == "bash" ? bash_script : shell == "zsh" ? zsh_script : fish_script;
  const std::string mark = "@program@";
  std::cout << script.replace(script.find(mark), mark.size(),
                              shell_quoted(std::filesystem::read_symlink("/proc/self/exe")));
  return exit_done;
}

// --- candidates

// Readline splits words at = and :, and replaces only the last piece. Returns the words, and the
// length of the unchanged part of the last one.
struct BashWords {
  explicit BashWords(const std::vector<std::string>& pieces) {
    bool glued = false;
    for (const std::string& piece : pieces) {
      const bool separates = !piece.empty() && piece.find_first_not_of("=:") == std::string::npos;
      if (!words.empty() && (glued || separates)) {
        kept = words.back().size() + (separates ? piece.size() : 0);
        words.back() += piece;
      } else {
        kept = 0;
        words.push_back(piece);
      }
      glued = separates;
    }
    if (words.empty()) return;
    std::string plain;  // without shell quotes
    for (const char c : words.back()) plain += c == '\\' ? std::string() : std::string(1, c);
    words.back() = plain;
  }
  static std::string quoted(const std::string& word) {
    std::string text;
    for (const char c : word) {
      if (std::string(" \t'\"\\$&();<>|`*?[]{}#!").find(c) != std::string::npos) text += '\\';
      text += c;
    }
    return text;
  }
  std::vector<std::string> words;
  std::size_t kept = 0;
};

int print_candidates(CLI::App& app, const std::vector<std::string>& words) {
  const std::string shell = words.size() > 2 ? words[2] : "";
  const std::vector<std::string> typed(words.begin() + std::min<std::size_t>(3, words.size()),
                                       words.end());
  if (shell == "bash") {
    const BashWords bash(typed);
    for (const Candidate& each : complete(app, bash.words))
      std::cout << BashWords::quoted(each.word.substr(std::min(bash.kept, each.word.size())))
                << '\n';
    return exit_done;
  }
  for (const Candidate& each : complete(app, typed))
    std::cout << each.word << '\t' << each.description << '\n';
  return exit_done;
}

// complete() parses its words, which may be any.
void declare_complete(CLI::App& command, Invocation& invocation) {
  command.prefix_command();
  invocation.on(command, [&app = *command.get_parent(), &invocation] {
    return print_candidates(app, invocation.words);
  });
}
const CommandRegistration complete_registration(990, "complete", "", declare_complete);

void declare_completion(CLI::App& command, Invocation& invocation) {
  const auto shell = std::make_shared<std::string>();
  command.add_option("SHELL", *shell, "The shell")
      ->required()
      ->type_name("")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command.footer(
      "Completes commands, options, benches and their parameters, topologies, modes and files for "
      "kernbench and ./kernbench, including `test` and `bench` of the latter; with --plugin before "
      "the cursor also items of the plug-in. A Tab runs this program without a build.\n\n"
      "Examples:\n"
      "  source <(./kernbench completion bash)      this shell; in ~/.bashrc: every one\n"
      "  source <(./kernbench completion zsh)       in ~/.zshrc, after compinit\n"
      "  ./kernbench completion fish > ~/.config/fish/completions/kernbench.fish\n");
  invocation.on(command, [shell] { return print_script(*shell); });
}
const CommandRegistration completion_registration(
    130, "completion", "Print a shell script that completes commands, options and values",
    declare_completion);

}  // namespace
}  // namespace kernbench
