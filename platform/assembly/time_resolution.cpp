#include "platform/assembly/time_resolution.h"

#include <systemc>

#include "models/base/errors.h"

namespace kernbench {
namespace {

constexpr double femtosecond = 1e-15;

void refuse(const sc_core::sc_report& report, const sc_core::sc_actions& /*actions*/) {
  throw sc_core::sc_report(report);
}

// Returns false if the resolution is fixed already: SystemC refuses a second setting. Its report is
// consumed here and does not reach the handler of the program.
bool set() {
  const sc_core::sc_report_handler_proc handler = sc_core::sc_report_handler::set_handler(&refuse);
  bool done = true;
  try {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  } catch (const sc_core::sc_report&) {
    done = false;
  }
  sc_core::sc_report_handler::set_handler(handler);
  return done;
}

}  // namespace

void use_femtoseconds() {
  if (set()) return;
  const sc_core::sc_time resolution = sc_core::sc_get_time_resolution();
  if (resolution.to_seconds() < 1.5 * femtosecond) return;
  throw UsageError(
      "SystemC's time resolution is " + resolution.to_string() +
      " already, and a machine needs 1 fs: call sc_set_time_resolution(1, SC_FS) before "
      "the first sc_time is made");
}

}  // namespace kernbench
