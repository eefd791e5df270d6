#include "platform/export/trace_trigger.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/assembly/machine_root.h"
#include "platform/config/nearest_name.h"
#include "platform/observe/component_statistics.h"

namespace kernbench {
namespace {

std::string trimmed(std::string_view text) {
  constexpr const char* blanks = " \t";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(blanks) - first + 1));
}

// "pair{i}_credits" declares pair0_credits.
bool declares(std::string_view declared, std::string_view name) {
  constexpr std::string_view number = "{i}";
  const std::size_t at = declared.find(number);
  if (at == std::string_view::npos) return declared == name;
  const std::string_view behind = declared.substr(at + number.size());
  if (name.size() <= at + behind.size() || name.substr(0, at) != declared.substr(0, at) ||
      name.substr(name.size() - behind.size()) != behind)
    return false;
  const std::string_view digits = name.substr(at, name.size() - at - behind.size());
  return digits.find_first_not_of("0123456789") == std::string_view::npos;
}

using Value = std::uint64_t;
struct Operator {
  std::string_view sign;
  bool (*compare)(Value value, Value bound);
};
// longer operators precede their prefixes
constexpr std::array<Operator, 6> operators{{{">=", [](Value a, Value b) { return a >= b; }},
                                             {"<=", [](Value a, Value b) { return a <= b; }},
                                             {"==", [](Value a, Value b) { return a == b; }},
                                             {"!=", [](Value a, Value b) { return a != b; }},
                                             {">", [](Value a, Value b) { return a > b; }},
                                             {"<", [](Value a, Value b) { return a < b; }}}};

std::string either(const std::string& list, const char* what) {
  return list.empty() ? fmt::format("no {}", what) : fmt::format("the {} {}", what, list);
}

}  // namespace

TraceTrigger::TraceTrigger(const std::string& text, const std::vector<Component*>& components)
    : text_(text) {
  const std::size_t at = text.find_first_of("<>=!");
  const std::string name = trimmed(std::string_view(text).substr(0, at));
  const std::size_t dot = name.rfind('.');
  const std::string_view rest = std::string_view(text).substr(std::min(at, text.size()));
  const auto found = std::find_if(operators.begin(), operators.end(), [rest](const Operator& each) {
    return rest.substr(0, each.sign.size()) == each.sign;
  });
  if (found == operators.end() || dot == std::string::npos)
    fail(
        "is not COMPONENT.NAME OPERATOR NUMBER, e.g. 'sip0.cube0.pe0.pe_dma.faults>0'; the "
        "operators are > >= < <= == !=");
  compare_ = found->compare;
  find(name.substr(0, dot), name.substr(dot + 1), components);
  bound_ = number(trimmed(rest.substr(found->sign.size())));
}

void TraceTrigger::fail(const std::string& why) const {
  throw UsageError(fmt::format("--trace-when {}: {}", quote(text_), why));
}

void TraceTrigger::find(const std::string& component_name, const std::string& name,
                        const std::vector<Component*>& components) {
  std::vector<std::string> names;
  for (const Component* each : components) names.emplace_back(name_in_machine(*each));
  const auto at = std::find(names.begin(), names.end(), component_name);
  if (at == names.end())
    fail(fmt::format("there is no component {}{}; they are listed by 'kernbench topology'",
                     quote(component_name), did_you_mean(component_name, names)));
  Component& component = *components[static_cast<std::size_t>(at - names.begin())];
  name_ = name;
  std::vector<std::string> signals, statistics;
  for (TraceSignal& signal : component.signals()) {
    signals.push_back(signal.name());
    if (signal.name() != name) continue;
    signal_ = &signal;
    type_ = signal.type();
    labels_ = signal.labels();
    return;
  }
  for (const Statistic& statistic : component.statistics()) {
    statistics.push_back(key_of(statistic));
    if (statistic.name != name && statistics.back() != name) continue;
    statistic_ = &statistic;
    if (statistic.quantity == Quantity::time_fs) type_ = SignalType::time;
    return;
  }
  for (const SignalDeclaration& later : component.signals_when_used()) {
    signals.push_back(later.name);
    if (!declares(later.name, name)) continue;
    later_ = &component;
    type_ = later.format.type;
    if (later.format.labels) labels_ = *later.format.labels;
    return;
  }
  std::vector<std::string> both = signals;
  both.insert(both.end(), statistics.begin(), statistics.end());
  fail(fmt::format("{} has no signal or statistic {}{}; it has {} and {}", component_name,
                   quote(name), did_you_mean(name, both), either(listed(signals, ""), "signals"),
                   either(listed(statistics, ""), "statistics")));
}

std::uint64_t TraceTrigger::number(const std::string& text) const {
  for (std::size_t value = 0; value < labels_.size(); ++value) {
    if (labels_[value] == text) return value;
  }
  if (!labels_.empty())
    fail(fmt::format("found {}, allowed are the values of {}: {}", quote(text), name_,
                     listed(labels_, "")));
  if (type_ == SignalType::time) {
    try {
      return ns_to_fs(Rational::parse(text));
    } catch (const std::exception&) {
      fail(fmt::format("{} is not a time in ns, e.g. 2500 or 12.5", quote(text)));
    }
  }
  const bool hex = text.compare(0, 2, "0x") == 0;
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] =
      std::from_chars(text.data() + (hex ? 2 : 0), end, value, hex ? 16 : 10);
  if (error != std::errc() || stopped != end)
    fail(fmt::format("found {}, allowed is a whole number, 0 to {}, or 0x...", quote(text),
                     UINT64_MAX));
  return value;
}

}  // namespace kernbench
