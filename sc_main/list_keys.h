// Listing of `kernbench list keys`.
#pragma once

#include <cstdint>

#include "sc_main/catalogue.h"

namespace kernbench {

enum class ListFormat : std::uint8_t { text, json, markdown };

// Prints the keys; in Markdown with the attributes of the components.
int list_keys(const Catalogue& catalogue, ListFormat format);

}  // namespace kernbench
