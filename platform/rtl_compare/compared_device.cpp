#include "platform/rtl_compare/compared_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/config/config_tree.h"
#include "platform/config/known_attributes.h"
#include "platform/config/nearest_name.h"

namespace kernbench {
namespace {

constexpr std::pair<Role, ComparedRole> compared_roles[] = {{Role::pe_gemm, ComparedRole::gemm},
                                                            {Role::router, ComparedRole::router},
                                                            {Role::sram, ComparedRole::sram}};

const Implementation* find(const ComponentRegistry& registry, const std::string& name) {
  if (const Implementation* found = registry.find(name)) {
    if (found->unavailable.empty()) return found;
    throw UsageError(fmt::format("--impl: found {}, and {}", quote(name), found->unavailable));
  }
  const std::vector<std::string> names = comparable_implementations(registry);
  throw UsageError(fmt::format("--impl: there is no implementation {}{}; allowed is {}",
                               quote(name), did_you_mean(name, names), fmt::join(names, ", ")));
}

ComparedRole role_of(const Implementation& implementation) {
  for (const auto& [role, compared] : compared_roles) {
    if (implementation.may_stand_at(role)) return compared;
  }
  throw UsageError(fmt::format("--impl: {} implements none of pe_gemm, router and sram",
                               quote(implementation.name)));
}

const Parameter* parameter_of(const Implementation& implementation, const std::string& name) {
  const auto found =
      std::find_if(implementation.schema.begin(), implementation.schema.end(),
                   [&name](const Parameter& parameter) { return parameter.name() == name; });
  return found == implementation.schema.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::string> comparable_implementations(const ComponentRegistry& registry) {
  std::vector<std::string> names;
  for (const auto& each : compared_roles) {
    const auto more = registry.names_for(each.first);
    names.insert(names.end(), more.begin(), more.end());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

ComparedDevice::ComparedDevice(const ComponentRegistry& registry, const std::string& name,
                               const std::vector<std::string>& attributes)
    : implementation_(find(registry, name)), role_(role_of(*implementation_)),
      attributes_(defaults_of(implementation_->schema)) {
  for (const std::string& attribute : attributes) {
    const auto given = key_and_value(attribute);
    if (!given)
      throw UsageError(
          fmt::format("--attribute {} is not KEY=VALUE, e.g. rows=8", quote(attribute)));
    const auto& [key, value] = *given;
    const Parameter* parameter = parameter_of(*implementation_, key);
    if (parameter == nullptr) refuse(attribute, key);
    try {
      attributes_.set(key, parameter->parse(value));
    } catch (const std::invalid_argument& error) {
      throw UsageError(fmt::format("--attribute {}: {}", quote(attribute), error.what()));
    }
    given_.push_back(*given);
  }
  check_together();
}

// Rejects contradictory values, unless some are known to the machine alone.
void ComparedDevice::check_together() const {
  const auto known = [this](const Parameter& each) { return attributes_.has(each.name()); };
  const ParameterSchema& schema = implementation_->schema;
  if (!implementation_->check || !std::all_of(schema.begin(), schema.end(), known)) return;
  if (const auto fault = implementation_->check(attributes_))
    throw UsageError(fmt::format("--attribute {} of {}: {}", fault->parameter,
                                 implementation_->name, fault->message));
}

void ComparedDevice::refuse(const std::string& attribute, const std::string& key) const {
  std::vector<std::string> known;
  for (const Parameter& each : implementation_->schema) known.push_back(each.name());
  throw UsageError(fmt::format("--attribute {}: {} has no attribute {}{}; allowed is {}",
                               quote(attribute), implementation_->name, quote(key),
                               did_you_mean(key, known), fmt::join(known, ", ")));
}

std::optional<std::string> ComparedDevice::value(const std::string& attribute) const {
  for (auto each = given_.rbegin(); each != given_.rend(); ++each) {
    if (each->first == attribute) return each->second;
  }
  const auto found = attributes_.values().find(attribute);
  return found == attributes_.values().end() ? std::nullopt
                                             : std::optional(format_value(found->second));
}

std::optional<Rational> ComparedDevice::number(const std::string& attribute) const {
  return value_in<Rational>(attributes_, attribute);
}

std::optional<std::string> ComparedDevice::number_text(const std::string& attribute) const {
  return number(attribute) ? value(attribute) : std::nullopt;
}

Rational ComparedDevice::clock_ghz() const {
  return clock_ghz_of(attributes_).value_or(Rational(1));
}

std::vector<std::string> ComparedDevice::settings(const std::string& node) const {
  std::vector<std::string> settings{fmt::format("{}.impl={}", node, implementation_->name)};
  for (const auto& [key, value] : given_)
    settings.push_back(fmt::format("{}.attrs.{}={}", node, key, value));
  return settings;
}

std::string decimal_text(const Rational& value) {
  if (const std::string text = value.str(); text.find('/') == std::string::npos) return text;
  int decimals = 18;
  for (Rational::Int whole = value.num() / value.den(); whole > 0; whole /= 10) --decimals;
  Rational::Int scale = 1;
  for (int i = 0; i < decimals; ++i) scale *= 10;
  return Rational::fraction(value.num() * scale / value.den(), scale).str();
}

}  // namespace kernbench
