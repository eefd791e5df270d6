// Payload that a bridge passes to the external module. It tolerates misuse by the module: deleting
// it, or releasing it too often, ends the run instead of the process.
//
// One request at a time: a payload is taken for it, and returned after its end, when the module has
// released it, too.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <tlm>
#include <vector>

namespace kernbench {

class TlmPayloads final : public tlm::tlm_mm_interface {
 public:
  // `fault`: called for misuse by the module. `idle`: called when the module holds no payload any
  // more.
  TlmPayloads(std::function<void(const std::string&)> fault, std::function<void()> idle);
  ~TlmPayloads() override;
  TlmPayloads(const TlmPayloads&) = delete;
  TlmPayloads& operator=(const TlmPayloads&) = delete;

  // The payload of the next request, held for the bridge.
  tlm::tlm_generic_payload& take();
  // The bridge has no more use for it.
  void give_back();
  // Returns false if the module has deleted or released it; it must not be accessed then.
  bool is_whole() const { return current_ != nullptr; }

  std::size_t with_module() const { return with_module_; }

  void free(tlm::tlm_generic_payload* payload) override;

 private:
  class Payload;
  struct Slot;

  void broken(Slot& slot, const char* what);

  std::function<void(const std::string&)> fault_;
  std::function<void()> idle_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<Slot*> free_;
  Slot* current_ = nullptr;
  std::size_t with_module_ = 0;
};

}  // namespace kernbench
