// AnalysisPort: one kind of event for any number of subscribers, called in the order of binding.
//
// Interface of tlm::tlm_analysis_port, so that any TLM analysis component can subscribe. It is not
// an sc_object, and it has observed(): a writer that checks observed() before it creates the event
// pays one comparison without subscribers.
#pragma once

#include <algorithm>
#include <tlm>
#include <vector>

namespace kernbench {

// Callbacks at each subscription and its end, for a writer that prepares its events.
class SubscriptionListener {
 public:
  virtual void subscribed() = 0;
  virtual void unsubscribed() = 0;

 protected:
  ~SubscriptionListener() = default;
};

template <class T>
class AnalysisPort {
 public:
  using Subscriber = tlm::tlm_analysis_if<T>;

  AnalysisPort() = default;
  AnalysisPort(const AnalysisPort&) = delete;
  AnalysisPort& operator=(const AnalysisPort&) = delete;

  // The subscriber must live until unbind() or the last event. No call of either function inside
  // write().
  void bind(Subscriber& subscriber) {
    subscribers_.push_back(&subscriber);
    if (listener_ != nullptr) listener_->subscribed();
  }
  // Returns false if it was not bound.
  bool unbind(Subscriber& subscriber) {
    const auto found = std::find(subscribers_.begin(), subscribers_.end(), &subscriber);
    if (found == subscribers_.end()) return false;
    subscribers_.erase(found);
    if (listener_ != nullptr) listener_->unsubscribed();
    return true;
  }
  // Call before the first bind(); null: no listener.
  void set_listener(SubscriptionListener* listener) { listener_ = listener; }

  bool observed() const { return !subscribers_.empty(); }
  // Out of line: an inlined loop costs the writer registers, also without subscribers.
  [[gnu::noinline]] void write(const T& event) const {
    for (Subscriber* subscriber : subscribers_) subscriber->write(event);
  }

 private:
  std::vector<Subscriber*> subscribers_;
  SubscriptionListener* listener_ = nullptr;
};

// A subscription that ends with this object. The port outlives it.
template <class T>
class AnalysisBinding {
 public:
  AnalysisBinding(AnalysisPort<T>& port, tlm::tlm_analysis_if<T>& subscriber)
      : port_(port), subscriber_(subscriber) {
    port_.bind(subscriber_);
  }
  ~AnalysisBinding() { port_.unbind(subscriber_); }
  AnalysisBinding(const AnalysisBinding&) = delete;
  AnalysisBinding& operator=(const AnalysisBinding&) = delete;

 private:
  AnalysisPort<T>& port_;
  tlm::tlm_analysis_if<T>& subscriber_;
};

}  // namespace kernbench
