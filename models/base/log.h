// Log: messages of a component about its activity (spec 10, `--log`), reported with SC_REPORT_INFO
// and SC_REPORT_WARNING, which carry the level as their verbosity.
//
//   class Engine : public Component {
//     Log log_{*this};
//     void start() { log_.debug([&] { return fmt::format("command {} starts", id_); }); }
//   };
//
// A message that is off (the default) costs a comparison: nothing is formatted. For events of
// commands, requests and messages; flits are observed by analysis ports.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <systemc>

#include "models/base/quote.h"

namespace kernbench {

// A level includes the levels before it. Reports of severity SC_ERROR and SC_FATAL end a run at any
// level.
enum class LogLevel : std::uint8_t { error, warning, info, debug, trace };
const char* name_of(LogLevel level);                             // "error", ...
std::optional<LogLevel> parse_log_level(std::string_view name);  // nullopt: no such level

// info: SC_MEDIUM, SystemC's default; debug: SC_DEBUG; trace: everything.
int verbosity_of(LogLevel level);
// The level that shows a report of this verbosity.
LogLevel level_of(int verbosity);

// Message type of the reports below; their text names place and time: "sip0.cube0.sram at 12 ns:
// ...".
inline constexpr const char* log_message_type = "/kernbench/log";

// Reports a line; of level error: as a warning.
void report_log_line(LogLevel level, const std::string& name, const std::string& text);

// Attribute of its owner, so that tools can find it.
class Log final : public sc_core::sc_attr_base {
 public:
  static constexpr const char* of_component = "log";

  // The owner outlives it. `topic`: topic of a further log of the same owner.
  explicit Log(sc_core::sc_object& owner, const char* topic = of_component);
  ~Log() override;
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Returns null if the object has no log of this topic.
  static Log* find(sc_core::sc_object& owner, const char* topic = of_component);

  bool shows(LogLevel level) const { return level <= most_ && level <= level_; }
  void set_level(LogLevel level) {
    level_ = level;
    most_ = std::max(most_, level);
  }
  // Replaces the owner's name.
  void set_name(std::string name) { name_ = std::move(name); }

  // `text`: a function that creates the text, called only where it is shown.
  template <class Text>
  void warning(const Text& text) const {
    write(LogLevel::warning, text);
  }
  template <class Text>
  void info(const Text& text) const {
    write(LogLevel::info, text);
  }
  template <class Text>
  void debug(const Text& text) const {
    write(LogLevel::debug, text);
  }
  template <class Text>
  void trace(const Text& text) const {
    write(LogLevel::trace, text);
  }

 private:
  template <class Text>
  void write(LogLevel level, const Text& text) const {
    if (shows(level)) report_log_line(level, name_, escaped(text()));
  }

  // Highest level that any log has had. It is checked first: the logs are scattered, this one
  // variable is in the cache.
  inline static LogLevel most_ = LogLevel::error;

  sc_core::sc_object& owner_;
  std::string name_;
  LogLevel level_ = LogLevel::error;
};

}  // namespace kernbench
