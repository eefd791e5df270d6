#include "platform/topology/drawing.h"

#include <fmt/format.h>

#include <algorithm>

namespace kernbench {
namespace {

constexpr const char* fonts = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

std::string xml_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

// Hundredths of a pixel, without trailing zeros.
std::string number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string attributes_of(const Paint& paint) {
  std::string text = fmt::format(R"( fill="{}")", paint.fill);
  if (paint.stroke == "none") return text;
  text += fmt::format(R"( stroke="{}" stroke-width="{}")", paint.stroke, number(paint.width));
  if (!paint.dash.empty()) text += fmt::format(R"( stroke-dasharray="{}")", paint.dash);
  return text;
}

double em_of(char c) {
  if (std::string_view("il.,:;'|!j ftr()[]-/").find(c) != std::string_view::npos) return 0.4;
  if (std::string_view("mwMW%@").find(c) != std::string_view::npos) return 0.96;
  return c >= 'A' && c <= 'Z' ? 0.74 : 0.63;
}

}  // namespace

double text_width(std::string_view words, double size) {
  double em = 0;
  for (const char c : words) {
    const bool continues =
        (static_cast<unsigned char>(c) & 0xC0u) == 0x80u;  // continuation byte of UTF-8
    if (!continues) em += em_of(c);
  }
  return em * size;
}

void Drawing::extend(double x, double y) {
  if (empty_) bounds_ = {x, y, 0, 0};
  empty_ = false;
  const double right = std::max(bounds_.right(), x), bottom = std::max(bounds_.bottom(), y);
  bounds_.x = std::min(bounds_.x, x);
  bounds_.y = std::min(bounds_.y, y);
  bounds_.w = right - bounds_.x;
  bounds_.h = bottom - bounds_.y;
}

void Drawing::open(std::string_view classes, std::string_view attributes,
                   std::string_view tooltip) {
  body_ += fmt::format(R"(<g class="{}"{}{}>)", xml_text(classes), attributes.empty() ? "" : " ",
                       attributes);
  if (!tooltip.empty()) body_ += fmt::format("<title>{}</title>", xml_text(tooltip));
  body_ += '\n';
}

void Drawing::rect(const Box& box, const Paint& paint) {
  const double half = paint.stroke == "none" ? 0 : paint.width / 2;
  extend(box.x - half, box.y - half);
  extend(box.right() + half, box.bottom() + half);
  body_ += fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}")", number(box.x),
                       number(box.y), number(box.w), number(box.h));
  if (paint.radius > 0) body_ += fmt::format(R"( rx="{}")", number(paint.radius));
  body_ += attributes_of(paint) + "/>\n";
}

void Drawing::line(const std::vector<Point>& points, const Paint& paint) {
  std::string text;
  for (const Point& point : points) {
    extend(point.x, point.y);
    text += fmt::format("{}{},{}", text.empty() ? "" : " ", number(point.x), number(point.y));
  }
  body_ += fmt::format(R"(<polyline points="{}"{}/>)", text, attributes_of(paint)) + "\n";
}

void Drawing::text(Point at, std::string_view words, const TextStyle& style) {
  const double width = text_width(words, style.size), half = style.size / 2;
  const std::string_view anchor = style.anchor;
  const double before = anchor == "start" ? 0 : anchor == "end" ? width : width / 2;
  if (style.upwards) {
    extend(at.x - half, at.y - (width - before));
    extend(at.x + half, at.y + before);
  } else {
    extend(at.x - before, at.y - half);
    extend(at.x + width - before, at.y + half);
  }
  // The baseline is about 0.35 em below the middle of capitals; not every viewer supports
  // dominant-baseline.
  const double base = 0.35 * style.size;
  const double x = style.upwards ? at.x + base : at.x, y = style.upwards ? at.y : at.y + base;
  body_ += fmt::format(R"(<text x="{}" y="{}" font-size="{}" text-anchor="{}" fill="{}")",
                       number(x), number(y), number(style.size), style.anchor, style.fill);
  if (style.bold) body_ += R"( font-weight="bold")";
  if (style.upwards) body_ += fmt::format(" transform=\"rotate(-90 {} {})\"", number(x), number(y));
  body_ += fmt::format(">{}</text>\n", xml_text(words));
}

void Drawing::gradient(const Box& box, const std::vector<std::string>& colours) {
  definitions_ += R"(<linearGradient id="scale">)";
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const double at = static_cast<double>(i) / static_cast<double>(colours.size() - 1);
    definitions_ += fmt::format(R"(<stop offset="{}" stop-color="{}"/>)", number(at), colours[i]);
  }
  definitions_ += "</linearGradient>\n";
  rect(box, {"url(#scale)", "#5b6570", 1, "", 0});
}

std::string Drawing::svg(std::string_view title, std::string_view description,
                         double margin) const {
  const Box& b = bounds_;
  const std::string w = number(b.w + 2 * margin), h = number(b.h + 2 * margin);
  const std::string x = number(b.x - margin), y = number(b.y - margin);
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  text += fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" viewBox="{} {} {} {}" font-family="{}">)",
      w, h, x, y, w, h, fonts);
  text +=
      fmt::format("\n<title>{}</title>\n<desc>{}</desc>\n", xml_text(title), xml_text(description));
  if (!definitions_.empty()) text += "<defs>\n" + definitions_ + "</defs>\n";
  text += fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="#ffffff"/>)", x, y, w, h);
  return text + "\n" + body_ + "</svg>\n";
}

}  // namespace kernbench
