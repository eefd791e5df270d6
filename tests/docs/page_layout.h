// Size and words of pages: columns of lines, characters of table cells, phrases that docs/words.md
// lists.
#pragma once

#include "tests/docs/doc_rules.h"

namespace kernbench::docs {

// Prose of a page: code blocks and text in back-quotes are blanks. Lines and columns stay.
std::string prose_of(const std::string& page);

// Phrases in back-quotes in the first cells of the table below "## Words that a test finds".
std::vector<std::string> phrases_to_avoid(const std::string& word_list);
// Phrases (of small letters) in `text`, a part of `page`: whole words, any white space between
// them, any case.
Faults check_words(const Page& page, const std::string& text,
                   const std::vector<std::string>& phrases);

// Lines over 120 columns; rows of tables and commands ("$ ...", "kernbench ...") are exempt.
Faults check_columns(const Page& page);
// Cells of tables over 160 characters, but lists of names in back-quotes.
Faults check_cells(const Page& page);

// Words between white space, as wc -w counts them, without the bars and rules of tables.
std::size_t count_words(const std::string& text);

// Lines "KIND PATH" of exclusions.txt: the paths of `kind`.
std::vector<std::string> excluded(const std::string& list, const std::string& kind);
// The path is one of `folders`, or lies below it.
bool is_below(const std::string& path, const std::vector<std::string>& folders);

}  // namespace kernbench::docs
