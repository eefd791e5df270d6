// Layouts of all levels of a machine as JSON, for viewers that nest them (docs/viewer.md).
#pragma once

#include <nlohmann/json.hpp>

#include "platform/topology/graph.h"

namespace kernbench {

// {sips: [name], cubes, pes, mesh: {w, h}, layouts: {system, sip, cube, pe}}; a layout of a level
// holds for all its instances and names nodes relative to them:
//   {width, height,                    px
//    area: {x, y, w, h},               fills the block of the instance one level above
//    blocks: [{id, label, kind, x, y, w, h,
//              name,                   node or scope
//              child,                  scope that the level below shows in this block, or null
//              nodes: [name],          without those of `child`
//              reference,              true: belongs to a level above, and is drawn there
//              only: [scope]}],        scopes that have the block, if not all have it
//    links: [{a, b, kind, points: [[x, y]], forward: [[src, dst]], backward: [[src, dst]],
//             bw_gbs, distance_mm, width}],   a, b: indices of blocks; bw_gbs: null: unlimited
//    outlines: [{x, y, w, h, label}], guides: [[[x, y]]]}
nlohmann::ordered_json machine_layout(const Graph& graph);

}  // namespace kernbench
