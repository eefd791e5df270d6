# Writes OUTPUT, a C++ source that has the text files FILES (separated by '|') of FOLDER as kernbench::web_assets().
string(REPLACE "|" ";" files "${FILES}")
set(rows "")
foreach(file ${files})
  file(READ "${FOLDER}/${file}" text)
  cmake_path(GET file EXTENSION LAST_ONLY extension)
  set(type_of_.html "text/html; charset=utf-8")
  set(type_of_.css "text/css; charset=utf-8")
  set(type_of_.js "text/javascript; charset=utf-8")
  set(type_of_.svg "image/svg+xml")
  if(NOT DEFINED type_of_${extension})
    message(FATAL_ERROR "${FOLDER}/${file}: no media type is known for ${extension}")
  endif()
  string(APPEND rows "      {\"/${file}\", \"${type_of_${extension}}\", R\"embedded(${text})embedded\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"platform/web/web_assets.h\"

namespace kernbench {

const std::vector<WebAsset>& web_assets() {
  static const std::vector<WebAsset> assets{
${rows}  };
  return assets;
}

}  // namespace kernbench
")
