// Turns: threads that run one at a time, in a fixed order.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kernbench {

class Turns {
 public:
  using Ready = std::function<bool()>;
  // Thrown on a thread to end it. Not derived from std::exception, so that handlers of a kernel do
  // not catch it.
  struct Ended {};

  // Runs each body on its own thread, in turn; a body must not throw. If no body can continue,
  // calls `blocked` and ends those that wait. Error if the host refuses a thread.
  void run(std::vector<std::function<void()>> bodies, const std::function<void()>& blocked);

  // Called on the thread of body `number`: the others have their turns until `ready` holds.
  void wait_until(std::size_t number, Ready ready);
  void check() const {
    if (ending_) throw Ended{};
  }
  // Ends all other bodies at their next call.
  void end_all() { ending_ = true; }
  bool has_ended(std::size_t number) const { return seats_[number].ended; }

 private:
  struct Seat {
    std::function<void()> body;
    std::thread thread;
    std::condition_variable has_turn;
    Ready ready;  // empty: always
    bool ended = false;
  };
  static constexpr std::size_t none = ~std::size_t{0};

  // Next body that can continue; none if there is none.
  std::size_t next_after(std::size_t last) const;
  void give_turn(std::size_t number);
  void start(std::size_t number);
  void end_turn();

  std::mutex mutex_;
  std::condition_variable turn_ended_;
  std::deque<Seat> seats_;
  std::size_t turn_ = none;
  bool ending_ = false;
};

}  // namespace kernbench
