#include "models/rtl/block_calls.h"

#include <utility>

namespace kernbench {
namespace {

thread_local BlockCalls* running = nullptr;

}  // namespace

BlockCalls* BlockCalls::current() { return running; }

BlockCalls::Scope::Scope(BlockCalls* calls) : outer_(std::exchange(running, calls)) {}

BlockCalls::Scope::~Scope() { running = outer_; }

}  // namespace kernbench
