#include "platform/sweep/plan_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/config/nearest_name.h"
#include "platform/output/json_text.h"
#include "platform/sweep/expression.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;
using Texts = std::vector<std::string>;

// Key of a figure with one text, or with several.
struct FigureKey {
  const char* name;
  std::string PlanFigure::*text;
  Texts PlanFigure::*texts;
};

const std::vector<FigureKey>& keys_of_columns_and_texts() {
  static const std::vector<FigureKey> keys{
      {"name", &PlanFigure::name, nullptr},
      {"title", &PlanFigure::title, nullptr},
      {"x", &PlanFigure::x, nullptr},
      {"y", nullptr, &PlanFigure::y},
      {"series", nullptr, &PlanFigure::series},
      {"theory", nullptr, &PlanFigure::theory},
      {"cells", &PlanFigure::cells, nullptr},
      {"labels", &PlanFigure::labels, nullptr},
      {"where", &PlanFigure::where, nullptr},
      {"x_label", &PlanFigure::x_label, nullptr},
      {"y_label", &PlanFigure::y_label, nullptr},
      {"cells_label", &PlanFigure::cells_label, nullptr},
      {"pareto", &PlanFigure::pareto, nullptr},
      {"text", &PlanFigure::text, nullptr},
  };
  return keys;
}

Texts key_names() {
  Texts names{"kind", "log"};
  for (const FigureKey& key : keys_of_columns_and_texts()) names.emplace_back(key.name);
  return names;
}

std::optional<FigureKind> kind_of(const std::string& name) {
  const Texts& kinds = figure_kinds();
  const auto found = std::find(kinds.begin(), kinds.end(), name);
  if (found == kinds.end()) return std::nullopt;
  return static_cast<FigureKind>(found - kinds.begin());
}

// Sets a key other than `kind`; returns a fault, or "".
std::string set_key(PlanFigure& figure, const std::string& name, const Texts& values) {
  if (name == "log") {
    for (const std::string& axis : values) {
      if (axis != "x" && axis != "y")
        return fmt::format("found {}, allowed is x, y or [x, y]", quote(axis));
      (axis == "x" ? figure.log_x : figure.log_y) = true;
    }
    return "";
  }
  for (const FigureKey& key : keys_of_columns_and_texts()) {
    if (name != key.name) continue;
    if (key.texts != nullptr) {
      figure.*key.texts = values;
    } else if (values.size() == 1) {
      figure.*key.text = values.front();
    } else {
      return "found a list, allowed is a text";
    }
    return "";
  }
  const Texts names = key_names();
  return fmt::format("unknown key{}; known here: {}", did_you_mean(name, names),
                     listed(names, "nothing"));
}

class FiguresReader {
 public:
  explicit FiguresReader(std::vector<ConfigIssue>& issues) : issues_(issues) {}

  PlanFigure read(const ConfigNode& node, const std::string& path) {
    PlanFigure figure;
    figure.place = node.place;
    const std::size_t before = issues_.size();
    bool has_kind = false;
    for (const ConfigEntry& entry : node.entries) {
      const std::optional<Texts> values = values_of(entry, path);
      if (!values) continue;
      std::string fault;
      if (entry.key == "kind") {
        const std::optional<FigureKind> kind = kind_of(values->front());
        has_kind = true;
        if (kind) figure.kind = *kind;
        if (!kind)
          fault = fmt::format("found {}, allowed is {}{}", quote(values->front()),
                              listed(figure_kinds(), ""),
                              did_you_mean(values->front(), figure_kinds()));
      } else {
        fault = set_key(figure, entry.key, *values);
      }
      if (!fault.empty()) issues_.push_back(issue_at(entry.place, path + '.' + entry.key, fault));
    }
    if (issues_.size() > before) return figure;
    if (!has_kind)
      issues_.push_back(issue_at(node.place, path + ".kind",
                                 "the key is missing; allowed is " + listed(figure_kinds(), "")));
    for (const std::string& fault : faults_of(figure))
      issues_.push_back(issue_at(place_of(node, fault), path, fault));
    if (!figure.name.empty() && !names_.insert(figure.name).second)
      issues_.push_back(
          issue_at(node.place, path + ".name",
                   fmt::format("another figure has the name {}", quote(figure.name))));
    return figure;
  }

 private:
  // Texts of a scalar or of a list of them; none: reported.
  std::optional<Texts> values_of(const ConfigEntry& entry, const std::string& path) {
    const ConfigNode& value = entry.value;
    Texts texts;
    if (value.kind == ConfigNode::Kind::scalar) texts.push_back(value.text);
    for (const ConfigNode& item : value.items) {
      if (item.kind == ConfigNode::Kind::scalar) texts.push_back(item.text);
    }
    const bool ok = !texts.empty() &&
                    texts.size() == std::max<std::size_t>(1, value.items.size()) &&
                    std::find(texts.begin(), texts.end(), "") == texts.end();
    if (ok) return texts;
    issues_.push_back(issue_at(
        entry.place, path + '.' + entry.key,
        fmt::format("found {}, allowed is a text, or a list of texts", value.described())));
    return std::nullopt;
  }
  // Place of the key that a fault begins with.
  static ConfigLocation place_of(const ConfigNode& node, const std::string& fault) {
    const std::string key = fault.substr(0, fault.find(':'));
    for (const ConfigEntry& entry : node.entries) {
      if (entry.key == key) return entry.place;
    }
    return node.place;
  }

