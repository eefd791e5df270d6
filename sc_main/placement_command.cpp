// `kernbench placement`: the shards of a tensor by a DPPolicy, as a table or a picture.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/output/result_file.h"
#include "platform/output/table.h"
#include "platform/topology/placement_picture.h"
#include "sc_main/command.h"
#include "sc_main/completion.h"
#include "sc_main/machine_options.h"
#include "sc_main/result_files.h"
#include "sw/runtime/dp_policy.h"

namespace kernbench {
namespace {

struct PlacementOptions {
  MachineOptions machine;
  std::string shape, dtype = "f16", cube = "replicate", pe = "replicate", svg;
  std::optional<int> num_cubes, num_pes;

  DPPolicy policy() const {
    return {parse_placement(cube), parse_placement(pe), num_cubes, num_pes};
  }
};

// "8x6"
Shape parse_shape(const std::string& text) {
  constexpr std::size_t most_axes = 8;
  std::vector<std::int64_t> extents;
  std::int64_t extent = 0;
  bool digits = false;
  for (const char c : text + "x") {
    if (c >= '0' && c <= '9' && extent < (1 << 20)) {
      extent = 10 * extent + (c - '0');
      digits = true;
    } else if (c == 'x' && digits && extent > 0 && extents.size() < most_axes) {
      extents.push_back(extent);
      extent = 0;
      digits = false;
    } else {
      throw UsageError(fmt::format(
          "placement: --shape {} is not a list of extents from 1 to 1048576, like 64x8 or 4x8x64",
          quote(text)));
    }
  }
  return Shape(std::move(extents));
}

std::string mapped_on(Reach reach, PeId where) {
  if (reach == Reach::own_pe) return where.str();
  if (reach == Reach::own_cube) return fmt::format("sip{}.cube{}", where.sip, where.cube);
  return fmt::format("sip{}", where.sip);
}

std::string table_of(const std::vector<tl::Block>& blocks, Reach reach) {
  using Align = Table::Align;
  Table table({{"PE"},
               {"elements"},
               {"    offset", Align::right},
               {"     bytes", Align::right},
               {"mapped on"}});
  const bool is_partial = std::any_of(blocks.begin(), blocks.end(),
                                      [](const tl::Block& block) { return block.summand > 0; });
  for (const tl::Block& block : blocks) {
    const std::string summand = is_partial ? fmt::format(", partial sum {}", block.summand) : "";
    table.add({block.where.str(), block.range_text(), block.offset, block.nbytes,
               mapped_on(reach, block.where) + summand});
  }
  return table.text();
}

int show_placement(const PlacementOptions& options) {
  if (!options.svg.empty()) check_result_files(options.machine.files_in_use(), {options.svg});
  const Catalogue catalogue = options.machine.load_catalogue();
  const MachineSpec spec = options.machine.load_spec(catalogue.components);
  const Shape shape = parse_shape(options.shape);
  const DPPolicy policy = options.policy();
  const DType dtype = parse_dtype(options.dtype);
  const std::vector<tl::Block> blocks =
      place("t", shape, dtype, policy, 0, spec.sip.cubes(), spec.cube.pe_layout.pes());
  if (options.svg.empty()) {
    std::cout << fmt::format("{}{} by {}\n\n", name_of(dtype), shape.str(), policy.str())
              << table_of(blocks, reach_of(policy));
    return exit_done;
  }
  if (shape.elements() > 4096)
    throw UsageError(fmt::format("placement: a picture of {} elements, at most 4096 are supported",
                                 shape.elements()));
  std::vector<PlacedBlock> placed;
  for (const tl::Block& block : blocks)
    placed.push_back({block.where, block.offset, block.shape, block.start});
  write_result(options.svg, placement_svg(shape, placed, policy.str()));
  return exit_done;
}

// Placements without an axis.
Candidates placement_candidates(const std::string& /*typed*/) {
  return candidates_of(
      {"replicate", "partial", "row_wise", "column_wise", "tiled_row_major", "tiled_column_major"});
}

void declare_placement(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<PlacementOptions>();
  command.add_option("--shape", options->shape, "Shape of the tensor, e.g. 64x8 or 4x8x64")
      ->required()
      ->type_name("NxM...");
  command.add_option("--dtype", options->dtype, "Type of its elements")
      ->check(CLI::IsMember({"f16", "bf16", "f32", "i8", "i32"}))
      ->capture_default_str();
  const char* const placements =
      "replicate, partial, row_wise, column_wise, tiled_column_major, tiled_row_major, cut(AXIS), "
      "tiled_by_rows(AXIS,AXIS) or tiled_by_columns(AXIS,AXIS)";
  completes(
      command
          .add_option("--cube", options->cube, fmt::format("Placement over cubes: {}", placements))
          ->type_name("PLACEMENT")
          ->capture_default_str(),
      &placement_candidates);
  completes(command.add_option("--pe", options->pe, "Placement over the PEs of a cube: as --cube")
                ->type_name("PLACEMENT")
                ->capture_default_str(),
            &placement_candidates);
  command.add_option("--num-cubes", options->num_cubes, "Default: all of the SIP")->type_name("N");
  command.add_option("--num-pes", options->num_pes, "Default: all of a cube")->type_name("N");
  command.add_option("--svg", options->svg, "Write a picture instead of the table")->type_name("F");
  options->machine.add_to(command);
  command.footer(
      "Examples:\n"
      "  kernbench placement --shape 64x8 --pe row_wise --num-cubes 1\n"
      "  kernbench placement --shape 4x8x64 --cube 'cut(0)' --pe 'cut(1)' --num-cubes 4\n"
      "  kernbench placement --shape 8x6 --pe column_wise --num-cubes 1 --num-pes 3 --svg "
      "columns.svg\n");
  invocation.on(command, [options] { return show_placement(*options); });
}
const CommandRegistration placement_registration(
    40, "placement",
    "Show the shards of a tensor under a DPPolicy, and the PEs that can address them",
    declare_placement);

}  // namespace
}  // namespace kernbench
