// `kernbench list keys`.
#pragma once

#include "sc_main/catalogue.h"
#include "sc_main/list_format.h"

namespace kernbench {

// Prints the keys; as Markdown with the attributes of the components.
int list_keys(const Catalogue& catalogue, ListFormat format);

}  // namespace kernbench
