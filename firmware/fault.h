/* fault.h - the record that the firmware leaves of a fault, as text. */
#ifndef ONYX_FIRMWARE_FAULT_H
#define ONYX_FIRMWARE_FAULT_H

#include "firmware/protocol.h"
#include "support/diagnostics.h"

/* Adds notes of a fault's cause and of the processor's registers. */
void fw_note_fault(const fw_fault_record *r, diagnostics *d);

#endif
