// The counters of a loop nest. Loop i counts range + 2 times; loop 0 has the highest bits.
//
// Contract: a step goes on to the next iteration: loop_o is the first of the dim_i loops not at its end; this loop
// counts, and all inner loops restart. last_o: all are at their ends; a step restarts the nest. clear_i goes before
// step_i.
module onyx_dense_loops #(
    parameter int unsigned Loops = 6,
    parameter int unsigned RangeWidth = 11
) (
    input  logic clk_i, rst_ni, en_i, clear_i, step_i,
    input  logic [                 3:0] dim_i,
    input  logic [Loops*RangeWidth-1:0] range_i,
    output logic [                 3:0] loop_o,
    output logic                        last_o
);
  if (Loops < 1 || Loops > 8) $error("Loops must be 1 to 8");

  logic [Loops*(RangeWidth+1)-1:0] count_q, count_d;
  logic [Loops-1:0] at_end;

  always_comb begin
    for (int i = 0; i < Loops; i++) begin
      at_end[i] = !(count_q[i*(RangeWidth+1)+:RangeWidth+1] <
                    {1'b0, range_i[(Loops-1-i)*RangeWidth+:RangeWidth]} + (RangeWidth + 1)'(1));
    end
    loop_o = 4'd8;
    for (int i = Loops - 1; i >= 0; i--) begin
      if (4'(i) < dim_i && !at_end[i]) loop_o = 4'(i);
    end
  end
  assign last_o = loop_o == 4'd8;

  always_comb begin
    count_d = count_q;
    for (int i = 0; i < Loops; i++) begin
      if (clear_i || (step_i && 4'(i) < loop_o)) count_d[i*(RangeWidth+1)+:RangeWidth+1] = '0;
      else if (step_i && 4'(i) == loop_o) begin
        count_d[i*(RangeWidth+1)+:RangeWidth+1] = count_q[i*(RangeWidth+1)+:RangeWidth+1] + (RangeWidth + 1)'(1);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else if (en_i) count_q <= count_d;
  end
endmodule
