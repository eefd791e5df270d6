// ABI stamp: properties that must be equal in a plug-in and the program before the first C++ call
// between them (spec 12). Text built from macros alone, a field per line.
#pragma once

#include <cstddef>  // _GLIBCXX_USE_CXX11_ABI
#include <systemc>

#include "models/base/version.h"

// Version of the stamp format: the set of fields, and the layout of PluginEntry
// (models/base/plugin.h).
#define KERNBENCH_STAMP_VERSION 1

#define KERNBENCH_TEXT_OF(x) #x
#define KERNBENCH_TEXT(x) KERNBENCH_TEXT_OF(x)

#ifdef _GLIBCXX_DEBUG
#define KERNBENCH_DEBUG_CONTAINERS "yes"
#else
#define KERNBENCH_DEBUG_CONTAINERS "no"
#endif
#if defined(__SANITIZE_ADDRESS__) && defined(__SANITIZE_THREAD__)
#define KERNBENCH_SANITIZERS "address thread"
#elif defined(__SANITIZE_ADDRESS__)
#define KERNBENCH_SANITIZERS "address"
#elif defined(__SANITIZE_THREAD__)
#define KERNBENCH_SANITIZERS "thread"
#else
#define KERNBENCH_SANITIZERS "none"
#endif

#define KERNBENCH_ABI_STAMP \
  "stamp=" KERNBENCH_TEXT(KERNBENCH_STAMP_VERSION) "\nKernBench=" KERNBENCH_VERSION            \
  "\nSystemC=" KERNBENCH_TEXT(SC_VERSION_MAJOR) "." KERNBENCH_TEXT(SC_VERSION_MINOR) "."       \
  KERNBENCH_TEXT(SC_VERSION_PATCH) "\nSC_CPLUSPLUS=" KERNBENCH_TEXT(SC_CPLUSPLUS)              \
  "\n__GXX_ABI_VERSION=" KERNBENCH_TEXT(__GXX_ABI_VERSION)                                     \
  "\n_GLIBCXX_USE_CXX11_ABI=" KERNBENCH_TEXT(_GLIBCXX_USE_CXX11_ABI)                           \
  "\n_GLIBCXX_DEBUG=" KERNBENCH_DEBUG_CONTAINERS "\nsanitizers=" KERNBENCH_SANITIZERS "\n"

namespace kernbench {

// ELF note with the stamp, in a section of its own: read from the file, before the library is
// loaded. Its owner and type follow.
inline constexpr char abi_note_owner[12] = "KernBench";  // padded to words of 4 bytes
inline constexpr unsigned abi_note_type = 1;

template <std::size_t size>
struct AbiNote {
  unsigned owner_bytes = sizeof "KernBench";
  unsigned text_bytes = size;
  unsigned type = abi_note_type;
  char owner[sizeof abi_note_owner] = "KernBench";
  char text[(size + 3) / 4 * 4] = {};

  constexpr explicit AbiNote(const char (&stamp)[size]) {
    for (std::size_t i = 0; i < size; ++i) text[i] = stamp[i];
  }
};

}  // namespace kernbench
