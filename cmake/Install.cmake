# What `cmake --install` puts where. Also the man pages, which help2man makes
# from each program's --help.

get_property(programs GLOBAL PROPERTY PYELFGEN_PROGRAMS)
install(TARGETS ${programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS pyelf-memory pyelf-load RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/pyelfgen)
install(TARGETS pyelflog LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/pyelfgen)
if(TARGET pyelfgen-mpi)
  install(TARGETS pyelfgen-mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/pyelfgen)
endif()
if(PYELFGEN_HAVE_DRIVER)
  install(TARGETS pyelfrun_runtime LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP)
  install(TARGETS pyelf-vanilla pyelfaudit
    RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/pyelfgen
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/pyelfgen)
endif()
install(DIRECTORY profiles/ DESTINATION ${CMAKE_INSTALL_DATADIR}/pyelfgen/profiles OPTIONAL
  FILES_MATCHING PATTERN "*.prof")
# bash-completion looks for a file with the program's name.
foreach(program IN LISTS programs)
  install(FILES tools/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ${program})
endforeach()
# Installed as in the source tree, so that links between the pages hold.
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
  FILES_MATCHING PATTERN "*.md" PATTERN "*.sbatch" PATTERN "*.schema.json" PATTERN man EXCLUDE)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# What the pages have users run or read.
install(FILES tests/mpi.env DESTINATION ${CMAKE_INSTALL_DOCDIR}/tests)
install(PROGRAMS tests/pynamic.sh tests/slurm.sh DESTINATION ${CMAKE_INSTALL_DOCDIR}/tests)

find_program(HELP2MAN help2man)
mark_as_advanced(HELP2MAN)
if(HELP2MAN AND NOT PYELFGEN_SANITIZE AND NOT PYELFGEN_FUZZ AND NOT CMAKE_CROSSCOMPILING)
  foreach(program IN LISTS programs)
    set(page ${PROJECT_BINARY_DIR}/man/${program}.1)
    set(include ${PROJECT_SOURCE_DIR}/docs/man/${program}.h2m)
    add_custom_command(
      OUTPUT ${page}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/man
      COMMAND ${HELP2MAN} --no-info --section=1 --include=${include} --output=${page} ./${program}
      # help2man does not know these sections.
      COMMAND sed -i
        -e "s/^\\.SS \"Exit status:\"/.SH \"EXIT STATUS\"/"
        -e "s/^License MIT/.SH COPYRIGHT\\n&/" ${page}
      DEPENDS ${program} ${include}
      # help2man passes the name unquoted to a shell, so it is given without the path of the directory.
      WORKING_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
      COMMENT "Making the man page of ${program}"
      VERBATIM)
    list(APPEND pages ${page})
  endforeach()
  add_custom_target(man ALL DEPENDS ${pages})
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
elseif(NOT HELP2MAN)
  message(STATUS "man pages are left out: no help2man; install the Debian package help2man")
endif()
