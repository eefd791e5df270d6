// Declared parameters of a component: the allowed contents of `attrs:`, checked before elaboration
// and shown by `list components`.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <typeinfo>
#include <variant>
#include <vector>

#include "models/base/units.h"

namespace kernbench {

// A resolved value. Numbers keep their decimal exactly.
using ParameterValue = std::variant<Rational, bool, std::string>;
std::string format_value(const ParameterValue& value);

class Parameter {
 public:
  enum class Type { integer, decimal, boolean, choice, text };

  // `unit` is "" for pure numbers; `source` is a spec section, an ADR or "assumption".
  static Parameter integer(std::string name, std::string description, std::string unit,
                           std::string source);
  static Parameter decimal(std::string name, std::string description, std::string unit,
                           std::string source);
  static Parameter boolean(std::string name, std::string description, std::string source);
  static Parameter choice(std::string name, std::string description,
                          std::vector<std::string> choices, std::string source);
  // Any text; the component checks it.
  static Parameter text(std::string name, std::string description, std::string source);

  // Decimal parameters of timing, with their unit and bounds. Within the bounds every single delay
  // can be computed exactly and is far below the 18446 s of simulated time that 64 bits hold.
  static Parameter duration_ns(std::string name, std::string description,
                               std::string source);  // 0 to 1e9, a second
  static Parameter rate_gbs(std::string name, std::string description,
                            std::string source);  // 0.001 to 1e6
  static Parameter frequency_ghz(std::string name, std::string description,
                                 std::string source);  // 0.001 to 1000

  Parameter& default_val(std::int64_t value);
  Parameter& default_val(int value) { return default_val(std::int64_t{value}); }
  Parameter& default_val(std::string_view decimal_or_choice);
  Parameter& default_val(const char* decimal_or_choice) {
    return default_val(std::string_view(decimal_or_choice));
  }
  Parameter& default_val(bool value);
  Parameter& range(std::string_view lowest,
                   std::string_view highest);  // inclusive decimals; "" = unbounded
  Parameter& range(const Rational& lowest, const Rational& highest);
  Parameter& positive();      // > 0
  Parameter& or_unlimited();  // also 0, outside the range: no limit
  Parameter& power_of_two();
  // The value is a fact of the machine (flit size, link rate): the topology fills it in and users
  // cannot set it in `attrs`.
  Parameter& from_machine();

  const std::string& name() const { return name_; }
  const std::string& description() const { return description_; }
  const std::string& unit() const { return unit_; }
  const std::string& source() const { return source_; }
  Type type() const { return type_; }
  bool is_text() const { return type_ == Type::choice || type_ == Type::text; }
  const std::optional<ParameterValue>& default_value() const { return default_; }
  const std::vector<std::string>& choices() const { return choices_; }
  // Bounds of a number; none: unbounded. 0 may be allowed below (or_unlimited()).
  const std::optional<Rational>& lowest() const { return lowest_; }
  const std::optional<Rational>& highest() const { return highest_; }
  bool is_positive() const { return positive_; }
  bool allows_unlimited() const { return or_unlimited_; }
  bool is_from_machine() const { return from_machine_; }
  // "integer, at least 1, a power of two": for messages and help.
  std::string allowed() const;

  // Reads a scalar as written in YAML or on the command line, numbers of at most 18 digits and 18
  // decimals; throws std::invalid_argument with the allowed values.
  ParameterValue parse(std::string_view text) const;

 private:
  Parameter(Type type, std::string name, std::string description, std::string unit,
            std::string source);
  void check(const Rational& value, std::string_view text) const;
  std::invalid_argument too_many_digits(std::string_view text) const;

  Type type_;
  std::string name_, description_, unit_, source_;
  std::optional<ParameterValue> default_;
  std::optional<Rational> lowest_, highest_;
  bool positive_ = false, or_unlimited_ = false, power_of_two_ = false, from_machine_ = false;
  std::vector<std::string> choices_;
};

using ParameterSchema = std::vector<Parameter>;

// Resolved parameters of one instance: one value for every declared parameter. Access to another
// name is a ModelError. Copies share their values until one of them is changed.
class Attributes {
 public:
  using Values = std::map<std::string, ParameterValue, std::less<>>;

  void set(const std::string& name, ParameterValue value) {
    if (values_ == nullptr || values_.use_count() > 1) values_ = std::make_shared<Values>(values());
    (*values_)[name] = std::move(value);
    typed_.reset();
  }
  bool has(std::string_view name) const { return values().find(name) != values().end(); }
  const Rational& decimal(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  bool flag(std::string_view name) const;
  const std::string& text(std::string_view name) const;
  const Values& values() const;
  // Typed parameters P (models/base/parameter_set.h) with these values: read once for all
  // components that share them.
  template <class P>
  const P& as() const {
    if (typed_ == nullptr || *type_ != typeid(P)) {
      typed_ = std::make_shared<const P>(*this);
      type_ = &typeid(P);
    }
    return *static_cast<const P*>(typed_.get());
  }

 private:
  const ParameterValue& at(std::string_view name) const;
  std::shared_ptr<Values> values_;  // null: none
  mutable std::shared_ptr<const void> typed_;
  mutable const std::type_info* type_ = nullptr;  // type of *typed_
};

// Values that are each in range but contradict each other, reported at one of them.
struct ParameterFault {
  std::string parameter;
  std::string message;  // "found 0.001, allowed is ..."
};

// Every default of the schema; parameters without one are left out. For tests, and as the start of
// a resolution.
Attributes defaults_of(const ParameterSchema& schema);

}  // namespace kernbench
