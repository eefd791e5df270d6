// Run of several machines of one process, in one simulation.
//
//   a.set_program(program_of_a);
//   b.set_program(program_of_b);
//   const std::vector<RunResult> results = run_together({&a, &b});
//
// The run ends when all programs have ended and no transaction is in flight in any machine; with a
// machine that has no program it ends when no event is pending. It stops the simulation, so it is
// possible once per process.
//
// A failure ends the run: the machine at fault has failed (for a fault of an external module, all
// machines that had not ended); the other machines that had not ended are interrupted, with the
// same cause. Deadlocks are detected over all machines together, as external modules may connect
// them: only when no machine makes progress. Machines with an open wait are then deadlocked. Limits
// apply to the run.
#pragma once

#include <functional>
#include <vector>

#include "platform/assembly/run.h"

namespace kernbench {

class Platform;

// Called between two timesteps, when the program of a machine has ended and no transaction of it is
// in flight: its statistics and waveforms then equal those of a run alone. Not called for machines
// that end otherwise.
using MachineEnded = std::function<void(Platform&, const RunResult&)>;

// Returns results in the order of `machines`.
std::vector<RunResult> run_together(const std::vector<Platform*>& machines,
                                    const RunLimits& limits = {}, const MachineEnded& ended = {});

}  // namespace kernbench
