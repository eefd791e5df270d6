// Runtime: state shared by all workers of one host program: link to the machine, device memory, and
// expectations of the benches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/base/log.h"
#include "sw/runtime/deployments.h"
#include "sw/runtime/device_memory.h"
#include "sw/runtime/expectation.h"
#include "sw/runtime/host_link.h"
#include "sw/runtime/ipcq.h"
#include "sw/runtime/launch.h"
#include "sw/runtime/result_table.h"

namespace kernbench {

class CallListener;   // call_listener.h
class TransferMeter;  // models/protocol/transfer_meter.h
class Worker;

// Observer of torch.stats: callbacks at the marks of the host program's regions (spec 11.3).
class StatisticsListener {
 public:
  virtual ~StatisticsListener() = default;
  virtual void reset(Fs now) = 0;  // a region begins
  virtual void dump(const std::string& label,
                    Fs now) = 0;  // counts since the begin of the region, which continues
};

// A launch that has ended, for reports.
struct LaunchRecord {
  std::string name;
  LaunchMeta meta;
  LaunchMetrics metrics;
  std::vector<std::string> request_ids;  // one per SIP
};

// Observer of the launches of a host program, in the order of their waits.
class LaunchListener {
 public:
  virtual ~LaunchListener() = default;
  virtual void ended(LaunchRecord launch) = 0;
};

struct Runtime {
  Runtime(HostPort& port, const std::string& correlation)
      : link(port, correlation), memory(std::make_shared<DeviceMemory>(link)),
        deployments(link, *memory), ipcq(link, *memory) {}
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  HostLink link;
  std::shared_ptr<DeviceMemory> memory;
  Deployments deployments;
  IpcqInstallation ipcq;
  std::vector<Expectation> expectations;  // in order of torch.verify
  std::vector<LaunchRecord> launches;     // in order of their waits, if there is no listener
  LaunchListener* launch_listener = nullptr;
  bool untimed_inputs = false;      // transfers of a thread before its first launch take no time
  std::deque<ResultTable> results;  // in order of torch.results
  StatisticsListener* statistics = nullptr;  // observer of torch.stats; null: none
  const Log* call_log = nullptr;             // null: none
  const Log* collectives_log = nullptr;      // null: none
  CallListener* calls = nullptr;             // observer of torch.distributed; null: none
  TransferMeter* transfers = nullptr;        // null: none
  std::uint64_t tensors_made = 0;            // for default names
  std::uint64_t launch_groups = 0;           // number of launches on several SIPs
  std::uint32_t streams = 1;                 // number of launch streams; 0 is the compute stream
  // Launches on the compute streams of all devices; completed ones are removed lazily.
  std::vector<LaunchHandle> computing;
  std::size_t computing_at_most = 64;  // size at which completed launches are removed
  // Latest launch on the compute stream of each PE, by its PE_CPU; only with race detection.
  std::map<std::uint32_t, std::shared_ptr<const OrderedLaunch>> ordered_computing;

  // Prints a warning; each text only once.
  void warn(const std::string& text) {
    if (std::find(warnings.begin(), warnings.end(), text) == warnings.end())
      warnings.push_back(text);
  }
  std::vector<std::string> warnings;

  // Called after failed ranks: the devices stop their work and refuse further work.
  void lose_devices(const std::string& why) {
    link.lose_devices(why);
    link.port().end_launches();
    memory->abandon();
  }

  // Worker of the calling thread; a thread belongs to one worker at a time.
  Worker* worker_of_thread() const {
    const auto found = workers.find(thread());
    return found == workers.end() ? nullptr : found->second;
  }
  static const sc_core::sc_object* thread() {
    return sc_core::sc_get_current_process_handle().get_process_object();
  }
  std::map<const sc_core::sc_object*, Worker*> workers;
  const char* last_call = "";  // last call of the latest thread that has ended
};

// Binds the calling thread to `worker` for its lifetime.
class ThreadOfWorker {
 public:
  ThreadOfWorker(Runtime& runtime, Worker& worker);
  ~ThreadOfWorker();
  ThreadOfWorker(const ThreadOfWorker&) = delete;
  ThreadOfWorker& operator=(const ThreadOfWorker&) = delete;

 private:
  Runtime& runtime_;
  const sc_core::sc_object* thread_;
};

}  // namespace kernbench
