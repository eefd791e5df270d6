#include "models/rtl/block_calls.h"

#include <utility>

namespace kernbench {
namespace {

// The library is there when the program starts, not loaded later: the pointer needs no look-up.
[[gnu::tls_model("initial-exec")]] thread_local BlockCalls* running = nullptr;

}  // namespace

BlockCalls* BlockCalls::current() { return running; }

BlockCalls::Scope::Scope(BlockCalls* calls) : outer_(std::exchange(running, calls)) {}

BlockCalls::Scope::~Scope() { running = outer_; }

}  // namespace kernbench
