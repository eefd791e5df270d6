// First-in first-out queue; the head is visible in the cycle after its push.
module kernbench_sram_queue #(
    parameter int WIDTH = 8,
    parameter int DEPTH = 4
) (
    input  logic             clk,
    input  logic             rst_n,
    input  logic             push,
    input  logic [WIDTH-1:0] push_data,
    output logic             full,
    input  logic             pop,
    output logic             empty,
    output logic [WIDTH-1:0] head
);
  localparam int PLACE_BITS = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam int COUNT_BITS = $clog2(DEPTH + 1);
  localparam logic [PLACE_BITS-1:0] LAST = PLACE_BITS'(DEPTH - 1);

  logic [WIDTH-1:0] entries[DEPTH];
  logic [PLACE_BITS-1:0] first, next;
  logic [COUNT_BITS-1:0] count;

  assign full  = count == COUNT_BITS'(DEPTH);
  assign empty = count == 0;
  assign head  = entries[first];

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      first <= 0;
      next  <= 0;
      count <= 0;
    end else begin
      if (push) begin
        entries[next] <= push_data;
        next <= next == LAST ? 0 : next + 1;
      end
      if (pop) first <= first == LAST ? 0 : first + 1;
      count <= count + COUNT_BITS'(push) - COUNT_BITS'(pop);
    end
  end
endmodule
