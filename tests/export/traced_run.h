// One short run of the fake machine with a waveform.
#pragma once

#include <string>
#include <vector>

#include "platform/export/trace_scope.h"
#include "platform/observe/object_tree.h"
#include "tests/observe/fake_machine.h"
#include "tests/support/vcd_reader.h"

namespace kernbench::test {

// 5 ns a read starts, 7.000001 ns GEMM with 3 waiting, 9 ns idle, until 10 ns.
inline void play(FakeMachine& machine) {
  run_ns(5);
  machine.dma->busy.set(1);
  machine.dma->stage.set(1);
  machine.dma->commands = 1;
  sc_core::sc_start(Component::fs(2'000'001));
  machine.dma->stage.set(2);
  machine.dma->depth.set(3);
  machine.dma->commands = 2;
  sc_core::sc_start(Component::fs(1'999'999));
  machine.dma->busy.set(0);
  machine.dma->stage.set(0);
  machine.dma->depth.set(0);
  run_ns(1);
}

// Everything, up to 10 ns. To be called in a child.
inline std::string traced_run(const std::string& name, TraceSettings settings,
                              const std::string& when = "") {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  FakeMachine machine;
  const TemporaryFile wave(name);
  TraceFile file(wave.path(), settings);
  const auto components = objects_of<Component>();
  if (!when.empty()) file.start_when(TraceTrigger(when, components));
  TraceScope({"*"}).observe(components, file);
  play(machine);
  file.close(Component::now());
  return wave.text();
}

}  // namespace kernbench::test
