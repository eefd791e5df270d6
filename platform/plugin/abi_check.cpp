#include "platform/plugin/abi_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "models/base/quote.h"

namespace kernbench {
namespace {

struct Field {
  std::string name, plugin, program;  // "-": the stamp has none of that name
};

std::string& value_in(std::vector<Field>& fields, const std::string& name, std::string Field::*of) {
  const auto known = std::find_if(fields.begin(), fields.end(),
                                  [&](const Field& field) { return field.name == name; });
  if (known != fields.end()) return (*known).*of;
  fields.push_back({name, "-", "-"});
  return fields.back().*of;
}

// Lines of "name=value".
void read(const std::string& stamp, std::vector<Field>& fields, std::string Field::*into) {
  for (std::size_t begin = 0; begin < stamp.size();) {
    const std::size_t end = std::min(stamp.find('\n', begin), stamp.size());
    const std::string line = printable(stamp.substr(begin, end - begin));
    const std::size_t equals = std::min(line.find('='), line.size());
    value_in(fields, line.substr(0, equals), into) =
        equals < line.size() ? line.substr(equals + 1) : "";
    begin = end + 1;
  }
}

}  // namespace

std::string stamp_differences(const std::string& plugin, const std::string& program) {
  if (plugin == program) return "";
  std::vector<Field> fields;
  read(program, fields, &Field::program);
  read(plugin, fields, &Field::plugin);
  std::size_t names = 0, values = std::string("plug-in").size();
  for (const Field& field : fields) {
    names = std::max(names, field.name.size());
    values = std::max(values, field.plugin.size());
  }
  std::string table = fmt::format("  {:{}}  {:{}}  {}", "", names, "plug-in", values, "program");
  for (const Field& field : fields)
    table += fmt::format("\n  {:{}}  {:{}}  {}{}", field.name, names, field.plugin, values,
                         field.program, field.plugin == field.program ? "" : "  <- differs");
  return table;
}

}  // namespace kernbench
