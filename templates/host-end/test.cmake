message(FATAL_ERROR "none")