  std::vector<ConfigIssue>& issues_;
  std::set<std::string> names_;
};

bool is_bars(FigureKind kind) {
  return kind == FigureKind::bars || kind == FigureKind::stacked_bars;
}

void check_scales(const PlanFigure& figure, Texts& faults) {
  if (figure.log_x && is_bars(figure.kind)) faults.push_back("log: bars have no scale along x");
  if (figure.log_y && is_bars(figure.kind))
    faults.push_back("log: bars have no lengths on a logarithmic axis: kind: scatter has points");
  if ((figure.log_x || figure.log_y) && figure.kind == FigureKind::heat_map)
    faults.push_back("log: the axes of a heat_map have no scales");
}

void check_kind(const PlanFigure& figure, Texts& faults) {
  const std::string kind = name_of(figure.kind);
  if (figure.kind == FigureKind::heat_map) {
    if (figure.cells.empty()) faults.push_back("cells: a heat_map needs the column of its values");
    if (figure.y.size() > 1) faults.push_back("y: a heat_map has one column, its rows");
    if (!figure.series.empty()) faults.push_back("series: a heat_map has none");
    if (!figure.theory.empty()) faults.push_back("theory: a heat_map has none");
  } else if (!figure.cells.empty() || !figure.cells_label.empty()) {
    faults.push_back(
        fmt::format("cells: only a heat_map has cells, found a figure of kind {}", quote(kind)));
  }
  if (!figure.labels.empty() && (is_bars(figure.kind) || figure.kind == FigureKind::heat_map))
    faults.push_back(fmt::format("labels: points have them, found kind {}", quote(kind)));
  if (!figure.pareto.empty() && figure.kind != FigureKind::scatter)
    faults.push_back(fmt::format("pareto: a scatter has a front, found kind {}", quote(kind)));
  if (!figure.pareto.empty() && figure.pareto != "lower" && figure.pareto != "higher")
    faults.push_back(
        fmt::format("pareto: found {}, allowed is 'lower', 'higher'", quote(figure.pareto)));
}

}  // namespace

const Texts& figure_kinds() {
  static const Texts kinds{"lines", "bars", "stacked_bars", "scatter", "roofline", "heat_map"};
  return kinds;
}
const std::string& name_of(FigureKind kind) {
  return figure_kinds()[static_cast<std::size_t>(kind)];
}

Texts faults_of(const PlanFigure& figure) {
  static const char* const letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  Texts faults;
  if (figure.name.find_first_not_of(letters) != std::string::npos || figure.name.empty() ||
      figure.name.front() == '.')
    faults.push_back(
        fmt::format("name: found {}, allowed is a file name of letters, digits, '_', '-' and '.'",
                    quote(figure.name)));
  if (figure.x.empty()) faults.push_back("x: the key is missing; allowed is a column");
  if (figure.y.empty()) faults.push_back("y: the key is missing; allowed is a column or several");
  for (const std::string& theory : figure.theory) {
    if (std::find(figure.y.begin(), figure.y.end(), theory) == figure.y.end())
      faults.push_back(fmt::format("theory: {} is not among the columns of y", quote(theory)));
  }
  check_kind(figure, faults);
  check_scales(figure, faults);
  try {
    if (!figure.where.empty()) Expression::unknown_name(figure.where, {});
  } catch (const UsageError& error) {
    faults.push_back(fmt::format("where: {}", error.what()));
  }
  return faults;
}

std::vector<PlanFigure> read_plan_figures(const ConfigNode& figures,
                                          std::vector<ConfigIssue>& issues) {
  FiguresReader reader(issues);
  std::vector<PlanFigure> read;
  for (std::size_t i = 0; i < figures.items.size(); ++i)
    read.push_back(reader.read(figures.items[i], fmt::format("figures.{}", i)));
  return read;
}

std::string figures_as_json(const std::vector<PlanFigure>& figures) {
  Json all = Json::array();
  for (const PlanFigure& figure : figures) {
    Json json{{"kind", name_of(figure.kind)}};
    for (const FigureKey& key : keys_of_columns_and_texts()) {
      if (key.texts != nullptr) {
        if (!(figure.*key.texts).empty()) json[key.name] = figure.*key.texts;
      } else if (!(figure.*key.text).empty()) {
        json[key.name] = figure.*key.text;
      }
    }
    if (figure.log_x) json["log"].push_back("x");
    if (figure.log_y) json["log"].push_back("y");
    all.push_back(std::move(json));
  }
  return json_text(all);
}

std::vector<PlanFigure> figures_from_json(const std::string& text) {
  std::vector<PlanFigure> figures;
  if (text.empty()) return figures;
  for (const Json& json : Json::parse(text)) {
    PlanFigure& figure = figures.emplace_back();
    for (const auto& [name, value] : json.items()) {
      const Texts texts = value.is_string() ? Texts{value.get<std::string>()} : value.get<Texts>();
      if (name == "kind") {
        figure.kind = kind_of(texts.at(0)).value_or(FigureKind::lines);
      } else {
        set_key(figure, name, texts);
      }
    }
  }
  return figures;
}

}  // namespace kernbench
