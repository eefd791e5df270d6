// Text of a fixed capacity, for places where nothing can be allocated (signal handlers).
#pragma once

#include <array>
#include <cstddef>

namespace kernbench {

// What does not fit is cut off.
class FixedText {
 public:
  FixedText& operator<<(const char* text) {
    while (*text != '\0' && length_ + 1 < text_.size()) text_[length_++] = *text++;
    text_[length_] = '\0';
    return *this;
  }
  FixedText& operator<<(unsigned long long number) { return add(number, 10, 1); }
  FixedText& add_hex(unsigned long long number) { return *this << "0x", add(number, 16, 1); }
  FixedText& add_signed(long long number) {
    if (number >= 0) return *this << static_cast<unsigned long long>(number);
    return *this << "-" << -static_cast<unsigned long long>(number);
  }
  // At least `digits` digits.
  FixedText& add(unsigned long long number, unsigned base, std::size_t digits) {
    std::array<char, 24> reversed{};
    std::size_t count = 0;
    for (; number > 0 || count < digits; number /= base)
      reversed[count++] = "0123456789abcdef"[number % base];
    while (count > 0) {
      const char digit[] = {reversed[--count], '\0'};
      *this << digit;
    }
    return *this;
  }
  void strip(char last) {
    while (length_ > 0 && text_[length_ - 1] == last) text_[--length_] = '\0';
  }

  const char* c_str() const { return text_.data(); }
  std::size_t size() const { return length_; }
  bool empty() const { return length_ == 0; }
  void clear() { text_[length_ = 0] = '\0'; }

 private:
  std::array<char, 1024> text_{};
  std::size_t length_ = 0;
};

}  // namespace kernbench
