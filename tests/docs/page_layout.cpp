#include "tests/docs/page_layout.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <sstream>

namespace kernbench::docs {
namespace {

constexpr std::size_t most_columns = 120, most_cell_characters = 160;

bool begins_with(const std::string& text, const std::string& begin) {
  return text.compare(0, begin.size(), begin) == 0;
}

// Characters of UTF-8 text.
std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

bool is_row(const std::string& line) { return begins_with(line, "|"); }

// A shell line, which can be copied as a whole.
bool is_command(const std::string& line) {
  return begins_with(line, "$ ") || begins_with(line, "kernbench ") ||
         begins_with(line, "./kernbench ");
}

// Code spans and commas alone: a list of names.
bool is_code(const std::string& cell) {
  static const std::regex code("(?:\\s*`[^`]*`[,;]?)+\\s*");
  return std::regex_match(cell, code);
}

std::string blanks(std::size_t count) { return std::string(count, ' '); }

// Applies `convert` to each line; it also sees whether the line is in a code block.
template <class Convert>
std::string by_line(const std::string& text, Convert convert) {
  std::string converted;
  std::istringstream lines(text);
  bool in_code = false;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(' ');
    const bool is_fence = first != std::string::npos && line.compare(first, 3, "```") == 0;
    if (is_fence) in_code = !in_code;
    converted += convert(line, in_code || is_fence) + '\n';
  }
  return converted;
}

// The phrase is at `at`, as whole words with any white space between them.
bool is_phrase(const std::string& text, std::size_t at, const std::string& phrase) {
  for (const char c : phrase) {
    if (c != ' ') {
      if (at == text.size() || text[at++] != c) return false;
      continue;
    }
    const std::size_t word = text.find_first_not_of(" \n", at);
    if (word == at || word == std::string::npos) return false;
    at = word;
  }
  return at == text.size() || !is_word(text[at]);
}

template <class Check>
void each_line(const Page& page, Check check) {
  std::istringstream lines(page.text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);)
    check(line, page.path + ":" + std::to_string(++number) + ": ");
}

}  // namespace

std::string prose_of(const std::string& page) {
  return by_line(page, [](const std::string& line, bool in_code) {
    if (in_code) return blanks(line.size());
    std::string prose = line;
    bool quoted = false;
    for (char& c : prose) {
      const bool is_quote = c == '`';
      if (is_quote) quoted = !quoted;
      if (quoted || is_quote) c = ' ';
    }
    return prose;
  });
}

std::vector<std::string> phrases_to_avoid(const std::string& word_list) {
  static const std::regex quoted("`([^`]+)`");
  const std::size_t begin = word_list.find("\n## Words that a test finds\n");
  if (begin == std::string::npos) return {};
  std::vector<std::string> phrases;
  std::istringstream lines(word_list.substr(begin + 4));
  for (std::string line; std::getline(lines, line) && !begins_with(line, "## ");) {
    if (!is_row(line)) continue;
    const std::string cell = line.substr(0, line.find(" |", 1));
    for (std::sregex_iterator at(cell.begin(), cell.end(), quoted), end; at != end; ++at)
      phrases.push_back((*at)[1]);
  }
  return phrases;
}

Faults check_words(const Page& page, const std::string& text,
                   const std::vector<std::string>& phrases) {
  std::string lower = text;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::map<std::size_t, std::string> found;  // by place
  for (const std::string& phrase : phrases) {
    const std::string first = phrase.substr(0, phrase.find(' '));
    for (std::size_t at = lower.find(first); at != std::string::npos;
         at = lower.find(first, at + 1)) {
      if ((at == 0 || !is_word(lower[at - 1])) && is_phrase(lower, at, phrase)) found[at] = phrase;
    }
  }
  Faults faults;
  for (const auto& [at, phrase] : found)
    faults.push_back(place_of({page.path, text}, at) + "avoid '" + phrase + "' (docs/words.md)");
  return faults;
}

Faults check_columns(const Page& page) {
  Faults faults;
  each_line(page, [&faults](const std::string& line, const std::string& place) {
    if (!is_row(line) && !is_command(line) && characters(line) > most_columns)
      faults.push_back(place + std::to_string(characters(line)) + " columns");
  });
  return faults;
}

Faults check_cells(const Page& page) {
  Faults faults;
  each_line(page, [&faults](const std::string& line, const std::string& place) {
    if (!is_row(line)) return;
    for (std::size_t begin = 1, end = 0; begin < line.size(); begin = end + 1) {
      end = std::min(line.find(" |", begin), line.size());
      if (end < line.size()) ++end;  // the bar
      const std::string cell = line.substr(begin, end - begin);
      const std::size_t length = characters(cell);
      if (length > most_cell_characters + 2 && !is_code(cell))  // a blank on each side
        faults.push_back(place + "a cell of " + std::to_string(length - 2) + " characters");
    }
  });
  return faults;
}

std::size_t count_words(const std::string& text) {
  std::istringstream words(text);
  std::size_t count = 0;
  for (std::string word; words >> word;)
    count += std::any_of(word.begin(), word.end(), [](unsigned char c) { return std::isalnum(c); });
  return count;
}

std::vector<std::string> excluded(const std::string& list, const std::string& kind) {
  std::vector<std::string> paths;
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);) {
    if (begins_with(line, kind + " ")) paths.push_back(line.substr(kind.size() + 1));
  }
  return paths;
}

bool is_below(const std::string& path, const std::vector<std::string>& folders) {
  return std::any_of(folders.begin(), folders.end(), [&path](const std::string& folder) {
    return path == folder || begins_with(path, folder + "/");
  });
}

}  // namespace kernbench::docs
