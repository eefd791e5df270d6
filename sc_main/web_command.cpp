// `kernbench web`: the machine and runs in a browser.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "models/base/errors.h"
#include "platform/assembly/fault_guard.h"
#include "platform/web/http_server.h"
#include "platform/web/web_session.h"
#include "sc_main/build_info.h"
#include "sc_main/command.h"
#include "sc_main/machine_options.h"

namespace kernbench {
namespace {

constexpr int default_port = 7321, attempts = 20;

struct WebOptions {
  MachineOptions machine;
  std::vector<std::string> files;
  int port = default_port;
  bool no_open = false;
};

// Signals that end the server: blocked in all threads, taken by wait().
class EndSignals {
 public:
  EndSignals() {
    ::sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&signals_, signal);
    ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }
  void wait() const {
    int signal = 0;
    while (::sigwait(&signals_, &signal) != 0) {
    }
  }

 private:
  ::sigset_t signals_;
};

int serve(const WebOptions& options) {
  const EndSignals end;
  const Catalogue catalogue = options.machine.load_catalogue();
  WebSession session(version_line(), catalogue.components);
  session.add_machine(options.machine.topology_path(),
                      options.machine.load_spec(catalogue.components));
  HttpServer server(new_web_token(),
                    [&session](const WebRequest& request) { return session.answer(request); });
  const int port = server.bind(options.port, attempts);
  if (options.port != 0 && port != options.port)
    std::cout << fmt::format("port {} is in use; taking {}\n", options.port, port);
  server.start();
  std::cout << server.address() << "\nCtrl-C ends the server.\n" << std::flush;
  end.wait();
  FaultGuard::end_process(exit_done);  // pending requests are dropped
}

void declare_web(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<WebOptions>();
  command
      .add_option("RUN", options->files,
                  "Operation logs of `run --op-log F.sqlite`, statistics of `run --stats` or "
                  "`traffic --links`, result files of `sweep`")
      ->type_name("F.sqlite|.json");
  command.add_option("--port", options->port, "First port of 127.0.0.1 to try; 0: any free one")
      ->type_name("N")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  command.add_flag("--no-open", options->no_open, "Only print the address, open no browser");
  options->machine.add_to(command);
  command.footer(
      "Examples:\n"
      "  kernbench web --topology six_sip\n"
      "  kernbench run --bench matmul-composite --op-log gemm.sqlite\n"
      "  kernbench web gemm.sqlite\n"
      "  kernbench web a.sqlite b.sqlite --port 8080 --no-open\n");
  invocation.on(command, [options] { return serve(*options); });
}
const CommandRegistration web_registration(
    115, "web", "Show the machine and runs in a browser: map, activity over time, comparison",
    declare_web);

}  // namespace
}  // namespace kernbench
