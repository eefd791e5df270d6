#include "models/base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/base/quote.h"

namespace kernbench {
namespace {

using Int = Rational::Int;

Int multiply(Int a, Int b) {
  Int product;
  if (__builtin_mul_overflow(a, b, &product))
    throw std::overflow_error("number too large for exact arithmetic");
  return product;
}

Int add(Int a, Int b) {
  Int sum;
  if (__builtin_add_overflow(a, b, &sum))
    throw std::overflow_error("number too large for exact arithmetic");
  return sum;
}

// Nearly all numbers have 64 bits, where a remainder costs a tenth.
Int gcd(Int a, Int b) {
  if (a < 0) a = -a;
  while (b != 0 && (a > UINT64_MAX || b > UINT64_MAX)) a = std::exchange(b, a % b);
  if (b == 0) return a;
  auto low = static_cast<std::uint64_t>(a), rest = static_cast<std::uint64_t>(b);
  while (rest != 0) low = std::exchange(rest, low % rest);
  return low;
}

Int power_of_ten(int exponent) {
  Int p = 1;
  for (int i = 0; i < exponent; ++i) p = multiply(p, 10);
  return p;
}

std::string to_text(Int value) {
  const bool negative = value < 0;
  unsigned __int128 rest =
      negative ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
  std::string text;
  do {
    text += static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  } while (rest != 0);
  if (negative) text += '-';
  std::reverse(text.begin(), text.end());
  return text;
}

}  // namespace

std::string format_ns(Fs t) {
  return Rational::fraction(static_cast<Int>(t), static_cast<Int>(fs_per_ns)).str() + " ns";
}

Rational Rational::fraction(Int num, Int den) {
  if (den == 0) throw std::domain_error("division by zero");
  if (den < 0) {
    num = -num;
    den = -den;
  }
  const Int divisor = num == 0 ? den : gcd(num, den);
  Rational r;
  r.num_ = num / divisor;
  r.den_ = den / divisor;
  return r;
}

Rational Rational::parse(std::string_view text) {
  const auto fail = [&] {
    throw std::invalid_argument(fmt::format("{} is not a decimal number", quote(text)));
  };
  std::size_t i = 0;
  bool negative = false;
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) negative = text[i++] == '-';
  Int mantissa = 0;
  int digits = 0;
  int significant = 0;
  int scale = 0;
  bool point = false;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && !point) {
      point = true;
    } else if (c >= '0' && c <= '9') {
      mantissa = mantissa * 10 + (c - '0');
      ++digits;
      if (mantissa != 0) ++significant;
      if (point) ++scale;
      if (significant > 18)
        throw TooManyDigits(quote(text) + " has more than 18 significant digits");
    } else {
      break;
    }
  }
  if (digits == 0) fail();
  int exponent = 0;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    bool minus = false;
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) minus = text[i++] == '-';
    const std::size_t first = i;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9' && i - first < 4; ++i)
      exponent = exponent * 10 + (text[i] - '0');
    if (i == first) fail();
    if (minus) exponent = -exponent;
  }
  if (i != text.size()) fail();
  exponent -= scale;
  if (exponent > 18 || exponent < -36) {
    if (mantissa == 0) return {};
    throw std::invalid_argument(quote(text) + " is out of range");
  }
  if (negative) mantissa = -mantissa;
  return exponent >= 0 ? fraction(multiply(mantissa, power_of_ten(exponent)), 1)
                       : fraction(mantissa, power_of_ten(-exponent));
}

std::int64_t Rational::to_int64() const {
  if (!is_integer()) throw std::domain_error(str() + " is not an integer");
  if (num_ > INT64_MAX || num_ < INT64_MIN)
    throw std::overflow_error(str() + " does not fit 64 bits");
  return static_cast<std::int64_t>(num_);
}

double Rational::to_double() const { return static_cast<double>(num_) / static_cast<double>(den_); }

