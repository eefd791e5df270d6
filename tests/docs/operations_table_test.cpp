// The table of operations in sw/README.md against sw/tl/program.h: a row for every public call of
// tl::Program, and a call for every row.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/support/temporary_folder.h"

using kernbench::test::source_text;

namespace {

std::string part_between(const std::string& text, const std::string& begin,
                         const std::string& end) {
  const std::size_t from = text.find(begin);
  BOOST_REQUIRE(from != std::string::npos);
  const std::size_t to = text.find(end, from + begin.size());
  return text.substr(from, to == std::string::npos ? std::string::npos : to - from);
}

std::set<std::string> public_calls() {
  const std::string members =
      part_between(source_text("sw/tl/program.h"), "class Program {", " private:");
  // A declaration: two spaces, a type, the name.
  const std::regex declaration(R"(\n  (?:static )?[A-Za-z_][\w:<>, ]*[&*]? (\w+)\()");
  std::set<std::string> names;
  for (std::sregex_iterator it(members.begin(), members.end(), declaration), end; it != end; ++it)
    names.insert((*it)[1]);
  for (const char* special : {"Program", "explicit", "operator"}) names.erase(special);
  return names;
}

std::set<std::string> rows() {
  std::istringstream table(
      part_between(source_text("sw/README.md"), "\n### Operations\n", "\n```"));
  const std::regex call(R"(`(\w+)\()");
  std::set<std::string> names;
  for (std::string line; std::getline(table, line);) {
    if (line.rfind("| `", 0) != 0) continue;
    const std::string cell = line.substr(2, line.find(" | ", 2) - 2);
    for (std::sregex_iterator it(cell.begin(), cell.end(), call), end; it != end; ++it)
      names.insert((*it)[1]);
  }
  return names;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_call_of_a_kernel_has_a_row_in_the_table_of_operations) {
  const std::set<std::string> calls = public_calls(), table = rows();
  BOOST_TEST(calls.size() > 80U);
  for (const std::string& name : calls)
    BOOST_TEST(table.count(name) == 1U, "no row for tl." << name << " in sw/README.md, Operations");
  for (const std::string& name : table)
    BOOST_TEST(calls.count(name) == 1U, "sw/README.md, Operations: there is no tl." << name);
}
