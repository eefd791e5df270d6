// Keys of a configuration file as rows of text, for lists.
#pragma once

#include <string>
#include <vector>

#include "platform/config/config_schema.h"

namespace kernbench {

// `*` in a key stands for any element of a list, capitals for one of several names.
struct KeyText {
  std::string key, allowed, unit, default_value, meaning;
};

// In the order of the file; keys of a family once.
std::vector<KeyText> key_texts(const ConfigSchema& schema);

}  // namespace kernbench
