#include <fmt/format.h>

#include <filesystem>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/figure/figure.h"
#include "platform/figure/figure_script.h"
#include "platform/figure/gnuplot.h"
#include "platform/output/result_file.h"

namespace kernbench {
namespace {

FigureFormat format_of(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".svg") return FigureFormat::svg;
  if (extension == ".png") return FigureFormat::png;
  if (extension == ".pdf") return FigureFormat::pdf;
  throw UsageError(
      fmt::format("the figure {} ends in {}: .svg, .png or .pdf", quote(path),
                  extension.empty() ? "nothing that names a format" : quote(extension)));
}

std::string xml_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else {
      escaped += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return escaped;
}

void replace_all(std::string& text, const std::string& part, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += by.size())
    text.replace(at, part.size(), by);
}

// Titles are tooltips in a browser: the figure's own instead of those of gnuplot, which does not
// know bold text in SVG either.
void finish_svg(std::string& svg, const std::string& title) {
  const std::string of_series = "<title>gnuplot_plot_", end = "</title>";
  replace_all(svg, "<title>Gnuplot</title>", "<title>" + xml_text(title) + end);
  for (std::size_t at = 0; (at = svg.find(of_series, at)) != std::string::npos;)
    svg.erase(at, svg.find(end, at) + end.size() - at);
  replace_all(svg, "font-family=\"sans-serif:Bold\"",
              "font-family=\"sans-serif\" font-weight=\"bold\"");
}

std::string drawn(const Figure& figure, FigureFormat format) {
  std::string bytes = run_gnuplot(figure_script(figure, format));
  if (format == FigureFormat::svg) finish_svg(bytes, figure.title);
  return bytes;
}

}  // namespace

std::string figure_svg(const Figure& figure) { return drawn(figure, FigureFormat::svg); }

void check_figure_file(const std::string& path) {
  format_of(path);
  require_gnuplot();
}

void write_figure(const Figure& figure, const std::string& path) {
  write_whole_file(path, drawn(figure, format_of(path)));
}

}  // namespace kernbench
