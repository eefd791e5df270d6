// Answers of the API that an exported file has (spec 11.5).
#pragma once

#include <string>

#include "platform/web/web_session.h"

namespace kernbench {

// JSON object of answers by their addresses: "/api/run/0/use?level=sip&scope=sip0", parameters in
// the order of their names, encoded, without empty ones. Member `export` of the session says which
// intervals, bins and scopes there are.
std::string exported_data(WebSession& session);

}  // namespace kernbench
