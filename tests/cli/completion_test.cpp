// `kernbench completion`: the scripts, and what bash, and zsh and fish where they are installed,
// offer with them (spec 10).
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(completion)

namespace {

std::string script(const std::string& shell) {
  const ProgramResult result = kernbench_program({"completion", shell});
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  return result.out;
}

ProgramResult shell(const std::string& name, const Words& arguments) {
  Words words{name};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return kernbench_program(words, {}, nullptr, "/usr/bin/env");  // under its own name
}

std::string path_of(const std::string& program) {
  const ProgramResult found = shell("/bin/sh", {"-c", "command -v " + program});
  return found.status == 0 ? found.out.substr(0, found.out.find('\n')) : "";
}

Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

bool has(const Words& offered, const std::string& word) {
  return std::find(offered.begin(), offered.end(), word) != offered.end();
}

// What bash offers for a command line: its words as readline cuts them, the last one up to the
// cursor.
class Bash {
 public:
  Bash() : script_(folder_.write("kernbench.bash", script("bash"))) {}

  Words offers(const Words& words) const {
    std::string set = "COMP_WORDS=(";
    for (const std::string& word : words) set += " '" + word + "'";
    set += "); COMP_CWORD=" + std::to_string(words.size() - 1);
    const std::string call =
        "set -u; cd '" + folder_.file("") + "'; source '" + script_ + "'; " + set +
        "; _kernbench || exit 9; for word in \"${COMPREPLY[@]}\"; do echo \"$word\"; done";
    const ProgramResult result = shell("/bin/bash", {"--norc", "-c", call});
    BOOST_TEST(result.status == 0, result.err);
    BOOST_TEST(result.err == "");
    return lines_of(result.out);
  }
  const TemporaryFolder& folder() const { return folder_; }
  const std::string& path() const { return script_; }

