# One interface target carries the warning set, the sanitizers and the assertion switch.
add_library(spikenm_flags INTERFACE)
target_compile_options(spikenm_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wno-unknown-pragmas
    -Wno-missing-field-initializers>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  # GCC 13 warns of copies out of bounds inside fmt's headers where there are none.
  target_compile_options(spikenm_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds -Wno-stringop-overflow>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Looking for memory to free takes GCC a fifth of its time behind torch's headers; without it a process needs
  # up to 1.1 GB.
  target_compile_options(spikenm_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=2097152>)
endif()
if(SPIKENM_WERROR)
  target_compile_options(spikenm_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
if(SPIKENM_SANITIZE)
  if(SPIKENM_TRAIN)
    message(FATAL_ERROR "SPIKENM_SANITIZE=${SPIKENM_SANITIZE} needs SPIKENM_TRAIN=OFF: torch is not built with sanitizers")
  endif()
  if(SPIKENM_SANITIZE STREQUAL "address")
    set(sanitizers address,undefined)
  elseif(SPIKENM_SANITIZE STREQUAL "thread")
    set(sanitizers thread)
  else()
    message(FATAL_ERROR "SPIKENM_SANITIZE: found '${SPIKENM_SANITIZE}', wanted OFF, address or thread")
  endif()
  add_compile_options(-fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${sanitizers})
endif()
if(SPIKENM_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(SPIKENM_ASSERTIONS)
  target_compile_definitions(spikenm_flags INTERFACE SPIKENM_ASSERTIONS=1)
endif()
install(TARGETS spikenm_flags EXPORT spikenm-targets)
