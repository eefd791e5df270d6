// Text as HTML.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kernbench {

// Text for the content of an element or a quoted attribute. Characters that HTML does not allow,
// and bytes that are no UTF-8, become escapes such as \x1b.
std::string html_escaped(std::string_view text);

using HtmlAttributes = std::vector<std::pair<const char*, std::string>>;

// <name a="b">content</name>; `content` is HTML, the values of attributes are texts.
std::string html_element(const char* name, const HtmlAttributes& attributes,
                         const std::string& content);
// The same with a text.
std::string html_text(const char* name, const std::string& text,
                      const HtmlAttributes& attributes = {});

// Paragraphs of a text, which empty lines separate.
std::string html_paragraphs(const std::string& text);

// Name of a column or of a key, which may be broken after dots.
std::string html_name(const std::string& name);

// JSON inside a <script>, which no text in it can end.
std::string json_for_script(const std::string& json);

}  // namespace kernbench
