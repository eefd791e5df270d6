#include "models/timing/service_time.h"

#include <fmt/format.h>

#include <stdexcept>

namespace kernbench {

ServiceTime::ServiceTime(const Rational& bw_gbs, std::uint32_t full_bytes)
    : full_bytes_(full_bytes) {
  if (bw_gbs < Rational(0))
    throw std::domain_error(fmt::format("a bandwidth of {} GB/s", bw_gbs.str()));
  if (bw_gbs.is_zero()) return;
  const Rational fs_per_byte = Rational(static_cast<std::int64_t>(fs_per_ns)) / bw_gbs;
  // exact() needs 2 * bytes * num + den and 2 * den below 2^128, and its quotient below 2^64, for
  // any 32-bit count of bytes.
  const auto limit = static_cast<Rational::Int>(1) << 94;
  if (fs_per_byte.num() >= limit || fs_per_byte.den() >= limit ||
      fs_per_byte.num() / fs_per_byte.den() >= Rational::Int{1} << 31) {
    throw std::overflow_error(
        fmt::format("a bandwidth of {} GB/s is too small or has too many digits", bw_gbs.str()));
  }
  fs_per_byte_num_ = static_cast<unsigned __int128>(fs_per_byte.num());
  fs_per_byte_den_ = static_cast<unsigned __int128>(fs_per_byte.den());
  full_ = exact(full_bytes);
}

Fs ServiceTime::exact(std::uint32_t bytes) const {
  return static_cast<Fs>((fs_per_byte_num_ * bytes * 2 + fs_per_byte_den_) /
                         (fs_per_byte_den_ * 2));
}

std::uint64_t ServiceTime::bytes_in(Fs time) const {
  if (full_ == 0) return 0;
  const Fs rest = time % full_;
  std::uint32_t low = 0, high = full_bytes_;  // the fewest bytes that take the rest: of() rises,
                                              // but not with every byte
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (of(middle) < rest) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return time / full_ * full_bytes_ + low;
}

}  // namespace kernbench
