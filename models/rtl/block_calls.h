// Calls out of the SystemVerilog of a block (a broken rule, $error, $finish, $display) to the block
// whose eval() is running on this thread.
#pragma once

#include <string>

namespace kernbench {

class BlockCalls {
 public:
  // An assertion has failed. Throws.
  virtual void rule_broken(const std::string& rule, const std::string& signal) = 0;
  // The block has ended the simulation: "$finish at file.sv:12". Throws.
  virtual void gave_up(const std::string& how) = 0;
  virtual void printed(const std::string& text) = 0;

  // Null: no eval() is running.
  static BlockCalls* current();
  // In force while it lives.
  class Scope {
   public:
    explicit Scope(BlockCalls* calls);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    BlockCalls* outer_;
  };

 protected:
  ~BlockCalls() = default;
};

}  // namespace kernbench
