// Settings of the collectives in ccl.yaml (spec 8.2): the algorithm of all_reduce, the rings
// installed for the group, and the algorithm's own parameters. The program reads the file; here are
// its keys and their meaning.
//
//   defaults:                        # of all algorithms
//     algorithm: lrab_hierarchical_allreduce
//     n_slots: 4
//   algorithms:                      # an algorithm's own entry goes before the defaults
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

// Each call has the algorithm that the tuning table says (tuning_table.h).
inline constexpr const char* automatic = "auto";

// Resolved values as given, without defaults.
struct CclFile {
  std::string algorithm = "lrab_hierarchical_allreduce";
  Attributes defaults;
  std::map<std::string, Attributes> algorithms;  // by name
  std::shared_ptr<const TuningTable> tuning;     // null: the file names none
};

// Keys that `defaults` and every algorithm's entry may hold. Those without a default may be left
// out.
ParameterSchema ccl_parameters();

enum class RankUnit : std::uint8_t { sip, pe };
const char* name_of(RankUnit unit);

// For one algorithm, or for a choice of them: the algorithm's entry before the defaults of the
// file, these before the defaults of the keys.
struct CclSettings {
  std::string algorithm;
  IpcqSettings rings;
  std::optional<std::uint32_t> pipelined_n_slots;
  bool chunking = true;
  std::int64_t n_elem = 8;  // of benches without a size of their own
  std::optional<int> world_size;
  RankUnit rank_unit = RankUnit::sip;
  Attributes own;  // the algorithm's parameters that are given or have a default

  std::vector<std::pair<std::string, std::string>> values()
      const;                // every value that holds, by key
  std::string str() const;  // "algorithm=... buffer_kind=tcm ..."
  bool chooses() const { return algorithm == automatic; }
  // Of each ring that is installed for an algorithm.
  std::uint32_t ring_slots(bool deep) const {
    return deep ? pipelined_n_slots.value_or(rings.n_slots) : rings.n_slots;
  }
};

// Of two settings, where they differ: what the first ones have, "buffer_kind=hbm, no root_cube".
// Empty if they are the same.
std::string differing_values(const CclSettings& settings, const CclSettings& others);

// `changes` go before everything else ("algorithm" among them). Where algorithms are chosen their
// entries describe no rings, and `own` is empty. UsageError: an algorithm that is not there or does
// not all_reduce, a choice without a table, an unknown key, a value that is not allowed.
using CclChanges = std::vector<std::pair<std::string, std::string>>;
CclSettings resolve(const CclFile& file, const AlgorithmRegistry& algorithms,
                    const CclChanges& changes = {});

}  // namespace kernbench
