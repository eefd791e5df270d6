#include "platform/sweep/axis_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "models/base/parameter.h"
#include "models/base/quote.h"
#include "platform/config/nearest_name.h"

namespace kernbench {
namespace {

using Form = ValueRange::Form;

const std::vector<std::string> known_keys{"values", "from",  "to",          "step", "factor",
                                          "count",  "scale", "multiple_of", "sets"};

class AxisReader {
 public:
  AxisReader(const ConfigEntry& entry, bool sampled, std::vector<ConfigIssue>& issues)
      : entry_(entry), node_(entry.value), path_("axes." + entry.key), sampled_(sampled),
        issues_(issues) {}

  PlanAxis read() {
    PlanAxis axis;
    axis.name = entry_.key;
    axis.place = entry_.place;
    if (node_.kind == ConfigNode::Kind::map) {
      check_keys();
      axis.keys = keys();
      axis.values = is_listed() ? list(*node_.find("values"), path_ + ".values") : range();
    } else {
      axis.keys = {PlanValue{PlanKeyKind::option, entry_.key, "", entry_.place}};
      axis.values = list(node_, path_);
    }
    return axis;
  }

 private:
  void fault(const ConfigLocation& place, const std::string& path, std::string message) {
    issues_.push_back(issue_at(place, path, std::move(message)));
  }
  bool has(const char* key) const { return node_.find(key) != nullptr; }
  bool is_listed() const { return has("values"); }

  void check_keys() {
    for (const ConfigEntry& each : node_.entries) {
      if (std::find(known_keys.begin(), known_keys.end(), each.key) == known_keys.end()) {
        fault(each.place, path_ + '.' + each.key,
              fmt::format("unknown key{}; known here: {}", did_you_mean(each.key, known_keys),
                          listed(known_keys, "nothing")));
      } else if (is_listed() && each.key != "values" && each.key != "sets") {
        fault(each.place, path_ + '.' + each.key, "a list of values has no range");
      }
    }
  }

  // Keys that the axis sets, by default its name.
  std::vector<PlanValue> keys() {
    const ConfigNode* sets = node_.find("sets");
    if (sets == nullptr) return {PlanValue{PlanKeyKind::option, entry_.key, "", entry_.place}};
    std::vector<PlanValue> keys;
    if (sets->kind == ConfigNode::Kind::scalar) {
      keys.push_back({PlanKeyKind::option, sets->text, "", sets->place});
    } else {
      for (const ConfigNode& item : sets->items)
        keys.push_back({PlanKeyKind::option, item.text, "", item.place});
    }
    const auto is_empty = [](const PlanValue& key) { return key.key.empty(); };
    if (keys.empty() || std::any_of(keys.begin(), keys.end(), is_empty))
      fault(sets->place, path_ + ".sets",
            fmt::format("found {}, allowed is a key or a list of keys", sets->described()));
    return keys;
  }

  AxisValues list(const ConfigNode& values, const std::string& path) {
    std::vector<std::string> texts;
    if (values.kind != ConfigNode::Kind::list) {
      fault(values.place, path,
            fmt::format("found {}, allowed is a list of values, or a range with from and to",
                        values.described()));
      return AxisValues();
    }
    if (values.items.empty()) fault(values.place, path, "the axis is empty: it has no values");
    for (std::size_t i = 0; i < values.items.size(); ++i) {
      const ConfigNode& item = values.items[i];
      if (item.kind == ConfigNode::Kind::null)
        fault(item.place, fmt::format("{}.{}", path, i), "found nothing, allowed is a value");
      texts.push_back(flow_text(item));
    }
    return AxisValues(std::move(texts));
  }

  std::optional<double> number(const char* key, bool positive) {
    const ConfigNode* node = node_.find(key);
    if (node == nullptr) return std::nullopt;
    Parameter parameter = Parameter::decimal(key, "", "", "spec 10.6");
    if (positive) parameter.positive();
    try {
      if (node->kind != ConfigNode::Kind::scalar || node->quoted)
        throw std::invalid_argument(
            fmt::format("found {}, allowed is {}", node->described(), parameter.allowed()));
      return std::get<Rational>(parameter.parse(node->text)).to_double();
    } catch (const std::exception& error) {
      fault(node->place, path_ + '.' + key, error.what());
      return std::nullopt;
    }
  }

