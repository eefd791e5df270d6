// The viewer as one file: style, modules and answers of the API in the page (spec 11.5).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "platform/web/web_assets.h"

namespace kernbench {

// ES modules as one classic script, which works from a file: each module becomes a function that
// returns what it exports; they are called in the order of their imports. Accepted forms, at the
// begin of a line: `import {a, b as c} from "./x.js";`, `import * as x from "./x.js";`, `import
// "./x.js";`, `export` before function, async function, class, const, let of one name, and
// `export {a, b};`. Throws Error that names the module: another form, an unknown module or name, a
// cycle.
std::string bundled_modules(const std::map<std::string, std::string>& modules,
                            const std::string& entry);

// index.html with style and modules inside. `data`: JSON of the answers, by their addresses.
std::string exported_page(const std::string& data);

}  // namespace kernbench
