// --max-memory: limit of the host memory of a command, and the error of a command that exceeds it.
#pragma once

#include <cstdint>
#include <string>

#include "models/base/errors.h"
#include "models/base/units.h"
#include "platform/assembly/memory_guard.h"

namespace kernbench {

// Error of a run that has reached its limit: exit status 1.
class MemoryLimitError : public Error {
 public:
  using Error::Error;
};

// Parses as size_option(); an empty text: three quarters of host_memory_bytes().
std::uint64_t memory_limit(const std::string& text);
// "8G", "512M", "1.5T" or bytes, from 1M to 1024T. UsageError, with the option's name, for anything
// else.
std::uint64_t size_option(const char* option, const std::string& text);
std::string size_text(std::uint64_t bytes);  // "17.6 GiB"

// MemoryLimitError if the limit has been reached; `simulated`: the end of the run.
void check_memory_limit(Fs simulated);
// For RunLimits::interrupted: a signal has arrived, or the limit is reached; the caller of the run
// then calls check_memory_limit().
bool stop_requested();

}  // namespace kernbench
