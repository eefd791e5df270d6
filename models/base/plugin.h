// Entry of a plug-in: a shared library that brings components, plain TLM-2.0 modules, benches with
// their kernels, and algorithms of collectives (spec 12; docs/write-a-plugin.md).
//
//   void add_all(kernbench::PluginRegistries& to) {
//     to.components.add(kernbench::implementation_of<RowHbm>("acme.row_hbm"));
//   }
//   KERNBENCH_PLUGIN("acme", add_all);
//
// Once per library, at namespace scope. Code that adds to a registry includes its header.
#pragma once

#include "models/base/abi_stamp.h"

namespace kernbench {

class AlgorithmRegistry;  // sw/collectives/algorithm_registry.h
class BenchRegistry;      // sw/benches/bench_registry.h
class ComponentRegistry;  // models/base/component_registry.h
class ExternalModules;    // models/tlm/external_modules.h

// Registries of the plug-in that is being loaded, empty at first. The program takes over their
// contents.
struct PluginRegistries {
  ComponentRegistry& components;
  ExternalModules& modules;
  BenchRegistry& benches;
  AlgorithmRegistry& algorithms;
};

// Plain data; its layout belongs to KERNBENCH_STAMP_VERSION.
struct PluginEntry {
  const char* name;
  // Exceptions that leave it are reported with the plug-in's file.
  void (*add_all)(PluginRegistries& to);
};

}  // namespace kernbench

#define KERNBENCH_PLUGIN_ENTRY "kernbench_plugin_entry"

#define KERNBENCH_PLUGIN(plugin_name, add_all_function)                                        \
  [[gnu::used, gnu::section(".note.kernbench"),                                                \
    gnu::aligned(4)]] static constexpr ::kernbench::AbiNote<sizeof(KERNBENCH_ABI_STAMP)>       \
      kernbench_abi_note(KERNBENCH_ABI_STAMP);                                                 \
  extern "C" {                                                                                 \
  [[gnu::visibility("default")]] extern const ::kernbench::PluginEntry kernbench_plugin_entry; \
  const ::kernbench::PluginEntry kernbench_plugin_entry{plugin_name, &(add_all_function)};     \
  }                                                                                            \
  static_assert(sizeof(plugin_name) > 1, "a plug-in has a name")
