# Builds target.c with onyx's dispatcher: make -f target.mk ONYX=HOME FOLDER=out/firmware
# HOME has firmware/ and boards/ ("onyx doctor --json", member home); FOLDER is of "onyx run" or "onyx firmware".
GCC = arm-none-eabi-gcc
HERE := $(dir $(lastword $(MAKEFILE_LIST)))
OWN = 
DISPATCHER = firmware mailbox platform image configure streams dispatch functions lists entries bf16

target.elf: $(HERE)target.c $(FOLDER)/app_tables.c
	$(GCC) -mcpu=cortex-m3 -mthumb -std=gnu11 -O2 -g -ffreestanding -nostdlib -fno-tree-loop-distribute-patterns \
	    -ffunction-sections -fdata-sections -Wl,--gc-sections $(OWN) -I$(FOLDER) -I$(ONYX) -L$(FOLDER) \
	    -T $(ONYX)/firmware/target/onyx.ld -Wl,-e,0 -o $@ $(HERE)target.c $(FOLDER)/app_tables.c $(FOLDER)/app_bitstream.c \
	    $(DISPATCHER:%=$(ONYX)/firmware/target/%.c)
