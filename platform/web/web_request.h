// Request to the API of the viewer and its answer (spec 11.5), without HTTP.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/base/errors.h"
#include "models/base/units.h"

namespace kernbench {

struct WebRequest {
  std::string method = "GET";
  std::string path;  // decoded, without the query
  std::map<std::string, std::string> parameters;
  std::string body;

  // Parts of the path: "/api/run/3/use": {"api", "run", "3", "use"}.
  std::vector<std::string> parts() const;
  // "": absent.
  const std::string& text(const std::string& name) const;
  // The functions below throw WebError 400 that names the parameter.
  const std::string& required(const std::string& name) const;
  std::uint64_t number(const std::string& name, std::uint64_t absent, std::uint64_t least,
                       std::uint64_t most) const;
  std::optional<Fs> time(const std::string& name) const;
};

struct WebAnswer {
  int status = 200;
  std::string type = "application/json";
  std::string body;
};

WebAnswer json_answer(const nlohmann::ordered_json& json, int status = 200);
// {"error": text}
WebAnswer error_answer(int status, const std::string& text);

// Fault of a request, with the status of the answer.
class WebError : public Error {
 public:
  WebError(int status, const std::string& what) : Error(what), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

// Whole number in decimal digits; none: anything else, or above `most`.
std::optional<std::uint64_t> parse_number(const std::string& text, std::uint64_t most);

}  // namespace kernbench
