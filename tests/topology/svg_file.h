// An SVG as a reader has it: parsed by a small XML parser of its own, boxes of blocks and texts.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace kernbench::test {

struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  // directly inside, entities as they are
  std::vector<XmlElement> children;

  const std::string& at(const std::string& attribute) const { return attributes.at(attribute); }
  double number(const std::string& attribute) const { return std::stod(at(attribute)); }
};

// Throws std::runtime_error for what is not well-formed.
XmlElement parse_xml(const std::string& text);

struct Rectangle {
  double left, top, right, bottom;
  std::string what;
  bool overlaps(const Rectangle& other) const;
};

struct SvgFile {
  explicit SvgFile(const std::string& text);

  std::vector<std::string> block_ids;
  std::vector<std::pair<std::string, std::string>> link_ends;
  std::vector<Rectangle> blocks, texts;  // texts by an average width of characters
  std::map<std::string, std::pair<double, double>> middles;  // of blocks
  double px_per_mm = 0;                                      // 0: no scale bar
};

// "PE0 and HBM0" of the first pair that overlaps, or "".
std::string first_overlap(const std::vector<Rectangle>& boxes);

}  // namespace kernbench::test
