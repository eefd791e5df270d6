#include "platform/web/web_jobs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "models/base/errors.h"
#include "platform/web/web_request.h"

namespace kernbench {
namespace {

constexpr std::size_t most_message_bytes = 16 << 10, most_line_bytes = 4096;
constexpr std::size_t most_jobs = 1000;
constexpr const char* state_names[] = {"queued", "running", "done", "failed", "cancelled"};
constexpr const char* program = "/proc/self/exe";

[[noreturn]] void give_up(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// Starts this program with these words; `errors` is its standard error, `folder` where it puts
// temporary files ("": as here). It has a process group of its own and is killed when the calling
// thread ends. Between fork() and execve() there are only calls that a process of several threads
// may make there.
::pid_t start_program(const std::vector<std::string>& words, int errors,
                      const std::string& folder) {
  std::vector<char*> arguments;
  std::string name = "kernbench";
  arguments.push_back(name.data());
  std::vector<std::string> copies = words;
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::vector<char*> environment;
  for (char** each = environ; *each != nullptr; ++each)
    if (std::strncmp(*each, "TMPDIR=", 7) != 0) environment.push_back(*each);
  std::string temporary = "TMPDIR=" + folder;
  if (!folder.empty()) environment.push_back(temporary.data());
  environment.push_back(nullptr);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere < 0) give_up("open /dev/null");
  ::sigset_t none;
  ::sigemptyset(&none);
  const ::pid_t parent = ::getpid(), pid = ::fork();
  if (pid == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    ::dup2(nowhere, STDIN_FILENO);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(errors, STDERR_FILENO);
    ::close_range(3, ~0U, 0);
    ::execve(program, arguments.data(), environment.data());
    ::_exit(127);
  }
  const int error = errno;
  ::close(nowhere);
  errno = error;
  if (pid < 0) give_up("fork");
  return pid;
}

// Pseudo-terminal: `run` shows its progress on a terminal only.
struct Terminal {
  int ours = -1, theirs = -1;
  Terminal() {
    ours = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (ours < 0) give_up("posix_openpt");
    std::array<char, 64> name{};
    if (::grantpt(ours) != 0 || ::unlockpt(ours) != 0 ||
        ::ptsname_r(ours, name.data(), name.size()) != 0 ||
        (theirs = ::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC)) < 0) {
      ::close(ours);
      give_up("pseudo-terminal");
    }
    ::fcntl(ours, F_SETFL, O_NONBLOCK);
  }
};

std::string without_prefix(std::string text) {
  for (const std::string prefix : {"kernbench: error: ", "kernbench: "})
    if (text.compare(0, prefix.size(), prefix) == 0) return text.substr(prefix.size());
  return text;
}

}  // namespace

WebJobs::WebJobs(std::string folder, Loaded loaded)
    : folder_(std::move(folder)), loaded_(std::move(loaded)) {
  if (::pipe2(wake_, O_CLOEXEC | O_NONBLOCK) != 0) give_up("pipe");
  thread_ = std::thread([this] { work(); });
}

WebJobs::~WebJobs() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_ending_ = true;
  }
  wake();
  thread_.join();
  kill_all();
  ::close(wake_[0]);
  ::close(wake_[1]);
}

void WebJobs::kill_all() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_ending_ = true;
  for (Job& job : jobs_) {
    if (job.pid <= 0) continue;
    ::kill(-job.pid, SIGKILL);
    ::kill(job.pid, SIGKILL);
    while (::waitpid(job.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    job.pid = -1;
  }
}

void WebJobs::wake() const {
  const char byte = 0;
  [[maybe_unused]] const ::ssize_t n = ::write(wake_[1], &byte, 1);  // full: it will wake anyway
}

std::size_t WebJobs::add(std::vector<std::string> words, const std::string& title,
                         const std::string& command) {
  std::size_t number = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto queued = std::count_if(jobs_.begin(), jobs_.end(),
                                      [](const Job& job) { return job.state == State::queued; });
    if (static_cast<std::size_t>(queued) >= most_queued)
      throw WebError(429, fmt::format("{} runs are queued already", queued));
    if (jobs_.size() >= most_jobs)
      throw WebError(
          429, fmt::format("{} runs have been started: start kernbench web again", jobs_.size()));
    number = jobs_.size();
    Job& job = jobs_.emplace_back();
    job.log = fmt::format("{}/run{}.sqlite", folder_, number);
    words.insert(words.end(), {"--op-log", job.log});
    job.words = std::move(words);
    job.title = title;
    job.command = command;
  }
  wake();
  return number;
}

// --- Processes

void WebJobs::work() {
  while (true) {
    std::vector<::pollfd> events{{wake_[0], POLLIN, 0}};
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (is_ending_) return;
      std::size_t running = 0;
      for (const Job& job : jobs_) running += job.state == State::running ? 1 : 0;
      for (Job& job : jobs_) {
        if (job.state == State::queued && running < most_running) {
          start(job);
          running += job.state == State::running ? 1 : 0;
        }
        if (job.terminal >= 0) events.push_back({job.terminal, POLLIN, 0});
      }
    }
    // A process may close its standard error before it ends.
    ::poll(events.data(), events.size(), events.size() > 1 ? 200 : -1);
    std::array<char, 64> bytes{};
    while (::read(wake_[0], bytes.data(), bytes.size()) > 0) {
    }
    std::vector<std::size_t> ended;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      for (std::size_t i = 0; i < jobs_.size(); ++i) {
        if (jobs_[i].state != State::running) continue;
        read(jobs_[i]);
        if (reap(jobs_[i])) ended.push_back(i);
      }
    }
    for (const std::size_t i : ended) load(i);
  }
}

