# The compiler, the linker and the loader limit what a memory error can do. All targets have the same flags: a
# precompiled header serves only files that are compiled alike.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-fcf-protection SPIKENM_HAS_CF_PROTECTION)  # x86 alone
set(harden_flags -fstack-protector-strong)
if(SPIKENM_HAS_CF_PROTECTION)
  list(APPEND harden_flags -fcf-protection)
endif()
foreach(flag IN LISTS harden_flags)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:${flag}> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${flag}>)
endforeach()
# Of use only to code that is optimised; under the sanitizers it would hide what they look for.
if(NOT SPIKENM_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-U_FORTIFY_SOURCE> $<$<COMPILE_LANGUAGE:CXX>:-D_FORTIFY_SOURCE=2>)
endif()
add_link_options(LINKER:-z,relro LINKER:-z,now)

# A program that is installed would get an RPATH that ends in a separator, to be edited later: an empty element, which
# means the current folder. Built with the RPATH it is installed with, it gets none.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
