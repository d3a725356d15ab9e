/* cosim_interface.h - the number of onyx-cosim's interface: its options, back door, statistics and faults.
 * Each change that a caller notices makes the number larger. */
#ifndef ONYX_FIRMWARE_COSIM_INTERFACE_H
#define ONYX_FIRMWARE_COSIM_INTERFACE_H

#define COSIM_INTERFACE "interface 2" /* a request at the back door, answered by "ok" */

#endif
