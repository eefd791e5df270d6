#include "tests/web/served_program.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <sstream>

namespace kernbench::test {
namespace {

::sockaddr_in loopback(int port) {
  ::sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

HttpAnswer parsed(const std::string& text) {
  HttpAnswer answer;
  const std::size_t end = text.find("\r\n\r\n");
  if (end == std::string::npos || text.compare(0, 9, "HTTP/1.1 ") != 0) return answer;
  answer.status = std::stoi(text.substr(9, 3));
  std::istringstream lines(text.substr(0, end));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const std::size_t colon = line.find(": ");
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (colon != std::string::npos)
      answer.headers[lower_case(line.substr(0, colon))] = line.substr(colon + 2);
  }
  answer.body = text.substr(end + 4);
  return answer;
}

}  // namespace

Connection::Connection(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const ::sockaddr_in address = loopback(port);
  BOOST_TEST_REQUIRE(
      ::connect(socket_, reinterpret_cast<const ::sockaddr*>(&address), sizeof address) == 0);
}
Connection::~Connection() { ::close(socket_); }

void Connection::send(const std::string& bytes) const {
  for (std::size_t at = 0; at < bytes.size();) {
    const ::ssize_t n = ::send(socket_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (n <= 0) return;
    at += static_cast<std::size_t>(n);
  }
}

std::string Connection::receive_all() const {
  std::string text;
  std::array<char, 65536> buffer;
  ::ssize_t n = 0;
  while ((n = ::recv(socket_, buffer.data(), buffer.size(), 0)) > 0)
    text.append(buffer.data(), static_cast<std::size_t>(n));
  return text;
}

HttpAnswer exchange_bytes(int port, const std::string& request) {
  const Connection connection(port);
  connection.send(request);
  return parsed(connection.receive_all());
}

TakenPort::TakenPort(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  ::sockaddr_in address = loopback(port);
  taken_ = ::bind(socket_, reinterpret_cast<const ::sockaddr*>(&address), sizeof address) == 0 &&
           ::listen(socket_, 1) == 0;
  ::socklen_t size = sizeof address;
  ::getsockname(socket_, reinterpret_cast<::sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
}
TakenPort::~TakenPort() { ::close(socket_); }

ServedProgram::ServedProgram(const Words& words, int port, bool opens) {
  std::array<int, 2> ends{};
  BOOST_TEST_REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  Words all{KERNBENCH_PROGRAM, "web", "--port", std::to_string(port)};
  if (!opens) all.emplace_back("--no-open");
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int errors = ::open(errors_.path().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(ends[1], STDOUT_FILENO);
    ::dup2(errors, STDERR_FILENO);
    ::execv(KERNBENCH_PROGRAM, arguments.data());
    ::_exit(127);
  }
  ::close(errors);
  ::close(ends[1]);
  from_ = ends[0];
  std::array<char, 4096> buffer;
  ::ssize_t n = 0;
  while (out_.find("Ctrl-C") == std::string::npos &&
         (n = ::read(from_, buffer.data(), buffer.size())) > 0)
    out_.append(buffer.data(), static_cast<std::size_t>(n));
  const std::string before_port = "http://127.0.0.1:", before_token = "/?token=";
  const std::size_t at = out_.find(before_port), token = out_.find(before_token);
  BOOST_TEST_REQUIRE(token != std::string::npos, out_ + this->errors());
  port_ = std::stoi(out_.substr(at + before_port.size()));
  token_ = out_.substr(token + before_token.size(), 32);
}

ServedProgram::~ServedProgram() {
  if (pid_ > 0) stop(SIGKILL);
  ::close(from_);
}

std::string ServedProgram::errors() const { return errors_.text(); }

HttpAnswer ServedProgram::request(const std::string& method, const std::string& target,
                                  const std::string& body, const Words& headers) const {
  Words all{"Host: 127.0.0.1:" + std::to_string(port_), "X-Kernbench-Token: " + token_,
            "Connection: close"};
  if (!body.empty()) all.push_back("Content-Length: " + std::to_string(body.size()));
  for (const std::string& header : headers) {
    const std::string name = header.substr(0, header.find(':') + 1);
    all.erase(std::remove_if(
                  all.begin(), all.end(),
                  [&](const std::string& each) { return each.compare(0, name.size(), name) == 0; }),
              all.end());
  }
  std::string text = method + ' ' + target + " HTTP/1.1\r\n";
  for (const Words* lines : {&std::as_const(all), &headers})
    for (const std::string& line : *lines)
      if (line.back() != ':') text += line + "\r\n";  // "Name:" leaves it out
  return exchange_bytes(port_, text + "\r\n" + body);
}

Json ServedProgram::json(const std::string& target) const {
  const HttpAnswer answer = get(target);
  BOOST_TEST_REQUIRE(answer.status == 200, target << ": " << answer.status << ' ' << answer.body);
  return Json::parse(answer.body);
}

std::string ServedProgram::error(const std::string& target, int status) const {
  const HttpAnswer answer = get(target);
  BOOST_TEST(answer.status == status, target << ": " << answer.status << ' ' << answer.body);
  const auto json = nlohmann::json::parse(answer.body, nullptr, false);
  return json.is_object() ? json.value("error", "") : "";
}

std::string ServedProgram::rest_after_end() {
  std::string rest = out_;
  stop(SIGINT);
  std::array<char, 4096> buffer;
  ::ssize_t n = 0;
  while ((n = ::read(from_, buffer.data(), buffer.size())) > 0)
    rest.append(buffer.data(), static_cast<std::size_t>(n));
  return rest;
}

int ServedProgram::stop(int signal) {
  ::kill(pid_, signal);
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace kernbench::test
