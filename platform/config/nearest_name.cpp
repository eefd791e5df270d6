#include "platform/config/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "models/base/quote.h"

namespace kernbench {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = std::max(name.size() / 2, std::size_t{2}) +
                      1;  // beyond half the length it is a different word
  for (const std::string& candidate : known) {
    const std::size_t longer =
        std::max(name.size(), candidate.size()) - std::min(name.size(), candidate.size());
    if (longer >= least)
      continue;  // lower bound of the edits; comparing a name of 100 KB would take long
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(name, known);
  return nearest.empty() ? "" : fmt::format("; did you mean {}?", quote(nearest));
}

std::string listed(const std::vector<std::string>& names, const char* if_empty) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? if_empty : text;
}

}  // namespace kernbench
