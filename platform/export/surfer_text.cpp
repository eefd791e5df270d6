#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "platform/export/wave_layout.h"

namespace kernbench {
namespace {

// Names of the colours of Surfer's themes.
const char* colour_of(SignalType type) {
  switch (type) {
    case SignalType::flag:
      return "Green";
    case SignalType::count:
    case SignalType::bytes:
      return "Yellow";
    case SignalType::address:
      return "Blue";
    case SignalType::id:
      return "Pink";
    case SignalType::time:
      return "Gray";
    case SignalType::enumeration:
      return "Orange";
  }
  return "Green";
}

// As Surfer numbers the items of its list: hexadecimal, with the digits a to p.
std::string item_id(std::size_t index) {
  std::string id;
  do {
    id.insert(id.begin(), static_cast<char>('a' + index % 16));
    index /= 16;
  } while (index > 0);
  return id;
}

// Surfer takes one word: letters, digits and underscores.
std::string word(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; },
      '_');
  return text.empty() ? "top" : text;
}

std::string full_name(const WaveVariable& variable) {
  return variable.scope + (variable.scope.empty() ? "" : ".") + without_blanks(variable.name);
}

std::string style_of(std::size_t index, const WaveVariable& variable) {
  std::string text = fmt::format("item_focus {}_{}\nitem_set_color {}\n", item_id(index),
                                 full_name(variable), colour_of(variable.type));
  if (variable.kind == WaveVariable::Kind::bits && variable.width > 1)
    text +=
        fmt::format("item_set_format {}\n", is_hexadecimal(variable) ? "Hexadecimal" : "Unsigned");
  return text;
}

}  // namespace

// All items first: a new one would go behind the one in focus.
std::string surfer_text(const std::string& trace, const std::vector<WaveGroup>& groups) {
  std::string items;
  std::string styles;
  std::size_t index = 0;
  for (const WaveGroup& group : groups) {
    if (!group.open) continue;
    items += fmt::format("divider_add {}\n", word(group.scope));
    ++index;
    for (const WaveItem& item : group.items) {
      items += fmt::format("variable_add {}\n", full_name(item.variable));
      styles += style_of(index++, item.variable);
    }
  }
  return fmt::format("# surfer {} --command-file {}\n{}{}item_unfocus\nzoom_fit\n",
                     std::filesystem::path(trace).filename().string(),
                     std::filesystem::path(surfer_path(trace)).filename().string(), items, styles);
}

}  // namespace kernbench
