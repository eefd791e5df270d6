#include "tests/docs/source_words.h"

#include <algorithm>

#include "tests/docs/doc_rules.h"

namespace kernbench::docs {
namespace {

class Splitter {
 public:
  explicit Splitter(const std::string& source) : source_(source) {
    std::string blank = source;
    for (char& c : blank) {
      if (c != '\n') c = ' ';
    }
    words_ = {blank, blank, std::move(blank)};
  }

  SourceWords split() {
    while (at_ < source_.size()) {
      if (follows("//")) {
        at_ += 2;
        copy_until(words_.comments, source_.find('\n', at_));
      } else if (follows("/*")) {
        at_ += 2;
        copy_until(words_.comments, source_.find("*/", at_));
        at_ += 2;
      } else if (follows("R\"")) {
        raw_literal();
      } else if (source_[at_] == '"') {
        literal();
      } else if (source_[at_] == '\'') {
        character();
      } else {
        code();
      }
    }
    return std::move(words_);
  }

 private:
  bool follows(const char* two_characters) const {
    return source_.compare(at_, 2, two_characters) == 0;
  }

  void copy_until(std::string& to, std::size_t end) {
    end = std::min(end, source_.size());
    to.replace(at_, end - at_, source_, at_, end - at_);
    at_ = end;
  }

  void raw_literal() {
    const std::size_t open = source_.find('(', at_);
    const std::string close = ")" + source_.substr(at_ + 2, open - at_ - 2) + "\"";
    at_ = open + 1;
    copy_until(words_.literals, source_.find(close, at_));
    at_ = std::min(at_ + close.size(), source_.size());
  }

  void literal() {
    for (++at_; at_ < source_.size() && source_[at_] != '"' && source_[at_] != '\n';) {
      if (source_[at_] == '\\') {
        at_ += 2;
      } else {
        copy_until(words_.literals, at_ + 1);
      }
    }
    ++at_;
  }

  // A character literal, or a separator of digits.
  void character() {
    const bool in_number = at_ > 0 && is_word(source_[at_ - 1]);
    const std::size_t end = at_ + (source_.compare(at_ + 1, 1, "\\") == 0 ? 3 : 2);
    at_ = !in_number && source_.compare(end, 1, "'") == 0 ? end + 1 : at_ + 1;
  }

  void code() {
    const char c = source_[at_];
    if (c != ' ' && c != '\n') words_.literals[at_] = '.';
    if (!is_word(c)) {
      const char before = at_ > 0 ? source_[at_ - 1] : ' ';
      is_member_ = c == '.' || (c == '>' && before == '-') || (c == ':' && before == ':');
      copy_until(words_.names, at_ + 1);
      return;
    }
    if (!is_member_) words_.names[at_] = c == '_' ? ' ' : c;
    ++at_;
  }

  const std::string& source_;
  std::size_t at_ = 0;
  bool is_member_ = false;  // the name at `at_` follows ".", "->" or "::"
  SourceWords words_;
};

}  // namespace

SourceWords split_source(const std::string& source) { return Splitter(source).split(); }

std::string words_of(std::string text) {
  for (char& c : text) {
    if (c == '_' || c == '#' || c == '/') c = ' ';
  }
  return text;
}

}  // namespace kernbench::docs
