// Reports by SC_REPORT_* of modules outside while a machine is built or runs: none aborts the
// process, and each can be told with the place that it came from.
//
// A fatal report is thrown, as an error is. Information and warnings go to a listener where there
// is one, else to the handler of before.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <systemc>

#include "models/base/log.h"

namespace kernbench {

struct ReportLine {
  LogLevel level = LogLevel::info;  // warning, or that of its verbosity
  std::string text;                 // as text_of_report() has it
  std::string where;                // the process, or else empty
  bool is_of_log = false;           // of a Log (models/base/log.h)
};
using ReportListener = std::function<void(const ReportLine&)>;

// In force while it lives; they may be nested, the innermost listener that is not empty counts.
class ReportGuard {
 public:
  explicit ReportGuard(ReportListener listener = {});
  ~ReportGuard();
  ReportGuard(const ReportGuard&) = delete;
  ReportGuard& operator=(const ReportGuard&) = delete;

 private:
  ReportListener listener_;
  ReportGuard* outer_;
  sc_core::sc_report_handler_proc handler_;  // of before

  static void handle(const sc_core::sc_report& report, const sc_core::sc_actions& actions);
};

// "top.dma.run at 12.5 ns: error of 'acme/dma': the FIFO has overrun"; of an exception that has
// left a process "top.dma.run at 12.5 ns: uncaught exception: ...".
std::string text_of_report(const sc_core::sc_report& report);

// An exception that a call into SystemC has thrown, as an error of ours with its place.
std::exception_ptr with_place(const std::exception_ptr& error);

}  // namespace kernbench
