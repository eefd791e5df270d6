// Values of an axis of a sweep: a list, or a range whose values are computed on demand, because a
// range may have a billion of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kernbench {

// Range of numbers, both ends included if the last step meets `to`.
struct ValueRange {
  enum class Form : std::uint8_t {
    step,    // from, from + by, ...
    count,   // `count` values with equal differences, or equal ratios if `log`
    factor,  // from, from * by, ...
    drawn    // no values of its own: a sample draws from it
  };
  Form form = Form::step;
  double from = 0, to = 0;
  double by = 1;
  std::uint64_t count = 0;
  bool log = false;
  double multiple_of = 0;  // values are rounded to multiples of it; 0: they are not
};

class AxisValues {
 public:
  explicit AxisValues(std::vector<std::string> list = {}) : list_(std::move(list)) {}
  // Contradictory ranges are refused by the reader of the plan.
  explicit AxisValues(const ValueRange& range);

  bool is_drawn() const { return range_ && range_->form == ValueRange::Form::drawn; }
  std::uint64_t size() const;  // 0 for a drawn range
  std::string at(std::uint64_t index) const;
  // One of its values that is no integer; none: the first thousand are integers.
  std::optional<std::string> fraction() const;
  // Value of a drawn range at `share`, from 0 to below 1, of its linear or logarithmic length.
  std::string drawn_at(double share) const;

 private:
  std::string text_of(double value) const;

  std::vector<std::string> list_;
  std::optional<ValueRange> range_;
};

// Fixed-point decimal with at most `digits` significant digits, without zeros at its end.
std::string decimal_text(double value, int digits);

// Number that a text is as a whole: "64", "-1.5", "1e3"; none for other texts.
std::optional<double> number_of(const std::string& text);

}  // namespace kernbench
