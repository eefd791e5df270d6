// Schema of topology.yaml, generated from its rows.
#include "platform/config/machine_keys.h"

namespace kernbench {
namespace {

class SchemaBuilder final : public KeyVisitor {
 public:
  std::vector<ConfigKey> keys;

 private:
  void on_value(const KeyRow& row, const Parameter& parameter,
                const ParameterMember& /*member*/) override {
    add(row, ConfigKey::of_value(path(), parameter, row.required));
  }
  void on_name(const KeyRow& row, std::string& /*member*/) override {
    add(row, ConfigKey::of(ConfigKey::Kind::name, path(), row.description, row.required));
  }
  void on_text(const KeyRow& row, std::string& /*member*/) override {
    add(row, ConfigKey::of(ConfigKey::Kind::text, path(), row.description, row.required));
  }
  void on_attributes(const KeyRow& row, std::vector<GivenAttribute>& /*member*/) override {
    add(row, ConfigKey::of(ConfigKey::Kind::attributes, path(), row.description, row.required));
  }
  void on_component(const ComponentRow& row, ComponentSpec& /*member*/) override {
    add(row, ConfigKey::of_component(path(), row.description, row.role, row.required));
  }
  void begin_section(const KeyRow& row) override {
    add(row, ConfigKey::of(ConfigKey::Kind::section, path(), row.description, row.required));
  }
  std::size_t begin_list(const KeyRow& row, std::size_t /*elements*/) override {
    add(row,
        ConfigKey::of_list(path(), row.description, row.least_items, row.most_items, row.required));
    return 1;
  }
  bool has_component(bool /*present*/) override { return true; }
  std::string element_step(std::size_t /*index*/) const override { return "*"; }

  void add(const KeyRow& row, ConfigKey key) {
    key.family = row.family;
    // The two elements of a pair are one key.
    if (keys.empty() || keys.back().path != key.path) keys.push_back(std::move(key));
  }
};

}  // namespace

ConfigSchema machine_schema() {
  SchemaBuilder builder;
  MachineSpec any;
  visit_keys(builder, any);
  return ConfigSchema(std::move(builder.keys));
}

}  // namespace kernbench
