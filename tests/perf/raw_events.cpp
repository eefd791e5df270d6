#include "tests/perf/raw_events.h"

#include <memory>
#include <systemc>
#include <vector>

#include "tests/perf/child_measurement.h"

namespace kernbench::bench {
namespace {

class RawServer final : public sc_core::sc_module {
 public:
  RawServer(const sc_core::sc_module_name& name, std::uint64_t period, std::uint64_t& count)
      : sc_core::sc_module(name), wake_("wake"), period_(sc_core::sc_time::from_value(period)),
        count_(count) {
    SC_HAS_PROCESS(RawServer);
    SC_METHOD(run);
    sensitive << wake_;
  }

 private:
  void run() {
    ++count_;
    wake_.notify(period_);
  }

  sc_core::sc_event wake_;
  sc_core::sc_time period_;
  std::uint64_t& count_;
};

}  // namespace

double raw_event_seconds(std::uint64_t processes, std::uint64_t events) {
  constexpr std::uint64_t period = 1'000'000;  // 1 ns and a little more for each
  constexpr std::uint64_t apart = 1009;
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  std::uint64_t count = 0;
  std::vector<std::unique_ptr<RawServer>> servers;
  for (std::uint64_t i = 0; i < processes; ++i) {
    servers.push_back(std::make_unique<RawServer>(("server" + std::to_string(i)).c_str(),
                                                  period + apart * i, count));
  }
  sc_core::sc_start(sc_core::sc_time::from_value(10 * period));
  count = 0;
  const std::uint64_t mean_period = period + apart * processes / 2;
  const double start = processor_seconds();
  sc_core::sc_start(sc_core::sc_time::from_value(events / processes * mean_period));
  return (processor_seconds() - start) / static_cast<double>(count);
}

}  // namespace kernbench::bench