void WebJobs::start(Job& job) {
  try {
    const Terminal terminal;
    job.terminal = terminal.ours;
    job.pid = start_program(job.words, terminal.theirs, folder_);
    ::close(terminal.theirs);
    job.state = State::running;
  } catch (const std::system_error& error) {
    job.state = State::failed;
    job.message = error.what();
  }
}

void WebJobs::read(Job& job) {
  if (job.terminal < 0) return;
  std::array<char, 4096> buffer;
  ::ssize_t n = 0;
  while ((n = ::read(job.terminal, buffer.data(), buffer.size())) > 0) {
    for (const char c : std::string(buffer.data(), static_cast<std::size_t>(n))) {
      if (c == '\r' || c == '\n') {
        take_line(job);
      } else if (job.line.size() < most_line_bytes) {
        job.line += c;
      }
    }
    // The line of progress has no end.
    const std::string rest = job.line;
    if (rest.find("simulated ") != std::string::npos) take_line(job);
  }
}

void WebJobs::take_line(Job& job) {
  std::string line;
  std::swap(line, job.line);
  constexpr const char* erase = "\x1b[K";
  if (line.compare(0, 3, erase) == 0) line.erase(0, 3);
  if (line.empty()) return;
  constexpr const char* mark = "simulated ";
  if (line.compare(0, std::strlen(mark), mark) == 0) {
    job.simulated = line.substr(std::strlen(mark));
  } else if (job.message.size() < most_message_bytes) {
    job.message += (job.message.empty() ? "" : "\n") + without_prefix(line);
  }
}

bool WebJobs::reap(Job& job) {
  int status = 0;
  if (job.pid <= 0 || ::waitpid(job.pid, &status, WNOHANG) != job.pid) return false;
  read(job);
  take_line(job);
  ::close(job.terminal);
  job.terminal = job.pid = -1;
  if (job.is_cancelled) {
    job.state = State::cancelled;
  } else if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    job.state = State::done;
    job.is_loading = true;  // runs, for those who ask, until its log has been read
  } else {
    job.state = State::failed;
    if (WIFSIGNALED(status))
      job.message =
          fmt::format("killed by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  }
  return true;
}

// The log of a run that has failed may be complete, too.
void WebJobs::load(std::size_t index) {
  std::string log, title;
  bool is_wanted = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Job& job = jobs_[index];
    log = job.log;
    title = job.title;
    is_wanted = job.state != State::cancelled;
  }
  std::optional<std::size_t> run;
  std::string fault;
  if (is_wanted && std::filesystem::exists(log)) {
    try {
      run = loaded_(log, title);
    } catch (const std::exception& error) {
      fault = error.what();
    }
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  Job& job = jobs_[index];
  job.is_loading = false;
  job.run = run;
  if (job.state == State::done && !fault.empty()) {
    job.state = State::failed;
    job.message = fault;
  }
  if (run) return;
  std::error_code ignored;
  for (const char* ending : {"", "-journal", ".config.yaml"})
    std::filesystem::remove(log + ending, ignored);
}

// --- Answers

const WebJobs::Job& WebJobs::job_of(std::size_t job) const {
  if (job >= jobs_.size()) throw WebError(404, fmt::format("there is no job {}", job));
  return jobs_[job];
}

WebJobs::Json WebJobs::json_of(std::size_t index) const {
  const Job& job = job_of(index);
  return {
      {"id", index},
      {"title", job.title},
      {"state", state_names[static_cast<std::size_t>(job.is_loading ? State::running : job.state)]},
      {"simulated", job.simulated},
      {"message", job.message},
      {"run", job.run ? Json(*job.run) : Json()},
      {"command", job.command}};
}

WebJobs::Json WebJobs::json(std::size_t job) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return json_of(job);
}

WebJobs::Json WebJobs::json() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  Json list = Json::array();
  for (std::size_t i = 0; i < jobs_.size(); ++i) list.push_back(json_of(i));
  return list;
}

void WebJobs::cancel(std::size_t number) {
  const std::lock_guard<std::mutex> lock(mutex_);
  job_of(number);
  Job& job = jobs_[number];
  if (job.state == State::queued) job.state = State::cancelled;
  if (job.state != State::running) return;
  job.is_cancelled = true;
  ::kill(-job.pid, SIGKILL);
  ::kill(job.pid, SIGKILL);
}

std::string WebJobs::fault_of(std::vector<std::string> words) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) give_up("pipe");
  const ::pid_t pid = start_program(words, ends[1], "");
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
                          limit - std::chrono::steady_clock::now())
                          .count();
    ::pollfd one{ends[0], POLLIN, 0};
    if (left <= 0 || ::poll(&one, 1, static_cast<int>(left)) <= 0) {
      ::kill(pid, SIGKILL);
      text = "the check of the configuration has taken longer than 30 s";
      break;
    }
    const ::ssize_t n = ::read(ends[0], buffer.data(), buffer.size());
    if (n <= 0) break;
    if (text.size() < most_message_bytes) text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  while (!text.empty() && text.back() == '\n') text.pop_back();
  text = without_prefix(text);
  return text.empty() ? "the run cannot be started" : text;
}

}  // namespace kernbench
