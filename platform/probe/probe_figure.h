// Figure of `probe`: effective bandwidth by size, a line per case; the bandwidths of their
// bottlenecks as lines of theory, so that the distance on the logarithmic axis is the utilisation.
#pragma once

#include <vector>

#include "platform/figure/figure.h"
#include "platform/probe/probe_run.h"

namespace kernbench {

// Cases that the machine lacks have no line. The legend has the utilisation at the largest size.
Figure probe_figure(const std::vector<ProbeOutcome>& outcomes);

}  // namespace kernbench
