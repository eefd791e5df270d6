// Titles of runs and machines by which a user can tell them apart.
#pragma once

#include <string>
#include <vector>

namespace kernbench {

struct TitledFile {
  std::string title, path;
};
// Equal titles that are names of files become paths from the innermost folder that differs
// ("a/run.sqlite"); other equal titles are numbered ("gemm (2)").
std::vector<std::string> distinct_titles(const std::vector<TitledFile>& files);

struct TitledConfiguration {
  std::string title, configuration;  // configuration: YAML or JSON, resolved
};
// Machines with the title of an earlier one also have the values that differ from the first of that
// title ("topology.yaml, pe_gemm.macs_per_cycle=2048"), at most two; equal ones are numbered.
std::vector<std::string> distinct_titles(const std::vector<TitledConfiguration>& machines);

}  // namespace kernbench
