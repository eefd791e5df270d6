// Runs that are started from the page: separate processes of this program, at most two at a time,
// which end with this process, however that ends. Others wait in a queue.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace kernbench {

class WebJobs {
 public:
  using Json = nlohmann::ordered_json;
  // Loads the log of a run that has ended; returns its number in the session.
  using Loaded = std::function<std::size_t(const std::string& log, const std::string& title)>;

  static constexpr std::size_t most_running = 2, most_queued = 16;

  // `folder`: where logs are written.
  WebJobs(std::string folder, Loaded loaded);
  ~WebJobs();  // kills running processes
  WebJobs(const WebJobs&) = delete;
  WebJobs& operator=(const WebJobs&) = delete;

  // Queues `kernbench WORDS... --op-log LOG`. `command`: the line that a user would type. Returns
  // its number. WebError 429: the queue is full.
  std::size_t add(std::vector<std::string> words, const std::string& title,
                  const std::string& command);
  // {"id", "title", "state", "simulated", "message", "run", "command"}; WebError 404.
  Json json(std::size_t job) const;
  Json json() const;  // list of all
  void cancel(std::size_t job);
  void kill_all();

  // Runs `kernbench WORDS...` to its end, at most 30 s. Returns its messages without "kernbench:
  // error: "; "": it has ended with status 0.
  static std::string fault_of(std::vector<std::string> words);

 private:
  enum class State : std::uint8_t { queued, running, done, failed, cancelled };
  struct Job {
    std::vector<std::string> words;
    std::string title, command, log;
    State state = State::queued;
    bool is_cancelled = false, is_loading = false;
    ::pid_t pid = -1;
    int terminal = -1;      // its standard error
    std::string line;       // its last line, not yet ended
    std::string simulated;  // from its line of progress
    std::string message;    // its other lines, a bounded part
    std::optional<std::size_t> run;
  };

  void work();
  void start(Job& job);
  void read(Job& job);
  void take_line(Job& job);
  bool reap(Job& job);  // true: it has ended
  void load(std::size_t index);
  void wake() const;
  Json json_of(std::size_t index) const;
  const Job& job_of(std::size_t job) const;

  std::string folder_;
  Loaded loaded_;
  mutable std::mutex mutex_;
  std::deque<Job> jobs_;
  bool is_ending_ = false;
  int wake_[2] = {-1, -1};
  std::thread thread_;  // starts the processes: they are killed when it ends
};

}  // namespace kernbench
