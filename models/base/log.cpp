#include "models/base/log.h"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "models/base/units.h"

namespace kernbench {
namespace {

constexpr std::array<const char*, 5> names{"error", "warning", "info", "debug", "trace"};
constexpr std::array<int, 5> verbosities{sc_core::SC_NONE, sc_core::SC_LOW, sc_core::SC_MEDIUM,
                                         sc_core::SC_DEBUG, std::numeric_limits<int>::max()};

}  // namespace

const char* name_of(LogLevel level) { return names.at(static_cast<std::size_t>(level)); }

std::optional<LogLevel> parse_log_level(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (name == names[i]) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

int verbosity_of(LogLevel level) { return verbosities.at(static_cast<std::size_t>(level)); }

LogLevel level_of(int verbosity) {
  for (const LogLevel level : {LogLevel::info, LogLevel::debug}) {
    if (verbosity <= verbosity_of(level)) return level;
  }
  return LogLevel::trace;
}

void report_log_line(LogLevel level, const std::string& name, const std::string& text) {
  const std::string line =
      fmt::format("{} at {}: {}", name, format_ns(sc_core::sc_time_stamp().value()), text);
  if (level <= LogLevel::warning) {
    sc_core::sc_report_handler::report(sc_core::SC_WARNING, log_message_type, line.c_str(),
                                       __FILE__, __LINE__);
  } else {
    sc_core::sc_report_handler::report(sc_core::SC_INFO, log_message_type, line.c_str(),
                                       verbosity_of(level), __FILE__, __LINE__);
  }
}

Log::Log(sc_core::sc_object& owner, const char* topic)
    : sc_core::sc_attr_base(topic), owner_(owner), name_(owner.name()) {
  owner.add_attribute(*this);
}

Log::~Log() { owner_.remove_attribute(sc_core::sc_attr_base::name()); }

Log* Log::find(sc_core::sc_object& owner, const char* topic) {
  return dynamic_cast<Log*>(owner.get_attribute(topic));
}

}  // namespace kernbench
