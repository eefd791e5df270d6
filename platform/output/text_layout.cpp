#include "platform/output/text_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "platform/output/line_width.h"

namespace kernbench {
namespace {

constexpr const char* gap = "  ";
constexpr std::size_t gap_width = 2;
constexpr std::size_t narrowest_text = 20;  // column of text that is broken
constexpr std::size_t narrowest_word = 24;  // column that has longer words

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

// Numbers stay whole, and names in the first column as long as possible.
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

// Returns whether the block fits then.
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
    if (!left_[c]) least[c] = widest[c];  // titles whole, too
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
