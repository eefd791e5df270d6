// Implementation under comparison, with its attributes.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/base/component_registry.h"
#include "platform/config/config_tree.h"

namespace kernbench {

// Role of the compared node; selects its workload.
enum class ComparedRole : std::uint8_t { gemm, router, sram };

// Names of the implementations that can be compared, sorted.
std::vector<std::string> comparable_implementations(const ComponentRegistry& registry);

class ComparedDevice {
 public:
  // `attributes`: "KEY=VALUE". Throws UsageError for an unknown name, a role without a comparison,
  // or an unknown attribute.
  ComparedDevice(const ComponentRegistry& registry, const std::string& name,
                 const std::vector<std::string>& attributes);

  const Implementation& implementation() const { return *implementation_; }
  ComparedRole role() const { return role_; }
  // Value as text, given or default; none if the implementation has no such attribute.
  std::optional<std::string> value(const std::string& attribute) const;
  // None if the value is not a number.
  std::optional<Rational> number(const std::string& attribute) const;
  std::optional<std::string> number_text(const std::string& attribute) const;
  // Clock from clock_period_ns or clock_ghz; 1 GHz if it has neither.
  Rational clock_ghz() const;
  // Settings that replace `node`: a key of the topology, or the name of an instance.
  std::vector<std::string> settings(const std::string& node) const;

 private:
  void check_together() const;
  [[noreturn]] void refuse(const std::string& attribute, const std::string& key) const;

  const Implementation* implementation_;
  ComparedRole role_;
  std::vector<std::pair<std::string, std::string>> given_;
  Attributes attributes_;  // given or default
};

// Decimal of at most 18 digits, rounded down.
std::string decimal_text(const Rational& value);

}  // namespace kernbench
