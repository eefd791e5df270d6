// Calls from the SystemVerilog of a block (a broken rule, $error, $finish, $display) to the block
// whose eval() is running on this thread.
#pragma once

#include <string>
#include <utility>

namespace kernbench {

class BlockCalls {
 public:
  // An assertion has failed. Throws.
  virtual void rule_broken(const std::string& rule, const std::string& signal) = 0;
  // The block has ended the simulation: "$finish at file.sv:12". Throws.
  virtual void gave_up(const std::string& how) = 0;
  virtual void printed(const std::string& text) = 0;

  // Null: no eval() is running.
  static BlockCalls* current() { return running; }
  // Active while the object lives.
  class Scope {
   public:
    explicit Scope(BlockCalls* calls) : outer_(std::exchange(running, calls)) {}
    ~Scope() { running = outer_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    BlockCalls* outer_;
  };

 protected:
  ~BlockCalls() = default;

 private:
  // Set twice per clock cycle. The library is there when the program starts, not loaded later:
  // without a look-up; __thread: without a call that might initialise it.
  [[gnu::tls_model("initial-exec")]] static __thread BlockCalls* running;
};

}  // namespace kernbench
