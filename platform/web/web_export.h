// Answers of the API that an exported file has (spec 11.5).
#pragma once

#include <string>

#include "platform/web/web_session.h"

namespace kernbench {

// JSON object of answers by their addresses: "/api/run/0/timeline?bins=1000&scope=sip0", parameters
// in the order of their names, encoded, without empty ones. Member `export` of the session has the
// intervals of each run and the bins of the timelines.
std::string exported_data(WebSession& session);

}  // namespace kernbench
