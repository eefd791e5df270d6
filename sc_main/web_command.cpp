// `kernbench web`: the machine and runs in a browser.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <system_error>
#include <thread>

#include "models/base/errors.h"
#include "platform/assembly/fault_guard.h"
#include "platform/topology/load_machine.h"
#include "platform/web/http_server.h"
#include "platform/web/server_folder.h"
#include "platform/web/web_bundle.h"
#include "platform/web/web_export.h"
#include "platform/web/web_jobs.h"
#include "platform/web/web_session.h"
#include "sc_main/build_info.h"
#include "sc_main/command.h"
#include "sc_main/machine_options.h"
#include "sc_main/web_benches.h"

namespace kernbench {
namespace {

constexpr int default_port = 7321, attempts = 20;
constexpr std::uint64_t most_keys = 1000;

struct WebOptions {
  MachineOptions machine;
  std::vector<std::string> files;
  int port = default_port;
  bool no_open = false;
  std::string export_file;
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

bool is_topology(const std::string& file) {
  const std::string extension = std::filesystem::path(file).extension().string();
  return extension == ".yaml" || extension == ".yml";
}

// Machine of --topology, of the runs and of topology files; without any the default one. Files that
// cannot be loaded are problems, unless all are.
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
      if (is_topology(file)) {
        session.add_machine(std::filesystem::path(file).filename().string(),
                            load_machine(file, {}, catalogue.components));
      } else {
        session.add_file(file);
      }
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

// /api/benches, /api/keys and /api/jobs.
void add_jobs(const WebOptions& options, const Catalogue& catalogue, WebJobs& jobs,
              WebSession& session) {
  session.handle("benches", [&](const WebRequest&) {
    return json_answer(bench_forms(catalogue, options.machine));
  });
  session.handle("keys", [&](const WebRequest& request) {
    return json_answer(key_list(request.text("topology"), request.text("q"),
                                request.number("limit", 20, 1, most_keys), catalogue,
                                options.machine));
  });
  session.handle("jobs", [&](const WebRequest& request) {
    const std::vector<std::string> parts = request.parts();
    if (request.method == "POST" && parts.size() == 2) {
      const RunRequest run = run_request(request.body, catalogue, options.machine);
      std::vector<std::string> check = run.words;
      check.emplace_back("--print-config");
      if (const std::string fault = WebJobs::fault_of(check); !fault.empty())
        return json_answer({{"error", fault}, {"field", run.field_of(fault)}}, 400);
      const std::size_t job = jobs.add(run.words, run.title, run.command);
      return json_answer({{"id", job}, {"command", run.command}});
    }
    if (parts.size() == 2 && request.method == "GET") return json_answer(jobs.json());
    const auto number = parts.size() == 3 ? parse_number(parts[2], UINT32_MAX) : std::nullopt;
    if (!number || request.method == "POST") throw WebError(404, "there is no such job");
    if (request.method == "DELETE") jobs.cancel(*number);
    return json_answer(jobs.json(*number));
  });
}

int write_export(const WebOptions& options, const Catalogue& catalogue) {
  if (options.files.empty())
    throw UsageError("web: --export requires a run: kernbench web RUN --export F.html");
  std::vector<FileInUse> in_use = options.machine.files_in_use();
  for (const std::string& file : options.files) in_use.push_back({file, "the run"});
  check_result_files(in_use, {options.export_file});
  const ServerFolder folder;
  WebSession session(version_line(), catalogue.components, folder.path());
  load(options, catalogue, session);
  write_whole_file(options.export_file, exported_page(exported_data(session)));
  std::cout << options.export_file << ": written\n";
  return exit_done;
}

bool can_open_browser() {
  for (const char* display : {"DISPLAY", "WAYLAND_DISPLAY"}) {
    const char* const value = std::getenv(display);
    if (value != nullptr && *value != '\0') return true;
  }
  return false;
}

// By a private file that leads to the address: arguments of a process are visible to other users.
bool open_browser(const std::string& address, const std::string& folder) {
  if (!can_open_browser()) return false;
  const std::string path = folder + "/open.html";
  std::ofstream(path) << "<!DOCTYPE html><meta charset=\"utf-8\"><meta name=\"referrer\" "
                         "content=\"no-referrer\"><meta http-equiv=\"refresh\" content=\"0; "
                         "url="
                      << address << "\">\n";
  std::string program = "xdg-open", file = path;
  std::array<char*, 3> words{program.data(), file.data(), nullptr};
  ::posix_spawn_file_actions_t streams;
  ::posix_spawn_file_actions_init(&streams);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    ::posix_spawn_file_actions_addopen(&streams, stream, "/dev/null", O_RDWR, 0);
  ::posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  ::pid_t pid = -1;
  const int error =
      ::posix_spawnp(&pid, program.c_str(), &streams, &attributes, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&streams);
  ::posix_spawnattr_destroy(&attributes);
  return error == 0;
}

int serve(const WebOptions& options) {
  const EndSignals end;  // before the first thread
  const Catalogue catalogue = options.machine.load_catalogue();
  if (!options.export_file.empty()) return write_export(options, catalogue);
  ServerFolder folder;
  WebSession session(version_line(), catalogue.components, folder.path());
  load(options, catalogue, session);
  WebJobs jobs(folder.path(), [&session](const std::string& log, const std::string& title) {
    return session.add_run(log, title);
  });
  add_jobs(options, catalogue, jobs, session);
  HttpServer server(new_web_token(),
                    [&session](const WebRequest& request) { return session.answer(request); });
  const int port = server.bind(options.port, attempts);
  if (options.port != 0 && port != options.port)
    std::cout << fmt::format("port {} is in use; taking {}\n", options.port, port);
  server.start();
  std::thread([&session] { session.prepare(); }).detach();  // this process ends by _exit()
  std::cout << server.address() << "\nCtrl-C ends the server.\n" << std::flush;
  if (!options.no_open && !open_browser(server.address(), folder.path()))
    std::cout << "There is no browser to open: open the address in one.\n" << std::flush;
  end.wait();
  jobs.kill_all();
  folder.remove();
  FaultGuard::end_process(exit_done);  // pending requests are dropped
}

void declare_web(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<WebOptions>();
  command
      .add_option("RUN", options->files,
                  "Operation logs of `run --op-log F.sqlite`, statistics of `run --stats` or "
                  "`traffic --links`, result files of `sweep`, topology files: machines to compare")
      ->type_name("F.sqlite|.json|.yaml");
  command.add_option("--port", options->port, "First port of 127.0.0.1 to try; 0: any free one")
      ->type_name("N")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  command
      .add_option("--export", options->export_file,
                  "Write the page with the runs as one file that needs no server, instead of "
                  "serving it")
      ->type_name("F.html");
  command.add_flag("--no-open", options->no_open, "Only print the address, open no browser");
  options->machine.add_to(command);
  command.footer(
      "Examples:\n"
      "  kernbench web --topology six_sip\n"
      "  kernbench run --bench matmul-composite --op-log gemm.sqlite\n"
      "  kernbench web gemm.sqlite\n"
      "  kernbench web configs/topology.yaml mine.yaml\n"
      "  kernbench web a.sqlite b.sqlite --port 8080 --no-open\n"
      "  kernbench web gemm.sqlite --export gemm.html\n\n"
      "The server listens on 127.0.0.1 alone, and answers only who has the address that it "
      "prints.\nIt reads the files named here, and logs of runs started from the page, which it "
      "deletes at its end.\n");
  invocation.on(command, [options] { return serve(*options); });
}
const CommandRegistration web_registration(
    115, "web", "Show the machine and runs in a browser: map, activity over time, comparison",
    declare_web);

}  // namespace
}  // namespace kernbench
