include("${CMAKE_CURRENT_LIST_DIR}/run_kernbench.cmake")

# One softmax of 8 x 256 elements on one PE: 4 cycles of the pipeline and 2048 / 64 of elements, at 2 GHz.
kernbench(json run --bench softmax-rows --param rows=8 --param columns=256 --param pes=1 --json --topology tiny
          --set cube.pe_template.components.pe_math.impl=custom.@name@ --set cube.pe_template.components.pe_math.attrs.lanes=64
          --set cube.pe_template.components.pe_math.attrs.pipeline_cycles=4 --set cube.pe_template.components.pe_math.attrs.clock_ghz=2)
busy_of_engine(busy "${json}" pe_math math)
expect("busy time of pe_math, ns" ${busy} 18.0)  # (4 + 32) / 2
