// SIGINT (Ctrl-C), SIGTERM, and what announces the end of a terminal or of a batch job (SIGHUP,
// SIGUSR1, SIGUSR2, SIGXCPU): noted while a run goes on, which then ends at the next slice; the
// second one of a kind ends the program at once. What is ignored from the start stays so (nohup).
#pragma once

namespace kernbench {

class Interrupt {
 public:
  Interrupt();  // installs the handlers; one at a time
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  static bool requested();
};

}  // namespace kernbench
