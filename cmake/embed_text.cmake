# Writes OUTPUT, a C++ source that has the text of FILE as `const char* const kernbench::NAME`.
file(READ "${FILE}" text)
file(WRITE "${OUTPUT}" "namespace kernbench {
extern const char* const ${NAME};
const char* const ${NAME} = R\"embedded(${text})embedded\";
}  // namespace kernbench
")
