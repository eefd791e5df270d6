#include "platform/page/html.h"

#include <algorithm>
#include <sstream>

#include "models/base/quote.h"

namespace kernbench {
namespace {

const char* entity_of(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return nullptr;
  }
}

void append_escaped(std::string& html, std::string_view text) {
  for (const char c : text) {
    const char* entity = entity_of(c);
    entity == nullptr ? html.push_back(c) : void(html += entity);
  }
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string html;
  // Line feeds and tabs are kept.
  while (!text.empty()) {
    const std::size_t end = text.find_first_of("\n\t");
    append_escaped(html, escaped(text.substr(0, end)));
    if (end == std::string_view::npos) break;
    html.push_back(text[end]);
    text.remove_prefix(end + 1);
  }
  return html;
}

std::string html_element(const char* name, const HtmlAttributes& attributes,
                         const std::string& content) {
  std::string html = std::string("<") + name;
  for (const auto& [key, value] : attributes)
    html += std::string(" ") + key + "=\"" + html_escaped(value) + '"';
  return html + '>' + content + "</" + name + '>';
}

std::string html_text(const char* name, const std::string& text, const HtmlAttributes& attributes) {
  return html_element(name, attributes, html_escaped(text));
}

std::string html_paragraphs(const std::string& text) {
  std::istringstream lines(text);
  std::string html, paragraph;
  const auto end = [&] {
    if (!paragraph.empty()) html += html_text("p", paragraph) + '\n';
    paragraph.clear();
  };
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) {
      end();
    } else {
      paragraph += (paragraph.empty() ? "" : "\n") + line;
    }
  }
  end();
  return html;
}

std::string html_name(const std::string& name) {
  std::string html;
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size() - 1) + 1;
    html += html_escaped(std::string_view(name).substr(begin, end - begin));
    if (end < name.size()) html += "<wbr>";
    begin = end;
  }
  return html;
}

std::string json_for_script(const std::string& json) {
  std::string text;
  for (const char c : json) c == '<' ? void(text += "\\u003c") : text.push_back(c);
  return text;
}

}  // namespace kernbench
