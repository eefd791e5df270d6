#include "platform/plugin/plugin_loader.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>

#include "models/base/errors.h"
#include "models/base/exception_text.h"
#include "models/base/quote.h"
#include "platform/assembly/fault_guard.h"
#include "platform/assembly/time_resolution.h"
#include "platform/plugin/abi_check.h"

namespace kernbench {
namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw UsageError(fmt::format("plug-in {}: {}", quote(file), why));
}

void check_stamp(const std::string& file) {
  const std::string differences = stamp_differences(stamp_in_file(file), KERNBENCH_ABI_STAMP);
  if (!differences.empty())
    refuse(file, fmt::format("it was built for another KernBench, SystemC or C++ ABI than this "
                             "program; build it again with the KernBench that loads it\n{}",
                             differences));
}

// Text with C++ names instead of mangled ones.
std::string readable(const std::string& message) {
  const std::size_t begin = message.find("_Z");
  if (begin == std::string::npos) return message;
  const std::size_t end = std::min(message.find_first_of(" ,;:)\n", begin), message.size());
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(message.substr(begin, end - begin).c_str(), nullptr, nullptr, &status),
      &std::free);
  return status != 0 ? message : message.substr(0, begin) + name.get() + message.substr(end);
}

// Constructors of the library's global objects run inside dlopen(), which exceptions cannot leave.
void* load_library(const std::string& file, const std::string& canonical) {
  const ForeignCode constructors(
      fmt::format("plug-in {}: a constructor of its global objects has failed: ", quote(file)),
      exit_usage);
  return ::dlopen(canonical.c_str(), RTLD_NOW | RTLD_LOCAL);
}

const PluginEntry& open_library(const std::string& file, const std::string& canonical) {
  void* library = load_library(file, canonical);
  if (library == nullptr)
    refuse(file, fmt::format("it cannot be loaded: {}", readable(::dlerror())));
  const auto* entry = static_cast<const PluginEntry*>(::dlsym(library, KERNBENCH_PLUGIN_ENTRY));
  if (entry == nullptr || entry->name == nullptr || entry->add_all == nullptr)
    refuse(file, "it has a stamp but no entry '" KERNBENCH_PLUGIN_ENTRY
                 "'; KERNBENCH_PLUGIN(name, function) defines it (models/base/plugin.h)");
  return *entry;
}

void register_all(const std::string& file, const PluginEntry& entry, PluginRegistries& registries) {
  const std::string says = fmt::format("plug-in {}: its registration has failed: ", quote(file));
  std::string what;
  try {
    const ForeignCode registration(says, exit_usage);
    entry.add_all(registries);
    return;
  } catch (const std::exception& error) {
    what = text_of(error);
  } catch (...) {
    what = "an exception that is not a std::exception";
  }
  throw UsageError(says + what);
}

}  // namespace

void PluginLoader::check_new(const std::string& file, const std::string& canonical) const {
  const auto same = std::find(canonical_.begin(), canonical_.end(), canonical);
  if (same == canonical_.end()) return;
  const LoadedPlugin& known = plugins_[static_cast<std::size_t>(same - canonical_.begin())];
  refuse(file, fmt::format("it is named twice{}; leave one out",
                           known.file == file ? "" : ", also as " + quote(known.file)));
}

const LoadedPlugin& PluginLoader::load(const std::string& file, PluginRegistries& registries) {
  const FaultGuard faults;
  check_stamp(file);
  const std::string canonical = std::filesystem::canonical(file).string();
  check_new(file, canonical);
  use_femtoseconds();
  const PluginEntry& entry = open_library(file, canonical);
  for (const LoadedPlugin& known : plugins_) {
    if (known.name == entry.name)
      refuse(file, fmt::format("its name {} is that of the plug-in {}, too", quote(known.name),
                               quote(known.file)));
  }
  register_all(file, entry, registries);
  plugins_.push_back({entry.name, file});
  canonical_.push_back(canonical);
  return plugins_.back();
}

}  // namespace kernbench
