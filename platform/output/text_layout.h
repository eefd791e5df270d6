// TextLayout: columns of text as wide as their widest cell, two blanks between them, no blanks at
// the ends of lines.
//
// A table wider than line_width is narrowed, the widest column first: titles continue on further
// lines in their column, and if that is not enough, so do cells of left-aligned columns. A word
// longer than its column has a line of its own, up to the next cell that is not empty. Names in the
// first column are not broken if they use at most half the line. Columns that still do not fit
// follow in a block below, after the repeated key columns.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace kernbench {

// --- Lines of the console: at most 120 columns, broken at blanks

constexpr std::size_t line_width = 120;

// Lines of at most `width` characters, at least one line. Only a longer word exceeds the width.
// Text that fits is returned unchanged, with the blanks at its ends.
std::vector<std::string> broken_at_blanks(const std::string& text, std::size_t width = line_width);
std::size_t longest_word(const std::string& text);

// Lines of `text`; those that are too long continue below their second column, as in "  name
// text", or else `hang` columns behind the start of their first word.
std::string fitted(const std::string& text, std::size_t hang = 0);

// Line with a named value in the head of a report: "energy-delay       2.1e-12 J s".
std::string named_value(const std::string& name, const std::string& value);

// --- Tables

class TextLayout {
 public:
  // `keys`: first columns that identify a row, repeated in every block.
  explicit TextLayout(std::string indent, std::size_t keys = 1)
      : indent_(std::move(indent)), keys_(keys) {}
  void add_column(std::string title, bool left);
  void add_row(std::vector<std::string> cells);  // one per column
  void add_note(std::string line);  // appends a line, with its line feed, after the rows so far
  std::string text() const;

 private:
  using Columns = std::vector<std::size_t>;  // columns of a block
  using Widths = std::vector<std::size_t>;   // by column

  std::size_t room(const Columns& block) const;
  bool narrow(const Columns& block, Widths& widths, const Widths& least) const;
  enum class Break { titles, words, all };  // permitted line breaks
  Widths least_widths(Break what) const;
  std::string block_text(const Columns& block, const Widths& widths) const;
  std::string row_text(const std::vector<std::string>& cells, const Columns& block,
                       const Widths& widths) const;

  std::string indent_;
  std::size_t keys_;
  std::vector<bool> left_;
  std::vector<std::vector<std::string>> rows_{1};           // the titles first
  std::vector<std::pair<std::size_t, std::string>> notes_;  // number of preceding rows, text
};

}  // namespace kernbench
