// SystemC's time resolution, 1 fs.
#pragma once

namespace kernbench {

// Sets it, unless it is 1 fs already; before any sc_time of a machine or a plug-in. UsageError if
// it has been fixed at another value, which the first sc_time does.
void use_femtoseconds();

}  // namespace kernbench
