// `kernbench topology`: compiles a topology, and exports or draws it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>

#include "platform/topology/build_graph.h"
#include "platform/topology/diagram_files.h"
#include "platform/topology/topology_json.h"
#include "sc_main/command.h"
#include "sc_main/machine_options.h"
#include "sc_main/result_files.h"

namespace kernbench {
namespace {

struct TopologyOptions {
  MachineOptions machine;
  std::string format = "json", view, heat, instance, out;

  void add_to(CLI::App& command);
  void check() const;  // UsageError for options without effect
  bool is_json() const { return format == "json"; }
  DiagramFormat diagram_format() const {
    return format == "svg"   ? DiagramFormat::svg
           : format == "dot" ? DiagramFormat::dot
                             : DiagramFormat::mermaid;
  }
  std::vector<DiagramLevel> levels() const;
  std::vector<std::string> files() const;  // one per level; empty names: standard output
};

void TopologyOptions::add_to(CLI::App& command) {
  command
      .add_option(
          "--format", format,
          "json: nodes with kind, place and every attribute, edges with kind, bandwidth and "
          "length; svg, mermaid or dot: diagrams")
      ->check(CLI::IsMember({"json", "svg", "mermaid", "dot"}))
      ->capture_default_str();
  command
      .add_option("--view", view,
                  "View of a diagram: system, SIP, cube or PE. Default: all four, into --out")
      ->check(CLI::IsMember({"system", "sip", "cube", "pe"}));
  command
      .add_option("--instance", instance,
                  "One SIP, cube or PE, e.g. sip1.cube3, instead of a representative one")
      ->type_name("NAME");
  command
      .add_option("--heat", heat,
                  "Colour links and nodes by utilisation: the file of run --stats, or of "
                  "traffic --links F.json")
      ->type_name("F.json");
  command
      .add_option("--out", out,
                  "A folder for {system,sip,cube,pe}_view.{svg,mmd,dot}, or with one view or json "
                  "a file; unchanged files are not rewritten. Default: standard output")
      ->type_name("DIR|F");
  machine.add_to(command);
  command.footer(
      "Examples:\n"
      "  kernbench topology --format json > machine.json\n"
      "  kernbench topology --topology tiny --set system.flit_bytes=128\n"
      "  kernbench topology --format svg --out diagrams\n"
      "  kernbench topology --format svg --view cube > cube.svg\n"
      "  kernbench topology --format dot --view pe | dot -Tpdf > pe.pdf\n"
      "  kernbench run --bench matmul-composite --stats stats.json\n"
      "  kernbench topology --format svg --view cube --instance sip0.cube0 --heat stats.json --out "
      "heat.svg\n");
}

std::vector<DiagramLevel> TopologyOptions::levels() const {
  if (view.empty()) return {diagram_levels.begin(), diagram_levels.end()};
  return {parse_diagram_level(view)};
}

std::vector<std::string> TopologyOptions::files() const {
  if (out.empty()) return std::vector<std::string>(levels().size());
  const std::filesystem::path path = out;
  const bool is_file = !view.empty() && !std::filesystem::is_directory(path) &&
                       (is_stream(out) || path.has_extension());
  if (is_file) return {out};
  std::vector<std::string> files;
  for (const DiagramLevel level : levels())
    files.push_back((path / file_name_of(level, diagram_format())).string());
  return files;
}

void TopologyOptions::check() const {
  const std::map<const char*, const std::string*> of_diagrams{
      {"--view", &view}, {"--instance", &instance}, {"--heat", &heat}};
  for (const auto& [option, value] : of_diagrams) {
    if (is_json() && !value->empty())
      throw UsageError(
          fmt::format("topology: {} requires a diagram, --format svg, mermaid or dot; json is the "
                      "whole machine",
                      option));
  }
  if (!instance.empty() && view == "system")
    throw UsageError("topology: --instance has no effect in the system view");
  if (!is_json() && view.empty() && out.empty())
    throw UsageError(
        "topology: four diagrams do not go to standard output: give --view for one of them, or "
        "--out for a folder");
  std::vector<FileInUse> in_use = machine.files_in_use();
  if (!heat.empty()) in_use.push_back({heat, "the statistics"});
  check_result_files(in_use, is_json() ? std::vector<std::string>{out} : files());
}

// Empty path: standard output.
void write(const std::string& path, const std::string& text) {
  if (path.empty()) {
    std::cout << text;
  } else if (is_stream(path)) {
    write_result(path, text);
  } else {
    create_folder(std::filesystem::path(path).parent_path().string());
    const bool written = write_if_changed(path, text);
    std::cout << path << (written ? ": written\n" : ": unchanged\n");
  }
}

int export_topology(const TopologyOptions& options) {
  options.check();
  const Catalogue catalogue = options.machine.load_catalogue();
  const Graph graph = build_graph(options.machine.load_spec(catalogue.components));
  if (options.is_json()) {
    write(options.out, topology_json(graph));
    std::cout << std::flush;
    return exit_done;
  }
  const DiagramScope scope =
      options.instance.empty() ? DiagramScope() : parse_diagram_scope(graph, options.instance);
  std::optional<Utilisation> heat;
  if (!options.heat.empty()) heat.emplace(Utilisation::read(options.heat, graph));
  const std::vector<DiagramLevel> levels = options.levels();
  const std::vector<std::string> files = options.files();
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Diagram diagram = make_diagram(graph, levels[i], scope);
    write(files[i],
          diagram_text(graph, diagram, options.diagram_format(), heat ? &*heat : nullptr));
  }
  std::cout << std::flush;
  return exit_done;
}

void declare_topology(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<TopologyOptions>();
  options->add_to(command);
  invocation.on(command, [options] { return export_topology(*options); });
}
const CommandRegistration topology_registration(
    30, "topology", "Compile a topology; export its nodes and edges, or draw it", declare_topology);

}  // namespace
}  // namespace kernbench
