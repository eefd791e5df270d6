// Exact arithmetic on the decimal attributes of the configuration, and the platform's unit of time.
//
// Simulated time is an integral count of femtoseconds. A delay is computed from the decimals
// exactly and rounded half up once (spec 2.2); doubles appear in reports only.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kernbench {

using Fs = std::uint64_t;  // femtoseconds
inline constexpr Fs fs_per_ns = 1'000'000;
inline constexpr Fs never_fs = ~Fs{0};  // "no such instant"

// The nearest double of the quotient: a product with 1e-6 would round twice.
inline double to_ns(Fs t) { return static_cast<double>(t) / static_cast<double>(fs_per_ns); }
// "12.345678 ns" without trailing zeros, exact.
std::string format_ns(Fs t);

// A decimal with more digits than exact arithmetic leaves room for.
class TooManyDigits : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// A rational number in lowest terms, denominator > 0. Operations throw std::overflow_error rather
// than lose a digit.
class Rational {
 public:
  using Int = __int128;

  constexpr Rational() = default;
  constexpr Rational(std::int64_t value) : num_(value) {}  // NOLINT(google-explicit-constructor)
  static Rational fraction(Int num, Int den);              // den != 0
  // Reads a decimal: "-12", "0.125", "1e3", "2.5e-3", at most 18 significant digits. Throws
  // std::invalid_argument, for more digits TooManyDigits.
  static Rational parse(std::string_view text);

  Int num() const { return num_; }
  Int den() const { return den_; }
  bool is_integer() const { return den_ == 1; }
  bool is_zero() const { return num_ == 0; }
  std::int64_t to_int64()
      const;  // requires is_integer(); throws std::overflow_error beyond 64 bits
  double to_double() const;
  // Shortest decimal if the number has one ("0.1", "256"), else num/den.
  std::string str() const;
  // Nearest integer, halves away from zero upwards. Throws std::overflow_error if negative or
  // beyond 64 bits.
  std::uint64_t round_half_up() const;

  friend Rational operator+(const Rational& a, const Rational& b);
  friend Rational operator-(const Rational& a, const Rational& b);
  friend Rational operator*(const Rational& a, const Rational& b);
  friend Rational operator/(const Rational& a,
                            const Rational& b);  // b != 0, else std::domain_error
  friend bool operator==(const Rational& a, const Rational& b) {
    return a.num_ == b.num_ && a.den_ == b.den_;
  }
  friend bool operator!=(const Rational& a, const Rational& b) { return !(a == b); }
  friend bool operator<(const Rational& a, const Rational& b);
  friend bool operator>(const Rational& a, const Rational& b) { return b < a; }
  friend bool operator<=(const Rational& a, const Rational& b) { return !(b < a); }
  friend bool operator>=(const Rational& a, const Rational& b) { return !(a < b); }

 private:
  Int num_ = 0;
  Int den_ = 1;
};

// ns as a decimal -> femtoseconds.
Fs ns_to_fs(const Rational& ns);
// Time that `bytes` occupy a resource of `gbs` GB/s (= bytes/ns); 0 GB/s means unlimited, 0 fs.
Fs transfer_fs(std::uint64_t bytes, const Rational& gbs);
// `cycles` of a clock of `ghz` GHz. Both throw std::overflow_error beyond 64 bits.
Fs cycles_to_fs(std::uint64_t cycles, const Rational& ghz);

}  // namespace kernbench
