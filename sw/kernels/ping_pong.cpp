#include "sw/kernels/ping_pong.h"

#include <algorithm>
#include <vector>

#include "models/base/errors.h"

namespace kernbench::kernels {
namespace {

PeId running_on(const tl::Program& tl) {
  return {tl.program_id(2), tl.program_id(1), tl.program_id(0)};
}

// As many elements as a slot holds, or what is left.
std::vector<std::int64_t> pieces_of(const tl::Program& tl, const PingPong& game) {
  const auto per_slot = static_cast<std::int64_t>(tl.slot_bytes() / size_of(game.dtype));
  if (per_slot == 0) {
    throw UsageError("a slot of " + std::to_string(tl.slot_bytes()) +
                     " bytes holds no element of " + std::string(name_of(game.dtype)));
  }
  std::vector<std::int64_t> pieces;
  for (std::int64_t left = game.elements; left > 0; left -= per_slot)
    pieces.push_back(std::min(left, per_slot));
  return pieces;
}

std::vector<tl::Handle> receive(tl::Program& tl, const PingPong& game, const std::string& direction,
                                const std::vector<std::int64_t>& pieces) {
  std::vector<tl::Handle> blocks;
  for (const std::int64_t elements : pieces) {
    const Shape shape{elements};
    blocks.push_back(game.consume ? tl.recv(direction, shape, game.dtype)
                                  : tl.recv_no_consume(direction, shape, game.dtype));
  }
  return blocks;
}

}  // namespace

void ping_pong(tl::Program& tl, const PingPong& game, tl::Ptr x, tl::Ptr out) {
  const PeId here = running_on(tl);
  if (!(here == game.ping) && !(here == game.pong)) return;
  const std::vector<std::int64_t> pieces = pieces_of(tl, game);
  std::vector<tl::Handle> came;
  for (int round = 1; round <= game.rounds; ++round) {
    const bool last = round == game.rounds;
    if (here == game.pong) {
      for (const tl::Handle& block : receive(tl, game, game.back, pieces)) {
        if (!last) tl.send(game.back, block);
      }
      continue;
    }
    tl::Ptr from = x;
    for (const std::int64_t elements : pieces) {
      tl.send(game.there, from, {elements}, game.dtype);
      from += elements * static_cast<std::int64_t>(size_of(game.dtype));
    }
    if (last) break;
    came.clear();
    came = receive(tl, game, game.there, pieces);
  }
  for (const tl::Handle& block : came) {
    tl.store(out, block);
    out += static_cast<std::int64_t>(block.nbytes());
  }
}

void write_to(tl::Program& tl, PeId ping, std::uint64_t to, const Shape& shape, DType dtype,
              double value) {
  if (running_on(tl) == ping) tl.store(tl::Ptr(to), tl.full(shape, value, dtype));
}

}  // namespace kernbench::kernels
