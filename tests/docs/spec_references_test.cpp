// Every "spec N.M" and every "ADR-NNNN" of the tree leads to a heading and to a row.
#include "tests/docs/spec_references.h"

#include <boost/test/unit_test.hpp>

using namespace kernbench::docs;

BOOST_AUTO_TEST_SUITE(spec_references_test)

namespace {

const std::filesystem::path root = KERNBENCH_SOURCE_DIR;

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Sources, scripts, configuration and pages; not the examples in the tests of the checks
// themselves.
const std::vector<Page>& all_files() {
  static const std::vector<Page> pages = read_pages(root, [](const std::string& path) {
    if (path == "tests/docs/spec_references_test.cpp" || path == "tests/docs/spec_references.h")
      return false;
    for (const char* end : {".cpp", ".h", ".md", ".txt", ".yaml", ".cmake", ".sh", "/kernbench"}) {
      if (ends_with("/" + path, end)) return true;
    }
    return false;
  });
  return pages;
}

std::string joined(const Faults& faults) {
  std::string text;
  for (const std::string& fault : faults) text += "\n" + fault;
  return text;
}

template <class Check>
Faults faults_of_all(Check check) {
  Faults all;
  for (const Page& page : all_files()) {
    const Faults faults = check(page);
    all.insert(all.end(), faults.begin(), faults.end());
  }
  return all;
}

const std::set<std::string> two_pages{"2", "2.3", "2.10", "9"};
Faults spec_faults(const std::string& text) {
  return check_spec_references({"p", text}, two_pages);
}
Faults record_faults(const std::string& text) {
  return check_record_references({"p", text}, {"0002", "0015"});
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_reference_to_the_specification_is_a_heading) {
  const std::set<std::string> headings = spec_headings(all_files());
  BOOST_TEST(headings.count("2.10") == 1U);  // they have been found
  BOOST_TEST(headings.count("13") == 1U);
  const Faults faults =
      faults_of_all([&](const Page& page) { return check_spec_references(page, headings); });
  BOOST_TEST(faults.empty(), joined(faults));
}

BOOST_AUTO_TEST_CASE(every_design_record_is_listed) {
  const std::set<std::string> records = listed_records(read_text(root / "docs/adr.md"));
  const Faults faults =
      faults_of_all([&](const Page& page) { return check_record_references(page, records); });
  BOOST_TEST(faults.empty(), joined(faults));
}

BOOST_AUTO_TEST_CASE(lists_of_sections_count) {
  BOOST_TEST(spec_faults("spec 2.3, 9). Spec 2.10: (spec 2.3 and 2.10) \"spec 2\"").empty());
  BOOST_TEST(spec_faults("spec 2.4") == Faults{"p:1: the specification has no 2.4"},
             boost::test_tools::per_element());
  BOOST_TEST(spec_faults("\nspec 2.3, 2.4.") == Faults{"p:2: the specification has no 2.4"},
             boost::test_tools::per_element());
  BOOST_TEST(spec_faults("spec 2.3, 9, 10)") == Faults{"p:1: the specification has no 10"},
             boost::test_tools::per_element());
  BOOST_TEST(spec_faults("spec 2.3 and 7.1") == Faults{"p:1: the specification has no 7.1"},
             boost::test_tools::per_element());
  BOOST_TEST(spec_faults("spec 2.1") == Faults{"p:1: the specification has no 2.1"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(numbers_that_are_no_sections_do_not_count) {
  BOOST_TEST(spec_faults("spec 9, 64 KiB; aspec 4; the spec is; specs 7").empty());
}

BOOST_AUTO_TEST_CASE(headings_are_those_of_the_pages) {
  const std::vector<Page> pages{
      {"docs/spec/02-fabric.md", "# 2. Fabric\n\n## 2.1 A\n\n## Other\n## 2.10 B\n"},
      {"docs/other.md", "## 7.1 C\n"}};
  BOOST_TEST(spec_headings(pages) == (std::set<std::string>{"2", "2.1", "2.10"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(lists_and_ranges_of_records_count) {
  BOOST_TEST(record_faults("ADR-0002, 0015; ADR-0002..0015 ADR-NNNN").empty());
  BOOST_TEST(record_faults("ADR-0002, 0016") == Faults{"p:1: no row for ADR-0016"},
             boost::test_tools::per_element());
  BOOST_TEST(record_faults("ADR-0002..0017") == Faults{"p:1: no row for ADR-0017"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
