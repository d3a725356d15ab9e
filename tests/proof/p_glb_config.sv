// onyx_glb_config: a start sends its words, as many as it says, from its address on, each in the second cycle behind
// its grant, at the outputs whose multiplexer says so; no word is lost or sent twice while the banks grant late.
//
// mutate: onyx_glb_config
// cells: onyx_glb_config
// with: first_reset
// broken: onyx_glb_config s/left_q == 19'd1/left_q == 19'd513/
// broken: onyx_glb_config s/addr_o + 18'd8/{addr_o[17:12], addr_o[11:0] + 12'd8}/
// broken: onyx_glb_config s/south_valid_o <= (south_mux_i == 2'd1)/south_valid_o <= south_mux_i[0]/
// broken: onyx_glb_config s/if (!hold_i)/if (1'b1)/
`include "proof.svh"
module p_glb_config (
    input  logic        clk_i, rst_ni, start_i, grant_i, hold_i, west_valid_i,
    input  logic [17:0] start_addr_i,
    input  logic [18:0] words_i,
    input  logic [63:0] line_i,
    input  logic [ 1:0] south_mux_i, east_mux_i,
    input  logic [31:0] west_addr_i, west_data_i,
    output logic [150:0] seen_o
);
  logic live, rst_n;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(live), .rst_no(rst_n));
  logic done, busy, read;
  logic [17:0] addr;
  logic [1:0] valid;  // east, south
  logic [127:0] word;
  onyx_glb_config u_config (
      .clk_i, .rst_ni(rst_n), .start_i, .start_addr_i, .words_i, .done_o(done), .busy_o(busy), .read_o(read),
      .addr_o(addr), .grant_i(grant_i & read), .line_i, .hold_i, .south_mux_i, .east_mux_i,
      .west_valid_i, .west_addr_i, .west_data_i,
      .south_valid_o(valid[0]), .south_addr_o(word[63:32]), .south_data_o(word[31:0]),
      .east_valid_o(valid[1]), .east_addr_o(word[127:96]), .east_data_o(word[95:64])
  );

  // Words to come of the run, where the next is, whether a line comes, the done pulse's cycles to come.
  logic [18:0] left_q;
  logic [17:0] addr_q;
  logic comes_q;
  logic [2:0] done_q;
  logic [1:0] valid_q;
  logic [127:0] word_q;
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      left_q  <= 19'd0;
      addr_q  <= 18'd0;
      comes_q <= 1'b0;
      done_q  <= 3'd0;
      valid_q <= 2'd0;
      word_q  <= 128'd0;
    end else begin
      comes_q <= read & grant_i;
      done_q  <= (comes_q && left_q == 19'd0) ? 3'd5 : (done_q != 3'd0) ? done_q - 3'd1 : 3'd0;
      if (start_i && words_i != 19'd0) begin
        left_q <= words_i;
        addr_q <= start_addr_i;
      end else if (read && grant_i) begin
        left_q <= left_q - 19'd1;
        addr_q <= addr_q + 18'd8;
      end
      for (int o = 0; o < 2; o++) begin
        if (!hold_i) begin
          case (o == 1 ? east_mux_i : south_mux_i)
            2'd1: begin
              valid_q[o]        <= comes_q;
              word_q[64*o+:64] <= line_i;
            end
            2'd2: begin
              valid_q[o]        <= west_valid_i;
              word_q[64*o+:64] <= {west_addr_i, west_data_i};
            end
            default: begin
              valid_q[o]        <= 1'b0;
              word_q[64*o+:64] <= {west_addr_i, west_data_i};
            end
          endcase
        end
      end
    end
  end

  always_comb begin
    if (rst_n) begin
      `PROVE(reads_all, read == (left_q != 19'd0))
      `PROVE(address, !read || addr == addr_q)
      `PROVE(sends, valid == valid_q)
      `PROVE(words, (!valid[0] || word[63:0] == word_q[63:0]) && (!valid[1] || word[127:64] == word_q[127:64]))
      `PROVE(done_behind_the_last, done == (done_q != 3'd0))
      `PROVE(clocked, busy == (read || comes_q || done || valid != 2'd0))
      `REACH(sends_both_ways, valid == 2'd3 && word[63:0] != word[127:64])
      `REACH(ends, done && valid[0])
      `REACH(grant_is_late, read && !grant_i && valid[0])
    end
  end
  assign seen_o = {done, busy, read, addr & {18{read}}, valid, word[63:0] & {64{valid[0]}}, word[127:64] & {64{valid[1]}}};
endmodule
