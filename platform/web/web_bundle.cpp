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
        for (const std::string& each : names_in(match[1]))
          names += (names.empty() ? "" : ", ") +
                   std::regex_replace(each, std::regex("\\s+as\\s+"), ": ");
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
        exports.push_back(match[2]);
        code += match[1].str() + ' ' + match[2].str();
        at += static_cast<std::size_t>(match.length());
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
      const std::size_t as = each.find(" as ");
      code += as == std::string::npos ? fmt::format(" {},", each)
                                      : fmt::format(" {}: {},", trimmed(each.substr(as + 4)),
                                                    trimmed(each.substr(0, as)));
    }
    return code + " };\n";
  }

  const std::map<std::string, std::string>& modules_;
  std::set<std::string> open_, done_;
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
