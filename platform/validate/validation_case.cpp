#include "platform/validate/validation_case.h"

#include <algorithm>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {

std::vector<ValidationCase> all_validation_cases() {
  std::vector<ValidationCase> all = network_cases();
  for (ValidationCase& each : hbm_cases()) all.push_back(std::move(each));
  return all;
}

std::vector<ValidationCase> select_group(std::vector<ValidationCase> cases, const std::string& group) {
  if (group.empty()) return cases;
  std::vector<ValidationCase> chosen;
  std::string groups;
  for (ValidationCase& each : cases) {
    if (groups.find("'" + each.group + "'") == std::string::npos) groups += (groups.empty() ? "'" : ", '") + each.group + "'";
    if (each.group == group) chosen.push_back(std::move(each));
  }
  if (chosen.empty()) throw UsageError("there is no group " + quote(group) + " of references; allowed is " + groups);
  return chosen;
}

}  // namespace kernbench
