// Round-robin arbiter: grants the first requester after the last winner, cyclically.
//
// Fairness: let `next` be the number after the last winner, and the distance of a requester i be (i - next) mod N. The
// winner g has the smallest distance of all requesters. After its turn next is g + 1, so the distance of every other
// requester has decreased by the distance of g plus one. A requester that keeps requesting therefore wins after at most
// N - 1 turns of others.
module kernbench_round_robin #(
    parameter int N = 8
) (
    input logic clk,
    input logic rst_n,
    input logic [N-1:0] request,
    input logic turn,  // the winner has its turn at this edge
    output logic [N-1:0] winner  // one bit, none without a request
);
  logic [N-1:0] behind;  // the numbers from next on
  wire [N-1:0] ahead = request & behind;
  wire [N-1:0] first_of = ahead != '0 ? ahead : request;
  assign winner = first_of & -first_of;

  always_ff @(posedge clk) begin
    if (!rst_n) behind <= '1;
    else if (turn && request != '0) behind <= ~(winner | (winner - N'(1)));
  end
endmodule
