// SIGINT (Ctrl-C), SIGTERM, and signals that announce the end of a terminal or of a batch job
// (SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU): recorded during a run, which then ends at the next slice; a
// second signal of the same kind ends the program immediately. Signals that are ignored at the
// start stay ignored (nohup).
#pragma once

namespace kernbench {

class Interrupt {
 public:
  Interrupt();  // installs the handlers; only one instance at a time
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  static bool requested();
};

}  // namespace kernbench
