#include "sw/runtime/deployments.h"

#include <fmt/format.h>

#include "models/base/errors.h"

namespace kernbench {

void Deployments::place(const std::string& kernel, std::uint64_t code_bytes,
                        const std::vector<int>& sips, bool untimed) {
  HostRequests writes;
  for (const int sip : sips) {
    const auto [entry, is_new] = placed_.try_emplace({kernel, sip});
    Code& code = entry->second;
    if (is_new) {
      const PeId first{sip, 0, 0};
      try {
        code = {first, memory_.reserve(first, code_bytes), code_bytes, nullptr};
      } catch (const AllocationError& error) {
        placed_.erase(entry);
        throw AllocationError(fmt::format("code of kernel '{}': {}", kernel, error.what()));
      }
      if (!untimed) {
        MemoryWrite message;
        message.dst = code.where;
        message.pa = code.pa;
        message.nbytes = code.nbytes;
        message.dst_mem_kind = MemoryKind::hbm;
        code.write = link_.submit(std::move(message), "deploy " + kernel);
      }
    }
    if (code.nbytes != code_bytes) {
      throw UsageError(fmt::format("kernel '{}' has been deployed with {} bytes of code, found {}",
                                   kernel, code.nbytes, code_bytes));
    }
    if (code.write) writes.push_back(code.write);
  }
  link_.wait(writes);  // including writes that another worker has sent
}

KernelRef Deployments::reference(const std::string& kernel, int sip) const {
  const Code& code = placed_.at({kernel, sip});
  return {kernel, KernelRef::Kind::deployed, code.where, code.pa, code.nbytes};
}

}  // namespace kernbench
