#include "sc_main/memory_limit.h"

#include <fmt/format.h>

#include <array>
#include <new>

#include "models/base/errors.h"
#include "models/base/exception_text.h"
#include "models/base/quote.h"
#include "models/base/units.h"
#include "sc_main/interrupt.h"

namespace kernbench {
namespace {

constexpr std::uint64_t kib = 1024;

}  // namespace

std::uint64_t memory_limit(const std::string& text) {
  return text.empty() ? host_memory_bytes() / 4 * 3 : size_option("--max-memory", text);
}

std::uint64_t size_option(const char* option, const std::string& text) {
  if (text.empty()) throw UsageError(fmt::format("{}: the size is empty", option));
  constexpr const char* units = "KMGT";
  const std::string known(units);
  const std::size_t unit = known.find(text.back());
  std::uint64_t factor = 1;
  for (std::size_t i = 0; unit != std::string::npos && i <= unit; ++i) factor *= kib;
  try {
    const Rational given =
        Rational::parse(unit == std::string::npos ? text : text.substr(0, text.size() - 1));
    const Rational bytes = given * Rational(static_cast<std::int64_t>(factor));
    constexpr std::int64_t least = 1 << 20, most = std::int64_t{1} << 50;
    if (Rational(least) <= bytes && bytes <= Rational(most))
      return static_cast<std::uint64_t>(bytes.to_double());
  } catch (const std::exception&) {  // no number, or too many digits
  }
  throw UsageError(fmt::format("{} {} is not a size from 1M to 1024T, e.g. 8G, 512M or 1.5G",
                               option, quote(text)));
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> units{"KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes) / kib;
  std::size_t unit = 0;
  for (; value >= kib && unit + 1 < units.size(); ++unit) value /= kib;
  return fmt::format("{:.1f} {}", value, units[unit]);
}

void check_memory_limit(Fs simulated) {
  if (!memory_limit_reached()) return;
  const std::string cause = allocation_refused()
                                ? text_of(std::bad_alloc())
                                : fmt::format("out of memory: the run has reached --max-memory, {}",
                                              size_text(guarded_memory_bytes()));
  throw MemoryLimitError(fmt::format("{}, at {} of simulated time", cause, format_ns(simulated)));
}

bool stop_requested() { return memory_limit_reached() || Interrupt::requested(); }

}  // namespace kernbench
