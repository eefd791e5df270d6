// Bench: a host program with a name and parameters.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/data/functional_model.h"
#include "models/protocol/cube_id.h"
#include "sw/torch/torch.h"

namespace kernbench {

// Facts on which the cubes that a bench uses depend.
struct BenchSetting {
  const Attributes& parameters;  // resolved
  std::vector<int> devices;      // SIPs of --device
  int sips, cubes;               // SIPs of the machine, cubes of a SIP
};

// Cube 0 of each device: tensors and launches on PEs of that cube alone.
std::vector<CubeId> first_cubes(const BenchSetting& setting);
// All cubes of each device. A tensor that is cut over cubes, even over one of them, is mapped on
// all PEs of its SIP (spec 3.3).
std::vector<CubeId> cubes_of_devices(const BenchSetting& setting);

struct Bench {
  std::string name;         // kebab-case
  std::string description;  // one line
  ParameterSchema parameters;
  void (*run)(Torch& torch) = nullptr;
  // Cubes whose PEs and memories it uses, for mappings, transfers and messages, too: with
  // `--elaborate reachable` no others are elaborated (spec 1.4). Null, or an empty list: all.
  std::vector<CubeId> (*cubes)(const BenchSetting& setting) = nullptr;
  bool per_device = true;  // false: collectives and evaluations, which use several SIPs
                           // themselves and ignore --device
  DataMode needs_data = DataMode::off;  // minimum: deferred if kernels branch on loaded values,
                                        // eager if on computed ones
  bool measures_transfers = false;      // uses torch.transfers()
};

// Parameter from the command line.
using GivenParameter = std::pair<std::string, std::string>;

// Values of all parameters of the bench: given, or default. UsageError, with the allowed ones, for
// an unknown or repeated parameter and for an invalid value.
Attributes resolve_parameters(const Bench& bench, const std::vector<GivenParameter>& given);

}  // namespace kernbench
