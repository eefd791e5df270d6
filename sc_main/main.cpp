// The program: reads the command line and runs the command that it names.
#include <CLI/CLI.hpp>
#include <systemc>

int sc_main(int argc, char* argv[]) {
  CLI::App app("KernBench: a virtual platform of a multi-device AI accelerator");
  app.set_version_flag("--version", std::string("kernbench " KERNBENCH_VERSION " (" KERNBENCH_BUILD "), ") + sc_core::sc_version());
  app.require_subcommand(1);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;  // wrong usage
  }
  return 0;
}

int main(int argc, char* argv[]) {
  ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}
