// SIGINT (Ctrl-C) and SIGTERM: noted while a run goes on, which then ends at the next slice; the
// second one ends the program at once.
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
