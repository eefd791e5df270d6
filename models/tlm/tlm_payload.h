// A payload that a bridge hands to the module outside, and that bears what the module does to it:
// one that is deleted or released too often ends the run instead of the process.
//
// One request at a time: a payload is taken for it, and given back behind its end, when the module
// has released it, too.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <tlm>
#include <vector>

namespace kernbench {

class TlmPayloads final : public tlm::tlm_mm_interface {
 public:
  // `fault`: told of what the module must not do. `idle`: no payload is with the module any more.
  TlmPayloads(std::function<void(const std::string&)> fault, std::function<void()> idle);
  ~TlmPayloads() override;
  TlmPayloads(const TlmPayloads&) = delete;
  TlmPayloads& operator=(const TlmPayloads&) = delete;

  // The payload of the next request, held for the bridge.
  tlm::tlm_generic_payload& take();
  // The bridge has no more use for it.
  void give_back();
  // False: the module has deleted or released it; it must not be looked at.
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