 private:
  TemporaryFolder folder_;
  std::string script_;
};

void check_offers(const Bash& bash, const Words& words, Words expected) {
  std::sort(expected.begin(), expected.end());
  std::string line;
  for (const std::string& word : words) line += word + "|";
  BOOST_TEST_CONTEXT(line) {
    BOOST_TEST(bash.offers(words) == expected, boost::test_tools::per_element());
  }
}

boost::test_tools::assertion_result installed(const std::string& program) {
  boost::test_tools::assertion_result result(!path_of(program).empty());
  result.message() << program << " is not installed";
  return result;
}
boost::test_tools::assertion_result has_zsh(boost::unit_test::test_unit_id /*unit*/) {
  return installed("zsh");
}
boost::test_tools::assertion_result has_fish(boost::unit_test::test_unit_id /*unit*/) {
  return installed("fish");
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_shell_that_is_not_known_is_refused_with_those_that_are) {
  check_refused({"completion", "tcsh"}, {"tcsh", "bash", "zsh", "fish"});
  BOOST_TEST(kernbench_program({"completion"}).status == 2);
}

BOOST_AUTO_TEST_CASE(bash_knows_the_program_by_its_name_and_by_its_path) {
  const Bash bash;
  for (const std::string name : {"kernbench", "./kernbench"}) {
    const ProgramResult result =
        shell("/bin/bash", {"--norc", "-c", "source '" + bash.path() + "'; complete -p " + name});
    BOOST_TEST(result.out == "complete -F _kernbench " + name + "\n");
  }
}

BOOST_AUTO_TEST_CASE(bash_offers_commands_those_of_the_launcher_too) {
  const Bash bash;
  check_offers(bash, {"kernbench", "r"}, {"route", "rtl-compare", "run"});
  check_offers(bash, {"./kernbench", "t"}, {"test", "topology", "traffic", "tune-collectives"});
  check_offers(bash, {"./kernbench", "b"}, {"bench"});
  check_offers(
      bash, {"kernbench", "list", ""},
      {"algorithms", "components", "keys", "signals", "statistics", "sweeps", "topologies"});
  check_offers(bash, {"kernbench", "completion", ""}, {"bash", "fish", "zsh"});
  check_offers(bash, {"kernbench", "test", "--r"}, {"--rerun-failed"});
  check_offers(bash, {"kernbench", "--v"}, {"--version"});
}

// Everything that a help names.
BOOST_AUTO_TEST_CASE(bash_offers_every_option_of_every_command) {
  const Bash bash;
  const std::vector<Words> commands{{"run"},
                                    {"list"},
                                    {"list", "components"},
                                    {"list", "algorithms"},
                                    {"list", "topologies"},
                                    {"list", "signals"},
                                    {"list", "statistics"},
                                    {"topology"},
                                    {"traffic"},
                                    {"route"},
                                    {"placement"},
                                    {"probe"},
                                    {"validate"}};
  for (const Words& command : commands) {
    Words help = command, typed{"kernbench"};
    help.emplace_back("--help");
    typed.insert(typed.end(), command.begin(), command.end());
    typed.emplace_back("--");
    const Words offered = bash.offers(typed);
    std::istringstream in(kernbench_program(help).out);
    int options = 0;
    for (std::string line; std::getline(in, line) && line.rfind("Examples:", 0) != 0;) {
      const std::size_t begin = line.find("--");
      if (begin == std::string::npos || line.find_first_not_of(' ') > 6 ||
          line[line.find_first_not_of(' ')] != '-')
        continue;
      const std::string option = line.substr(begin, line.find_first_of(" ,[", begin) - begin);
      BOOST_TEST(has(offered, option), command.back() << " " << option);
      ++options;
    }
    BOOST_TEST(options > 0, command.back());
  }
}

BOOST_AUTO_TEST_CASE(bash_offers_values) {
  const Bash bash;
  check_offers(bash, {"kernbench", "run", "--bench", "gem"}, {"gemm-single-pe"});
  check_offers(bash, {"kernbench", "run", "--data", ""}, {"deferred", "eager", "off"});
  check_offers(bash, {"kernbench", "run", "--device", ""}, {"all", "sip:0"});
  check_offers(bash, {"kernbench", "run", "--verify"}, {"--verify-data", "--verify-data=ops"});
  check_offers(bash, {"kernbench", "topology", "--topology", "si"}, {"six_sip"});
  check_offers(bash, {"kernbench", "traffic", "--generate", "st"}, {"stream", "stride"});
  check_offers(bash, {"kernbench", "probe", "--case", "d2h"},
               {"d2h-1hop", "d2h-2hop", "d2h-3hop", "d2h-4hop"});
  check_offers(bash, {"kernbench", "validate", "--group", "hb"}, {"hbm"});
  check_offers(bash, {"kernbench", "sweep", "m"},
               {"merge", "milestone-ccl", "milestone-gemm", "milestone-gqa", "milestone-llm"});
  check_offers(bash, {"kernbench", "run", "--until", ""}, {});  // a number
  // The value of an option is no command, and its name no option's.
  check_offers(bash, {"kernbench", "run", "--bench", "list", "comp"}, {});
  const auto benches = nlohmann::json::parse(kernbench_program({"list", "--json"}).out);
  const Words offered = bash.offers({"kernbench", "run", "--bench", ""});
  BOOST_TEST(offered.size() == benches.size());
  for (const auto& bench : benches) BOOST_TEST(has(offered, bench.at("name").get<std::string>()));
}

// Of the bench that is named, or numbered, before; readline cuts at =.
BOOST_AUTO_TEST_CASE(bash_offers_the_parameters_of_the_bench_and_their_choices) {
  const Bash bash;
  int index = 0, position = 0;
  for (const auto& bench : nlohmann::json::parse(kernbench_program({"list", "--json"}).out)) {
    ++position;
    if (bench.at("name") == "softmax-rows") index = position;
    Words expected;
    for (const auto& parameter : bench.at("parameters"))
      expected.push_back(parameter.at("name").get<std::string>() + "=");
    check_offers(bash, {"kernbench", "run", "--bench", bench.at("name"), "--param", ""}, expected);
  }
  for (const std::string& name : {std::string("softmax-rows"), std::to_string(index)}) {
    check_offers(bash, {"kernbench", "run", "--bench", name, "--param", "comp"}, {"compute="});
    check_offers(bash, {"kernbench", "run", "--bench", name, "--param", "compute", "="},
                 {"op", "steps"});
    check_offers(bash, {"kernbench", "run", "--bench", name, "--param", "compute", "=", "s"},
                 {"steps"});
    check_offers(bash, {"kernbench", "run", "--bench", "=", name, "--param", "compute", "=", "s"},
                 {"steps"});
    check_offers(bash, {"kernbench", "run", "--bench", name, "--param", "compute=s"},
                 {"compute=steps"});  // where it does not cut
  }
  check_offers(bash, {"kernbench", "run", "--param", "comp"}, {});
}

BOOST_AUTO_TEST_CASE(bash_completes_pieces_of_words) {
  const Bash bash;
  check_offers(bash, {"kernbench", "run", "--device", "sip", ":"}, {"0"});
  check_offers(bash, {"kernbench", "run", "--device", "sip", ":", "0"}, {"0"});
  check_offers(bash, {"kernbench", "run", "--data", "=", "e"}, {"eager"});
  check_offers(bash, {"kernbench", "run", "--data=e"}, {"--data=eager"});
  check_offers(bash, {"kernbench", "run", "--verify-data", "=", "o"}, {"ops"});
  check_offers(bash, {"kernbench", "run", "--param", "M", "=", "3", "--data", "e"}, {"eager"});
}

BOOST_AUTO_TEST_CASE(bash_offers_files_by_what_an_option_takes) {
  const Bash bash;
  for (const std::string name :
       {"mine.yaml", "mine.csv", "mine.json", "mine.sqlite", "my file.yaml"})
    bash.folder().write(name, "");
  check_offers(bash, {"kernbench", "run", "--topology", "m"}, {"mine.yaml", "my\\ file.yaml"});
  check_offers(bash, {"kernbench", "run", "--op-log", "mine"}, {"mine.csv", "mine.sqlite"});
  check_offers(bash, {"kernbench", "run", "--stats", "mine"}, {"mine.json"});
  check_offers(bash, {"kernbench", "run", "--topology", "=", "mi"}, {"mine.yaml"});
  check_offers(bash, {"kernbench", "traffic", "mine.c"}, {"mine.csv"});
}

// Names of a type name's extensions, of folders, and what is in a folder that is named.
BOOST_AUTO_TEST_CASE(folders_lead_on_to_files) {
  const Bash bash;
  std::filesystem::create_directory(bash.folder().file("machines"));
  bash.folder().write("machines/small.yaml", "");
  bash.folder().write("machines/.hidden.yaml", "");
  bash.folder().write("machines/small.csv", "");
  check_offers(bash, {"kernbench", "run", "--topology", "mach"}, {"machines/"});
  check_offers(bash, {"kernbench", "run", "--topology", "machines/"}, {"machines/small.yaml"});
  check_offers(bash, {"kernbench", "run", "--topology", "machines/.h"}, {"machines/.hidden.yaml"});
  check_offers(bash, {"kernbench", "new-component", "x", "--dir", "mach"}, {"machines/"});
  check_offers(bash, {"kernbench", "topology", "--out", "machines/small."},
               {"machines/small.csv", "machines/small.yaml"});
}

// The shell calls the program that wrote the script, which may have gone since: never the launcher,
// which would build one.
BOOST_AUTO_TEST_CASE(a_script_without_its_program_offers_nothing) {
  const TemporaryFolder folder;
  std::string text = script("bash");
  const std::size_t at = text.find(KERNBENCH_PROGRAM);
  BOOST_TEST_REQUIRE(at != std::string::npos, text);
  BOOST_TEST(text.find("program='" KERNBENCH_PROGRAM "'") != std::string::npos, text);
  text.replace(at, std::string(KERNBENCH_PROGRAM).size(), folder.file("gone"));
  const std::string file = folder.write("gone.bash", text);
  const ProgramResult result =
      shell("/bin/bash", {"--norc", "-c",
                          "source '" + file +
                              "'; COMP_WORDS=(kernbench r); COMP_CWORD=1; _kernbench; echo "
                              "${#COMPREPLY[@]}"});
  BOOST_TEST(result.out == "0\n");
  BOOST_TEST(result.err == "");
}

// Whatever is typed, a Tab gets an answer and no message.
BOOST_AUTO_TEST_CASE(a_wrong_line_has_candidates_or_none) {
  for (const Words& words :
       {Words{}, Words{"nonsense", ""}, Words{"run", "--nonsense", "--data", "e"},
        Words{"run", "--seed", "x", "--bench", ""},
        Words{"run", "--plugin", "gone.so", "--bench", ""}, Words{"run", "--help", "--ver"},
        Words{"probe", "--topology", "gone", "--case", ""}, Words{"complete", "bash", ""}}) {
    const ProgramResult result = kernbench_program(joined({"complete", "fish"}, words));
    BOOST_TEST(result.status == 0);
    BOOST_TEST(result.err == "");
  }
  BOOST_TEST(kernbench_program({"complete", "fish", "run", "--nonsense", "--data", "e"}).out ==
             "eager\t\n");
}

BOOST_AUTO_TEST_CASE(candidates_have_descriptions) {
  const std::string out = kernbench_program({"complete", "fish", "list", "k"}).out;
  BOOST_TEST(out ==
             "keys\tKeys of topology.yaml, ccl.yaml, components.yaml and energy.yaml: what --set "
             "takes\n");
  const std::string options = kernbench_program({"complete", "zsh", "run", "--until"}).out;
  BOOST_TEST(options == "--until\tStop at this simulated time\n");
}

BOOST_AUTO_TEST_CASE(zsh_loads_the_script_and_has_no_fault_in_it,
                     *boost::unit_test::precondition(has_zsh)) {
  const TemporaryFolder folder;
  const std::string file = folder.write("_kernbench", script("zsh"));
  const ProgramResult parsed = shell(path_of("zsh"), {"-f", "-n", file});
  BOOST_TEST(parsed.status == 0, parsed.err);
  BOOST_TEST(parsed.err == "");
  const ProgramResult loaded = shell(
      path_of("zsh"),
      {"-f", "-c",
       "autoload -U compinit; compinit -u -D; source '" + file + "'; echo $_comps[kernbench]"});
  BOOST_TEST(loaded.out == "_kernbench\n", loaded.err);
  BOOST_TEST(loaded.err == "");
}

// Behind a prompt on a terminal, as a user has it: the line, a tab, and the text shown then.
// Missing output is awaited until the shell is ended, and ends the test.
BOOST_AUTO_TEST_CASE(zsh_offers_what_bash_offers, *boost::unit_test::precondition(has_zsh)) {
  const TemporaryFolder folder;
  const std::string file = folder.write("_kernbench", script("zsh"));
  for (const std::string& name : {std::string("mine.yaml"), std::string("mine.json")})
    folder.write(name, "");
  const auto check = [&](const std::string& line, const std::string& completed) {
    const std::string driver =
        "cd '" + folder.file("") + "'; zmodload zsh/zpty; zpty z " + path_of("zsh") + " -f -i\n" +
        "zpty -w z \"PS1=; autoload -U compinit; compinit -u -D; source '" + file +
        "'; print REA''DY\"\n" + "zpty -r z out '*READY*'; zpty -n -w z '" + line +
        "'$'\\t'; zpty -r z out '*" + completed + "*'; zpty -d z; print found";
    const ProgramResult result =
        shell("/usr/bin/timeout", {"600", path_of("zsh"), "-f", "-c", driver});
    BOOST_TEST_REQUIRE(result.out == "found\n", line << ": " << result.out << result.err);
  };
  check("kernbench rou", "route");
  check("./kernbench te", "test");
  check("kernbench list t", "topologies");
  check("kernbench run --bench gem", "gemm-single-pe");
  check("kernbench run --data e", "eager");
  check("kernbench run --bench softmax-rows --param compute=s", "compute=steps");
  check("kernbench run --topology si", "six_sip");
  check("kernbench run --topology min", "mine.yaml");
  check("kernbench run --stats mi", "mine.json");
}

BOOST_AUTO_TEST_CASE(fish_offers_what_bash_offers, *boost::unit_test::precondition(has_fish)) {
  const TemporaryFolder folder;
  const std::string file = folder.write("kernbench.fish", script("fish"));
  const auto offers = [&](const std::string& line) {
    const ProgramResult result =
        shell(path_of("fish"),
              {"--no-config", "-c", "source '" + file + "'; complete -C '" + line + "'"});
    BOOST_TEST(result.err == "");
    Words words = lines_of(result.out);
    for (std::string& word : words) word = word.substr(0, word.find('\t'));
    return words;
  };
  BOOST_TEST(offers("kernbench r") == (Words{"route", "rtl-compare", "run"}),
             boost::test_tools::per_element());
  BOOST_TEST(offers("./kernbench te") == Words{"test"}, boost::test_tools::per_element());
  BOOST_TEST(offers("kernbench list t") == Words{"topologies"}, boost::test_tools::per_element());
  BOOST_TEST(offers("kernbench run --bench gem") == Words{"gemm-single-pe"},
             boost::test_tools::per_element());
  BOOST_TEST(offers("kernbench run --data e") == Words{"eager"}, boost::test_tools::per_element());
  BOOST_TEST(
      offers("kernbench run --bench softmax-rows --param compute=s") == Words{"compute=steps"},
      boost::test_tools::per_element());
  BOOST_TEST(has(offers("kernbench run --ver"), "--verify-data"));
}

BOOST_AUTO_TEST_SUITE_END()
