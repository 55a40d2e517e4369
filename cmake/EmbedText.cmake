# cmake -DINPUT=FILE -DOUTPUT=FILE.c -DSYMBOL=NAME -DHEADER=HEADER -P EmbedText.cmake
#
# Writes a C file that includes HEADER and defines `const char NAME[]`, the bytes
# of INPUT and a terminating zero, and `const size_t NAME_size`, the number of
# bytes without the zero.

file(READ ${INPUT} bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
string(REGEX REPLACE "('.....,'.....,'.....,'.....,'.....,'.....,'.....,'.....,)" "\\1\n" bytes "${bytes}")
get_filename_component(name ${INPUT} NAME)
file(WRITE ${OUTPUT}
"/* Made from ${name} by EmbedText.cmake. */
#include \"${HEADER}\"

const char ${SYMBOL}[] = {
${bytes}
0};
const size_t ${SYMBOL}_size = ${size};
")
