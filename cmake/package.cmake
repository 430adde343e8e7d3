# Installs the libraries, headers and program, and the package that find_package(spikenm) reads.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/spikenm")
install(DIRECTORY src/spikenm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING
        PATTERN "*.h" PATTERN "*.inc")
install(EXPORT spikenm-targets NAMESPACE spikenm:: DESTINATION ${package_dir})
if(SPIKENM_TRAIN)
  install(EXPORT spikenm-torch-targets NAMESPACE spikenm:: DESTINATION ${package_dir})
endif()
configure_package_config_file(cmake/spikenm-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/spikenm-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/spikenm-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/spikenm-config.cmake
        ${CMAKE_CURRENT_BINARY_DIR}/spikenm-config-version.cmake DESTINATION ${package_dir})
if(SPIKENM_TRAIN)
  install(FILES cmake/torch.cmake DESTINATION ${package_dir})
endif()
