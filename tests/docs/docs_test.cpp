// The pages tell the truth about the tree, and the checks find what does not.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <fstream>

#include "tests/docs/doc_rules.h"
#include "tests/support/temporary_folder.h"

using namespace kernbench::docs;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(docs_test)

namespace {

const fs::path root = KERNBENCH_SOURCE_DIR;

bool begins_with(const std::string& text, const std::string& begin) {
  return text.compare(0, begin.size(), begin) == 0;
}

bool is_page(const std::string& path) { return fs::path(path).extension() == ".md"; }

// Records of decisions tell of their time; what they name may have moved since.
bool is_guide(const std::string& path) {
  return is_page(path) &&
         (!begins_with(path, "docs/decisions/") || path == "docs/decisions/README.md");
}

template <class Check>
void check_all(bool (*wanted)(const std::string& path), Check check) {
  const std::vector<Page> pages = read_pages(root, wanted);
  BOOST_TEST(pages.size() > 5U);
  for (const Page& page : pages) {
    for (const std::string& fault : check(page, root)) BOOST_TEST(false, fault);
  }
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

// A tree with one source and one record.
struct Tree : kernbench::test::TemporaryFolder {
  Tree() {
    write("models/noc/link.cpp",
          "struct State {};\nvoid Link::accept(int flit) { carried(flit); }\n");
    write("docs/decisions/granted.md", "# Granted\n\n## Why: this, and that\n");
  }
  std::string fault(Faults (*check)(const Page&, const fs::path&), const std::string& text) const {
    const Faults faults = check({"docs/page.md", text}, root);
    BOOST_TEST(faults.size() <= 1U);
    return faults.empty() ? "" : faults.front();
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(files_that_the_guides_name_exist) { check_all(is_guide, check_paths); }

BOOST_AUTO_TEST_CASE(functions_that_the_guides_name_are_in_their_files) {
  check_all(is_guide, check_names);
}

BOOST_AUTO_TEST_CASE(links_lead_somewhere) { check_all(is_page, check_links); }

// Blocks of C++ that name an example in their first line are parts of it.
BOOST_AUTO_TEST_CASE(examples_that_the_guides_quote_are_those_that_are_built) {
  std::size_t blocks = 0;
  check_all(is_guide, [&blocks](const Page& page, const fs::path& tree) {
    return check_quotes(page, tree, "tests/plugins/examples/", blocks);
  });
  BOOST_TEST(blocks > 5U);
}

BOOST_AUTO_TEST_CASE(every_decision_is_listed) {
  std::vector<std::string> records = names_in(root / "docs/decisions");
  records.erase(std::remove(records.begin(), records.end(), "README.md"), records.end());
  const std::string index = "docs/decisions/README.md";
  for (const std::string& fault : check_index({index, read_text(root / index)}, records))
    BOOST_TEST(false, fault);
}

BOOST_AUTO_TEST_CASE(every_page_of_docs_is_listed) {
  const std::string list = read_text(root / "docs/README.md");
  for (const std::string& name : names_in(root / "docs")) {
    if (name != "README.md")
      BOOST_TEST((list.find("`" + name) != std::string::npos),
                 "docs/README.md does not list " + name);
  }
}

// Words that need no entry are in known_words.txt.
BOOST_AUTO_TEST_CASE(acronyms_of_the_specification_are_in_the_glossary) {
  std::set<std::string> known = glossary_of(read_text(root / "docs/architecture.md"));
  BOOST_TEST(known.count("IPCQ") == 1U);  // it has been found
  std::ifstream words(root / "tests/docs/known_words.txt");
  BOOST_REQUIRE(words);
  for (std::string word; words >> word;) known.insert(word);
  for (const Page& page :
       read_pages(root, [](const std::string& path) { return begins_with(path, "docs/spec/"); })) {
    for (const std::string& word : acronyms_of(page.text)) {
      BOOST_TEST(known.count(word) == 1U,
                 page.path + ": " + word +
                     " is neither in the glossary of docs/architecture.md nor in known_words.txt");
    }
  }
}

// --- The checks

BOOST_FIXTURE_TEST_CASE(a_path_that_does_not_exist_is_found, Tree) {
  BOOST_TEST(fault(check_paths, "a\nsee models/noc/wire.cpp for") ==
             "docs/page.md:2: no file models/noc/wire.cpp");
  BOOST_TEST(
      fault(check_paths,
            "`models/noc/link.cpp`, decisions/granted.md, models/noc/link.cpp: x, build/dev/x.h")
          .empty());
  BOOST_TEST(fault(check_paths, "https://example.org/a/b.md").empty());
}

BOOST_FIXTURE_TEST_CASE(a_file_that_a_guide_tells_to_write_may_be_absent, Tree) {
  BOOST_TEST(
      fault(check_paths, "write models/cube/new.h:\n```cpp\n// models/cube/new.h\n```\n").empty());
}

BOOST_FIXTURE_TEST_CASE(a_function_that_does_not_exist_is_found, Tree) {
  BOOST_TEST(fault(check_names, "`models/noc/link.cpp: Link::accept` `models/noc/link.cpp: State`")
                 .empty());
  BOOST_TEST(fault(check_names, "`models/noc/link.cpp: Link::accepts`") ==
             "docs/page.md:1: no Link::accepts in models/noc/link.cpp");
  BOOST_TEST(fault(check_names, "`models/noc/link.cpp: ccept`") ==
             "docs/page.md:1: no ccept in models/noc/link.cpp");
  BOOST_TEST(fault(check_names, "`models/noc/link.cpp: flit`") ==
             "docs/page.md:1: no flit in models/noc/link.cpp");
}

BOOST_FIXTURE_TEST_CASE(a_link_that_leads_nowhere_is_found, Tree) {
  BOOST_TEST(fault(check_links,
                   "[a](decisions/granted.md#why-this-and-that), [b](../models/noc/link.cpp), "
                   "[c](https://x.y/z)")
                 .empty());
  BOOST_TEST(fault(check_links, "[a](decisions/refused.md)") ==
             "docs/page.md:1: a link that leads nowhere: decisions/refused.md");
  BOOST_TEST(fault(check_links, "[a](decisions/granted.md#how)") ==
             "docs/page.md:1: a link that leads nowhere: decisions/granted.md#how");
}

BOOST_FIXTURE_TEST_CASE(a_quotation_that_is_not_in_its_file_is_found, Tree) {
  std::size_t blocks = 0;
  const auto fault_of = [&](const std::string& text) {
    const Faults faults = check_quotes({"docs/page.md", text}, root, "models/", blocks);
    BOOST_TEST(faults.size() <= 1U);
    return faults.empty() ? "" : faults.front();
  };
  const std::string first = "see:\n\n```cpp\n// models/noc/link.cpp\n";
  BOOST_TEST(fault_of(first + "struct State {};\n```\nso\n") == "");
  BOOST_TEST(fault_of(first + "struct State {\n```\n") ==
             "docs/page.md:4: not as it is in models/noc/link.cpp");
  BOOST_TEST(fault_of("```cpp\n// models/noc/switch.cpp\n```\n") ==
             "docs/page.md:2: there is no models/noc/switch.cpp");
  BOOST_TEST(fault_of("```cpp\nstruct Other;\n```\n") == "");
  BOOST_TEST(blocks == 3U);
}

BOOST_AUTO_TEST_CASE(a_record_that_is_missing_or_listed_twice_is_found) {
  const Page index{"i", "[1](a.md) [2](b.md) [2](b.md)"};
  BOOST_TEST(check_index(index, {"a.md"}).empty());
  BOOST_TEST(check_index(index, {"b.md", "c.md"}) ==
                 (Faults{"i: lists b.md twice", "i: does not list c.md"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(acronyms_are_words_of_capitals_in_prose) {
  BOOST_TEST(acronyms_of("The HBM, `CODE`, PE_DMA and SIPs; A b P0 UCIe\n```\nFENCED\n```\nLT") ==
                 (std::set<std::string>{"HBM", "LT", "PE_DMA"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(terms_of_the_glossary_are_its_first_cells) {
  const std::string text =
      "| HBM | above |\n\n## Glossary\n\n| term | is |\n|---|---|\n| LA, `VA`; PA | addresses |\n| "
      "IO chiplet | a die |\n";
  BOOST_TEST(glossary_of(text) == (std::set<std::string>{"IO chiplet", "LA", "PA", "VA", "term"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
