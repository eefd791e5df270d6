#include "tests/docs/public_calls.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "tests/docs/doc_rules.h"

namespace kernbench::docs {
namespace {

// Without comments, texts and lines of the preprocessor.
std::string code_of(const std::string& header) {
  std::string code;
  bool line_begins = true;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const char c = header[i];
    const auto skip_to = [&](const char* end) { i = std::min(header.find(end, i), header.size()); };
    if (header.compare(i, 2, "//") == 0) {
      skip_to("\n");
      code += '\n';
    } else if (c == '#' && line_begins) {  // with its continuation lines
      do {
        skip_to("\n");
      } while (i < header.size() && header[i - 1] == '\\' && ++i < header.size());
      code += '\n';
    } else if (header.compare(i, 2, "/*") == 0) {
      skip_to("*/");
      ++i;
    } else if (c == '"' || (c == '\'' && (code.empty() || !is_word(code.back())))) {
      const char quote = c;
      for (++i; i < header.size() && header[i] != quote; ++i) {
        if (header[i] == '\\') ++i;
      }
      code += "0";
    } else {
      code += c;
    }
    if (std::isspace(static_cast<unsigned char>(c)) == 0) line_begins = false;
    if (!code.empty() && code.back() == '\n') line_begins = true;
  }
  return code;
}

// The words of a declaration; a template's parameters and attributes are left out.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_word(text[i])) continue;
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    words.push_back(text.substr(i, end - i));
    i = end;
    if (words.back() != "template") continue;
    words.pop_back();
    int depth = 0;
    for (; i < text.size(); ++i) {
      if (text[i] == '<') ++depth;
      if (text[i] == '>' && --depth == 0) break;
    }
  }
  return words;
}

bool has(const std::vector<std::string>& words, const char* word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Of a declaration outside parentheses and angle brackets: the position of one of `wanted`.
std::size_t find_outside(const std::string& text, const char* wanted, std::size_t from = 0) {
  int round = 0, angle = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (round == 0 && angle == 0 && std::string(wanted).find(c) != std::string::npos) return i;
    if (c == '(') ++round;
    if (c == ')') --round;
    if (c == '<' && round == 0) ++angle;
    if (c == '>' && round == 0 && angle > 0) --angle;
  }
  return std::string::npos;
}

