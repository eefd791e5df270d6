// `kernbench rtl-compare`: compares an implementation, such as one in RTL, with the
// transaction-level models.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/output/json_text.h"
#include "platform/output/text_layout.h"
#include "platform/report/option_values.h"
#include "platform/rtl_compare/compared_device.h"
#include "platform/rtl_compare/device_comparison.h"
#include "platform/rtl_compare/time_comparison.h"
#include "sc_main/command.h"
#include "sc_main/completion.h"
#include "sc_main/machine_options.h"
#include "sc_main/result_files.h"

namespace kernbench {
namespace {

constexpr std::uint64_t most_random_tiles = 10'000;

struct RtlCompareOptions {
  MachineOptions machine;
  std::string implementation, dtype = "i8", json, figure;
  std::vector<std::string> attributes;
  ComparisonRequest compared;
  const CLI::App* command = nullptr;

  void add_to(CLI::App& app);
  void check() const;
  void check_for(ComparedRole role) const;
  bool prints_json() const { return given("--json") && json.empty(); }
  std::string topology() const { return machine.topology.empty() ? "tiny" : machine.topology; }

  ComparisonRequest request() const {
    ComparisonRequest request = compared;
    request.dtype = dtype == "i8" ? DType::i8 : DType::f16;
    request.most_bytes = machine.memory_bytes();
    return request;
  }
  // Machine with `settings`; those of the command line are applied last.
  MachineOptions machine_with(std::vector<std::string> settings) const;

