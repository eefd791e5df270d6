# Configures SOURCE in BUILD against the package installed in PREFIX, and builds it. LAUNCHER is a list separated by "|".
string(REPLACE "|" ";" LAUNCHER "${LAUNCHER}")
execute_process(
  COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${BUILD}" -G Ninja -D "CMAKE_PREFIX_PATH=${PREFIX}" -D "CMAKE_CXX_COMPILER=${COMPILER}"
          -D "CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}" -D CMAKE_BUILD_TYPE=Debug -D "CMAKE_CXX_FLAGS_DEBUG=-O0 ${FLAGS}"
          -D "HEADERS=${HEADERS}" -D "REPLACEMENTS=${REPLACEMENTS}" --no-warn-unused-cli
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BUILD}" -j 2 COMMAND_ERROR_IS_FATAL ANY)
