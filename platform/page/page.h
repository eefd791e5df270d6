// Self-contained page: HTML with the style and the script of all pages, which loads nothing.
#pragma once

#include <string>

namespace kernbench {

// Whole document. `body`: HTML. Its content security policy forbids every request.
std::string html_page(const std::string& title, const std::string& body);

// SVG document as an element of a page; its ids get a prefix, because a page has many pictures.
std::string inline_svg(const std::string& svg, const std::string& prefix);

}  // namespace kernbench
