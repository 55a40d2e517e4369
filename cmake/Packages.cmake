# The packages that we need, and the Debian package of each. All missing ones
# are reported at once, in one line that says what to install.

set(missing "")

find_package(PkgConfig QUIET)
if(NOT PKG_CONFIG_FOUND)
  message(FATAL_ERROR "pkg-config is missing; install the Debian package pkg-config, or run ./dev install-packages")
endif()

# Finds a pkg-config module as the target PkgConfig::${name}, or adds the Debian
# package to `missing`.
macro(need name module debian)
  pkg_check_modules(${name} QUIET IMPORTED_TARGET ${module})
  if(NOT ${name}_FOUND)
    list(APPEND missing ${debian})
  endif()
endmacro()

# Does the same for a library without a pkg-config module, which becomes the
# target `target`, with the directory of its header.
macro(need_plain name target library header debian)
  find_library(${name}_LIBRARY ${library})
  find_path(${name}_INCLUDE_DIR ${header})
  mark_as_advanced(${name}_LIBRARY ${name}_INCLUDE_DIR)
  if(${name}_LIBRARY AND ${name}_INCLUDE_DIR)
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${${name}_LIBRARY})
    target_include_directories(${target} SYSTEM INTERFACE ${${name}_INCLUDE_DIR})
  else()
    list(APPEND missing ${debian})
  endif()
endmacro()

need(LIBELF libelf libelf-dev)
need(LIBCYAML libcyaml libcyaml-dev)
need(YAML yaml-0.1 libyaml-dev)
need(JSON_C json-c libjson-c-dev)
need(XXHASH libxxhash libxxhash-dev)
need(ZLIB zlib zlib1g-dev)
need(ZSTD libzstd libzstd-dev)
need(LIBDEFLATE libdeflate libdeflate-dev)
# Debian's libdwarf, libiberty (which demangles names) and Zydis have no
# pkg-config modules. libdwarf and elfutils each have a <dwarf.h> of their own:
# both are included by their folder, and never linked together.
need_plain(LIBDWARF libdwarf dwarf libdwarf/libdwarf.h libdwarf-dev)
need_plain(LIBIBERTY libiberty iberty libiberty/demangle.h libiberty-dev)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

if(BUILD_TESTING)
  need(CMOCKA cmocka libcmocka-dev)
  need_plain(ZYDIS zydis Zydis Zydis/Zydis.h libzydis-dev)
endif()

if(missing)
  string(REPLACE ";" " " missing "${missing}")
  # The space at the front keeps CMake from folding the line.
  message(FATAL_ERROR " missing Debian packages: ${missing} (sudo apt-get install ${missing}, or ./dev install-packages)")
endif()

# MPI, Python and libpng are optional, because the generator is of use without
# the driver. If one is absent, a message says what is left out.
pkg_check_modules(PYTHON QUIET IMPORTED_TARGET python3-embed)
find_package(MPI QUIET COMPONENTS C)
# Executables of sets are linked with the library for embedding Python.
# PYELFGEN_LIBPYTHON is its SONAME: the name of the file that libpython3*.so
# leads to.
if(PYTHON_FOUND)
  list(FILTER PYTHON_LINK_LIBRARIES INCLUDE REGEX "/libpython3[^/]*\\.so$")
  if(PYTHON_LINK_LIBRARIES)
    list(GET PYTHON_LINK_LIBRARIES 0 libpython)
    get_filename_component(libpython ${libpython} REALPATH)
    get_filename_component(PYELFGEN_LIBPYTHON ${libpython} NAME)
  endif()
endif()
pkg_check_modules(PNG QUIET libpng)
set(PYELFGEN_HAVE_DRIVER ON)
if(NOT PYTHON_FOUND)
  set(PYELFGEN_HAVE_DRIVER OFF)
  message(STATUS "pyelfrun is left out: no embeddable Python 3; install the Debian package libpython3-dev")
endif()
if(NOT PNG_FOUND)
  set(PYELFGEN_HAVE_DRIVER OFF)
  message(STATUS "pyelfrun is left out: no libpng; install the Debian package libpng-dev")
endif()
if(NOT MPI_C_FOUND)
  set(PYELFGEN_HAVE_DRIVER OFF)
  message(STATUS "pyelfrun, and sharing the work of pyelfgen over ranks, are left out: no MPI; install the Debian package libopenmpi-dev")
endif()

# pyelfmount needs FUSE.
pkg_check_modules(FUSE3 QUIET IMPORTED_TARGET fuse3)
if(NOT FUSE3_FOUND)
  message(STATUS "pyelfmount is left out: no libfuse 3; install the Debian package libfuse3-dev")
endif()

# PAPI adds counters to those that pyelfrun has without it. Only its headers are
# needed here, because it is loaded when pyelfrun runs.
include(CheckIncludeFile)
check_include_file(papi.h PYELFGEN_HAVE_PAPI)
check_include_file(sde_lib.h PYELFGEN_HAVE_SDE) # from PAPI 7.0 on
if(NOT PYELFGEN_HAVE_PAPI OR NOT PYELFGEN_HAVE_SDE)
  message(STATUS "PAPI or its software-defined events are left out: install the Debian package libpapi-dev")
endif()
