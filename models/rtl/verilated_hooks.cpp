// Functions that the runtime of Verilator and the assertions call, compiled into every library with
// a Verilated block. They forward to the block whose eval() is running. Exceptions leave eval():
// the run is over then, and the model is not used again.
#include "models/rtl/verilated_hooks.h"

#include <cstdarg>
#include <cstdio>
#include <string>

#include "models/rtl/block_calls.h"
#include "models/rtl/verilator_runtime.h"

namespace {

std::string place(const char* file, int line) {
  return file == nullptr || *file == 0 ? ""
                                       : " at " + std::string(file) + ":" + std::to_string(line);
}

void give_up(const std::string& how) {
  if (kernbench::BlockCalls* const calls = kernbench::BlockCalls::current()) calls->gave_up(how);
}

}  // namespace

extern "C" int kernbench_rtl_print(const char* format, ...) {
  char text[2048];
  std::va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (kernbench::BlockCalls* const calls = kernbench::BlockCalls::current()) calls->printed(text);
  return length;
}

// Imported by the checkers.
extern "C" void kernbench_violation(const char* rule, const char* signal) {
  if (kernbench::BlockCalls* const calls = kernbench::BlockCalls::current())
    calls->rule_broken(rule, signal);
}

void vl_finish(const char* file, int line, const char* /*hierarchy*/) {
  give_up("$finish" + place(file, line));
}

void vl_stop(const char* file, int line, const char* /*hierarchy*/) {
  give_up("$error, $fatal or $stop" + place(file, line));
}

void vl_fatal(const char* file, int line, const char* /*hierarchy*/, const char* message) {
  give_up(std::string(message) + place(file, line));
}

void vl_warn(const char* file, int line, const char* /*hierarchy*/, const char* message) {
  kernbench_rtl_print("%s%s", message, place(file, line).c_str());
}
