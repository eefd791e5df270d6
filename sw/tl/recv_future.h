// tl::RecvFuture: a message that a kernel will receive. tl.wait() blocks until it is there and
// returns it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sw/tl/handle.h"

namespace kernbench::tl {

class RecvFuture {
 public:
  bool received() const { return state_ != nullptr && state_->block.has_value(); }

 private:
  friend class Program;
  struct State {
    Program* program = nullptr;
    std::string direction;
    std::uint64_t place = 0;  // in the order of the direction's messages
    Shape shape;
    DType dtype = DType::f16;
    std::optional<Handle> block;
  };
  std::shared_ptr<State> state_;  // shared by copies: a message is received once
};

}  // namespace kernbench::tl
