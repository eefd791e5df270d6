#include "platform/rtl_compare/compared_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/config/nearest_name.h"

namespace kernbench {
namespace {

constexpr std::pair<Role, ComparedRole> compared_roles[] = {{Role::pe_gemm, ComparedRole::gemm},
                                                            {Role::router, ComparedRole::router},
                                                            {Role::sram, ComparedRole::sram}};

std::vector<std::string> names_of(const ComponentRegistry& registry) {
  std::vector<std::string> names;
  for (const auto& each : compared_roles) {
    const auto more = registry.names_for(each.first);
    names.insert(names.end(), more.begin(), more.end());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

const Implementation* find(const ComponentRegistry& registry, const std::string& name) {
  if (const Implementation* found = registry.find(name)) {
    if (found->unavailable.empty()) return found;
    throw UsageError(fmt::format("--impl: found {}, and {}", quote(name), found->unavailable));
  }
  const std::vector<std::string> names = names_of(registry);
  throw UsageError(fmt::format("--impl: there is no implementation {}{}; allowed is {}",
                               quote(name), did_you_mean(name, names), fmt::join(names, ", ")));
}

ComparedRole role_of(const Implementation& implementation) {
  for (const auto& [role, compared] : compared_roles) {
    if (implementation.may_stand_at(role)) return compared;
  }
  throw UsageError(fmt::format("--impl: {} stands for none of pe_gemm, router and sram",
                               quote(implementation.name)));
}

const Parameter* parameter_of(const Implementation& implementation, const std::string& name) {
  const auto found =
      std::find_if(implementation.schema.begin(), implementation.schema.end(),
                   [&name](const Parameter& parameter) { return parameter.name() == name; });
  return found == implementation.schema.end() ? nullptr : &*found;
}

}  // namespace

ComparedDevice::ComparedDevice(const ComponentRegistry& registry, const std::string& name,
                               const std::vector<std::string>& attributes)
    : implementation_(find(registry, name)), role_(role_of(*implementation_)) {
  for (const std::string& attribute : attributes) {
    const std::size_t equals = attribute.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError(
          fmt::format("--attribute {} is not KEY=VALUE, e.g. rows=8", quote(attribute)));
    const std::string key = attribute.substr(0, equals), value = attribute.substr(equals + 1);
    const Parameter* parameter = parameter_of(*implementation_, key);
    if (parameter == nullptr) refuse(attribute, key);
    try {
      parameter->parse(value);
    } catch (const std::invalid_argument& error) {
      throw UsageError(fmt::format("--attribute {}: {}", quote(attribute), error.what()));
    }
    attributes_.emplace_back(key, value);
  }
}

void ComparedDevice::refuse(const std::string& attribute, const std::string& key) const {
  std::vector<std::string> known;
  for (const Parameter& each : implementation_->schema) known.push_back(each.name());
  throw UsageError(fmt::format("--attribute {}: {} has no attribute {}{}; allowed is {}",
                               quote(attribute), implementation_->name, quote(key),
                               did_you_mean(key, known), fmt::join(known, ", ")));
}

std::optional<std::string> ComparedDevice::value(const std::string& attribute) const {
  for (auto each = attributes_.rbegin(); each != attributes_.rend(); ++each) {
    if (each->first == attribute) return each->second;
  }
  const Parameter* parameter = parameter_of(*implementation_, attribute);
  if (parameter == nullptr || !parameter->default_value()) return std::nullopt;
  return format_value(*parameter->default_value());
}

Rational ComparedDevice::clock_ghz() const {
  const auto number = [this](const char* name) -> std::optional<Rational> {
    const auto text = value(name);
    if (!text) return std::nullopt;
    return std::get<Rational>(parameter_of(*implementation_, name)->parse(*text));
  };
  if (const auto period = number("clock_period_ns")) return Rational(1) / *period;
  return number("clock_ghz").value_or(Rational(1));
}

std::vector<std::string> ComparedDevice::settings(const std::string& node) const {
  std::vector<std::string> settings{fmt::format("{}.impl={}", node, implementation_->name)};
  for (const auto& [key, value] : attributes_)
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
