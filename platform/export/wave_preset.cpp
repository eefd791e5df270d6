#include "platform/export/wave_preset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <sstream>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {
namespace {

bool starts_with(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

const WaveItem* find(const std::vector<WaveItem>& items, const std::string& name) {
  const auto found = std::find_if(items.begin(), items.end(), [&](const WaveItem& item) {
    return full_name(item.variable) == name;
  });
  return found == items.end() ? nullptr : &*found;
}

std::string scope_of(const std::string& signal) {
  const std::size_t dot = signal.rfind('.');
  return dot == std::string::npos ? "" : signal.substr(0, dot);
}

// Common scope: "sip0.cube0" of "sip0.cube0.pe0" and "sip0.cube0.pe1".
std::string common_scope(std::string_view a, std::string_view b) {
  const auto x = parts_of(a), y = parts_of(b);
  std::string scope;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()) && x[i] == y[i]; ++i)
    scope += fmt::format("{}{}", i == 0 ? "" : ".", x[i]);
  return scope;
}

std::string_view kind_of(std::string_view part) {
  return part.substr(0, part.find_first_of("0123456789"));
}

// True if both name a PE, or a cube, ...
bool same_kind(std::string_view a, std::string_view b) {
  const auto x = parts_of(a), y = parts_of(b);
  return std::equal(
      x.begin(), x.end(), y.begin(), y.end(),
      [](std::string_view p, std::string_view q) { return kind_of(p) == kind_of(q); });
}

// "scope.name"; other lines begin with a sign.
bool is_signal(const std::string& text) {
  return !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) != 0 &&
         text.find('.') != std::string::npos && text.find(' ') == std::string::npos;
}

// True for lines specific to the run that produced the preset.
bool belongs_to_a_run(const std::string& line) {
  constexpr const char* starts[] = {"[dumpfile", "[savefile", "[timestart", "[markername", "*"};
  return std::any_of(std::begin(starts), std::end(starts),
                     [&](const char* start) { return starts_with(line, start); });
}

}  // namespace

WavePreset::WavePreset(std::string name, const std::string& text) : name_(std::move(name)) {
  std::istringstream stream(text);
  std::optional<std::string> shared;
  for (std::string line; std::getline(stream, line);) {
    if (belongs_to_a_run(line)) continue;
    std::size_t begin = 0;
    if (starts_with(line, "+{")) begin = std::min(line.find("} "), line.size() - 2) + 2;
    const std::string signal = line.substr(begin, line.find('[', begin) - begin);
    if (!is_signal(signal)) {
      lines_.push_back({line, ""});
      continue;
    }
    lines_.push_back({line.substr(0, begin), signal});
    shared = shared ? common_scope(*shared, scope_of(signal)) : scope_of(signal);
  }
  if (!shared) throw UsageError(fmt::format("the view {} shows no signal", quote(name_)));
  // engines of a PE are parts of the instance
  instance_ = *shared;
  while (!instance_.empty() && std::isdigit(static_cast<unsigned char>(instance_.back())) == 0)
    instance_ = scope_of(instance_);
}

void WavePreset::move_to(const std::string& instance) {
  if (instance_.empty())
    throw UsageError(
        fmt::format("the view {} shows the whole machine: without ={}", quote(name_), instance));
  if (!same_kind(instance, instance_))
    throw UsageError(fmt::format("the view {} shows an instance such as {}, not {}", quote(name_),
                                 instance_, quote(instance)));
  for (Line& line : lines_) {
    if (!line.signal.empty()) line.signal = instance + line.signal.substr(instance_.size());
  }
  instance_ = instance;
}

std::vector<std::string> WavePreset::components() const {
  std::set<std::string> components;
  for (const Line& line : lines_) {
    if (!line.signal.empty()) components.insert(scope_of(line.signal));
  }
  return {components.begin(), components.end()};
}

WaveView WavePreset::view(const std::string& trace, const std::vector<WaveItem>& items, Fs begin,
                          Fs end) const {
  WaveView view{gtkw_file_lines(trace, begin, end), {}, {}};
  std::string style;  // style of the next signal
  for (const Line& line : lines_) {
    if (line.signal.empty()) {
      if (starts_with(line.text, "-") && line.text.size() > 1)
        view.groups.push_back({line.text.substr(1), {}, true});
      style += line.text + "\n";
      if (starts_with(line.text, "@") || starts_with(line.text, "[color]")) continue;
      view.gtkw += style;
    } else if (const WaveItem* item = find(items, line.signal)) {
      view.gtkw +=
          fmt::format("{}{}{}{}\n", style, line.text, line.signal, range_of(item->variable));
      if (view.groups.empty()) view.groups.push_back({name_, {}, true});
      view.groups.back().items.push_back(*item);
    } else {
      view.missing.push_back(line.signal);
    }
    style.clear();
  }
  return view;
}

}  // namespace kernbench
