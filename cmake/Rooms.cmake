# Rooms and programs, and which may include what (docs/architecture.md).
#
# Every folder is a room: a static library that sees only the rooms it names. A
# folder of a folder is a room of its own, called by its path (emit/plan). What
# remains of the outer one sees all of it, and so do those that see the outer one;
# they link only what they name. Includes are written from the top
# ("elf/read/sizes.h"). Each target has its own include directory, with symbolic
# links to the folders that it may include from. So an include in the wrong
# direction finds no file.

# Sets `out` to the targets of rooms.
function(room_targets out)
  list(TRANSFORM ARGN REPLACE "/" "_")
  list(TRANSFORM ARGN PREPEND room_)
  set(${out} ${ARGN} PARENT_SCOPE)
endfunction()

# Removes from `folder` the symbolic links that are none of those which follow.
function(forget_links folder)
  file(GLOB links RELATIVE ${folder} ${folder}/*)
  foreach(link IN LISTS links)
    if(IS_SYMLINK ${folder}/${link} AND NOT link IN_LIST ARGN)
      file(REMOVE ${folder}/${link})
    endif()
  endforeach()
endfunction()

# Lets `target` see the folders of the rooms that follow, and no others. Its
# include directory is include/${name} of the build directory.
function(see_rooms target name)
  string(REPLACE "/" "_" name ${name})
  set(view ${PROJECT_BINARY_DIR}/include/${name})
  set(folders ${ARGN})
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    list(FILTER folders EXCLUDE REGEX "^${folder}/") # within what is seen as a whole
  endforeach()
  set(outer ${folders})
  list(FILTER outer EXCLUDE REGEX "/")
  forget_links(${view} ${outer})
  foreach(folder IN LISTS outer)
    if(IS_DIRECTORY ${view}/${folder} AND NOT IS_SYMLINK ${view}/${folder}) # of links to a part of it
      forget_links(${view}/${folder})
      file(REMOVE_RECURSE ${view}/${folder})
    endif()
  endforeach()
  file(GLOB parts RELATIVE ${view} ${view}/*)
  foreach(part IN LISTS parts)
    if(NOT IS_SYMLINK ${view}/${part})
      set(inner ${folders})
      list(FILTER inner INCLUDE REGEX "^${part}/")
      list(TRANSFORM inner REPLACE "^${part}/" "")
      forget_links(${view}/${part} ${inner})
    endif()
  endforeach()
  foreach(folder IN LISTS folders)
    if(NOT IS_SYMLINK ${view}/${folder})
      get_filename_component(above ${view}/${folder} DIRECTORY)
      file(MAKE_DIRECTORY ${above})
      file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${view}/${folder} SYMBOLIC)
    endif()
  endforeach()
  target_include_directories(${target} PRIVATE ${view})
  target_compile_options(${target} PRIVATE -fmacro-prefix-map=${view}/=) # as in Flags.cmake, for a build elsewhere
endfunction()

# The library of the folder `name`: all its *.c but main.c and those whose names
# begin with the regular expression WITHOUT.
function(room name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "WITHOUT" "USES;LINKS")
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${name}/*.c)
  list(FILTER sources EXCLUDE REGEX "/main\\.c$")
  if(arg_WITHOUT)
    list(FILTER sources EXCLUDE REGEX "/${arg_WITHOUT}[^/]*$")
  endif()
  room_targets(target ${name})
  room_targets(below ${arg_USES})
  add_library(${target} STATIC ${sources})
  # the names libelf.a and libdwarf.a are taken
  string(REPLACE "room_" "pyelfgen_" library ${target})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${library})
  target_link_libraries(${target} PUBLIC ${below} ${arg_LINKS} PRIVATE flags)
  see_rooms(${target} ${name} ${name} ${arg_USES})
endfunction()

# A program from SOURCES, or from all *.c of a FOLDER that is no room, which then
# may include from it. It sees and links the rooms that it USES.
function(program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLDER" "USES;SOURCES;LINKS")
  set(sources ${arg_SOURCES})
  if(arg_FOLDER)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${arg_FOLDER}/*.c)
  endif()
  add_executable(${name} ${sources})
  room_targets(rooms ${arg_USES})
  target_link_libraries(${name} PRIVATE flags ${arg_LINKS} ${rooms})
  see_rooms(${name} ${name} ${arg_FOLDER} ${arg_USES})
  set_property(GLOBAL APPEND PROPERTY PYELFGEN_PROGRAMS ${name})
endfunction()

# libexec_program(name source ROOM...): a program that other programs execute. It
# sees and links the rooms.
function(libexec_program name source)
  room_targets(rooms ${ARGN})
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE flags ${rooms})
  see_rooms(${name} ${name} ${ARGN})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/libexec/pyelfgen)
endfunction()

# The library libpyelfrun.so.0, which exports only what cmake/runtime.map names,
# and the program pyelf-vanilla, which only calls the library's `main`. The room
# driver/launch gets the paths from the programs' directory to both.
function(runtime_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "USES;SOURCES")
  room_targets(rooms ${arg_USES})
  list(TRANSFORM arg_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
  set(map ${PROJECT_SOURCE_DIR}/cmake/runtime.map)
  add_library(${name} SHARED ${sources})
  set_target_properties(${name} PROPERTIES
    OUTPUT_NAME pyelfrun SOVERSION 0 VERSION ${PROJECT_VERSION} LINK_DEPENDS ${map})
  target_link_libraries(${name} PRIVATE flags ${rooms})
  target_link_options(${name} PRIVATE -Wl,--version-script=${map} -Wl,--as-needed)
  see_rooms(${name} ${name} ${arg_USES})

  set(libexec ${CMAKE_INSTALL_LIBEXECDIR}/pyelfgen)
  file(RELATIVE_PATH libexec_to_lib /${libexec} /${CMAKE_INSTALL_LIBDIR})
  file(RELATIVE_PATH bin_to_libexec /${CMAKE_INSTALL_BINDIR} /${libexec})
  file(RELATIVE_PATH bin_to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  add_executable(pyelf-vanilla ${PROJECT_SOURCE_DIR}/runtime/main.c)
  target_link_libraries(pyelf-vanilla PRIVATE flags ${name})
  set_target_properties(pyelf-vanilla PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/libexec/pyelfgen INSTALL_RPATH $ORIGIN/${libexec_to_lib})
  target_compile_definitions(room_driver_launch PRIVATE
    PYELFRUN_TO_LIB="${bin_to_lib}" PYELFRUN_TO_LIBEXEC="${bin_to_libexec}")

endfunction()

# A library for the dynamic linker's audit interface (rtld-audit(7)). It is loaded
# into a namespace of its own, so it needs no other library, not even a libc.
function(audit_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE" "")
  add_library(${name} MODULE ${PROJECT_SOURCE_DIR}/${arg_SOURCE})
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/libexec/pyelfgen)
  see_rooms(${name} ${name} runtime)
  target_compile_definitions(${name} PRIVATE _GNU_SOURCE)
  target_compile_options(${name} PRIVATE
    -O2 -Wall -Wextra -Wshadow -Wconversion -ffreestanding -fno-stack-protector -fno-builtin -fno-sanitize=all)
  target_link_options(${name} PRIVATE -nostdlib -Wl,-z,relro,-z,now,-z,defs)
endfunction()

# The library NAME.so in libexec, which a program opens when it needs it. It exports SYMBOL only. It sees the headers of
# the rooms it USES and is linked with none of them.
function(loaded_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE;SYMBOL" "USES;LINKS")
  set(map ${PROJECT_BINARY_DIR}/${name}.map)
  file(CONFIGURE OUTPUT ${map} CONTENT "{ global: ${arg_SYMBOL}; local: *; };\n")
  add_library(${name} MODULE ${PROJECT_SOURCE_DIR}/${arg_SOURCE})
  set_target_properties(${name} PROPERTIES
    PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/libexec/pyelfgen LINK_DEPENDS ${map})
  target_link_libraries(${name} PRIVATE flags ${arg_LINKS})
  target_link_options(${name} PRIVATE -Wl,--version-script=${map} -Wl,--as-needed)
  see_rooms(${name} ${name} ${arg_USES})
endfunction()

# Puts the text of `file` into the room `name`, as the array `symbol` (see
# emit/set/driver_py.h).
function(embed_text name file symbol)
  set(output ${PROJECT_BINARY_DIR}/${symbol}.c)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND}
      -DINPUT=${PROJECT_SOURCE_DIR}/${file} -DOUTPUT=${output} -DSYMBOL=${symbol} -DHEADER=${name}/${symbol}.h
      -P ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake
    DEPENDS ${PROJECT_SOURCE_DIR}/${file} ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake
    COMMENT "Embedding ${file}"
    VERBATIM)
  room_targets(target ${name})
  target_sources(${target} PRIVATE ${output})
endfunction()
