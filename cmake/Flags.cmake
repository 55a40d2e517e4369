# The target `flags` has the compiler's and the linker's flags for our own code.
# The sanitizers' flags are in both, which have to agree.

add_library(flags INTERFACE)
target_compile_definitions(flags INTERFACE _GNU_SOURCE)
target_compile_options(flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -fstack-protector-strong
  -ffp-contract=off # doubles decide about bytes, and are to be the same with any compiler and -march
  -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=) # asserts name files as the project does, wherever it is built
if(PYELFGEN_WERROR)
  target_compile_options(flags INTERFACE -Werror)
endif()
target_link_options(flags INTERFACE -Wl,-z,relro,-z,now)

if(PYELFGEN_FUZZ AND NOT CMAKE_C_COMPILER_ID MATCHES Clang)
  message(FATAL_ERROR "PYELFGEN_FUZZ needs clang; install the Debian packages clang and libclang-rt-14-dev, or use cmake --preset fuzz")
endif()
if(PYELFGEN_SANITIZE OR PYELFGEN_FUZZ)
  set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # In instrumented code gcc wrongly sees uses of values that were not set.
  target_compile_options(flags INTERFACE ${sanitizers} -Wno-maybe-uninitialized)
  target_link_options(flags INTERFACE ${sanitizers})
endif()
if(PYELFGEN_SANITIZE_THREADS)
  target_compile_options(flags INTERFACE -fsanitize=thread -Wno-maybe-uninitialized)
  target_link_options(flags INTERFACE -fsanitize=thread)
endif()
if(PYELFGEN_FUZZ)
  target_compile_options(flags INTERFACE -fsanitize=fuzzer-no-link -Wno-unknown-warning-option)
endif()
# _FORTIFY_SOURCE is for optimised builds without sanitizers: it replaces
# functions that these watch. Some compilers define it themselves, hence -U.
set(optimised $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)
if(NOT PYELFGEN_SANITIZE AND NOT PYELFGEN_SANITIZE_THREADS AND NOT PYELFGEN_FUZZ)
  target_compile_options(flags INTERFACE $<${optimised}:-U_FORTIFY_SOURCE> $<${optimised}:-D_FORTIFY_SOURCE=2>)
endif()
