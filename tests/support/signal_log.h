// What trace signals have shown, as a waveform would: one value per instant, the last one.
//
//   SignalLog log(router);                       // all signals of a component
//   machine.run();
//   BOOST_TEST(log.of("inbox") == "0 at 0, 1 at 120, 0 at 140");
#pragma once

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "models/base/component.h"

namespace kernbench::test {

class SignalLog {
 public:
  explicit SignalLog(Component& component) {
    for (TraceSignal& signal : component.signals()) follow(signal);
  }

  // "VALUE at INSTANT, ...": label, number, or x; from the value that it had at first.
  std::string of(const std::string& name) const {
    std::string text;
    for (const auto& [time, value] : log_of(name).values)
      text += (text.empty() ? "" : ", ") + value + " at " + std::to_string(time);
    return text;
  }
  // The shortest time for which any signal has held a value, but for its last one.
  Fs shortest() const {
    Fs least = never_fs;
    for (const Log& log : logs_) {
      for (std::size_t i = 1; i + 1 < log.values.size(); ++i)
        least = std::min(least, log.values[i + 1].first - log.values[i].first);
    }
    return least;
  }

 private:
  struct Log final : tlm::tlm_analysis_if<TraceSignal> {
    void write(const TraceSignal& signal) override {
      const Fs now = Component::now();
      if (!values.empty() && values.back().first == now) values.pop_back();
      const std::string value = text_of(signal);
      if (values.empty() || values.back().second != value) values.emplace_back(now, value);
    }
    std::string name;
    std::vector<std::pair<Fs, std::string>> values;
  };

  static std::string text_of(const TraceSignal& signal) {
    if (!signal.known()) return "x";
    return signal.labels().empty() ? std::to_string(signal.value())
                                   : signal.labels().at(signal.value());
  }
  void follow(TraceSignal& signal) {
    Log& log = logs_.emplace_back();
    log.name = signal.name();
    signal.changes().bind(log);
    log.values.clear();
    log.values.emplace_back(Component::now(), text_of(signal));
  }
  const Log& log_of(const std::string& name) const {
    for (const Log& log : logs_) {
      if (log.name == name) return log;
    }
    throw std::logic_error("no signal " + name);
  }

  std::deque<Log> logs_;
};

}  // namespace kernbench::test