std::string last_word(const std::string& text) {
  std::size_t end = text.size();
  while (end > 0 && !is_word(text[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

class Scanner {
 public:
  explicit Scanner(const std::string& header) : code_(code_of(header)) {}

  std::set<std::string> calls() {
    scope("", "", true);
    return std::move(calls_);
  }

 private:
  // To the brace that closes the scope. `type`: the class, empty in a namespace.
  void scope(const std::string& prefix, const std::string& type, bool is_public) {
    std::string head;
    int round = 0;
    for (; at_ < code_.size(); ++at_) {
      const char c = code_[at_];
      if (c == '(') ++round;
      if (c == ')') --round;
      if (round > 0) {
        head += c;
      } else if (c == '}') {
        return;
      } else if (c == ';') {
        if (is_public) declare(prefix, type, head);
        head.clear();
      } else if (c == ':' && is_label(head)) {
        is_public = last_word(head) == "public";
        head.clear();
      } else if (c == '{') {
        braces(prefix, type, is_public, head);
      } else {
        head += c;
      }
    }
  }

  bool is_label(const std::string& head) const {
    const std::vector<std::string> words = words_of(head);
    return words.size() == 1 &&
           (words[0] == "public" || words[0] == "private" || words[0] == "protected");
  }

  void skip_braces() {
    int depth = 0;
    for (; at_ < code_.size(); ++at_) {
      if (code_[at_] == '{') ++depth;
      if (code_[at_] == '}' && --depth == 0) return;
    }
  }

  char next_character() const {
    std::size_t i = at_ + 1;
    while (i < code_.size() && std::isspace(static_cast<unsigned char>(code_[i])) != 0) ++i;
    return i < code_.size() ? code_[i] : '\0';
  }

  // At a '{'; afterwards at its '}'. What is declared with it is done where `head` is empty.
  void braces(const std::string& prefix, const std::string& type, bool is_public,
              std::string& head) {
    const std::vector<std::string> words = words_of(head);
    if (!words.empty() && words[0] == "namespace") return of_namespace(prefix, words, head);
    const bool is_function = head.find('(') != std::string::npos;
    if (!is_function && !words.empty() && (words[0] == "class" || words[0] == "struct"))
      return of_class(prefix, is_public, words, head);
    skip_braces();
    if (is_function && next_character() != ',' && next_character() != '{') {
      if (is_public) declare(prefix, type, head);
      head.clear();
    }
  }

  void of_namespace(const std::string& prefix, const std::vector<std::string>& words,
                    std::string& head) {
    head.clear();
    if (words.size() == 1 || has(words, "detail")) return skip_braces();
    std::string inner = prefix;
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i] != "kernbench") inner += words[i] + "::";
    }
    ++at_;
    scope(inner, "", true);
  }

  void of_class(const std::string& prefix, bool is_public, const std::vector<std::string>& words,
                std::string& head) {
    const bool is_open = words[0] == "struct";
    head.clear();
    if (!is_public) return skip_braces();
    ++at_;
    scope(prefix + words[1] + "::", words[1], is_open);
  }

  void declare(const std::string& prefix, const std::string& type, const std::string& head) {
    const std::vector<std::string> words = words_of(head);
    for (const char* other :
         {"friend", "using", "typedef", "static_assert", "operator", "extern"}) {
      if (has(words, other)) return;
    }
    if (words.empty() || words[0] == "class" || words[0] == "struct" || words[0] == "enum") return;
    const std::size_t parameters = find_outside(head, "("), value = find_outside(head, "=");
    if (parameters < value) return add(prefix, type, last_word(head.substr(0, parameters)), head);
    if (type.empty()) return;  // a constant
    for (std::size_t begin = 0; begin < head.size();) {
      const std::size_t comma = std::min(find_outside(head, ",", begin), head.size());
      const std::string one = head.substr(begin, comma - begin);
      add(prefix, type, last_word(one.substr(0, find_outside(one, "="))), head);
      begin = comma + 1;
    }
  }

  void add(const std::string& prefix, const std::string& type, const std::string& name,
           const std::string& head) {
    const bool destroys = head.find('~') != std::string::npos;
    if (name.empty() || name == type || destroys) return;
    calls_.insert(prefix + name);
  }

  std::string code_;
  std::size_t at_ = 0;
  std::set<std::string> calls_;
};

std::size_t level_of(const std::string& line) {
  const std::size_t level = line.find_first_not_of('#');
  return level == std::string::npos || level == 0 || line[level] != ' ' ? 0 : level;
}

}  // namespace

std::set<std::string> public_calls(const std::string& header) { return Scanner(header).calls(); }

std::set<std::string> listed_calls(const std::string& page, const std::string& heading) {
  std::set<std::string> listed;
  std::istringstream lines(page);
  bool below = false, fenced = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, 3, "```") == 0) fenced = !fenced;
    if (fenced) continue;
    if (line == heading) {
      below = true;
    } else if (below && level_of(line) > 0 && level_of(line) <= level_of(heading)) {
      below = false;
    }
    if (!below || line.compare(0, 2, "| ") != 0) continue;
    const std::string cell = line.substr(0, line.find(" | "));
    for (std::size_t at = cell.find('`'); at != std::string::npos; at = cell.find('`', at + 1)) {
      const std::size_t end = cell.find('`', at + 1);
      if (end == std::string::npos) break;
      const std::string call = cell.substr(at + 1, end - at - 1);
      listed.insert(call.substr(0, call.find('(')));
      at = end;
    }
  }
  return listed;
}

std::vector<std::string> differences_of_calls(const std::set<std::string>& calls,
                                              const std::set<std::string>& listed) {
  std::vector<std::string> differences;
  for (const std::string& name : listed) {
    if (calls.count(name) == 0) differences.push_back("no " + name);
  }
  for (const std::string& call : calls) {
    if (listed.count(call) == 0) differences.push_back("lacks " + call);
  }
  return differences;
}

}  // namespace kernbench::docs
