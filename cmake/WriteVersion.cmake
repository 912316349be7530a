# Writes OUTPUT, a header with the version, the commit of SOURCE_DIR and the SystemC version; touches it
# only when they change. Run at every build, so that the commit is never that of an earlier build.
set(commit unknown)
find_package(Git QUIET)
if(GIT_EXECUTABLE AND EXISTS "${SOURCE_DIR}/.git")
  # The clone may belong to another user than the one who builds, as in containers.
  set(git ${GIT_EXECUTABLE} -c safe.directory=* -C ${SOURCE_DIR})
  execute_process(COMMAND ${git} rev-parse --short=12 HEAD OUTPUT_VARIABLE head RESULT_VARIABLE status
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(status EQUAL 0)
    execute_process(COMMAND ${git} diff-index --quiet HEAD -- RESULT_VARIABLE changed ERROR_QUIET)
    set(commit "${head}")
    if(NOT changed EQUAL 0)
      string(APPEND commit "-dirty")
    endif()
  endif()
endif()

file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[// Made by cmake/WriteVersion.cmake.
#pragma once

#include <string_view>

namespace trnsim::version_info {

inline constexpr std::string_view kVersion = "@VERSION@";
inline constexpr std::string_view kCommit = "@commit@";
inline constexpr std::string_view kSystemC = "@SYSTEMC_VERSION@";

}  // namespace trnsim::version_info
]])
