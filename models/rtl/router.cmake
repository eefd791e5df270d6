# rtl.router: ports, virtual channels for data, places of each.
set(KERNBENCH_RTL_ROUTER "8;4;8" CACHE STRING "rtl.router: ports (3 to 8); virtual channels (1 to 15); flits of each")

if(NOT KERNBENCH_RTL_ROUTER MATCHES "^[3-8];([1-9]|1[0-5]);[1-9][0-9]*$")
  message(FATAL_ERROR "KERNBENCH_RTL_ROUTER: found ${KERNBENCH_RTL_ROUTER}, allowed are ports (3 to 8); virtual channels (1 to 15); flits of each")
endif()
list(GET KERNBENCH_RTL_ROUTER 0 ports)
list(GET KERNBENCH_RTL_ROUTER 1 channels)
list(GET KERNBENCH_RTL_ROUTER 2 flits)
set(router_sources kernbench_checks kernbench_router_rules kernbench_flit_channel kernbench_round_robin kernbench_router_input
    kernbench_router_output kernbench_router kernbench_router_checker kernbench_router_top)
list(TRANSFORM router_sources REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/sv/\\1.sv")
kernbench_verilate(models_rtl PREFIX Vkernbench_router TOP kernbench_router_top ${KERNBENCH_RTL_OPTIONS} SOURCES ${router_sources}
  PARAMETERS PORTS=${ports} VIRTUAL_CHANNELS=${channels} BUFFER_FLITS=${flits})
set_source_files_properties(built_router.cpp PROPERTIES COMPILE_DEFINITIONS "KERNBENCH_ROUTER_SHAPE=${ports},${channels},${flits}")
