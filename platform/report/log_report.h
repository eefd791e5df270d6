// Log of a run on standard error.
#pragma once

#include "platform/assembly/report_guard.h"

namespace kernbench {

// "kernbench: debug: sip0.cube0.sram at 12 ns: ..." on standard error.
void print_report_line(const ReportLine& line);

}  // namespace kernbench
