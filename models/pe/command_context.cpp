#include "models/pe/command_context.h"

#include <algorithm>

#include "models/base/errors.h"

namespace kernbench {

void CommandContext::feed(const Tile& tile) {
  in_flight_.push_back(tile.id);
  ++fed_;
}

void CommandContext::complete_tile(TileTask& task) {
  const auto found = std::find(in_flight_.begin(), in_flight_.end(), task.tile.id);
  if (found == in_flight_.end()) {
    throw ModelError("tile " + std::to_string(task.tile.id) + " of command " +
                     std::to_string(id()) + " has been completed twice");
  }
  in_flight_.erase(found);
  owner_.tile_completed(*this, task);
}

}  // namespace kernbench
