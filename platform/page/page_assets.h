// Style and script of all pages: page.css and page.js.
#pragma once

namespace kernbench {

extern const char* const page_css;
extern const char* const page_js;

}  // namespace kernbench
