/* dense_fabric.h - the words and registers of dense programs as dense/ reads them, for onyx-cosim. */
#ifndef ONYX_CLI_MODELS_DENSE_FABRIC_H
#define ONYX_CLI_MODELS_DENSE_FABRIC_H

#include "rtl_models/soc/dense_fabric.h"

/* The board outlives the result. */
dense_fabric cli_dense_fabric(const pnr_board *board);

#endif
