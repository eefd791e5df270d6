#include "platform/inspect/critical_path.h"

#include <algorithm>
#include <array>
#include <map>

#include "platform/inspect/path_walk.h"

namespace kernbench {

const char* name_of(PathStep::Kind kind) {
  constexpr std::array<const char*, 2> names{"operation", "wait"};
  return names.at(static_cast<std::size_t>(kind));
}

CriticalPath critical_path(const OpLogReader& log, const LoggedLaunch& launch) {
  return {launch, PathWalk(log, launch).steps()};
}

std::vector<PathResource> resources_of(const CriticalPath& path) {
  std::map<std::pair<PathStep::Kind, std::string>, PathResource> by_name;
  for (const PathStep& step : path.steps) {
    PathResource& resource = by_name[{step.kind, step.resource}];
    resource.resource = step.resource;
    resource.kind = step.kind;
    ++resource.steps;
    resource.time += step.time();
  }
  std::vector<PathResource> sorted;
  for (auto& [name, resource] : by_name) sorted.push_back(std::move(resource));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const PathResource& a, const PathResource& b) { return a.time > b.time; });
  return sorted;
}

}  // namespace kernbench
