# Writes the commit of the sources into a file of one line, and only where it is another one than before.
# cmake -DSOURCE=DIR -DTO=FILE -P commit.cmake
set(commit unknown)
# Without .git of their own the sources may lie in somebody else's repository.
if(EXISTS "${SOURCE}/.git")
  execute_process(COMMAND git --no-optional-locks -C "${SOURCE}" describe --always --dirty=+ --abbrev=40 --exclude=*
    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0 AND found MATCHES "^[0-9a-f]+[+]?$")
    set(commit ${found})
  endif()
endif()
file(CONFIGURE OUTPUT "${TO}" CONTENT "#define SPIKENM_COMMIT \"@commit@\"\n" @ONLY)
