// The program: reads the command line, runs the command that it names, and turns what goes wrong
// into a message and an exit status.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <systemc>

#include "models/base/errors.h"
#include "models/base/exception_text.h"
#include "platform/assembly/fault_guard.h"
#include "platform/assembly/report_guard.h"
#include "platform/config/config_tree.h"
#include "sc_main/build_info.h"
#include "sc_main/command.h"
#include "sc_main/command_line_error.h"
#include "sc_main/config_files.h"
#include "sc_main/log_options.h"

namespace kernbench {
namespace {

int report(const std::string& what, int status) {
  std::cout << std::flush;
  std::cerr << "kernbench: error: " << what << (what.empty() || what.back() != '\n' ? "\n" : "")
            << std::flush;
  return status;
}

int run_command_line(int argc, char* argv[]) {
  Invocation invocation{{argv, argv + argc}, {}};
  CLI::App app("KernBench: a virtual platform of a multi-device AI accelerator", "kernbench");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.get_formatter()->column_width(32);
  app.footer(
      "Examples:\n"
      "  kernbench list\n"
      "  kernbench run --bench matmul-composite --verify-data\n"
      "  kernbench run --help\n\n"
      "Exit status: 0 done, 1 a run or a check failed, 2 wrong usage or configuration, 3 deadlock "
      "or livelock.\n");
  add_run_command(app, invocation);
  add_list_command(app, invocation);
  add_topology_command(app, invocation);
  add_placement_command(app, invocation);
  add_traffic_command(app, invocation);
  add_route_command(app, invocation);
  add_probe_command(app, invocation);
  add_validate_command(app, invocation);
  add_tune_collectives_command(app, invocation);
  add_rtl_compare_command(app, invocation);
  add_inspect_command(app, invocation);
  add_new_component_command(app, invocation);
  add_completion_command(app, invocation);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return report(command_line_error(app, error, invocation.words), exit_usage);
  }
  try {
    set_shipped_configs(shipped_configs().string());
  } catch (const UsageError&) {  // told where one of them is needed
  }
  return invocation.action();
}

// Output that cannot be delivered is a failure, also when it is lost only as the last buffer goes
// out.
int delivered(int status) {
  std::cout << std::flush;
  if (!std::cout && status == exit_done)
    return report("standard output cannot be written", exit_failed);
  return status;
}

int run_guarded(int argc, char* argv[]) {
  const FaultGuard faults;
  const ReportGuard reports(&print_report_line);
  try {
    return delivered(run_command_line(argc, argv));
  } catch (const std::exception& error) {
    return report(text_of(error), exit_status_of(error));
  } catch (...) {
    return report("an exception that is no std::exception", exit_failed);
  }
}

}  // namespace
}  // namespace kernbench

int sc_main(int argc, char* argv[]) {
  const int status = kernbench::run_guarded(argc, argv);
  std::cerr << std::flush;
  ::_exit(
      status);  // tearing a machine of thousands of modules down would take longer than many a run
}

// libsystemc has a main() of its own, which greets; ours comes first.
int main(int argc, char* argv[]) {
  ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}
