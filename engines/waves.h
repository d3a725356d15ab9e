/* waves.h - readable names for waveforms. */
#ifndef ONYX_ENGINES_WAVES_H
#define ONYX_ENGINES_WAVES_H

#include "engines/engine.h"

/* Write FOLDER/channels.json, the channels whose waves onyx-cosim writes; FOLDER/waves.gtkw and tokens.txt,
 * which show the wires of the netlist of engine rtl in GTKWave. */
bool compile_write_channels(const compile_engine_in *in);
bool compile_write_netlist_waves(const pnr_design *d, const char *folder, compile_context *ctx);

#endif
