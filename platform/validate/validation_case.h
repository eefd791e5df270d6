// Independent reference, and the machine on which the models are compared with it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platform/assembly/platform.h"
#include "platform/topology/load_machine.h"

namespace kernbench {

// Required relation of a simulated number to its reference. A bound is for references of effects
// that the models omit (fill and drain, banks): the deviation then is the omitted effect, not an
// error within a tolerance.
enum class Relation { equal, at_least, at_most };
const char* name_of(Relation relation);  // "equal", "at_least", "at_most"
Relation parse_relation(const std::string& name);

// One number of a case.
struct ValidationCheck {
  std::string quantity;  // "write of 1 MiB over 8 hops"
  std::string formula;   // with its numbers: "500 + 15 * 16384"
  std::string unit;      // "ns" or "GB/s"
  double expected = 0;
  double simulated = 0;
  double tolerance = 0;   // in that unit
  std::string allowance;  // origin of the tolerance; empty if there is none
  Relation relation = Relation::equal;
  std::string remark;  // meaning of the deviation from a bound or from `published`; else empty
  // Figure published for the same quantity of another program. `expected` is that figure, or, where
  // the quantity is known to differ, the result of `formula`.
  std::optional<double> published = std::nullopt;

  double deviation() const { return simulated - expected; }
  bool as_published() const { return published == expected; }
  bool passed() const {
    return (relation == Relation::at_least || deviation() <= tolerance) &&
           (relation == Relation::at_most || deviation() >= -tolerance);
  }
};

struct ValidationCase {
  std::string name;
  std::string group;      // "network", "hbm", ...
  std::string statement;  // statement of the reference
  std::string source;     // standard, paper or program, as far as its text was available; missing
                          // parts are stated
  std::string
      topology;  // "tiny": shipped file on which the machine is based; "" is the default one
  std::vector<Override> overrides;
  // Plays on the machine, which has not run and runs once.
  std::function<std::vector<ValidationCheck>(Platform&)> run;
};

// Cases that run no kernel.
std::vector<ValidationCase> chain_cases();                // group network
std::vector<ValidationCase> ring_cases();                 // group network
std::vector<ValidationCase> hbm_cases();                  // group hbm
std::vector<ValidationCase> figure_cases();               // group figures
std::vector<ValidationCase> source_cases();               // group source
std::vector<ValidationCase> correlation_cases();          // group correlation
std::vector<ValidationCase> network_correlation_cases();  // group correlation
std::vector<ValidationCase> ring_correlation_cases();     // group correlation

// Cases of a group; all if it is empty. Throws UsageError that lists the groups.
std::vector<ValidationCase> select_group(std::vector<ValidationCase> cases,
                                         const std::string& group);

}  // namespace kernbench
