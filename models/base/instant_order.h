// InstantOrder: items that are reported in the course of a run, passed on in the order of their
// times, those of one time sorted. So the order in which the kernel runs processes has no effect on
// lists (spec 11.7).
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "models/base/units.h"

namespace kernbench {

// Before: order of the items of one time; equal ones keep the order of their reports.
template <class Item, class Before>
class InstantOrder {
 public:
  // Passes on the items of an earlier time. `sink`: callable with an Item.
  template <class Sink>
  void add(Fs time, Item item, const Sink& sink) {
    end_before(time, sink);
    time_ = time;
    items_.push_back(std::move(item));
  }
  template <class Sink>
  void end_before(Fs time, const Sink& sink) {
    if (time != time_) end(sink);
  }
  // Passes on all items.
  template <class Sink>
  void end(const Sink& sink) {
    std::stable_sort(items_.begin(), items_.end(), Before());
    for (Item& item : items_) sink(std::move(item));
    items_.clear();
  }
  std::size_t size() const { return items_.size(); }

 private:
  Fs time_ = 0;
  std::vector<Item> items_;
};

}  // namespace kernbench
