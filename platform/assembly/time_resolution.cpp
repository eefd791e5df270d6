#include "platform/assembly/time_resolution.h"

#include <systemc>

#include "models/base/errors.h"

namespace kernbench {
namespace {

constexpr double femtosecond = 1e-15;

// Without an effect on the resolution where none is fixed yet: SystemC refuses a second setting.
bool set() {
  const sc_core::sc_actions actions = sc_core::sc_report_handler::set_actions(
      sc_core::SC_ID_SET_TIME_RESOLUTION_, sc_core::SC_THROW);
  bool done = true;
  try {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  } catch (const sc_core::sc_report&) {
    done = false;
  }
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_SET_TIME_RESOLUTION_, actions);
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
