// Parameters of a component as typed members that declare themselves:
//
//   struct Parameters : ParameterSet {
//     using ParameterSet::ParameterSet;
//     Param<Fs> overhead{
//         *this, Parameter::duration_ns("overhead_ns", "per access", "assumption").default_val(0)};
//     Param<std::uint32_t> lanes{
//         *this, Parameter::integer("lanes", "per cycle", "", "spec 1.2").default_val(64)};
//   };
//   Parameters().schema()                  the parameters that a configuration may hold
//   Parameters p(init.attributes)          the values of one instance: *p.overhead
//   init.attributes.as<Parameters>()       these values, read once for instances that share them
//
// The type of a member determines how it is read: Fs from a duration in ns, an integer type,
// Rational, bool, or std::string.
#pragma once

#include <type_traits>
#include <utility>

#include "models/base/parameter.h"

namespace kernbench {

class ParameterSet {
 public:
  // Declares only; the members have their defaults.
  ParameterSet() = default;
  // Reads every declared parameter. `values` holds one value for each of them, else ModelError; it
  // need not outlive the call.
  explicit ParameterSet(const Attributes& values) : values_(&values) {}

  const ParameterSchema& schema() const {
    return schema_;
  }  // in order of declaration; empty after reading

  // For members that are created in a loop.
  template <class T>
  T declare(const Parameter& parameter) {
    const bool duration = parameter.type() == Parameter::Type::decimal;
    if (values_ != nullptr) return read<T>(*values_, parameter.name(), duration);
    schema_.push_back(parameter);
    if (!schema_.back().default_value()) return T();
    return read<T>(defaults_of({schema_.back()}), schema_.back().name(), duration);
  }

 private:
  template <class T>
  static T read(const Attributes& values, const std::string& name, bool duration) {
    if constexpr (std::is_same_v<T, bool>) {
      return values.flag(name);
    } else if constexpr (std::is_integral_v<T>) {
      return duration ? static_cast<T>(ns_to_fs(values.decimal(name)))
                      : static_cast<T>(values.integer(name));
    } else if constexpr (std::is_same_v<T, Rational>) {
      return values.decimal(name);
    } else {
      return values.text(name);
    }
  }

  const Attributes* values_ = nullptr;
  ParameterSchema schema_;
};

template <class T>
class Param {
 public:
  Param(ParameterSet& set, const Parameter& parameter) : value_(set.declare<T>(parameter)) {}
  const T& operator*() const { return value_; }
  const T* operator->() const { return &value_; }

 private:
  T value_;
};

template <class P>
ParameterSchema schema_of() {
  return P().schema();
}

}  // namespace kernbench
