// SystemC's time resolution, 1 fs.
#pragma once

namespace kernbench {

// Sets the resolution unless it is 1 fs already. Called before any sc_time of a machine or a
// plug-in exists. Throws UsageError if it is fixed at another value, which happens with the first
// sc_time.
void use_femtoseconds();

}  // namespace kernbench
