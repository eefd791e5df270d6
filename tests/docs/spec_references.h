// References to the specification ("spec 2.3, 2.4") and to the design records of the Python
// simulator ("ADR-0033").
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/docs/doc_rules.h"

namespace kernbench::docs {

// "2" for each page docs/spec/02-*.md, "2.3" for each heading "## 2.3 ..." in it.
std::set<std::string> spec_headings(const std::vector<Page>& pages);

// Lists count as well: "spec 2.3, 9", "spec 8.1 and 8.2", "spec 4.2, 11.2, 11.3".
Faults check_spec_references(const Page& page, const std::set<std::string>& headings);

// Records in a list: "- ADR-0033, ...".
std::set<std::string> listed_records(const std::string& text);
// Lists and ranges count as well: "ADR-0002, 0015", "ADR-0015..0017".
Faults check_record_references(const Page& page, const std::set<std::string>& records);

}  // namespace kernbench::docs
