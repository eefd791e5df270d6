// Words of sources: comments, string literals and names, each with everything else blanked so that
// lines and columns stay.
#pragma once

#include <string>

namespace kernbench::docs {

// Parts of a C++ source, each as long as the source.
struct SourceWords {
  // Text of "//" and block comments, without these signs.
  std::string comments;
  // String literals, adjacent ones joined by blanks; code between two literals is dots. Escape
  // sequences are blanks.
  std::string literals;
  // Code with '_' as a blank, without names that are looked up in a class or namespace ("a.name",
  // "a->name", "a::name"): those are declared elsewhere.
  std::string names;
};
SourceWords split_source(const std::string& source);

// The text with '_', '#' and '/' as blanks: for CMake, scripts and configuration, and for paths.
std::string words_of(std::string text);

}  // namespace kernbench::docs
