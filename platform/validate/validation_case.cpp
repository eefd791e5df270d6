#include "platform/validate/validation_case.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/validate/kernel_cases.h"

namespace kernbench {

namespace {

constexpr Relation relations[] = {Relation::equal, Relation::at_least, Relation::at_most};

}  // namespace

const char* name_of(Relation relation) {
  switch (relation) {
    case Relation::at_least:
      return "at_least";
    case Relation::at_most:
      return "at_most";
    default:
      return "equal";
  }
}

Relation parse_relation(const std::string& name) {
  for (const Relation relation : relations) {
    if (name == name_of(relation)) return relation;
  }
  throw ModelError(fmt::format("there is no relation '{}'", name));
}

std::vector<ValidationCase> all_references(const RunBench& run) {
  std::vector<ValidationCase> all;
  for (const auto& cases :
       {chain_cases(), ring_cases(), hbm_cases(), figure_cases(), systolic_cases(run),
        collective_cases(run), source_cases(), source_gemm_cases(run), source_collective_cases(run),
        correlation_cases(), network_correlation_cases(), ring_correlation_cases(),
        collective_correlation_cases(run)})
    all.insert(all.end(), cases.begin(), cases.end());
  return all;
}

std::vector<ValidationCase> select_group(std::vector<ValidationCase> cases,
                                         const std::string& group) {
  if (group.empty()) return cases;
  std::vector<ValidationCase> chosen;
  std::string groups;
  for (ValidationCase& each : cases) {
    if (groups.find(fmt::format("'{}'", each.group)) == std::string::npos)
      groups += fmt::format("{}{}'", groups.empty() ? "'" : ", '", each.group);
    if (each.group == group) chosen.push_back(std::move(each));
  }
  if (chosen.empty())
    throw UsageError(
        fmt::format("there is no group {} of references; allowed is {}", quote(group), groups));
  return chosen;
}

}  // namespace kernbench
