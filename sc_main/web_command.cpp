// `kernbench web`: the machine and runs in a browser.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <system_error>

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

// Private folder for temporary files, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "kernbench-web-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), "mkdtemp " + pattern);
    path_ = pattern;
  }
  ~TemporaryFolder() { remove(); }
  void remove() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Machine of --topology, or of the runs; without either the default one. Files that cannot be
// loaded are problems, unless all are.
void load(const WebOptions& options, const Catalogue& catalogue, WebSession& session) {
  const auto add_topology = [&] {
    session.add_machine(std::filesystem::path(options.machine.topology_path()).filename().string(),
                        options.machine.load_spec(catalogue.components));
  };
  const bool is_given = !options.machine.topology.empty() || !options.machine.set.empty();
  if (is_given || options.files.empty()) add_topology();
  std::size_t loaded = 0;
  for (const std::string& file : options.files) {
    try {
      session.add_run(file, std::filesystem::path(file).filename().string());
      ++loaded;
    } catch (const Error& error) {
      if (options.files.size() == 1) throw;
      session.add_problem(error.what());
      std::cerr << "kernbench: error: " << error.what() << '\n';
    }
  }
  if (loaded == 0 && !options.files.empty())
    throw UsageError(fmt::format("none of the {} files could be loaded", options.files.size()));
}

int serve(const WebOptions& options) {
  const EndSignals end;
  const Catalogue catalogue = options.machine.load_catalogue();
  TemporaryFolder folder;
  WebSession session(version_line(), catalogue.components, folder.path());
  load(options, catalogue, session);
  HttpServer server(new_web_token(),
                    [&session](const WebRequest& request) { return session.answer(request); });
  const int port = server.bind(options.port, attempts);
  if (options.port != 0 && port != options.port)
    std::cout << fmt::format("port {} is in use; taking {}\n", options.port, port);
  server.start();
  std::cout << server.address() << "\nCtrl-C ends the server.\n" << std::flush;
  end.wait();
  folder.remove();
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
