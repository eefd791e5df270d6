#include "platform/assembly/report_guard.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "models/base/errors.h"
#include "models/base/units.h"

namespace kernbench {
namespace {

ReportGuard* innermost = nullptr;

bool is_of_log(const sc_core::sc_report& report) {
  return std::strcmp(report.get_msg_type(), log_message_type) == 0;
}

// Process of the report; empty: none.
std::string process_of(const sc_core::sc_report& report) {
  const char* process = report.get_process_name();
  const bool known = process != nullptr && *process != '\0' && std::strcmp(process, "unknown") != 0;
  return known ? process : "";
}

ReportLine line_of(const sc_core::sc_report& report) {
  const bool warning = report.get_severity() == sc_core::SC_WARNING;
  return {warning ? LogLevel::warning : level_of(report.get_verbosity()), text_of_report(report),
          process_of(report), is_of_log(report)};
}

// SystemC uses numbers below 1000, and -1 for types without a number.
bool is_of_systemc(const sc_core::sc_report& report) {
  return report.get_id() >= 0 && report.get_id() < 1000;
}

std::string place_of(const sc_core::sc_report& report) {
  const std::string process = process_of(report);
  if (!process.empty())
    return fmt::format("{} at {}", process, format_ns(report.get_time().value()));
  if (sc_core::sc_get_status() < sc_core::SC_RUNNING) return "elaboration";
  return fmt::format("the simulation at {}", format_ns(report.get_time().value()));
}

std::string kind_of(const sc_core::sc_report& report) {
  const std::string type = report.get_msg_type();
  if (is_of_systemc(report)) return type;  // "uncaught exception", "complete binding failed"
  switch (report.get_severity()) {
    case sc_core::SC_INFO:
    case sc_core::SC_WARNING:
      return type;
    case sc_core::SC_FATAL:
      return fmt::format("fatal error of '{}'", type);
    default:
      return fmt::format("error of '{}'", type);
  }
}

}  // namespace

std::string text_of_report(const sc_core::sc_report& report) {
  const std::string words = report.get_msg();
  if (is_of_log(report)) return words;
  return fmt::format("{}: {}{}{}", place_of(report), kind_of(report), words.empty() ? "" : ": ",
                     words == "UNKNOWN EXCEPTION" ? "it is not a std::exception" : words);
}

std::exception_ptr with_place(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const sc_core::sc_report& report) {
    return std::make_exception_ptr(Error(text_of_report(report)));
  } catch (const std::exception&) {
    return error;
  } catch (...) {
    return std::make_exception_ptr(Error("an exception that is not a std::exception"));
  }
}

ReportGuard::ReportGuard(ReportListener listener)
    : listener_(std::move(listener)), outer_(std::exchange(innermost, this)),
      handler_(sc_core::sc_report_handler::set_handler(&handle)) {}

ReportGuard::~ReportGuard() {
  innermost = outer_;
  sc_core::sc_report_handler::set_handler(handler_);
}

void ReportGuard::handle(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  const ReportGuard* outermost = innermost;
  const ReportListener* listener = nullptr;
  for (const ReportGuard* guard = innermost; guard != nullptr; guard = guard->outer_) {
    outermost = guard;
    if (listener == nullptr && guard->listener_) listener = &guard->listener_;
  }
  sc_core::sc_actions adjusted = actions;
  if (report.get_severity() == sc_core::SC_FATAL && (actions & sc_core::SC_ABORT) != 0)
    adjusted = (actions & ~sc_core::sc_actions(sc_core::SC_ABORT | sc_core::SC_DISPLAY)) |
               sc_core::SC_THROW;
  if (listener != nullptr && report.get_severity() <= sc_core::SC_WARNING &&
      (actions & sc_core::SC_DISPLAY) != 0) {
    (*listener)(line_of(report));
    adjusted &= ~sc_core::sc_actions(sc_core::SC_DISPLAY);
  }
  outermost->handler_(report, adjusted);
}

}  // namespace kernbench
