// A value that an observer may watch: queue depth, busy, stage. The model pushes changes; without
// an observer a change costs one comparison.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kernbench {

class TraceSignal;

class TraceSignalListener {
 public:
  virtual ~TraceSignalListener() = default;
  // Called at the simulated instant of the change; several changes of one instant arrive in order,
  // the last one counts.
  virtual void changed(const TraceSignal& signal) = 0;
};

class TraceSignal {
 public:
  // `width` bits, 1..64. `labels`, if given, name the values 0, 1, 2, ... (an enumeration).
  TraceSignal(std::string name, std::string description, unsigned width,
              std::vector<std::string> labels = {})
      : name_(std::move(name)), description_(std::move(description)), width_(width),
        labels_(std::move(labels)) {}

  const std::string& name() const { return name_; }
  const std::string& description() const { return description_; }
  unsigned width() const { return width_; }
  const std::vector<std::string>& labels() const { return labels_; }
  std::uint64_t value() const { return value_; }

  void set(std::uint64_t value) {
    if (value == value_) return;
    value_ = value;
    if (observer_ != nullptr) observer_->changed(*this);
  }

  // At most one observer, which must outlive the simulation; `tag` is the observer's own.
  void observe(TraceSignalListener* observer, std::uint32_t tag) {
    observer_ = observer;
    tag_ = tag;
  }
  std::uint32_t tag() const { return tag_; }
  // For signals that cost more than a comparison to keep up.
  bool observed() const { return observer_ != nullptr; }

 private:
  std::uint64_t value_ = 0;
  TraceSignalListener* observer_ = nullptr;
  std::uint32_t tag_ = 0;
  std::string name_, description_;
  unsigned width_;
  std::vector<std::string> labels_;
};

}  // namespace kernbench
