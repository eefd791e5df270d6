// Table of a page: sortable and with a filter where the page's script runs, its first rows readable
// where it does not. A table of many rows shows a part of them at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kernbench {

// number: aligned right. lines: a text whose line ends are kept. command: with a copy button. mark:
// a word that the style shows by its value (class of the cell).
enum class CellKind : std::uint8_t { number, text, lines, command, mark };

struct PageColumn {
  std::string name, unit;  // unit: shown below the name; may be empty
  CellKind kind = CellKind::text;
  bool is_further = false;         // shown only with "all columns"
  std::vector<std::string> cells;  // one per row; "": none
};

struct PageTable {
  std::string id;         // attribute `id` of the element
  std::string row_noun;   // noun for a row: "point"
  std::string full_file;  // file with all rows, named where rows are left out; may be empty
  std::size_t rows = 0;
  std::vector<PageColumn> columns;
};

// Rows that a table shows at a time.
inline constexpr std::size_t rows_of_part = 500;

std::string html_table(const PageTable& table);

// Numbers of a column as texts, with equally many digits after the point: about six significant
// digits of the largest number, at least three of the smallest. NaN becomes "".
std::vector<std::string> column_texts(const std::vector<double>& numbers);

// Unit that the name of a column ends in: "ns" of "simulated_ns", "B" of "links.pcie.bytes"; "".
std::string unit_of_column(const std::string& name);

}  // namespace kernbench
