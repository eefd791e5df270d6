// What the pages say about the tree is true: files that they name exist, functions are in their
// files, links lead somewhere, lists are complete. Faults are texts "page:line: what is wrong".
#pragma once

#include <cctype>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace kernbench::docs {

struct Page {
  std::string path;  // from the root of the tree, with '/'
  std::string text;
};
using Faults = std::vector<std::string>;

// A letter, a digit or an underscore.
inline bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string read_text(const std::filesystem::path& path);
// Files below `root` of which `wanted` likes the path, by path; without build folders and what
// begins with a dot.
std::vector<Page> read_pages(const std::filesystem::path& root,
                             const std::function<bool(const std::string& path)>& wanted);

// "page:line: " of a position in the page's text.
std::string place_of(const Page& page, std::size_t at);

// A path with a folder and an ending of a source, in text or code, is a file: from the root, or
// from the page's own folder. Not what a guide tells to write: the first line of a block of C++.
Faults check_paths(const Page& page, const std::filesystem::path& root);

// "`path/to/file.cpp: Class::function`": the file has it as a function, or as a class.
Faults check_names(const Page& page, const std::filesystem::path& root);

// Targets of Markdown links that are no addresses of the web, with their headings: page.md#heading.
Faults check_links(const Page& page, const std::filesystem::path& root);

// A block of C++ whose first line is "// FILE", a file below `folder`, goes on with lines of that
// file. Adds the number of such blocks to `blocks`.
Faults check_quotes(const Page& page, const std::filesystem::path& root, const std::string& folder,
                    std::size_t& blocks);

// The index has exactly one link to each record in its folder.
Faults check_index(const Page& index, const std::vector<std::string>& records);

// Words of capitals, of at least two letters, in the prose of a page (not in code).
std::set<std::string> acronyms_of(const std::string& text);
// The terms of the table below "## Glossary": first cells, split at ',' and ';', without
// back-quotes.
std::set<std::string> glossary_of(const std::string& text);

}  // namespace kernbench::docs
