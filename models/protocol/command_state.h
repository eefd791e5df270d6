// CommandState: progress of a submitted command, or of a send or receive; shared by the kernel that
// waits for it and the PE.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "models/base/units.h"

namespace kernbench {

// Usage of a PE's engines (spec 4.3).
struct PeUsage {
  Fs dma = 0;      // channels held, grant to completion
  Fs compute = 0;  // accel_slot held
};

// Only PE_SCHEDULER completes a command; PE_CPU completes a send or receive, when PE_IPCQ has
// answered.
class CommandState {
 public:
  explicit CommandState(std::uint64_t id) : id_(id) {}

  std::uint64_t id() const { return id_; }
  bool done() const { return done_; }
  // Whether it has completed, as queried by the kernel: equivalent to a wait.
  bool poll() {
    polled_ = done_;
    if (polled_) report();
    return polled_;
  }
  bool polled() const { return polled_; }
  const std::string& error() const { return error_; }  // empty: ok
  // Makes the completion notify `event`, on which the caller waits.
  void wakes(sc_core::sc_event& event) { wakes_ = &event; }
  // Appends the id to `list` when the command completes, or when the kernel detects the completion
  // by a query.
  void reports_to(std::shared_ptr<std::vector<std::uint64_t>> list) {
    reports_to_ = std::move(list);
    if (done_) report();
  }

  void complete() {
    done_ = true;
    report();
    if (wakes_ != nullptr) wakes_->notify(sc_core::SC_ZERO_TIME);
  }
  void held(Fs dma, Fs compute) {
    usage_.dma += dma;
    usage_.compute += compute;
  }
  const PeUsage& usage() const { return usage_; }  // so far
  void fail(std::string error) {
    if (error_.empty()) error_ = std::move(error);
  }

 private:
  void report() const {
    if (reports_to_ != nullptr) reports_to_->push_back(id_);
  }

  std::uint64_t id_;
  bool done_ = false, polled_ = false;
  std::string error_;
  PeUsage usage_;
  sc_core::sc_event* wakes_ = nullptr;
  std::shared_ptr<std::vector<std::uint64_t>> reports_to_;
};

}  // namespace kernbench
