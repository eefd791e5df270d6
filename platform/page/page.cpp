#include "platform/page/page.h"

#include <fmt/format.h>

#include "models/base/errors.h"
#include "platform/page/html.h"
#include "platform/page/page_assets.h"

namespace kernbench {
namespace {

// Puts the prefix after each occurrence of `before`.
void add_prefix(std::string& text, const std::string& before, const std::string& prefix) {
  for (std::size_t at = 0; (at = text.find(before, at)) != std::string::npos;) {
    at += before.size();
    text.insert(at, prefix);
  }
}

}  // namespace

std::string html_page(const std::string& title, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; "
      "form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n{}<script>\n{}</script>\n"
      "</body>\n</html>\n",
      html_escaped(title), page_css, body, page_js);
}

std::string inline_svg(const std::string& svg, const std::string& prefix) {
  const std::size_t begin = svg.find("<svg");
  if (begin == std::string::npos) throw Error("a picture is no SVG");
  std::string text = svg.substr(begin);
  for (const char* before : {" id=\"", " id='", "href=\"#", "href='#", "url(#"})
    add_prefix(text, before, prefix);
  return text;
}

}  // namespace kernbench
