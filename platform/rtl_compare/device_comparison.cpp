#include "platform/rtl_compare/device_comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "platform/output/table.h"
#include "platform/rtl_compare/flow_comparison.h"
#include "platform/rtl_compare/tile_comparison.h"
#include "platform/topology/build_graph.h"

namespace kernbench {
namespace {

// Operands and products of all tiles are kept until they are compared.
void check_host_memory(const ComparisonRequest& request, const std::vector<ComparedTile>& tiles,
                       const TileRoom& room) {
  std::uint64_t bytes = 0;
  for (const ComparedTile& tile : tiles) bytes += room.bytes_of(tile);
  if (bytes <= request.most_bytes) return;
  throw UsageError(fmt::format("{}: operands and products of {} tiles take {}; --max-memory is {}",
                               request.random > 0 ? "--random" : "--shapes", tiles.size(),
                               readable_bytes(bytes), readable_bytes(request.most_bytes)));
}

TileOptions tile_options(const ComparisonRequest& request, const ComparedDevice& device,
                         const MachineSpec& machine) {
  const MacArray array = array_of(device);
  const TileRoom room = tile_room(machine, request.dtype);
  TileOptions options{{}, request.dtype, request.seed};
  for (const std::string& shape : request.shapes) options.tiles.push_back(parse_tile(shape));
  check_tiles(options.tiles, room);
  if (request.random > 0) options.tiles = random_tiles(request.random, request.seed, array, room);
  if (options.tiles.empty()) options.tiles = telling_tiles(array, room);
  check_host_memory(request, options.tiles, room);
  return options;
}

}  // namespace

std::vector<std::string> comparison_settings(const ComparedDevice& device) {
  return device.role() == ComparedRole::gemm ? tile_settings(device) : flow_settings(device);
}

ComparisonRun prepare_comparison(const ComparisonRequest& request, const ComparedDevice& device,
                                 const ComponentRegistry& registry, const MachineSpec& machine,
                                 const std::function<MachineSpec()>& model_machine) {
  if (device.role() == ComparedRole::gemm) {
    return [&machine, &registry, &device, tiles = tile_options(request, device, machine)] {
      return compare_tiles(build_graph(machine), registry, device, tiles);
    };
  }
  FlowOptions flows{request.sizes.empty() ? std::vector<std::uint64_t>{256, 4096} : request.sizes,
                    request.seed};
  std::sort(flows.sizes.begin(), flows.sizes.end());
  const MachineSpec models = model_machine();
  for (const MachineSpec* each : {&machine, &models}) check_flow_sizes(*each, device, flows.sizes);
  return [&machine, &registry, &device, flows, models] {
    return compare_flows(machine, models, registry, device, flows);
  };
}

}  // namespace kernbench
