// `kernbench new-component`: a folder with a plug-in to start from.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>

#include "models/base/errors.h"
#include "platform/config/shipped_files.h"
#include "platform/output/text_layout.h"
#include "platform/plugin/component_template.h"
#include "sc_main/command.h"
#include "sc_main/completion.h"

namespace kernbench {
namespace {

struct NewComponentOptions {
  std::string name, kind, folder;
  bool list = false;
};

int list_kinds() {
  for (const ComponentTemplate& each : component_templates(shipped_templates()))
    std::cout << fitted(fmt::format("{:<14}  {}\n", each.kind, each.keys.at("description")));
  return exit_done;
}

int new_component(const NewComponentOptions& options) {
  if (options.list) {
    if (!options.name.empty() || !options.kind.empty() || !options.folder.empty())
      throw UsageError("new-component --list-kinds takes nothing else");
    return list_kinds();
  }
  if (options.name.empty()) throw UsageError("new-component: NAME is missing");
  if (options.kind.empty())
    throw UsageError("new-component: --kind is missing; --list-kinds shows them");
  const ComponentTemplate from = find_template(shipped_templates(), options.kind);
  const std::filesystem::path folder = options.folder.empty() ? options.name : options.folder;
  for (const std::string& file : write_component(from, options.name, folder))
    std::cout << (folder / file).string() << '\n';
  std::cout << fmt::format(
      "\nBuild and test it:\n  cmake -S {0} -B {0}/build && cmake --build {0}/build && ctest "
      "--test-dir {0}/build\n",
      folder.string());
  return exit_done;
}

Candidates kind_candidates() {
  Candidates candidates;
  for (const ComponentTemplate& each : component_templates(shipped_templates()))
    candidates.push_back({each.kind, each.keys.at("description")});
  return candidates;
}

void declare_new_component(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<NewComponentOptions>();
  command.add_option("NAME", options->name, "Of the plug-in and its files, e.g. row_hbm")
      ->type_name("");
  completes(command
                .add_option("--kind", options->kind,
                            "What it brings: a component, a TLM-2.0 module, a bench, an algorithm")
                ->type_name("KIND"),
            [](const std::string&) { return kind_candidates(); });
  command.add_option("--dir", options->folder, "The folder that is made (default: NAME)")
      ->type_name("DIR");
  command.add_flag("--list-kinds", options->list, "Lists the kinds");
  command.footer(
      "The folder is built against the installed package (cmake --install), by find_package; where "
      "that is not in a place that CMake knows, with -DCMAKE_PREFIX_PATH=PREFIX. Guide: "
      "docs/write-a-plugin.md.\n\n"
      "Examples:\n"
      "  kernbench new-component --list-kinds\n"
      "  kernbench new-component row_hbm --kind hbm\n"
      "  kernbench new-component dsp --kind tlm-target --dir ~/models/dsp\n");
  invocation.on(command, [options] { return new_component(*options); });
}
const CommandRegistration new_component_registration(
    120, "new-component",
    "Writes a plug-in to start from: source, CMakeLists.txt, a test that passes, README.md",
    declare_new_component);

}  // namespace
}  // namespace kernbench
