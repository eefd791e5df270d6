#include "tests/support/vcd_reader.h"

#include <set>
#include <sstream>
#include <stdexcept>

namespace kernbench::test {
namespace {

class Reader {
 public:
  explicit Reader(const std::string& text) : in_(text) {}

  Vcd read() {
    for (std::string token; in_ >> token;) {
      if (token[0] == '$') {
        command(token);
      } else if (!defined_) {
        fail(token);
      } else {
        change(token);
      }
    }
    if (!scopes_.empty()) fail("end of the file in a scope");
    return std::move(vcd_);
  }

 private:
  [[noreturn]] static void fail(const std::string& token) {
    throw std::runtime_error("VCD: " + token);
  }

  std::string word() {
    std::string token;
    if (!(in_ >> token)) fail("end of the file");
    return token;
  }

  std::string up_to_end() {
    std::string text;
    for (std::string token = word(); token != "$end"; token = word())
      text += (text.empty() ? "" : " ") + token;
    return text;
  }

  void command(const std::string& token) {
    if (token == "$scope") {
      if (word() != "module") fail("kind of a scope");
      scopes_.push_back(word());
      up_to_end();
    } else if (token == "$upscope") {
      if (scopes_.empty()) fail(token);
      scopes_.pop_back();
      up_to_end();
    } else if (token == "$var") {
      declare();
    } else if (token == "$timescale") {
      vcd_.timescale = up_to_end();
    } else if (token == "$date") {
      vcd_.date = up_to_end();
    } else if (token == "$enddefinitions") {
      up_to_end();
      defined_ = true;
    } else if (token == "$dumpvars") {
      dumping_ = true;
    } else if (token == "$end") {
      if (!dumping_) fail(token);
      dumping_ = false;
    } else if (token == "$version" || token == "$comment") {
      up_to_end();
    } else {
      fail(token);
    }
  }

  void declare() {
    static const std::set<std::string> types{"wire", "real", "string", "event"};
    VcdVariable variable;
    variable.type = word();
    if (types.count(variable.type) == 0) fail("type " + variable.type);
    variable.width = static_cast<unsigned>(std::stoul(word()));
    const std::string id = word();
    std::string name;
    for (const std::string& scope : scopes_) name += scope + '.';
    name += word();
    const std::string range = up_to_end();
    const std::string full = '[' + std::to_string(variable.width - 1) + ":0]";
    if (!range.empty() && range != full) fail("range " + range);
    if (!vcd_.variables.emplace(name, variable).second) fail("a second " + name);
    if (!by_id_.emplace(id, name).second) fail("identifier " + id);
  }

  void change(const std::string& token) {
    if (token[0] == '#') return timestamp(std::stoull(token.substr(1)));
    const bool spaced = token[0] == 'b' || token[0] == 'r' || token[0] == 's';
    const std::string value = spaced ? token.substr(1) : token.substr(0, 1);
    const std::string id = spaced ? word() : token.substr(1);
    const auto found = by_id_.find(id);
    if (found == by_id_.end()) fail("identifier of " + token + ' ' + id);
    VcdVariable& variable = vcd_.variables[found->second];
    const bool vector = variable.type == "wire" && variable.width > 1;
    if (vector != (token[0] == 'b') || (variable.type == "string") != (token[0] == 's') ||
        (variable.type == "real") != (token[0] == 'r') || (vector && value.size() > variable.width))
      fail("value " + token + " of " + found->second);
    variable.changes.emplace_back(vcd_.last, value);
  }

  void timestamp(std::uint64_t t) {
    if (vcd_.timestamps++ == 0) {
      vcd_.first = t;
    } else if (t <= vcd_.last) {
      fail("time " + std::to_string(t));
    }
    vcd_.last = t;
  }

  std::istringstream in_;
  Vcd vcd_;
  std::vector<std::string> scopes_;
  std::map<std::string, std::string> by_id_;
  bool defined_ = false, dumping_ = false;
};

}  // namespace

std::string Vcd::at(const std::string& name, std::uint64_t instant) const {
  const auto found = variables.find(name);
  std::string value;
  if (found == variables.end()) return value;
  for (const auto& [when, what] : found->second.changes) {
    if (when <= instant) value = what;
  }
  return value;
}

Vcd read_vcd(const std::string& text) { return Reader(text).read(); }

}  // namespace kernbench::test
