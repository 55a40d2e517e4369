/* Numbers of unwind and exception tables, for those who write and those who read them. */
#ifndef ELF_WRITE_CFI_H
#define ELF_WRITE_CFI_H

/* Call frame instructions (DWARF 5 table 7.29; the GNU ones are binutils'). The last three have an operand in their
 * other six bits. */
enum cfa {
    CFA_NOP = 0x00,
    CFA_SET_LOC = 0x01,
    CFA_ADVANCE_LOC1 = 0x02,
    CFA_ADVANCE_LOC2 = 0x03,
    CFA_ADVANCE_LOC4 = 0x04,
    CFA_OFFSET_EXTENDED = 0x05,
    CFA_RESTORE_EXTENDED = 0x06,
    CFA_UNDEFINED = 0x07,
    CFA_SAME_VALUE = 0x08,
    CFA_REGISTER = 0x09,
    CFA_REMEMBER_STATE = 0x0a,
    CFA_RESTORE_STATE = 0x0b,
    CFA_DEF_CFA = 0x0c,
    CFA_DEF_CFA_REGISTER = 0x0d,
    CFA_DEF_CFA_OFFSET = 0x0e,
    CFA_DEF_CFA_EXPRESSION = 0x0f,
    CFA_EXPRESSION = 0x10,
    CFA_OFFSET_EXTENDED_SF = 0x11,
    CFA_DEF_CFA_SF = 0x12,
    CFA_DEF_CFA_OFFSET_SF = 0x13,
    CFA_VAL_OFFSET = 0x14,
    CFA_VAL_OFFSET_SF = 0x15,
    CFA_VAL_EXPRESSION = 0x16,
    CFA_GNU_WINDOW_SAVE = 0x2d,
    CFA_GNU_ARGS_SIZE = 0x2e,
    CFA_ADVANCE_LOC = 0x40,
    CFA_OFFSET = 0x80,
    CFA_RESTORE = 0xc0,
};

/* How an address is encoded (LSB core 5.0, 10.5.1): its size, and what it is relative to. Indirect: it leads to a word
 * that holds the address. */
enum pointer_encoding {
    PE_ABSPTR = 0x00,
    PE_ULEB128 = 0x01,
    PE_UDATA4 = 0x03,
    PE_PCREL_SDATA4 = 0x1b,
    PE_DATAREL_SDATA4 = 0x3b,
    PE_INDIRECT_PCREL_SDATA4 = 0x9b,
    PE_OMIT = 0xff, /* there is none */
};

/* Numbers of registers (x86-64 psABI figure 3.36). */
enum { CFI_RBP = 6, CFI_RSP = 7, CFI_RETURN = 16 };

#endif
