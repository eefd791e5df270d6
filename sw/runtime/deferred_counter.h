// DeferredCounter: a counter whose value is available after phase 2, such as the wrong elements of
// verified outputs. A cell of a ResultTable may be one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace kernbench {

class DeferredCounter {
 public:
  // Additions are also added to `total`; null: no total.
  explicit DeferredCounter(std::shared_ptr<DeferredCounter> total = nullptr)
      : total_(std::move(total)) {}

  void add(std::uint64_t count) {
    value_ = value_.value_or(0) + static_cast<std::int64_t>(count);
    if (total_) total_->add(count);
  }
  const std::optional<std::int64_t>& value() const { return value_; }  // none: nothing added yet

 private:
  std::shared_ptr<DeferredCounter> total_;
  std::optional<std::int64_t> value_;
};

}  // namespace kernbench
