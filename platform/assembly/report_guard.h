// SC_REPORT_* of foreign modules while a machine is built or runs: no report aborts the process,
// and each is available with its origin.
//
// A fatal report is thrown like an error. Information and warnings go to a listener if there is
// one, else to the previous handler.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <systemc>

#include "models/base/log.h"

namespace kernbench {

struct ReportLine {
  LogLevel level = LogLevel::info;  // warning, or the level of its verbosity
  std::string text;                 // from text_of_report()
  std::string where;                // process, else empty
  bool is_of_log = false;           // from a Log (models/base/log.h)
};
using ReportListener = std::function<void(const ReportLine&)>;

// In force while it lives. Guards may be nested; the innermost non-empty listener receives the
// reports.
class ReportGuard {
 public:
  explicit ReportGuard(ReportListener listener = {});
  ~ReportGuard();
  ReportGuard(const ReportGuard&) = delete;
  ReportGuard& operator=(const ReportGuard&) = delete;

 private:
  ReportListener listener_;
  ReportGuard* outer_;
  sc_core::sc_report_handler_proc handler_;  // the previous handler

  static void handle(const sc_core::sc_report& report, const sc_core::sc_actions& actions);
};

// "top.dma.run at 12.5 ns: error of 'acme/dma': the FIFO has overrun". An exception that left a
// process: "top.dma.run at 12.5 ns: uncaught exception: ...".
std::string text_of_report(const sc_core::sc_report& report);

// Converts an exception thrown by a call into SystemC to an Error with its place.
std::exception_ptr with_place(const std::exception_ptr& error);

}  // namespace kernbench
