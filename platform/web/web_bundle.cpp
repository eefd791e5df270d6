#include "platform/web/web_bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/page/html.h"
#include "platform/page/page_assets.h"

namespace kernbench {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\n") + 1 - begin);
}

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream parts(list);
  for (std::string name; std::getline(parts, name, ',');)
    if (name = trimmed(name); !name.empty()) names.push_back(name);
  return names;
}

bool matches(const std::string& text, std::smatch& match, const std::regex& form) {
  return std::regex_search(text, match, form, std::regex_constants::match_continuous);
}

// "a as b" -> "a", "b"; "a" -> "a", "a".
std::pair<std::string, std::string> renamed(const std::string& each) {
  const std::size_t as = each.find(" as ");
  if (as == std::string::npos) return {each, each};
  return {trimmed(each.substr(0, as)), trimmed(each.substr(as + 4))};
}

// Position after a string, a template or a comment that begins at `at`; `at` where none does.
std::size_t after_literal(const std::string& text, std::size_t at) {
  const auto behind = [&](const std::string& mark) {
    const std::size_t found = text.find(mark, at + 2);
    return found == std::string::npos ? text.size() : found + mark.size();
  };
  if (text.compare(at, 2, "//") == 0) return behind("\n");
  if (text.compare(at, 2, "/*") == 0) return behind("*/");
  const char quote_mark = text[at];
  if (quote_mark != '"' && quote_mark != '\'' && quote_mark != '`') return at;
  for (++at; at < text.size() && text[at] != quote_mark; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at + 1, text.size());
}

// Whether a declaration, whose values begin at `at`, goes on with a further name.
bool declares_several(const std::string& text, std::size_t at) {
  for (int depth = 0; at < text.size();) {
    if (const std::size_t after = after_literal(text, at); after != at) {
      at = after;
      continue;
    }
    const char c = text[at++];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth == 0 && c == ';') return false;
    if (depth == 0 && c == ',') return true;
  }
  return false;
}

class Bundler {
 public:
  explicit Bundler(const std::map<std::string, std::string>& modules) : modules_(modules) {}

  void add(const std::string& name) {
    if (done_.count(name) > 0) return;
    if (!open_.insert(name).second)
      throw Error(fmt::format("web/{}: the modules import each other in a cycle", name));
    const auto found = modules_.find(name);
    if (found == modules_.end())
      throw Error(fmt::format("web/: a module imports {}, which does not exist", quote(name)));
    const std::string code = translated(name, found->second);
    script_ +=
        fmt::format("modules[\"{}\"] = (function () {{\n\"use strict\";\n{}}})();\n", name, code);
    open_.erase(name);
    done_.insert(name);
  }
  std::string script() const {
    return "(function () {\nconst modules = {};\n" + script_ + "})();\n";
  }

