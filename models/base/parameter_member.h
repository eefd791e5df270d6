// Members of a settings struct as destinations of declared parameters: typed in the struct, a
// ParameterValue when read from and written to a file.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "models/base/parameter.h"

namespace kernbench {

// Names of the enumerators of a choice in configurations, in their order: static constexpr
// std::array<std::string_view, N> all.
template <class Choice>
struct ChoiceNames;

template <class Choice, class = decltype(ChoiceNames<Choice>::all)>
std::string_view name_of(Choice choice) {
  return ChoiceNames<Choice>::all[static_cast<std::size_t>(choice)];
}

template <class Choice>
Parameter choice_of(const char* name, const char* description, const char* source) {
  const auto& names = ChoiceNames<Choice>::all;
  return Parameter::choice(name, description, {names.begin(), names.end()}, source);
}

// Conversion of a type to and from its value in a configuration: Rational, integers, std::string,
// choices as enumerations, a single letter as char, bool.
template <class T, class = void>
struct MemberValue {
  static ParameterValue get(const T& member) { return Rational(static_cast<std::int64_t>(member)); }
  static void set(T& member, const ParameterValue& value) {
    member = static_cast<T>(std::get<Rational>(value).to_int64());
  }
};
template <>
struct MemberValue<Rational> {
  static ParameterValue get(const Rational& member) { return member; }
  static void set(Rational& member, const ParameterValue& value) {
    member = std::get<Rational>(value);
  }
};
template <>
struct MemberValue<std::string> {
  static ParameterValue get(const std::string& member) { return member; }
  static void set(std::string& member, const ParameterValue& value) {
    member = std::get<std::string>(value);
  }
};
template <>
struct MemberValue<char> {
  static ParameterValue get(char member) { return std::string(1, member); }
  static void set(char& member, const ParameterValue& value) {
    member = std::get<std::string>(value).at(0);
  }
};
template <>
struct MemberValue<bool> {
  static ParameterValue get(bool member) { return member; }
  static void set(bool& member, const ParameterValue& value) { member = std::get<bool>(value); }
};
template <class T>
struct MemberValue<T, std::enable_if_t<std::is_enum_v<T>>> {
  static ParameterValue get(T member) { return std::string(name_of(member)); }
  static void set(T& member, const ParameterValue& value) {
    int at = 0;  // the parameter admits names of enumerators only
    while (name_of(static_cast<T>(at)) != std::get<std::string>(value)) ++at;
    member = static_cast<T>(at);
  }
};

// One member, its type erased. An optional one may have no value; an optional rate has 0 for "no
// limit" instead.
class ParameterMember {
 public:
  template <class T>
  explicit ParameterMember(T& member) : member_(&member), get_(&get<T>), set_(&set<T>) {}

  const void* address() const { return member_; }
  std::optional<ParameterValue> value() const { return get_(member_); }
  void assign(const ParameterValue& value) const { set_(member_, value); }

 private:
  template <class T>
  struct Optional : std::false_type {
    using Value = T;
  };
  template <class T>
  struct Optional<std::optional<T>> : std::true_type {
    using Value = T;
  };
  template <class T>
  static constexpr bool is_rate = std::is_same_v<T, std::optional<Rational>>;

  template <class T>
  static std::optional<ParameterValue> get(const void* address) {
    const T& member = *static_cast<const T*>(address);
    if constexpr (is_rate<T>) {
      return member.value_or(Rational());
    } else if constexpr (Optional<T>::value) {
      if (!member) return std::nullopt;
      return MemberValue<typename Optional<T>::Value>::get(*member);
    } else {
      return MemberValue<T>::get(member);
    }
  }
  template <class T>
  static void set(void* address, const ParameterValue& value) {
    T& member = *static_cast<T*>(address);
    if constexpr (is_rate<T>) {
      const Rational& rate = std::get<Rational>(value);
      member = rate.is_zero() ? std::nullopt : std::optional<Rational>(rate);
    } else if constexpr (Optional<T>::value) {
      MemberValue<typename Optional<T>::Value>::set(member.emplace(), value);
    } else {
      MemberValue<T>::set(member, value);
    }
  }

  void* member_;
  std::optional<ParameterValue> (*get_)(const void*);
  void (*set_)(void*, const ParameterValue&);
};

}  // namespace kernbench
