# SystemC as SystemC::systemc: the library's own CMake package if there is one, else pkg-config.
#
# Debian builds SystemC 2.3.4 as C++17, and the library refuses to link with code that says it is newer;
# SC_CPLUSPLUS tells its headers which language the library was built with.
include(FindPackageHandleStandardArgs)

find_package(SystemCLanguage CONFIG QUIET NO_CMAKE_PACKAGE_REGISTRY)
if(SystemCLanguage_FOUND)
  set(SystemC_VERSION "${SystemCLanguage_VERSION}")
  set(SystemC_LIBRARY SystemC::systemc)
else()
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(PC_SystemC QUIET IMPORTED_TARGET systemc)
  endif()
  if(TARGET PkgConfig::PC_SystemC AND NOT TARGET SystemC::systemc)
    add_library(SystemC::systemc INTERFACE IMPORTED)
    target_link_libraries(SystemC::systemc INTERFACE PkgConfig::PC_SystemC)
    target_compile_definitions(SystemC::systemc INTERFACE SC_CPLUSPLUS=201703L)
    set(SystemC_VERSION "${PC_SystemC_VERSION}")
    set(SystemC_LIBRARY PkgConfig::PC_SystemC)
  endif()
endif()

find_package_handle_standard_args(SystemC REQUIRED_VARS SystemC_LIBRARY VERSION_VAR SystemC_VERSION)
