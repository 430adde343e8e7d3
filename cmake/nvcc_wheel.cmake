# PyPI's CUDA compiler (tools/setup nvcc) has the folders of a toolkit and two gaps: its libraries lie in lib/ while nvcc
# tells the linker lib64/, and libcudart.so.13 has no link without the number. Both are closed here, for the compiler
# in the folder `root`.
macro(spikenm_use_nvcc_wheel root)
  file(GLOB spikenm_cudart "${root}/lib/libcudart.so.*")
  list(GET spikenm_cudart 0 spikenm_cudart)
  set(CMAKE_CUDA_COMPILER "${root}/bin/nvcc" CACHE FILEPATH "CUDA compiler")
  set(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS} -L${root}/lib")
  foreach(name CUDA_CUDART CUDA_cudart_LIBRARY)  # the two names that FindCUDAToolkit has for it
    set(${name} "${spikenm_cudart}" CACHE FILEPATH "The CUDA runtime")
  endforeach()
endmacro()

# Sets `root` to the folder of such a compiler: CMAKE_CUDA_COMPILER's or CUDACXX's own when it is one, otherwise the
# first of `places`. Empty when there is none.
function(spikenm_find_nvcc_wheel root places)
  set(given "${CMAKE_CUDA_COMPILER}")
  if(NOT given)
    set(given "$ENV{CUDACXX}")
  endif()
  if(given)
    cmake_path(GET given PARENT_PATH bin)
    cmake_path(GET bin PARENT_PATH folders)
  else()
    file(GLOB folders ${places})
  endif()
  set(${root} "" PARENT_SCOPE)
  foreach(folder IN LISTS folders)
    file(GLOB cudart "${folder}/lib/libcudart.so.*")
    if(EXISTS "${folder}/bin/nvcc" AND cudart AND NOT EXISTS "${folder}/lib/libcudart.so" AND NOT EXISTS "${folder}/lib64")
      set(${root} "${folder}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()
