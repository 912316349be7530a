# `cmake --install`: the program, the library as the CMake package `trnsim`, presets, schemas, documents.
include(CMakePackageConfigHelpers)

install(TARGETS trnsim_core EXPORT trnsimTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET trnsim)
  install(TARGETS trnsim RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY include/trnsim DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/trnsim)
install(EXPORT trnsimTargets NAMESPACE trnsim:: DESTINATION ${package_dir})
configure_package_config_file(cmake/trnsimConfig.cmake.in ${PROJECT_BINARY_DIR}/trnsimConfig.cmake INSTALL_DESTINATION ${package_dir}
                              PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/trnsimConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/trnsimConfig.cmake ${PROJECT_BINARY_DIR}/trnsimConfigVersion.cmake cmake/FindSystemC.cmake
        DESTINATION ${package_dir})

foreach(folder configs docs/schemas)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${folder})
    install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_DATADIR}/trnsim)
  endif()
endforeach()
install(DIRECTORY python/trnsim_nki DESTINATION ${CMAKE_INSTALL_DATADIR}/trnsim/python FILES_MATCHING PATTERN "*.py")
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "schemas" EXCLUDE)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