  bool is_log() {
    const ConfigNode* scale = node_.find("scale");
    if (scale == nullptr || scale->text == "linear") return false;
    if (scale->text != "log")
      fault(scale->place, path_ + ".scale",
            fmt::format("found {}, allowed is linear or log{}", scale->described(),
                        did_you_mean(scale->text, {"linear", "log"})));
    return true;
  }

  // Form of the range by its keys; contradictory ones are reported.
  Form form(bool log) {
    std::vector<std::string> given;
    for (const char* key : {"step", "factor", "count"})
      if (has(key)) given.emplace_back(key);
    if (given.size() > 1)
      fault(entry_.place, path_,
            fmt::format("a range has one of step, factor and count, found {}", listed(given, "")));
    if (log && has("step"))
      fault(entry_.place, path_, "scale: log has equal ratios: factor or count, not step");
    if (has("factor")) return Form::factor;
    if (has("count")) return Form::count;
    if (has("step")) return Form::step;
    if (sampled_) return Form::drawn;
    if (log) fault(entry_.place, path_, "scale: log needs count, or factor instead");
    return Form::step;
  }

  AxisValues range() {
    const std::size_t before = issues_.size();
    for (const char* key : {"from", "to"}) {
      if (!has(key))
        fault(entry_.place, path_ + '.' + key, "the key is missing: a range has from and to");
    }
    ValueRange range;
    range.log = is_log();
    range.form = form(range.log);
    range.from = number("from", false).value_or(0);
    range.to = number("to", false).value_or(0);
    range.multiple_of = number("multiple_of", true).value_or(0);
    range.by = number(range.form == Form::factor ? "factor" : "step", true).value_or(1);
    read_count(range);
    if (issues_.size() == before) check(range);
    return issues_.size() == before ? AxisValues(range) : AxisValues();
  }

  void read_count(ValueRange& range) {
    const std::optional<double> count = number("count", true);
    if (!count) return;
    constexpr double most = 1e12;
    if (*count < 2 || *count > most ||
        *count != static_cast<double>(static_cast<std::uint64_t>(*count)))
      fault(node_.find("count")->place, path_ + ".count",
            fmt::format("found {}, allowed is an integer, at least 2",
                        node_.find("count")->described()));
    else
      range.count = static_cast<std::uint64_t>(*count);
  }

  void check(const ValueRange& range) {
    if (range.to < range.from)
      fault(entry_.place, path_,
            fmt::format("the axis is empty: a range rises, found from {} to {}; values in another "
                        "order are a list",
                        decimal_text(range.from, 12), decimal_text(range.to, 12)));
    if ((range.log || range.form == Form::factor) && range.from <= 0)
      fault(entry_.place, path_ + ".from",
            fmt::format("found {}, allowed with equal ratios is a number above 0",
                        decimal_text(range.from, 12)));
    if (range.form == Form::factor && range.by <= 1)
      fault(entry_.place, path_ + ".factor",
            fmt::format("found {}, allowed is a number above 1", decimal_text(range.by, 12)));
    if (range.multiple_of > 0 && range.form == Form::drawn &&
        range.to - range.from < range.multiple_of)
      fault(entry_.place, path_ + ".multiple_of", "is larger than the range");
  }

  const ConfigEntry& entry_;
  const ConfigNode& node_;
  std::string path_;
  bool sampled_;
  std::vector<ConfigIssue>& issues_;
};

}  // namespace

PlanAxis read_axis(const ConfigEntry& entry, bool sampled, std::vector<ConfigIssue>& issues) {
  return AxisReader(entry, sampled, issues).read();
}

std::string flow_text(const ConfigNode& node) {
  std::string text;
  switch (node.kind) {
    case ConfigNode::Kind::null:
      return "";
    case ConfigNode::Kind::scalar:
      return node.text;
    case ConfigNode::Kind::list:
      for (const ConfigNode& item : node.items)
        text += (text.empty() ? "" : ", ") + flow_text(item);
      return '[' + text + ']';
    case ConfigNode::Kind::map:
      for (const ConfigEntry& entry : node.entries)
        text +=
            fmt::format("{}{}: {}", text.empty() ? "" : ", ", entry.key, flow_text(entry.value));
      return '{' + text + '}';
  }
  return text;
}

}  // namespace kernbench
