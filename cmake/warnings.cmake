# One interface target carries the warning set, the sanitizers and the assertion switch.
add_library(spikenm_flags INTERFACE)
target_compile_options(spikenm_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wno-unknown-pragmas
    -Wno-missing-field-initializers>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  # GCC 13 sees copies out of bounds inside fmt's headers that are none.
  target_compile_options(spikenm_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds -Wno-stringop-overflow>)
endif()
if(SPIKENM_WERROR)
  target_compile_options(spikenm_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
if(SPIKENM_SANITIZE)
  if(SPIKENM_TRAIN)
    message(FATAL_ERROR "SPIKENM_SANITIZE=ON needs SPIKENM_TRAIN=OFF: torch is not built with sanitizers")
  endif()
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=address,undefined)
endif()
if(SPIKENM_ASSERTIONS)
  target_compile_definitions(spikenm_flags INTERFACE SPIKENM_ASSERTIONS=1)
endif()
install(TARGETS spikenm_flags EXPORT spikenm-targets)
