#include "sw/mock/mock_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/base/atomic_op.h"
#include "models/base/errors.h"

namespace kernbench {

MockRank::MockRank(MockRun& run, std::size_t seat, PeId where, KernelLaunch launch,
                   std::uint64_t scratch_bytes)
    : run_(run), seat_(seat), where_(where), launch_(std::move(launch)),
      scratch_("scratch", 0, scratch_bytes) {}

void MockRank::run_kernel() {
  launch_.body->run(*this);
  wait_until([this] { return run_.rings.drained(where_); },
             [] { return std::string("room in the rings of its peers for its last sends"); });
}

std::string MockRank::last_call_text() const {
  return *last_call() == '\0' ? "no call"
                              : fmt::format("tl.{}{}", last_call(), call_site().in_brackets());
}

// --- turns

void MockRank::dispatch() {
  run_.turns.check();
  if (++calls_ > run_.calls_per_turn) wait_until({}, {});
  ++run_.now;
}

void MockRank::wait_until(const Turns::Ready& ready, const Text& what) {
  if (ready && ready()) return;
  waits_for_ = what;
  run_.turns.wait_until(seat_, ready);
  waits_for_ = nullptr;
  calls_ = 0;
  ++run_.now;
}

// --- commands

std::shared_ptr<CommandState> MockRank::issue(Command&& command) {
  const auto* dma = std::get_if<DmaCommand>(&command.what);
  if (dma != nullptr && dma->atomic != nullptr && dma->atomic->effect != nullptr && dma->nbytes > 0)
    dma->atomic->effect->serve({{0, dma->nbytes}}, now());
  auto state = std::make_shared<CommandState>(next_command_++);
  state->complete();
  return state;
}

void MockRank::wait(CommandState& command) {
  if (command.done()) return;  // otherwise a send is in flight
  wait_until([&command] { return command.done(); }, send_text(sends_[command.id()]));
}

void MockRank::print(const std::string& text) {
  run_.printed.push_back(fmt::format("rank {}: {}", rank(), text));
}

// --- messages

MockRank::Text MockRank::send_text(const std::string& direction) const {
  return [this, direction] {
    const PeId peer = run_.rings.end("tl.send", where_, direction).peer->where;
    return fmt::format("room in the ring of {} for a message in direction '{}'", peer.str(),
                       direction);
  };
}

MockRank::Text MockRank::receive_text(const std::string& direction) const {
  return [this, direction] {
    if (direction.empty()) return std::string("a message in any direction");
    const PeId peer = run_.rings.end("tl.recv", where_, direction).peer->where;
    return fmt::format("a message in direction '{}' of {}", direction, peer.str());
  };
}

void MockRank::ipcq_send(IpcqSend message) {
  const std::string direction = message.direction;
  const auto operation = ipcq_begin(std::move(message));
  wait_until([&operation] { return operation->state->done(); }, send_text(direction));
}

std::shared_ptr<IpcqOperation> MockRank::ipcq_begin(IpcqSend message) {
  run_.turns.check();
  data()->resolve();  // captures the current bytes
  message.bytes = std::make_shared<const ByteImage>(message.bytes->without_captures());
  auto operation = run_.rings.send(where_, std::move(message), call_site());
  sends_[operation->state->id()] = operation->direction;
  return operation;
}

std::shared_ptr<IpcqOperation> MockRank::ipcq_begin(IpcqReceive request) {
  run_.turns.check();
  return run_.rings.receive(where_, std::move(request));
}

IpcqReceived MockRank::ipcq_receive(IpcqReceive request) {
  run_.turns.check();
  if (request.direction.empty()) {
    const MockRings::End* from = nullptr;
    wait_until(
        [&] {
          if (from == nullptr) from = run_.rings.next_with_message(where_);
          return from != nullptr;
        },
        receive_text(""));
    request.direction = from->direction;
  }
  const auto operation = ipcq_begin(std::move(request));
  wait(*operation);
  return operation->received;
}

void MockRank::wait(IpcqOperation& operation) {
  wait_until([&operation] { return operation.state->done(); }, receive_text(operation.direction));
  if (!operation.state->error().empty()) throw UsageError(operation.state->error());
}

std::uint64_t MockRank::ipcq_reserve(const std::string& direction) {
  run_.turns.check();
  return run_.rings.end("tl.recv_async", where_, direction).reserved++;
}

void MockRank::barrier() {
  run_.turns.check();
  const std::uint64_t mine = ++run_.barriers[seat_];
  const auto behind = [this, mine](std::size_t seat) { return run_.barriers[seat] < mine; };
  wait_until(
      [this, behind] {
        for (std::size_t seat = 0; seat < run_.barriers.size(); ++seat) {
          if (behind(seat)) return false;
        }
        return true;
      },
      [this, behind, mine] {
        std::vector<std::string> others;
        for (std::size_t seat = 0; seat < run_.barriers.size(); ++seat) {
          if (!behind(seat)) continue;
          others.push_back(fmt::format("{}{}", run_.ranks[seat],
                                       run_.turns.has_ended(seat) ? ", which has returned" : ""));
        }
        return fmt::format("its barrier {}: not reached by rank {}", mine,
                           fmt::join(others, ", rank "));
      });
}

}  // namespace kernbench
