// Static files of the viewer: those of web/, compiled in.
#pragma once

#include <string_view>
#include <vector>

namespace kernbench {

struct WebAsset {
  std::string_view path;  // "/index.html"
  std::string_view type;  // media type
  std::string_view text;
};

const std::vector<WebAsset>& web_assets();  // by path

}  // namespace kernbench
