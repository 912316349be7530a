# cmake -DNPM=… -DSOURCE=web -DFOLDER=… [-DALL=ON] -P install_packages.cmake: installs what the lock file
# names into FOLDER/node_modules, with ALL what the tests need too, and leaves FOLDER/installed behind.
# Two builds at once wait for each other; the second finds the work done.
file(MAKE_DIRECTORY ${FOLDER})
file(LOCK ${FOLDER}/lock TIMEOUT 900)
file(SHA256 ${SOURCE}/package-lock.json wanted)
set(wanted "${wanted} ${ALL}")
if(EXISTS ${FOLDER}/installed)
  file(READ ${FOLDER}/installed present)
  if(present STREQUAL wanted)
    file(TOUCH ${FOLDER}/installed)
    return()
  endif()
endif()

file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json DESTINATION ${FOLDER})
# npm keeps a cache at home; a user without a home has it here.
if(NOT IS_DIRECTORY "$ENV{HOME}")
  set(ENV{npm_config_cache} ${FOLDER}/cache)
endif()
set(omitted --omit=dev)
if(ALL)
  set(omitted)
endif()
execute_process(COMMAND ${NPM} ci ${omitted} --no-audit --no-fund --no-update-notifier --ignore-scripts --loglevel=error
                WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE status OUTPUT_QUIET)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "npm ci failed: the report page needs the packages of web/package-lock.json. "
                      "Where no npm registry can be reached, configure with -DTRNSIM_PAGE=OFF")
endif()
file(WRITE ${FOLDER}/installed "${wanted}")
