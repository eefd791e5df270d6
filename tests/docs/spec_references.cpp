#include "tests/docs/spec_references.h"

#include <cctype>
#include <regex>

namespace kernbench::docs {
namespace {

bool is_digit(const std::string& text, std::size_t at) {
  return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
}

bool follows(const std::string& text, std::size_t at, const std::string& token) {
  return text.compare(at, token.size(), token) == 0;
}

std::string digits(const std::string& text, std::size_t& at) {
  const std::size_t begin = at;
  while (is_digit(text, at)) ++at;
  return text.substr(begin, at - begin);
}

// "2" or "2.3" at `at`, which moves behind it; "" if there is none.
std::string section(const std::string& text, std::size_t& at) {
  std::string number = digits(text, at);
  if (number.empty() || at >= text.size() || text[at] != '.' || !is_digit(text, at + 1))
    return number;
  ++at;
  return number + "." + digits(text, at);
}

// A further number belongs to the list if it has a point, or if a sign follows that ends a list:
// not "spec 5, 64 KiB".
bool is_listed(const std::string& number, const std::string& text, std::size_t behind) {
  if (number.find('.') != std::string::npos) return true;
  return behind < text.size() && std::string(",;:.)\"").find(text[behind]) != std::string::npos;
}

// Skips the separator between two numbers of a list; false if there is none.
bool skip_separator(const std::string& text, std::size_t& at,
                    const std::vector<std::string>& separators) {
  for (const std::string& separator : separators) {
    if (!follows(text, at, separator) || !is_digit(text, at + separator.size())) continue;
    at += separator.size();
    return true;
  }
  return false;
}

}  // namespace

std::set<std::string> spec_headings(const std::vector<Page>& pages) {
  static const std::regex page_name(R"(docs/spec/0*(\d+)-[\w-]+\.md)"),
      heading(R"((?:^|\n)## (\d+\.\d+) )");
  std::set<std::string> headings;
  for (const Page& page : pages) {
    std::smatch name;
    if (!std::regex_match(page.path, name, page_name)) continue;
    headings.insert(name[1]);
    for (std::sregex_iterator at(page.text.begin(), page.text.end(), heading);
         at != std::sregex_iterator(); ++at)
      headings.insert((*at)[1]);
  }
  return headings;
}

Faults check_spec_references(const Page& page, const std::set<std::string>& headings) {
  static const std::string word = "pec ";  // "spec", "Spec"
  Faults faults;
  const std::string& text = page.text;
  for (std::size_t found = text.find(word); found != std::string::npos;
       found = text.find(word, found + 1)) {
    const bool whole =
        found > 0 && (text[found - 1] == 's' || text[found - 1] == 'S') &&
        (found == 1 || std::isalnum(static_cast<unsigned char>(text[found - 2])) == 0);
    std::size_t at = found + word.size();
    if (!whole || !is_digit(text, at)) continue;
    for (bool first = true;; first = false) {
      const std::size_t begin = at;
      const std::string number = section(text, at);
      if (!first && !is_listed(number, text, at)) break;
      if (headings.count(number) == 0)
        faults.push_back(place_of(page, begin) + "the specification has no " + number);
      if (!skip_separator(text, at, {", and ", ", ", " and "})) break;
    }
  }
  return faults;
}

std::set<std::string> listed_records(const std::string& text) {
  static const std::regex row(R"(\n- ADR-(\d{4}), )");
  std::set<std::string> records;
  for (std::sregex_iterator at(text.begin(), text.end(), row); at != std::sregex_iterator(); ++at)
    records.insert((*at)[1]);
  return records;
}

Faults check_record_references(const Page& page, const std::set<std::string>& records) {
  static const std::string word = "ADR-";
  Faults faults;
  const std::string& text = page.text;
  for (std::size_t found = text.find(word); found != std::string::npos;
       found = text.find(word, found + 1)) {
    std::size_t at = found + word.size();
    do {
      const std::size_t begin = at;
      const std::string number = digits(text, at);
      if (number.size() != 4) break;
      if (records.count(number) == 0)
        faults.push_back(place_of(page, begin) + "no row for ADR-" + number);
    } while (skip_separator(text, at, {", ", " and ", ".."}));
  }
  return faults;
}

}  // namespace kernbench::docs