 private:
  std::string translated(const std::string& name, const std::string& text) {
    static const std::regex import_names(R"re(import\s*\{([^}]*)\}\s*from\s*"\./([^"]+)";)re");
    static const std::regex import_all(R"re(import\s*\*\s*as\s+(\w+)\s+from\s*"\./([^"]+)";)re");
    static const std::regex import_only(R"re(import\s*"\./([^"]+)";)re");
    static const std::regex export_declared(
        R"re(export\s+((?:async\s+)?function\*?|class|const|let)\s+(\w+))re");
    static const std::regex export_names(R"re(export\s*\{([^}]*)\};)re");
    std::string code;
    std::vector<std::string> exports;
    std::size_t at = 0;
    while (at < text.size()) {
      // Statements of several lines begin at a line's begin, too.
      std::smatch match;
      const std::string rest = text.substr(at, std::min<std::size_t>(text.size() - at, 4096));
      const bool is_import =
          rest.compare(0, 6, "import") == 0 && rest.compare(0, 7, "import(") != 0;
      const bool is_export = rest.compare(0, 6, "export") == 0;
      if (is_import && matches(rest, match, import_names)) {
        add(match[2]);
        std::string names;
        for (const std::string& each : names_in(match[1])) {
          const auto [theirs, ours] = renamed(each);
          if (exports_[match[2]].count(theirs) == 0)
            throw Error(fmt::format("web/{}: imports {}, which {} does not export", name,
                                    quote(theirs), match[2].str()));
          names += (names.empty() ? "" : ", ") + (theirs == ours ? ours : theirs + ": " + ours);
        }
        code += fmt::format("const {{ {} }} = modules[\"{}\"];", names, match[2].str());
        at += static_cast<std::size_t>(match.length());
      } else if (is_import && matches(rest, match, import_all)) {
        add(match[2]);
        code += fmt::format("const {} = modules[\"{}\"];", match[1].str(), match[2].str());
        at += static_cast<std::size_t>(match.length());
      } else if (is_import && matches(rest, match, import_only)) {
        add(match[1]);
        at += static_cast<std::size_t>(match.length());
      } else if (is_export && matches(rest, match, export_declared)) {
        const std::string word = match[1];
        at += static_cast<std::size_t>(match.length());
        if ((word == "const" || word == "let") && declares_several(text, at))
          throw Error(fmt::format("web/{}: export of several names in one declaration, from {}",
                                  name, quote(match[2].str())));
        exports.push_back(match[2]);
        code += word + ' ' + match[2].str();
      } else if (is_export && matches(rest, match, export_names)) {
        for (const std::string& each : names_in(match[1])) exports.push_back(each);
        at += static_cast<std::size_t>(match.length());
      } else if (is_import || is_export) {
        throw Error(fmt::format("web/{}: {} is not a form that the exported file can have", name,
                                quote(rest.substr(0, rest.find('\n')))));
      }
      const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      code += text.substr(at, end - at);
      at = end;
    }
    if (code.empty() || code.back() != '\n') code += '\n';
    code += "return {";
    for (const std::string& each : exports) {
      const auto [ours, theirs] = renamed(each);
      code += ours == theirs ? fmt::format(" {},", ours) : fmt::format(" {}: {},", theirs, ours);
      exports_[name].insert(theirs);
    }
    return code + " };\n";
  }

  const std::map<std::string, std::string>& modules_;
  std::set<std::string> open_, done_;
  std::map<std::string, std::set<std::string>> exports_;  // by module
  std::string script_;
};

void replace(std::string& text, const std::regex& what, const std::string& by) {
  std::string result;
  std::size_t at = 0;
  for (std::sregex_iterator match(text.begin(), text.end(), what), end; match != end; ++match) {
    result += text.substr(at, static_cast<std::size_t>(match->position()) - at) + by;
    at = static_cast<std::size_t>(match->position() + match->length());
  }
  text = result + text.substr(at);
}

}  // namespace

std::string bundled_modules(const std::map<std::string, std::string>& modules,
                            const std::string& entry) {
  Bundler bundler(modules);
  bundler.add(entry);
  return bundler.script();
}

std::string exported_page(const std::string& data) {
  std::map<std::string, std::string> modules{{"page.js", page_js}};
  std::map<std::string, std::string> styles{{"page.css", page_css}};
  std::string html, entry;
  for (const WebAsset& asset : web_assets()) {
    const std::string name(asset.path.substr(1)), text(asset.text);
    if (name == "index.html") html = text;
    if (name.size() > 3 && name.compare(name.size() - 3, 3, ".js") == 0) modules[name] = text;
    if (name.size() > 4 && name.compare(name.size() - 4, 4, ".css") == 0) styles[name] = text;
  }
  // Styles in the order of the page, then the data and the modules.
  static const std::regex link(R"re(<link\s[^>]*rel="stylesheet"[^>]*href="([^"]+)"[^>]*>)re");
  std::string style;
  for (std::sregex_iterator match(html.begin(), html.end(), link), end; match != end; ++match) {
    std::string name = (*match)[1];
    name.erase(0, name.find_first_not_of("./"));
    const auto found = styles.find(name);
    if (found == styles.end()) throw Error("web/index.html names an unknown style " + quote(name));
    style += found->second;
  }
  replace(html, link, "");
  static const std::regex script(R"re(<script\s[^>]*src="([^"]+)"[^>]*>\s*</script>)re");
  std::string before;
  for (std::sregex_iterator match(html.begin(), html.end(), script), end; match != end; ++match) {
    std::string name = (*match)[1];
    name.erase(0, name.find_first_not_of("./"));
    const bool is_module = match->str().find("module") != std::string::npos;
    if (is_module) {
      entry = name;
    } else if (modules.count(name) > 0) {
      before += modules[name];
    }
  }
  replace(html, script, "");
  const std::string policy =
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; "
      "form-action 'none'\">\n";
  const std::size_t head = html.find("<meta charset"), head_end = html.find("</head>"),
                    body_end = html.rfind("</body>");
  if (head == std::string::npos || head_end == std::string::npos || body_end == std::string::npos)
    throw Error("web/index.html has no <meta charset>, </head> or </body>");
  const std::size_t after_charset = html.find('>', head) + 1;
  const auto in_script = [](const std::string& code) {
    // No text of a script ends it.
    return "<script>\n" + std::regex_replace(code, std::regex("</(?=script)"), "<\\/") +
           "</script>\n";
  };
  return html.substr(0, after_charset) + '\n' + policy +
         html.substr(after_charset, head_end - after_charset) + "<style>\n" + style + "</style>\n" +
         html.substr(head_end, body_end - head_end) + "<script>\n" +
         "window.kernbenchData = " + json_for_script(data) + ";\n</script>\n" +
         in_script(before + (entry.empty() ? "" : bundled_modules(modules, entry))) +
         html.substr(body_end);
}

}  // namespace kernbench
