// Settings of the collectives in ccl.yaml (spec 8.2): the algorithm of all_reduce, the rings
// installed for the group, and the algorithm's own parameters. The program reads the file; this
// header defines its keys.
//
//   defaults:                        # of all algorithms
//     algorithm: lrab_hierarchical_allreduce
//     n_slots: 4
//   algorithms:                      # an algorithm's own entry overrides the defaults
//     lrab_hierarchical_allreduce: {buffer_kind: sram, root_cube: 10}
//
// A new key is a member of CclSettings, its row in keys_of() (ccl_settings.cpp) and its use:
// reader, checks, `list keys` and the text of the settings walk the rows.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/base/parameter.h"
#include "models/protocol/ipcq.h"

namespace kernbench {

class AlgorithmRegistry;
struct TuningTable;

// The tuning table selects the algorithm of each call (tuning_table.h).
inline constexpr const char* automatic = "auto";

// Values from the file, without defaults.
struct CclFile {
  std::string algorithm = "lrab_hierarchical_allreduce";
  Attributes defaults;
  std::map<std::string, Attributes> algorithms;  // by name
  std::shared_ptr<const TuningTable> tuning;     // null: the file names none
};

// Keys allowed in `defaults` and in every algorithm's entry. Keys without a default are optional.
ParameterSchema ccl_parameters();

enum class RankUnit : std::uint8_t { sip, pe };
const char* name_of(RankUnit unit);

// Settings of one algorithm, or of a choice of algorithms. Precedence: the algorithm's entry, the
// defaults of the file, the defaults of the keys.
struct CclSettings {
  std::string algorithm;
  IpcqSettings rings;
  std::optional<std::uint32_t> pipelined_n_slots;
  bool chunking = true;
  std::int64_t n_elem = 8;  // size in benches without their own size parameter
  std::optional<int> world_size;
  RankUnit rank_unit = RankUnit::sip;
  Attributes own;  // own parameters of the algorithm that are set or have a default

  std::vector<std::pair<std::string, std::string>> values() const;  // all effective values, by key
  std::string str() const;  // "algorithm=... buffer_kind=tcm ..."
  bool chooses() const { return algorithm == automatic; }
  // Slots of each ring that is installed for an algorithm.
  std::uint32_t ring_slots(bool deep) const {
    return deep ? pipelined_n_slots.value_or(rings.n_slots) : rings.n_slots;
  }
};

// Values of `settings` that differ from `others`, "buffer_kind=hbm, no root_cube". Empty if they
// are equal.
std::string differing_values(const CclSettings& settings, const CclSettings& others);

// `changes` override all other sources ("algorithm" included). If the algorithm is chosen per call,
// entries of algorithms do not configure rings and `own` is empty. UsageError: an unknown algorithm
// or one without all_reduce, a choice without a table, an unknown key, a value that is not allowed.
using CclChanges = std::vector<std::pair<std::string, std::string>>;
CclSettings resolve(const CclFile& file, const AlgorithmRegistry& algorithms,
                    const CclChanges& changes = {});

}  // namespace kernbench
