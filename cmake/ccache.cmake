# A second build compiles only what changed; the sloppiness is what a precompiled header needs.
find_program(SPIKENM_CCACHE ccache)
if(SPIKENM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${SPIKENM_CCACHE})
endif()
