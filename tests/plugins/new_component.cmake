# What the installed `kernbench new-component` writes for KIND builds and passes its test.
string(REPLACE "-" "_" name "my_${KIND}")
set(folder "${BUILD}/${name}")
file(REMOVE_RECURSE "${folder}")
file(MAKE_DIRECTORY "${BUILD}")
execute_process(COMMAND "${PREFIX}/bin/kernbench" new-component ${name} --kind ${KIND} WORKING_DIRECTORY "${BUILD}" COMMAND_ERROR_IS_FATAL ANY)
set(SOURCE "${folder}")
set(BUILD "${folder}/build")
include("${CMAKE_CURRENT_LIST_DIR}/build_and_test.cmake")
