#include "sc_main/sweep_shard.h"

#include <fmt/format.h>

#include <filesystem>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {

SweepShard shard_of(const std::string& text) {
  SweepShard shard;
  if (text.empty()) return shard;
  const std::size_t slash = text.find('/');
  const std::string number = text.substr(0, slash),
                    of = slash == std::string::npos ? "" : text.substr(slash + 1);
  const auto is_whole = [](const std::string& digits) {
    return !digits.empty() && digits.size() <= 6 &&
           digits.find_first_not_of("0123456789") == std::string::npos;
  };
  if (is_whole(number) && is_whole(of)) {
    shard = {std::stoull(number), std::stoull(of)};
    if (shard.number >= 1 && shard.number <= shard.of) return shard;
  }
  throw UsageError(fmt::format("--shard {} is not I/N, part I of N from 1/N to N/N", quote(text)));
}

std::string shard_path(const std::string& results, const SweepShard& shard) {
  if (shard.of == 1) return results;
  std::filesystem::path path(results);
  const std::string extension = path.extension().string();
  return path.replace_extension(fmt::format(".{}of{}{}", shard.number, shard.of, extension))
      .string();
}

}  // namespace kernbench
