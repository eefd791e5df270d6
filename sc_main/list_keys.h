// `kernbench list keys`.
#pragma once

#include <cstdint>

#include "models/base/component_registry.h"

namespace kernbench {

enum class KeyFormat : std::uint8_t { text, json, markdown };

// Prints the keys; as Markdown with the attributes of the registered components.
int list_keys(const ComponentRegistry& registry, KeyFormat format);

}  // namespace kernbench
