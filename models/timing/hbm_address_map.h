// Address mapping of an HBM partition: bits of a burst's number to pseudo-channel, bank group,
// bank, row and column (spec 2.5).
//
// A mapping is a string of fields from the most significant bit of the burst's number to the least
// significant: R row, B bank, G bank group, C column, P pseudo-channel; blanks are ignored. A field
// with a number has so many bits there ("R14 C3 B2 G2 C2 P3"). A field without a number has one
// bit, or, if it appears nowhere else, all of its bits ("RBCGP"). Every bit of every field appears
// once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/address/channel_interleave.h"

namespace kernbench {

// Bits of each field; row bits follow from the size of the partition.
struct HbmFieldBits {
  unsigned row = 0, bank = 0, group = 0, column = 0, channel = 0;
};

struct HbmPlace {
  std::uint32_t channel = 0;
  std::uint32_t bank = 0;  // group * banks of a group + bank of the group
  std::uint32_t row = 0;
  std::uint32_t column = 0;
};

class HbmAddressMap {
 public:
  // Fault of a mapping: the bit that is missing or repeated, or a letter that is no field; null if
  // it has each bit of `bits` once.
  static std::optional<std::string> fault(const std::string& mapping, const HbmFieldBits& bits);

  // A mapping without a fault.
  HbmAddressMap(const std::string& mapping, const HbmFieldBits& bits);

  // `burst`: its number in the partition, or in the one channel that a request is for, of which the
  // channel's bits are left out. Bits above the mapping belong to the row.
  HbmPlace decode(std::uint64_t burst, std::uint16_t channel = every_channel) const {
    if (channel == every_channel) return place(whole_, burst);
    HbmPlace at = place(single_, burst);
    at.channel = channel;
    return at;
  }
  // True if consecutive bursts are on consecutive channels, as segments of logical addresses and
  // links of single channels require.
  bool interleaves_channels() const { return interleaves_channels_; }

 private:
  enum Field : std::uint8_t { row, bank, column, channel, fields };
  struct Run {
    Field field = row;
    std::uint8_t from = 0, to = 0;  // shifts: in the burst's number, in the field
    std::uint64_t mask = 0;
  };

  static HbmPlace place(const std::vector<Run>& runs, std::uint64_t burst) {
    std::uint32_t at[fields] = {};
    for (const Run& run : runs)
      at[run.field] |= static_cast<std::uint32_t>((burst >> run.from & run.mask) << run.to);
    return {at[channel], at[bank], at[row], at[column]};
  }
  static std::vector<Run> runs_of(const std::string& letters, unsigned bank_bits);

  std::vector<Run> whole_, single_;
  bool interleaves_channels_ = false;
};

}  // namespace kernbench
