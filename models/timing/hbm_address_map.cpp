#include "models/timing/hbm_address_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace kernbench {
namespace {

struct FieldName {
  char letter;
  const char* name;
  unsigned HbmFieldBits::*bits;
};
constexpr std::array<FieldName, 5> field_names{{{'R', "row", &HbmFieldBits::row},
                                                {'B', "bank", &HbmFieldBits::bank},
                                                {'G', "bank group", &HbmFieldBits::group},
                                                {'C', "column", &HbmFieldBits::column},
                                                {'P', "pseudo-channel", &HbmFieldBits::channel}}};

const FieldName* field_of(char letter) {
  const auto found =
      std::find_if(field_names.begin(), field_names.end(),
                   [letter](const FieldName& field) { return field.letter == letter; });
  return found == field_names.end() ? nullptr : &*found;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// One letter for each bit, the most significant first. Throws std::invalid_argument with the fault.
std::string letters_of(const std::string& mapping, const HbmFieldBits& bits) {
  std::string letters;
  for (std::size_t i = 0; i < mapping.size();) {
    const char letter = mapping[i++];
    if (letter == ' ') continue;
    const FieldName* field = field_of(letter);
    if (field == nullptr)
      throw std::invalid_argument(
          fmt::format("'{}' is no field; allowed are R, B, G, C and P, each "
                      "with or without a number of bits",
                      letter));
    const bool alone = std::count(mapping.begin(), mapping.end(), letter) == 1;
    unsigned count = alone ? bits.*(field->bits) : 1;
    if (i < mapping.size() && is_digit(mapping[i])) {
      count = 0;
      for (; i < mapping.size() && is_digit(mapping[i]) && count <= 64; ++i)
        count = count * 10 + static_cast<unsigned>(mapping[i] - '0');
    }
    letters.append(std::min(count, 65U), letter);
  }
  for (const FieldName& field : field_names) {
    const auto found =
        static_cast<unsigned>(std::count(letters.begin(), letters.end(), field.letter));
    const unsigned needed = bits.*(field.bits);
    if (found == needed) continue;
    throw std::invalid_argument(fmt::format(
        "bit {}{} is {}: {} bits of the {}, needed are {}", field.letter, std::min(found, needed),
        found < needed ? "missing" : "repeated", found, field.name, needed));
  }
  return letters;
}

}  // namespace

std::optional<std::string> HbmAddressMap::fault(const std::string& mapping,
                                                const HbmFieldBits& bits) {
  try {
    letters_of(mapping, bits);
    return std::nullopt;
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

HbmAddressMap::HbmAddressMap(const std::string& mapping, const HbmFieldBits& bits) {
  const std::string letters = letters_of(mapping, bits);
  std::string single;
  std::copy_if(letters.begin(), letters.end(), std::back_inserter(single),
               [](char letter) { return letter != 'P'; });
  whole_ = runs_of(letters, bits.bank);
  single_ = runs_of(single, bits.bank);
  interleaves_channels_ =
      letters.size() >= bits.channel &&
      letters.find_first_not_of('P', letters.size() - bits.channel) == std::string::npos;
}

std::vector<HbmAddressMap::Run> HbmAddressMap::runs_of(const std::string& letters,
                                                       unsigned bank_bits) {
  std::vector<Run> runs;
  std::array<std::uint8_t, 128> next{};  // by letter: the field's bits so far
  char last = 0;
  for (std::size_t bit = 0; bit < letters.size(); ++bit) {
    const char letter = letters[letters.size() - 1 - bit];
    if (letter != last) {
      Run run;
      run.field = letter == 'R' ? row : letter == 'C' ? column : letter == 'P' ? channel : bank;
      run.from = static_cast<std::uint8_t>(bit);
      run.to = static_cast<std::uint8_t>(next[static_cast<std::size_t>(letter)] +
                                         (letter == 'G' ? bank_bits : 0));
      runs.push_back(run);
      last = letter;
    }
    runs.back().mask = runs.back().mask << 1 | 1;
    ++next[static_cast<std::size_t>(letter)];
  }
  if (!runs.empty() && runs.back().field == row) runs.back().mask = ~std::uint64_t{0};
  return runs;
}

}  // namespace kernbench
