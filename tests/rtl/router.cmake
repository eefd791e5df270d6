# The router in RTL: by itself, and in its component.
set(router_sources kernbench_checks kernbench_router_rules kernbench_flit_channel kernbench_round_robin kernbench_router_input
    kernbench_router_output kernbench_router kernbench_router_checker kernbench_router_top)
list(TRANSFORM router_sources REPLACE "(.+)" "${KERNBENCH_RTL_DIR}/sv/\\1.sv")
foreach(ports 3 8)
  kernbench_verilate(test_rtl_router PREFIX Vrouter_${ports} TOP kernbench_router_top SOURCES ${router_sources}
    PARAMETERS PORTS=${ports} VIRTUAL_CHANNELS=4 BUFFER_FLITS=4)
endforeach()
kernbench_verilate(test_rtl_router PREFIX Vrouter_one TOP kernbench_router_top SOURCES ${router_sources}
  PARAMETERS PORTS=4 VIRTUAL_CHANNELS=1 BUFFER_FLITS=1)
foreach(fault careless=1 silent=2 straying=3)
  string(REPLACE "=" ";" fault ${fault})
  list(POP_FRONT fault name number)
  kernbench_verilate(test_rtl_router PREFIX Vrouter_${name} TOP kernbench_router_top
    DEFINES KERNBENCH_DESIGN=faulty_router KERNBENCH_FAULT=${number}
    SOURCES ${router_sources} "${CMAKE_CURRENT_SOURCE_DIR}/sv/faulty_router.sv" PARAMETERS PORTS=4 VIRTUAL_CHANNELS=2 BUFFER_FLITS=2)
endforeach()
foreach(requesters 3 8)
  kernbench_verilate(test_rtl_router PREFIX Vround_robin_${requesters} TOP kernbench_round_robin
    SOURCES "${KERNBENCH_RTL_DIR}/sv/kernbench_round_robin.sv" PARAMETERS N=${requesters})
endforeach()
