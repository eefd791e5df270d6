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
      ending_ = true;
      continue;
    }
    try {
      give_turn(next);
    } catch (const std::system_error& error) {
      refused = fmt::format("the host refuses thread {} of {}: {}", next + 1, seats_.size(),
                            error.what());
      seats_[next].ended = ending_ = true;
    }
    last = next;
  }
  for (Seat& seat : seats_) {
    if (seat.thread.joinable()) seat.thread.join();
  }
  if (!refused.empty()) throw Error(refused);
}

std::size_t Turns::next_after(std::size_t last) const {
  for (std::size_t i = 1; i <= seats_.size(); ++i) {
    const std::size_t number = (last + i) % seats_.size();
    const Seat& seat = seats_[number];
    if (!seat.ended && (ending_ || !seat.ready || seat.ready())) return number;
  }
  return none;
}

void Turns::give_turn(std::size_t number) {
  Seat& seat = seats_[number];
  if (!seat.thread.joinable()) {
    if (ending_) {  // not started
      seat.ended = true;
      return;
    }
    start(number);
  }
  std::unique_lock<std::mutex> lock(mutex_);
  turn_ = number;
  seat.has_turn.notify_one();
  turn_ended_.wait(lock, [this] { return turn_ == none; });
}

void Turns::start(std::size_t number) {
  Seat& seat = seats_[number];
  seat.thread = std::thread([this, &seat, number] {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      seat.has_turn.wait(lock, [&] { return turn_ == number; });
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

void Turns::wait_until(std::size_t number, Ready ready) {
  check();
  Seat& seat = seats_[number];
  seat.ready = std::move(ready);
  {
    std::unique_lock<std::mutex> lock(mutex_);
    end_turn();
    seat.has_turn.wait(lock, [&] { return turn_ == number; });
  }
  seat.ready = nullptr;
  check();
}

}  // namespace kernbench
