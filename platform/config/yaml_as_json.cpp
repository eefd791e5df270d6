#include "platform/config/yaml_as_json.h"

#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>

namespace kernbench {
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
