# Makes the target spikenm_torch from a torch package folder (the PyPI wheel's layout).
#
# find_package(Torch) of a CUDA wheel demands a whole CUDA toolkit even to build for the CPU, so
# the target is made here: two include folders, libc10, libtorch_cpu, and rpaths to the folders the
# wheel itself uses. Order of search: SPIKENM_TORCH, the active Python's, ./.venv.
if(NOT SPIKENM_TORCH)
  find_program(SPIKENM_PYTHON NAMES python3 REQUIRED)
  execute_process(
    COMMAND ${SPIKENM_PYTHON} "${CMAKE_CURRENT_LIST_DIR}/../tools/find_torch.py"
    OUTPUT_VARIABLE SPIKENM_TORCH_FOUND OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE found)
  if(NOT found EQUAL 0)
    message(FATAL_ERROR "no torch >= 2.11 found: run 'make', which puts one into .venv, or set SPIKENM_TORCH to a torch package folder")
  endif()
  set(SPIKENM_TORCH "${SPIKENM_TORCH_FOUND}" CACHE PATH "torch package folder (holds include/ and lib/)" FORCE)
endif()
if(NOT EXISTS "${SPIKENM_TORCH}/lib/libtorch_cpu.so")
  message(FATAL_ERROR "SPIKENM_TORCH=${SPIKENM_TORCH}: found no lib/libtorch_cpu.so there; wanted the folder of a torch package")
endif()
file(STRINGS "${SPIKENM_TORCH}/version.py" version_line REGEX "^__version__")
string(REGEX MATCH "[0-9]+\\.[0-9]+(\\.[0-9]+)?" SPIKENM_TORCH_VERSION "${version_line}")
if(SPIKENM_TORCH_VERSION VERSION_LESS 2.11)
  message(FATAL_ERROR "${SPIKENM_TORCH}: found torch ${SPIKENM_TORCH_VERSION}, wanted 2.11 or newer")
endif()
message(STATUS "torch ${SPIKENM_TORCH_VERSION} in ${SPIKENM_TORCH}")

get_filename_component(torch_site "${SPIKENM_TORCH}" DIRECTORY)
find_package(Threads REQUIRED)
add_library(spikenm_torch INTERFACE IMPORTED GLOBAL)
target_include_directories(spikenm_torch INTERFACE
  "${SPIKENM_TORCH}/include" "${SPIKENM_TORCH}/include/torch/csrc/api/include")
# Nothing of ours is built with -fopenmp: the wheel brings a libgomp of its own, and two would mean two thread pools.
target_link_libraries(spikenm_torch INTERFACE
  "${SPIKENM_TORCH}/lib/libtorch_cpu.so" "${SPIKENM_TORCH}/lib/libc10.so" Threads::Threads)
target_link_options(spikenm_torch INTERFACE
  "LINKER:--disable-new-dtags"
  "LINKER:-rpath,${SPIKENM_TORCH}/lib" "LINKER:-rpath,${torch_site}/nvidia/cu13/lib"
  "LINKER:-rpath-link,${torch_site}/nvidia/cu13/lib")
