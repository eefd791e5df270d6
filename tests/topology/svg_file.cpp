#include "tests/topology/svg_file.h"

#include <cctype>
#include <functional>
#include <stdexcept>

namespace kernbench::test {
namespace {

class XmlParser {
 public:
  explicit XmlParser(const std::string& text) : text_(text) {}

  XmlElement document() {
    if (text_.compare(0, 5, "<?xml") == 0) at_ = text_.find("?>") + 2;
    skip_space();
    XmlElement root = element();
    skip_space();
    if (at_ != text_.size()) fail("text behind the root");
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error(why + " at byte " + std::to_string(at_));
  }
  char here() const {
    if (at_ >= text_.size()) fail("end of text");
    return text_[at_];
  }
  void expect(char c) {
    if (here() != c) fail(std::string("expected ") + c);
    ++at_;
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  std::string name() {
    const std::size_t from = at_;
    while (std::isalnum(static_cast<unsigned char>(here())) != 0 || here() == '-' || here() == ':')
      ++at_;
    if (at_ == from) fail("a name is missing");
    return text_.substr(from, at_ - from);
  }
  void check_entity() const {
    for (const char* entity : {"&amp;", "&lt;", "&gt;", "&quot;"})
      if (text_.compare(at_, std::string(entity).size(), entity) == 0) return;
    fail("a bare &");
  }

  XmlElement element() {
    expect('<');
    XmlElement result;
    result.name = name();
    for (skip_space(); here() != '>' && here() != '/'; skip_space()) {
      const std::string key = name();
      expect('=');
      expect('"');
      std::string value;
      for (; here() != '"'; ++at_) {
        if (here() == '<') fail("< in an attribute");
        if (here() == '&') check_entity();
        value += here();
      }
      ++at_;
      if (!result.attributes.emplace(key, value).second) fail("attribute " + key + " twice");
    }
    if (here() == '/') {
      ++at_;
      expect('>');
      return result;
    }
    ++at_;
    for (;;) {
      if (here() != '<') {
        if (here() == '&') check_entity();
        result.text += text_[at_++];
      } else if (text_.compare(at_, 2, "</") == 0) {
        at_ += 2;
        if (name() != result.name) fail("the end of another element than " + result.name);
        expect('>');
        return result;
      } else {
        result.children.push_back(element());
      }
    }
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

Rectangle box_of_text(const XmlElement& text) {
  const double size = text.number("font-size"), x = text.number("x"), y = text.number("y");
  std::size_t characters = 0;
  for (const char c : text.text)
    if ((static_cast<unsigned char>(c) & 0xC0u) != 0x80u) ++characters;
  const double width = 0.55 * size * static_cast<double>(characters);
  const std::string& anchor = text.at("text-anchor");
  const double before = anchor == "start" ? 0 : anchor == "end" ? width : width / 2;
  // From the height of capitals to the baseline.
  if (text.attributes.count("transform") == 0)
    return {x - before, y - 0.7 * size, x - before + width, y, text.text};
  return {x - 0.7 * size, y - (width - before), x, y + before, text.text};
}

}  // namespace

XmlElement parse_xml(const std::string& text) { return XmlParser(text).document(); }

bool Rectangle::overlaps(const Rectangle& other) const {
  return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
}

SvgFile::SvgFile(const std::string& text) {
  const std::function<void(const XmlElement&)> collect = [&](const XmlElement& element) {
    const auto found = element.attributes.find("class");
    const std::string kind = found == element.attributes.end() ? "" : found->second;
    if (kind == "block") {
      block_ids.push_back(element.at("data-id"));
      for (const XmlElement& child : element.children) {
        if (child.name != "rect") continue;
        const double x = child.number("x"), y = child.number("y");
        const double w = child.number("width"), h = child.number("height");
        blocks.push_back({x, y, x + w, y + h, block_ids.back()});
        middles[block_ids.back()] = {x + w / 2, y + h / 2};
      }
    }
    if (kind == "link") link_ends.emplace_back(element.at("data-a"), element.at("data-b"));
    if (kind == "scale") px_per_mm = element.number("data-px-per-mm");
    if (element.name == "text") texts.push_back(box_of_text(element));
    for (const XmlElement& child : element.children) collect(child);
  };
  collect(parse_xml(text));
}

std::string first_overlap(const std::vector<Rectangle>& boxes) {
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (boxes[i].overlaps(boxes[j])) return boxes[j].what + " and " + boxes[i].what;
    }
  }
  return "";
}

}  // namespace kernbench::test
