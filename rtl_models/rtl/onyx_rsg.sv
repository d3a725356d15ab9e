// Repeat signal generator: every data token becomes a data token 1; stops, maybes and done pass.
//
// Handshake: made to stand between FIFOs; out valid does not depend on out ready. One token a cycle, one
// cycle lost at each change between data and control tokens and two after done, as on the chip.
module onyx_rsg (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  onyx_pkg::stream_t base_i, output logic base_ready_o,
    output onyx_pkg::stream_t repsig_o, input  logic repsig_ready_i,
    output logic        stir_o  // a register may change at the edge though no word moves at a port
);
  typedef enum logic [1:0] {StStart = 2'd0,
    StData = 2'd1,
    StControl = 2'd2,
    StDone = 2'd3} state_e;

  state_e state_q, state_d;

  logic control, done;
  assign control = base_i.data[16];
  assign done    = control & (base_i.data[9:8] == 2'd1);

  assign repsig_o.data  = control ? base_i.data : 17'd1;
  assign repsig_o.valid = base_i.valid & (control ? (state_q == StControl) : (state_q == StData));
  assign base_ready_o   = repsig_o.valid & repsig_ready_i;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StStart:   state_d = StData;
      StData:    if (base_i.valid && control) state_d = StControl;
      StControl: begin
        if (base_i.valid && !control) state_d = StData;
        else if (base_ready_o && done) state_d = StDone;
      end
      default:   state_d = StStart;
    endcase
  end

  assign stir_o = (state_d != state_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StStart;
    else if (en_i) state_q <= flush_i ? StStart : state_d;
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(TakesWhatItSends, !base_ready_o || (base_i.valid && repsig_ready_i),
      "a token is taken in the cycle in which its signal leaves")
endmodule
