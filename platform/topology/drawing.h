// Drawing: shapes in pixels, written as SVG. Deterministic text, no external references.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernbench {

struct Point {
  double x = 0, y = 0;
};

struct Box {
  double x = 0, y = 0, w = 0, h = 0;
  double right() const { return x + w; }
  double bottom() const { return y + h; }
  Point middle() const { return {x + w / 2, y + h / 2}; }
};

struct Paint {
  std::string fill = "none";
  std::string stroke = "none";
  double width = 1;
  std::string dash = "";  // "6 4"; empty: solid
  double radius = 0;      // radius of a rectangle's corners
};

struct TextStyle {
  double size = 14;
  const char* anchor = "middle";  // or "start", "end"
  bool bold = false;
  std::string fill = "#1b1f24";
  bool upwards = false;  // rotated by 90 degrees, readable from the right
};

class Drawing {
 public:
  // Opens a group of shapes until close(); `tooltip` is shown by viewers that support it.
  void open(std::string_view classes, std::string_view attributes, std::string_view tooltip);
  void close() { body_ += "</g>\n"; }

  void rect(const Box& box, const Paint& paint);
  void line(const std::vector<Point>& points, const Paint& paint);
  // `at`: middle of the text's height, and of its width unless the style sets a different anchor.
  void text(Point at, std::string_view words, const TextStyle& style);
  // Rectangle with a colour gradient from left to right.
  void gradient(const Box& box, const std::vector<std::string>& colours);

  const Box& bounds() const { return bounds_; }
  // `margin` around everything.
  std::string svg(std::string_view title, std::string_view description, double margin) const;

 private:
  void extend(double x, double y);

  std::string body_, definitions_;
  Box bounds_;
  bool empty_ = true;
};

// Upper estimate over the fonts that a viewer may use.
double text_width(std::string_view words, double size);

}  // namespace kernbench
