# Instruction-set flags go to *_avx2.cpp and *_avx512.cpp alone; everything else is baseline x86-64.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag("-mavx2 -mfma" SPIKENM_HAS_AVX2_FLAGS)
check_cxx_compiler_flag("-mavx512f -mavx512dq -mavx512bw -mavx512vl" SPIKENM_HAS_AVX512_FLAGS)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND SPIKENM_HAS_AVX2_FLAGS AND SPIKENM_HAS_AVX512_FLAGS)
  set(SPIKENM_X86 ON)
else()
  set(SPIKENM_X86 OFF)
endif()

# Contraction is off in every kernel: masks must be the same bits on every device, so that an fma is
# one only where the source says so.
function(spikenm_isa_flags)
  foreach(file IN LISTS ARGN)
    set(flags -ffp-contract=off)
    if(file MATCHES "_avx2\\.cpp$")
      list(APPEND flags -mavx2 -mfma)
    elseif(file MATCHES "_avx512\\.cpp$")
      list(APPEND flags -mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx2 -mfma -mprefer-vector-width=512)
    endif()
    set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${flags}")
  endforeach()
endfunction()