std::string Rational::str() const {
  Int rest = den_;
  int twos = 0;
  int fives = 0;
  for (; rest % 2 == 0; rest /= 2) ++twos;
  for (; rest % 5 == 0; rest /= 5) ++fives;
  if (rest != 1) return to_text(num_) + '/' + to_text(den_);
  const int places = std::max(twos, fives);
  std::string text = to_text(multiply(num_ < 0 ? -num_ : num_, power_of_ten(places)) / den_);
  if (places > 0) {
    if (text.size() <= static_cast<std::size_t>(places))
      text.insert(0, static_cast<std::size_t>(places) + 1 - text.size(), '0');
    text.insert(text.size() - static_cast<std::size_t>(places), 1, '.');
  }
  return num_ < 0 ? '-' + text : text;
}

std::uint64_t Rational::round_half_up() const {
  if (num_ < 0) throw std::overflow_error(str() + " is negative");
  const Int rounded = add(multiply(num_, 2), den_) / multiply(den_, 2);
  if (rounded > static_cast<Int>(UINT64_MAX))
    throw std::overflow_error(str() + " does not fit 64 bits");
  return static_cast<std::uint64_t>(rounded);
}

Rational operator+(const Rational& a, const Rational& b) {
  return Rational::fraction(add(multiply(a.num_, b.den_), multiply(b.num_, a.den_)),
                            multiply(a.den_, b.den_));
}

Rational operator-(const Rational& a, const Rational& b) {
  return Rational::fraction(add(multiply(a.num_, b.den_), -multiply(b.num_, a.den_)),
                            multiply(a.den_, b.den_));
}

Rational operator*(const Rational& a, const Rational& b) {
  const Rational x =
      Rational::fraction(a.num_, b.den_);  // reduce crosswise first: smaller intermediates
  const Rational y = Rational::fraction(b.num_, a.den_);
  return Rational::fraction(multiply(x.num_, y.num_), multiply(x.den_, y.den_));
}

Rational operator/(const Rational& a, const Rational& b) {
  return a * Rational::fraction(b.den_, b.num_);
}

bool operator<(const Rational& a, const Rational& b) {
  return multiply(a.num_, b.den_) < multiply(b.num_, a.den_);
}

Fs ns_to_fs(const Rational& ns) {
  return (ns * Rational(static_cast<std::int64_t>(fs_per_ns))).round_half_up();
}

// Runs once per access of a TCM: with the usual bandwidths one division and no fraction.
Fs transfer_fs(std::uint64_t bytes, const Rational& gbs) {
  if (gbs.is_zero()) return 0;
  constexpr Int small_part = Int{1} << 32;
  if (0 < gbs.num() && gbs.num() < small_part && gbs.den() < small_part) {
    const Int numerator = static_cast<Int>(bytes) * fs_per_ns * gbs.den();  // has at most 116 bits
    const Int rounded = (2 * numerator + gbs.num()) / (2 * gbs.num());
    if (rounded <= UINT64_MAX) return static_cast<Fs>(rounded);
  }
  return ns_to_fs(Rational::fraction(bytes, 1) / gbs);
}

// Runs once per stage of an engine: the usual clock, whose cycles are whole femtoseconds, needs one
// division and no fraction.
Fs cycles_to_fs(std::uint64_t cycles, const Rational& ghz) {
  constexpr std::uint64_t small_count = 1u << 20;
  constexpr Rational::Int small_part = 1 << 16;
  if (cycles < small_count && 0 < ghz.num() && ghz.num() < small_part && ghz.den() < small_part) {
    const std::uint64_t whole = cycles * fs_per_ns * static_cast<std::uint64_t>(ghz.den()),
                        clock = static_cast<std::uint64_t>(ghz.num());
    if (whole % clock == 0) return whole / clock;
  }
  return ns_to_fs(Rational::fraction(cycles, 1) / ghz);
}

}  // namespace kernbench
