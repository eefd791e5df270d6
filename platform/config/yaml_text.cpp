#include "platform/config/yaml_text.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace kernbench {
namespace {

constexpr std::size_t most_bytes = 16 << 20;

// Event handler that builds nothing and throws beyond the limits.
class Bounds final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ == 0) {
      first_ = mark.pos;
    } else if (mark.pos == first_) {
      throw YAML::ParserException(mark, "invalid start of a value");
    } else {
      throw YAML::RepresentationException(mark, "found a second document; a file is one");
    }
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { count(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { count(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string&) override {
    count(mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    count(mark);
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    count(mark);
  }
  void OnMapEnd() override {}

 private:
  static constexpr int most_values = 1'000'000;

  void count(const YAML::Mark& mark) {
    if (++values_ > most_values)
      throw YAML::RepresentationException(mark, "more than a million values");
  }

  int documents_ = 0, values_ = 0;
  int first_ = 0;  // offset at which that document begins
};

}  // namespace

YAML::Node parse_yaml(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  Bounds bounds;
  while (parser.HandleNextDocument(bounds)) {
  }
  return YAML::Load(text);
}

YAML::Node read_yaml(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::array<char, 65536> piece;
  while (file && text.size() <= most_bytes) {
    file.read(piece.data(), piece.size());
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (!file.is_open() || file.bad() || (text.empty() && !file.eof())) throw YAML::BadFile(path);
  if (text.size() > most_bytes)
    throw YAML::RepresentationException(YAML::Mark(), "more than 16 MiB");
  return parse_yaml(text);
}

namespace {

using Json = nlohmann::ordered_json;

Json scalar(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return text;  // quoted
  const Json value = Json::parse(text, nullptr, false);
  return value.is_number() || value.is_boolean() ? value : Json(text);
}

Json json_of(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Map: {
      Json object = Json::object();
      for (const auto& entry : node) object[entry.first.Scalar()] = json_of(entry.second);
      return object;
    }
    case YAML::NodeType::Sequence: {
      Json list = Json::array();
      for (const YAML::Node& entry : node) list.push_back(json_of(entry));
      return list;
    }
    case YAML::NodeType::Scalar:
      return scalar(node);
    default:
      return Json();
  }
}

}  // namespace

std::string yaml_as_json(const std::string& yaml) {
  return json_of(YAML::Load(yaml)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace kernbench