 private:
  bool given(const char* option) const { return command->count(option) > 0; }
};

void RtlCompareOptions::add_to(CLI::App& app) {
  command = &app;
  completes(app.add_option("--impl", implementation,
                           "Implementation of pe_gemm, router or sram, built in or from a plug-in")
                ->type_name("NAME")
                ->required(),
            [this](const std::string&) {
              return candidates_of(comparable_implementations(machine.load_catalogue().components));
            });
  app.add_option("--attribute", attributes, "Attribute of the implementation; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--shapes", compared.shapes,
                 "Tiles of a pe_gemm, MxKxN, separated by commas; each as large as the scratch "
                 "of a kernel in the TCM holds. Default: full folds, edges, k = 1, a long k, tall "
                 "and wide outputs")
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--random", compared.random,
                 fmt::format("Number of random tiles, 1 to {}, instead of the default tiles",
                             most_random_tiles))
      ->type_name("N")
      ->check(whole_number());
  app.add_option("--dtype", dtype, "Element type of the operands of tiles")
      ->check(CLI::IsMember({"i8", "f16"}))
      ->capture_default_str();
  app.add_option("--sizes", compared.sizes,
                 "Bytes of the messages through a router, or of the accesses of an sram, separated "
                 "by commas. Default: 256,4096")
      ->type_name("LIST")
      ->delimiter(',')
      ->check(whole_number())
      ->allow_extra_args(false);
  app.add_option("--seed", compared.seed, "Seed of random tiles and values")
      ->type_name("S")
      ->check(whole_number())
      ->capture_default_str();
  app.add_option("--figure", figure, "Write the ratios as a picture")->type_name("F.svg|.png|.pdf");
  app.add_option("--json", json, "As JSON: to this file, or without one instead of the table")
      ->type_name("F.json")
      ->expected(0, 1);
  machine.add_to(app);
  app.footer(
      "A pe_gemm: PE 0 has the implementation, PE 1 builtin.pe_gemm with timing macs, PE 2 with "
      "timing systolic and the array, clock and overhead of the implementation, as far as its "
      "attributes specify them; --set sip0.cube0.pe2.pe_gemm.attrs.KEY=VALUE overrides them. A "
      "router replaces the routers of all cubes, an sram that of cube 0; the reference is a "
      "machine without the implementation.\n"
      "The default machine is --topology tiny.\n\n"
      "Examples:\n"
      "  kernbench rtl-compare --impl rtl.pe_gemm --attribute rows=8 --attribute columns=8\n"
      "  kernbench rtl-compare --impl rtl.pe_gemm --shapes 32x64x32,33x64x32 --dtype f16\n"
      "  kernbench rtl-compare --impl builtin.pe_gemm --attribute timing=systolic --random 100\n"
      "  kernbench rtl-compare --impl acme.systolic --plugin libacme.so --figure ratios.svg\n"
      "  kernbench rtl-compare --impl rtl.router --json router.json\n"
      "  kernbench rtl-compare --impl rtl.sram --sizes 64,4096,65536\n\n"
      "Exit status 1 if the product of a tile differs from the reference, or if the "
      "implementation ends the run: by a broken "
      "assertion, the watchdog, bytes of an SRAM that are not those written.\n");
}

void RtlCompareOptions::check() const {
  if (!figure.empty()) check_figure_file(figure);
  machine.memory_bytes();
  std::vector<FileInUse> in_use = machine_with({}).files_in_use();
  check_result_files(in_use, {figure, json});
}

// An option without effect is an error.
void RtlCompareOptions::check_for(ComparedRole role) const {
  const bool tiles = role == ComparedRole::gemm;
  const auto refuse = [this](bool idle, std::initializer_list<const char*> options,
                             const char* with) {
    for (const char* option : options) {
      if (idle && given(option))
        throw UsageError(fmt::format("rtl-compare: {} has no effect {}", option, with));
    }
  };
  refuse(!tiles, {"--shapes", "--random", "--dtype"}, "except for a pe_gemm");
  refuse(tiles, {"--sizes"}, "for a pe_gemm; its tiles are --shapes");
  refuse(role == ComparedRole::router, {"--seed"}, "for routers, where nothing is drawn");
  if (given("--shapes") && given("--random"))
    throw UsageError("rtl-compare: --shapes and --random exclude each other");
  if (given("--random") && (compared.random < 1 || compared.random > most_random_tiles))
    throw UsageError(
        fmt::format("--random: found {}, allowed is 1 to {}", compared.random, most_random_tiles));
  for (const std::uint64_t bytes : compared.sizes) {
    if (bytes < 1 || bytes > std::uint64_t{1} << 24U)
      throw UsageError(fmt::format("--sizes: found {}, allowed is 1 to {}", bytes, 1U << 24U));
  }
}

MachineOptions RtlCompareOptions::machine_with(std::vector<std::string> settings) const {
  MachineOptions options = machine;
  options.topology = topology();
  settings.insert(settings.end(), machine.set.begin(), machine.set.end());
  options.set = std::move(settings);
  return options;
}

int compare(const RtlCompareOptions& options, const Invocation& invocation) {
  options.check();
  const Catalogue catalogue = options.machine.load_catalogue();
  const ComponentRegistry& registry = catalogue.components;
  const ComparedDevice device(registry, options.implementation, options.attributes);
  options.check_for(device.role());
  const MachineSpec machine = options.machine_with(comparison_settings(device)).load_spec(registry);
  const ComparisonRun run = prepare_comparison(options.request(), device, registry, machine, [&] {
    return options.machine_with({}).load_spec(registry);
  });

  const std::string configuration =
      configuration_text(invocation,
                         {{"topology", options.machine_with({}).topology_path()},
                          {"implementation", options.implementation}},
                         machine, catalogue);
  std::optional<ResultFile> json;
  if (!options.figure.empty()) open_result(options.figure, configuration).close();  // fails early
  if (!options.json.empty()) json = open_result(options.json, configuration);

  const TimeComparison comparison = run();
  if (!options.figure.empty()) write_figure(comparison_figure(comparison), options.figure);
  const std::string as_json = json_text(comparison_json(comparison), 2) + '\n';
  if (json) {
    json->out() << as_json;
    json->close();
  }
  std::cout << (options.prints_json() ? as_json : fitted(comparison_text(comparison), 2));
  return comparison.data_equal() ? exit_done : exit_failed;
}

void declare_rtl_compare(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<RtlCompareOptions>();
  options->add_to(command);
  invocation.on(command, [options, &invocation] { return compare(*options, invocation); });
}
const CommandRegistration rtl_compare_registration(
    100, "rtl-compare",
    "Compare an implementation, such as one in RTL, with the transaction-level models: times, "
    "ratios, data",
    declare_rtl_compare);

}  // namespace
}  // namespace kernbench
