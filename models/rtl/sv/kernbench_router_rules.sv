// Types that every part of the router shares.
package kernbench_router_rules;
  typedef logic [2:0] route_t;  // an output port
  typedef logic [3:0] channel_t;  // the last one is that of control messages
  typedef logic [63:0] tag_t;

  // Fields of a flit other than its tag.
  typedef struct packed {
    logic   head;
    logic   tail;
    route_t route;
  } flit_t;
endpackage
