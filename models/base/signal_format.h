// Type, unit and width of a trace signal (models/base/trace_signal.h). Without SystemC.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kernbench {

// Meaning of a value; observers choose radix, colour and analogue height by it.
enum class SignalType : std::uint8_t { flag, count, bytes, address, id, time, enumeration };

std::string_view name_of(SignalType type);  // "flag", "count", ...

struct SignalFormat {
  using Labels = std::shared_ptr<const std::vector<std::string>>;

  SignalType type = SignalType::count;
  unsigned width = 1;     // bits, 1..64
  const char* unit = "";  // a literal
  Labels labels;          // names of the values 0, 1, 2, ... of an enumeration

  static SignalFormat flag() { return {SignalType::flag, 1, "", nullptr}; }
  // Unit of a count: "flits", "tasks", ...
  static SignalFormat count(const char* unit = "", unsigned width = 16) {
    return {SignalType::count, width, unit, nullptr};
  }
  static SignalFormat bytes(unsigned width = 32) {
    return {SignalType::bytes, width, "B", nullptr};
  }
  static SignalFormat address(unsigned width = 64) {
    return {SignalType::address, width, "", nullptr};
  }
  // Id of a command, a tile, a transaction.
  static SignalFormat id(unsigned width = 32) { return {SignalType::id, width, "", nullptr}; }
  static SignalFormat time() { return {SignalType::time, 64, "fs", nullptr}; }
  static SignalFormat enumeration(std::vector<std::string> labels) {
    return enumeration(std::make_shared<const std::vector<std::string>>(std::move(labels)));
  }
  static SignalFormat enumeration(Labels shared);
};

// A signal that may be added later; {i} in its name represents a number.
struct SignalDeclaration {
  std::string name, description;
  SignalFormat format;
};

}  // namespace kernbench
