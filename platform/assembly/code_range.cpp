#include "platform/assembly/code_range.h"

#include <link.h>
#include <ucontext.h>

#include <cstddef>

namespace kernbench {

std::uintptr_t program_counter(const void* context) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(
      static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.pc);
#else
  return 0;
#endif
}

CodeRange library_of(const void* function) {
  CodeRange range{reinterpret_cast<std::uintptr_t>(function), 0};
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& found = *static_cast<CodeRange*>(data);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
          if (segment.p_type != PT_LOAD || found.begin < begin ||
              found.begin >= begin + segment.p_memsz)
            continue;
          found = {begin, begin + segment.p_memsz};
          return 1;
        }
        return 0;
      },
      &range);
  return range;
}

}  // namespace kernbench
