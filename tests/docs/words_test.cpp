// Language and size: words of docs/words.md in pages, comments, names of tests, messages, scripts
// and configuration; length of lines, cells, README and records, and the total of docs/.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <regex>
#include <sstream>

#include "tests/docs/page_layout.h"
#include "tests/docs/source_words.h"

using namespace kernbench::docs;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(words_test)

namespace {

const fs::path root = KERNBENCH_SOURCE_DIR;

bool begins_with(const std::string& text, const std::string& begin) {
  return text.compare(0, begin.size(), begin) == 0;
}

bool is_page(const std::string& path) { return fs::path(path).extension() == ".md"; }

bool is_source(const std::string& path) {
  const fs::path extension = fs::path(path).extension();
  return extension == ".h" || extension == ".cpp" || extension == ".def";
}

bool is_test(const std::string& path) { return begins_with(path, "tests/"); }

// Held as a whole: CMake files, scripts, configuration, SystemVerilog, lists.
bool is_script(const std::string& path) {
  static const std::set<std::string> extensions{".cmake", ".in",  ".json", ".py",  ".sh",
                                                ".sv",    ".svh", ".tcl",  ".txt", ".yaml"},
      files{"kernbench", "waveforms/gtkwaverc", "waveforms/make_pictures"};
  return extensions.count(fs::path(path).extension().string()) != 0 || files.count(path) != 0;
}

std::vector<std::string> excluded_from(const std::string& kind) {
  return excluded(read_text(root / "tests/docs/exclusions.txt"), kind);
}

std::vector<std::string> words_to_avoid() {
  std::vector<std::string> phrases = phrases_to_avoid(read_text(root / "docs/words.md"));
  BOOST_TEST(phrases.size() > 15U);
  return phrases;
}

void report(const Faults& faults) {
  for (const std::string& fault : faults) BOOST_TEST(false, fault);
}

// Pages of docs/ but those of the specification.
bool is_guide_of_docs(const std::string& path) {
  return is_page(path) && begins_with(path, "docs/") && !begins_with(path, "docs/spec/");
}

Faults found(const std::string& text, const std::vector<std::string>& phrases) {
  return check_words({"p", text}, prose_of(text), phrases);
}

}  // namespace

BOOST_AUTO_TEST_CASE(pages_avoid_the_words_of_the_list) {
  const std::vector<std::string> words = words_to_avoid();
  for (const Page& page : read_pages(root, is_page))
    report(check_words(page, prose_of(page.text), words));
}

// Comments of every source, names of tests, and string literals of the program and the templates:
// help, messages, descriptions. A path counts as a name.
BOOST_AUTO_TEST_CASE(sources_avoid_the_words_of_the_list) {
  const std::vector<std::string> words = words_to_avoid();
  for (const Page& source : read_pages(root, is_source)) {
    const SourceWords parts = split_source(source.text);
    report(check_words(source, words_of(source.path), words));
    report(check_words(source, parts.comments, words));
    report(check_words(source, is_test(source.path) ? parts.names : parts.literals, words));
  }
}

BOOST_AUTO_TEST_CASE(scripts_and_configuration_avoid_the_words_of_the_list) {
  const std::vector<std::string> words = words_to_avoid();
  std::vector<Page> scripts = read_pages(root, is_script);
  BOOST_TEST(scripts.size() > 50U);
  scripts.push_back({".ci/run", read_text(root / ".ci/run")});
  for (const Page& script : scripts) report(check_words(script, words_of(script.text), words));
}

BOOST_AUTO_TEST_CASE(lines_and_cells_of_pages_are_short) {
  for (const Page& page : read_pages(root, is_page)) {
    if (is_below(page.path, excluded_from("layout"))) continue;
    report(check_columns(page));
    report(check_cells(page));
  }
}

BOOST_AUTO_TEST_CASE(the_readme_is_short) {
  const std::string readme = read_text(root / "README.md");
  BOOST_TEST(std::count(readme.begin(), readme.end(), '\n') <= 180);
  std::istringstream lines(readme);
  for (std::string line; std::getline(lines, line);)
    BOOST_TEST(line.size() <= 120U, "README.md, rows of tables too: " << line);
}

BOOST_AUTO_TEST_CASE(decisions_are_few_and_of_one_page_each) {
  std::size_t records = 0;
  for (const Page& page : read_pages(root, [](const std::string& path) {
         return begins_with(path, "docs/decisions/") && path != "docs/decisions/README.md";
       })) {
    ++records;
    BOOST_TEST(count_words(page.text) <= 600U, page.path << " has more than 600 words");
  }
  BOOST_TEST(records > 10U);
  BOOST_TEST(records <= 40U);
}

