// A run of several machines of one process, in one simulation.
//
//   a.set_program(program_of_a);
//   b.set_program(program_of_b);
//   const std::vector<RunResult> results = run_together({&a, &b});
//
// The run ends when all programs have ended and nothing is under way in any machine; with a machine
// that has no program when nothing is pending. It stops the simulation: once per process.
//
// A failure ends the run: the machine at fault has failed (all that had not ended, if it is of
// a module outside of them), those that had not ended are interrupted, with the same cause.
// Deadlocks are looked for in all machines together, as modules outside may join them: only when
// nothing happens in any of them; those in which somebody waits are the deadlocked ones. Limits are
// those of the run.
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
