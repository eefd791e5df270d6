# Writes a source with the commit of the source tree: -D OUTPUT=FILE -D SOURCE=FOLDER
execute_process(COMMAND git rev-parse --short=12 HEAD
  WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit "unknown")
endif()
file(WRITE "${OUTPUT}" "namespace kernbench {\nextern const char* const commit;\nconst char* const commit = \"${commit}\";\n}\n")