BOOST_AUTO_TEST_CASE(the_pages_of_docs_are_short_in_all) {
  std::size_t words = 0;
  for (const Page& page : read_pages(root, is_guide_of_docs)) words += count_words(page.text);
  BOOST_TEST(words <= 32500U);
}

BOOST_AUTO_TEST_CASE(a_flow_of_the_architecture_names_at_most_20_files) {
  static const std::regex file("`([\\w./-]+\\.(?:h|cpp))");
  const std::string page = read_text(root / "docs/architecture.md"), heading = "\n## Flow ";
  std::size_t flows = 0;
  for (std::size_t begin = page.find(heading); begin != std::string::npos;
       begin = page.find(heading, begin + 1), ++flows) {
    const std::string flow = page.substr(begin, page.find("\n## ", begin + 1) - begin);
    std::set<std::string> files;
    for (std::sregex_iterator at(flow.begin(), flow.end(), file), end; at != end; ++at)
      files.insert((*at)[1]);
    BOOST_TEST(files.size() <= 20U, flow.substr(1, flow.find('\n', 1)) << files.size());
  }
  BOOST_TEST(flows == 4U);
}

// --- The checks

BOOST_AUTO_TEST_CASE(a_phrase_is_found_across_lines_in_any_case_but_not_in_code) {
  const std::vector<std::string> phrases{"beside", "one after the other"};
  BOOST_TEST(found("A\nBeside b, one after\nthe other", phrases) ==
                 (Faults{"p:2: avoid 'beside' (docs/words.md)",
                         "p:2: avoid 'one after the other' (docs/words.md)"}),
             boost::test_tools::per_element());
  BOOST_TEST(found("`beside` x\n```\nbeside\n```\nbesides", phrases).empty());
}

BOOST_AUTO_TEST_CASE(comments_literals_and_names_of_a_source_are_split) {
  const SourceWords a = split_source("int x_y;  // a \"b\"\n/* c */f('\"', 1'000);\n");
  BOOST_TEST(a.comments == "             a \"b\"\n   c                 \n");
  BOOST_TEST(a.literals.find_first_not_of(" .\n") == std::string::npos);
  BOOST_TEST(a.names.substr(0, 8) == "int x y;");
  const SourceWords b = split_source("a.be = c::bb + d->e + f(\"// x\\n\"\n  \"y\", R\"(\"z)\");");
  BOOST_TEST(b.comments.find_first_not_of(" \n") == std::string::npos);
  BOOST_TEST(b.literals == ".... . ..... . .... . .. // x   \n   y .    \"z  ..");
  BOOST_TEST(b.names == "a.   = c::   + d->  + f(        \n     ,        );");
}

BOOST_AUTO_TEST_CASE(an_adjacent_literal_continues_a_phrase_but_a_second_argument_does_not) {
  const auto faults = [](const std::string& source) {
    return check_words({"p", source}, split_source(source).literals, {"under way"});
  };
  BOOST_TEST(
      faults("f(\"a under \"\n  \"way b\")") == Faults{"p:1: avoid 'under way' (docs/words.md)"},
      boost::test_tools::per_element());
  BOOST_TEST(faults("f(\"under\", \"way\")").empty());
}

BOOST_AUTO_TEST_CASE(phrases_are_the_first_cells_of_the_table) {
  BOOST_TEST(
      phrases_to_avoid("# W\n\n## Words that a test finds\n\n| avoid | write |\n|---|---|\n| "
                       "`a`, `b c` | `d` |\n\n## Other\n\n| `e` | f |\n") ==
          (std::vector<std::string>{"a", "b c"}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(long_lines_and_cells_are_found) {
  const std::string line(121, 'x'), cell(161, 'y');
  BOOST_TEST(check_columns({"p", "| " + line + " |\n" + line + "\n"}) == Faults{"p:2: 121 columns"},
             boost::test_tools::per_element());
  BOOST_TEST(check_cells({"p", "| a | " + cell + " |\n| " + line + " |\n"}) ==
                 Faults{"p:1: a cell of 161 characters"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(exclusions_are_of_a_kind_and_cover_folders) {
  const std::vector<std::string> paths = excluded("# x\nwords a/b\nlayout c\n", "words");
  BOOST_TEST(paths == std::vector<std::string>{"a/b"}, boost::test_tools::per_element());
  BOOST_TEST(is_below("a/b/c.h", paths));
  BOOST_TEST(is_below("a/b", paths));
  BOOST_TEST(!is_below("a/bc.h", paths));
}

BOOST_AUTO_TEST_SUITE_END()
