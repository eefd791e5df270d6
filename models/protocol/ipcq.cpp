#include "models/protocol/ipcq.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "models/protocol/machine_description.h"

namespace kernbench {
namespace {

template <class Enum, std::size_t n>
Enum parse(std::string_view name, const char* what, const Enum (&all)[n]) {
  std::string allowed;
  for (const Enum each : all) {
    if (name == name_of(each)) return each;
    allowed += (allowed.empty() ? "" : ", ") + std::string(name_of(each));
  }
  throw UsageError(fmt::format("{} '{}', allowed: {}", what, name, allowed));
}

[[noreturn]] void reject(const IpcqInstall& message, const std::string& what) {
  throw UsageError(fmt::format(
      "IpcqInstall{}: {}",
      message.debug_label.empty() ? "" : fmt::format(" '{}'", message.debug_label), what));
}

}  // namespace

const char* name_of(MemorySpace space) {
  return space == MemorySpace::tcm ? "tcm" : space == MemorySpace::sram ? "sram" : "hbm";
}
const char* name_of(Backpressure mode) { return mode == Backpressure::sleep ? "sleep" : "poll"; }

MemorySpace parse_memory_space(std::string_view name) {
  return parse(name, "memory space", {MemorySpace::tcm, MemorySpace::sram, MemorySpace::hbm});
}
Backpressure parse_backpressure(std::string_view name) {
  return parse(name, "backpressure", {Backpressure::sleep, Backpressure::poll});
}

const IpcqQueuePair* IpcqSetup::find(std::string_view direction) const {
  const auto found =
      std::find_if(queue_pairs.begin(), queue_pairs.end(),
                   [&](const IpcqQueuePair& pair) { return pair.direction == direction; });
  return found == queue_pairs.end() || direction.empty() ? nullptr : &*found;
}

std::string IpcqSetup::directions() const {
  std::string text;
  for (const IpcqQueuePair& pair : queue_pairs) {
    if (!pair.direction.empty()) text += (text.empty() ? "" : ", ") + pair.direction;
  }
  return text;
}

PeEngine IpcqInstall::end() const { return PeEngine::pe_cpu; }

void validate(const IpcqInstall& message) {
  const IpcqSettings& settings = message.settings;
  validate_targets(message);
  if (settings.n_slots == 0) reject(message, "n_slots is 0, allowed is at least 1");
  if (settings.slot_size == 0) reject(message, "slot_size is 0, allowed is at least 1");
  if (settings.ipcq_credit_size_bytes == 0)
    reject(message, "the size of a credit is 0 bytes, allowed is at least 1");
  if (!(settings.poll_ns > Rational(0))) reject(message, "poll_ns is 0, allowed is more");
  if (settings.vc_chunk_size && *settings.vc_chunk_size == 0)
    reject(message, "vc_chunk_size is 0, allowed is at least 1");
  for (const auto& [pe, pairs] : message.queue_pairs) {
    if (!std::binary_search(message.targets.begin(), message.targets.end(), pe)) {
      reject(message, fmt::format("queue pairs for {}, which is not a target", pe.str()));
    }
    for (std::size_t i = 1; i < pairs.size(); ++i) {
      if (pairs[i].direction <= pairs[i - 1].direction) {
        reject(
            message,
            fmt::format("directions of {} must ascend without duplicates; found '{}' behind '{}'",
                        pe.str(), pairs[i].direction, pairs[i - 1].direction));
      }
    }
  }
}

}  // namespace kernbench
