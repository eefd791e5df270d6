#include "sc_main/interrupt.h"

#include <array>
#include <csignal>

namespace kernbench {
namespace {

volatile std::sig_atomic_t noted = 0;

// In addition to interactive signals: end of the terminal, and signals that batch systems send
// before the end of a job (Slurm SIGUSR1 by --signal, LSF SIGUSR2, CPU time limits SIGXCPU).
constexpr std::array signals{SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU};

void note(int signal) {
  noted = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

Interrupt::Interrupt() {
  noted = 0;
  for (const int signal : signals) {
    if (std::signal(signal, note) == SIG_IGN) std::signal(signal, SIG_IGN);  // nohup
  }
}

Interrupt::~Interrupt() {
  for (const int signal : signals) {
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

bool Interrupt::requested() { return noted != 0; }

}  // namespace kernbench
