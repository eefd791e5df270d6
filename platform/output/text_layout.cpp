#include "platform/output/text_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace kernbench {

namespace {

// Column of the continuation of the line.
std::size_t continuation_of(const std::string& line, std::size_t hang) {
  constexpr std::size_t most = 40;  // a second column beyond it is ignored
  const std::size_t first = std::min(line.find_first_not_of(' '), line_width / 2);
  const std::size_t gap = line.find("  ", first), second = line.find_first_not_of(' ', gap);
  return gap == std::string::npos || second > most ? first + hang : second;
}

std::string fitted_line(const std::string& line, std::size_t hang) {
  if (line.size() <= line_width) return line;
  const std::size_t begin = continuation_of(line, hang);
  const std::vector<std::string> parts = broken_at_blanks(line, line_width);
  if (parts.size() == 1) return line;
  const std::string rest = line.substr(line.find_first_not_of(' ', parts.front().size()));
  std::string text = parts.front();
  for (const std::string& part : broken_at_blanks(rest, line_width - begin))
    text += '\n' + std::string(begin, ' ') + part;
  return text;
}

}  // namespace

std::vector<std::string> broken_at_blanks(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (text.size() - begin > width) {
    std::size_t end = text.rfind(' ', begin + width);
    if (end == std::string::npos || text.find_first_not_of(' ', begin) > end)
      end = text.find(' ', begin + width);
    const std::size_t next = text.find_first_not_of(' ', end);
    if (next == std::string::npos) break;
    lines.push_back(text.substr(begin, text.find_last_not_of(' ', end) + 1 - begin));
    begin = next;
  }
  lines.push_back(text.substr(begin));
  return lines;
}

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    longest = std::max(longest, end - begin);
    begin = end + 1;
  }
  return longest;
}

std::string fitted(const std::string& text, std::size_t hang) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    result += fitted_line(text.substr(begin, end - begin), hang);
    if (end < text.size()) result += '\n';
    begin = end + 1;
  }
  return result;
}

std::string named_value(const std::string& name, const std::string& value) {
  return fitted(fmt::format("{:<18} {}\n", name, value), 19);
}

namespace {

constexpr const char* gap = "  ";
constexpr std::size_t gap_width = 2;
constexpr std::size_t narrowest_text = 20;  // column with broken text
constexpr std::size_t narrowest_word = 24;  // column with longer words

}  // namespace

void TextLayout::add_column(std::string title, bool left) {
  rows_.front().push_back(std::move(title));
  left_.push_back(left);
}

void TextLayout::add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

void TextLayout::add_note(std::string line) { notes_.emplace_back(rows_.size(), std::move(line)); }

std::size_t TextLayout::room(const Columns& block) const {
  const std::size_t taken = indent_.size() + gap_width * (block.size() - 1);
  return line_width - std::min(line_width, taken);
}

// Numbers are never broken; names in the first column only as a last resort.
TextLayout::Widths TextLayout::least_widths(Break what) const {
  Widths least(left_.size(), 0);
  for (std::size_t c = 0; c < left_.size(); ++c) {
    std::size_t widest = 0, word = longest_word(rows_.front()[c]);
    for (std::size_t r = 1; r < rows_.size(); ++r) {
      widest = std::max(widest, rows_[r][c].size());
      word = std::max(word, longest_word(rows_[r][c]));
    }
    const bool is_last = c + 1 == left_.size();
    const bool is_name = c == 0 && (what != Break::all || widest <= line_width / 2);
    const std::size_t title = rows_.front()[c].size();
    if (!left_[c]) {
      least[c] = std::max(widest, longest_word(rows_.front()[c]));
    } else if (what == Break::titles || is_name) {
      least[c] = std::max(widest, std::min(title, narrowest_text));
    } else {
      least[c] = std::max(std::min(std::max(widest, title), narrowest_text), word);
      if (what == Break::all && !is_last) least[c] = std::min(least[c], narrowest_word);
    }
  }
  return least;
}

// Returns true if the block then fits.
bool TextLayout::narrow(const Columns& block, Widths& widths, const Widths& least) const {
  std::size_t sum = 0;
  for (const std::size_t c : block) sum += widths[c];
  for (const std::size_t most = room(block); sum > most; --sum) {
    std::size_t widest = left_.size();
    for (const std::size_t c : block) {
      if (widths[c] > least[c] && (widest == left_.size() || widths[c] > widths[widest]))
        widest = c;
    }
    if (widest == left_.size()) return false;
    --widths[widest];
  }
  return true;
}

std::string TextLayout::row_text(const std::vector<std::string>& cells, const Columns& block,
                                 const Widths& widths) const {
  std::vector<std::vector<std::string>> lines;  // by line, then by position in the block
  std::size_t first = 0;                        // line of the next cell
  for (std::size_t at = 0; at < block.size(); ++at) {
    const std::string& cell = cells[block[at]];
    const auto parts = broken_at_blanks(cell, std::max<std::size_t>(widths[block[at]], 1));
    if (lines.size() < first + parts.size())
      lines.resize(first + parts.size(), std::vector<std::string>(block.size()));
    for (std::size_t i = 0; i < parts.size(); ++i) lines[first + i][at] = parts[i];
    if (longest_word(cell) > widths[block[at]]) first += parts.size();
  }
  std::string text;
  for (const auto& line : lines) {
    std::string shown = indent_;
    for (std::size_t at = 0; at < block.size(); ++at) {
      if (at > 0) shown += gap;
      shown += left_[block[at]] ? fmt::format("{:<{}}", line[at], widths[block[at]])
                                : fmt::format("{:>{}}", line[at], widths[block[at]]);
    }
    shown.erase(shown.find_last_not_of(' ') + 1);
    text += shown + '\n';
  }
  return text;
}

std::string TextLayout::block_text(const Columns& block, const Widths& widths) const {
  std::string text;
  auto note = notes_.begin();
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    text += row_text(rows_[r], block, widths);
    for (; note != notes_.end() && note->first == r + 1; ++note) text += note->second;
  }
  return text;
}

std::string TextLayout::text() const {
  Widths widest(left_.size(), 0);
  for (const auto& cells : rows_) {
    for (std::size_t c = 0; c < cells.size(); ++c) widest[c] = std::max(widest[c], cells[c].size());
  }
  Columns all(left_.size());
  std::iota(all.begin(), all.end(), 0);
  for (const Break what : {Break::titles, Break::words, Break::all}) {
    Widths widths = widest;
    if (narrow(all, widths, least_widths(what))) return block_text(all, widths);
  }
  if (all.size() <= keys_) return block_text(all, widest);
  std::string text;
  Widths least = least_widths(Break::all);
  for (std::size_t c = 0; c < all.size(); ++c) {
    if (!left_[c]) least[c] = widest[c];  // titles are not broken either
  }
  for (std::size_t next = keys_; next < all.size();) {
    Columns block(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(keys_));
    block.push_back(next++);
    Widths widths = widest;
    narrow(block, widths, least);
    while (next < all.size()) {
      Columns more = block;
      more.push_back(next);
      Widths narrower = widest;
      if (!narrow(more, narrower, least)) break;
      block = more;
      widths = narrower;
      ++next;
    }
    text += (text.empty() ? "" : "\n") + block_text(block, widths);
  }
  return text;
}

}  // namespace kernbench
