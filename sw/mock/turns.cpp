#include "sw/mock/turns.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "models/base/errors.h"

namespace kernbench {

void Turns::run(std::vector<std::function<void()>> bodies, const std::function<void()>& blocked) {
  seats_.clear();
  ending_ = false;
  for (std::function<void()>& body : bodies) seats_.emplace_back().body = std::move(body);
  std::string refused;
  std::size_t last = seats_.size() - 1;
  for (;;) {
    std::size_t next = next_after(last);
    if (next == none) {
      const auto ended = [](const Seat& seat) { return seat.ended; };
      if (std::all_of(seats_.begin(), seats_.end(), ended)) break;
      blocked();
      if (next_after(last) == none) ending_ = true;
      continue;
    }
    try {
      give_turn(next);
    } catch (const std::system_error& error) {
      refused = fmt::format("the host refuses a thread for rank {}: {}", next, error.what());
      seats_[next].ended = ending_ = true;
    }
    last = next;
  }
  for (Seat& seat : seats_) {
    if (seat.thread.joinable()) seat.thread.join();
  }
  if (!refused.empty()) throw Error(refused);
}

// Of those that can go on.
std::size_t Turns::next_after(std::size_t last) const {
  for (std::size_t i = 1; i <= seats_.size(); ++i) {
    const std::size_t rank = (last + i) % seats_.size();
    const Seat& seat = seats_[rank];
    if (!seat.ended && (ending_ || !seat.ready || seat.ready())) return rank;
  }
  return none;
}

void Turns::give_turn(std::size_t rank) {
  Seat& seat = seats_[rank];
  if (!seat.thread.joinable()) {
    if (ending_) {  // it has not begun
      seat.ended = true;
      return;
    }
    start(rank);
  }
  std::unique_lock<std::mutex> lock(mutex_);
  turn_ = rank;
  seat.has_turn.notify_one();
  turn_ended_.wait(lock, [this] { return turn_ == none; });
}

void Turns::start(std::size_t rank) {
  Seat& seat = seats_[rank];
  seat.thread = std::thread([this, &seat, rank] {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      seat.has_turn.wait(lock, [&] { return turn_ == rank; });
    }
    seat.body();
    const std::lock_guard<std::mutex> lock(mutex_);
    seat.ended = true;
    end_turn();
  });
}

void Turns::end_turn() {
  turn_ = none;
  turn_ended_.notify_one();
}

void Turns::wait_until(std::size_t rank, Ready ready) {
  check();
  Seat& seat = seats_[rank];
  seat.ready = std::move(ready);
  {
    std::unique_lock<std::mutex> lock(mutex_);
    end_turn();
    seat.has_turn.wait(lock, [&] { return turn_ == rank; });
  }
  seat.ready = nullptr;
  check();
}

}  // namespace kernbench
