// `kernbench web` as a process, and a client of its server.
#pragma once

#include <sys/types.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/program.h"

namespace kernbench::test {

struct HttpAnswer {
  int status = 0;                              // 0: the connection has ended without one
  std::map<std::string, std::string> headers;  // names in small letters
  std::string body;
};

// Sends bytes to a port of 127.0.0.1 and reads to the end of the connection.
HttpAnswer exchange_bytes(int port, const std::string& request);

class Connection {
 public:
  explicit Connection(int port);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  void send(const std::string& bytes) const;  // stops where the server has closed it
  std::string receive_all() const;            // to the end of the connection

 private:
  int socket_ = -1;
};

// A listening socket on a port of 127.0.0.1; 0: any free one.
class TakenPort {
 public:
  explicit TakenPort(int port = 0);
  ~TakenPort();
  TakenPort(const TakenPort&) = delete;
  TakenPort& operator=(const TakenPort&) = delete;
  int port() const { return port_; }
  bool is_taken() const { return taken_; }  // false: another process has it

 private:
  int socket_ = -1, port_ = 0;
  bool taken_ = false;
};

class ServedProgram {
 public:
  // Runs `kernbench web --no-open --port 0 WORDS...` until its server answers; `opens`: without
  // --no-open.
  explicit ServedProgram(const Words& words, int port = 0, bool opens = false);
  ~ServedProgram();  // kills it
  ServedProgram(const ServedProgram&) = delete;
  ServedProgram& operator=(const ServedProgram&) = delete;

  int port() const { return port_; }
  const std::string& token() const { return token_; }
  const std::string& out() const { return out_; }  // up to the address
  std::string errors() const;                      // standard error so far
  ::pid_t pid() const { return pid_; }

  // With Host and token; `headers`: further lines "Name: value", or others for those.
  HttpAnswer request(const std::string& method, const std::string& target,
                     const std::string& body = "", const Words& headers = {}) const;
  HttpAnswer get(const std::string& target, const Words& headers = {}) const {
    return request("GET", target, "", headers);
  }
  // Answer with status 200.
  Json json(const std::string& target) const;
  // "error" of an answer with that status.
  std::string error(const std::string& target, int status) const;

  int stop(int signal);          // exit status; 128 + the signal that has ended it
  std::string rest_after_end();  // ends it by SIGINT; standard output after the address

 private:
  ::pid_t pid_ = -1;
  int from_ = -1;
  TemporaryFile errors_{"errors.txt"};
  int port_ = 0;
  std::string token_, out_;
};

}  // namespace kernbench::test
