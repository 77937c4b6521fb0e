# SPDX-License-Identifier: GPL-3.0-or-later
# Three Debian packages: the runner, the Studio, and the models and examples that both read. tools/package builds, checks
# and tries them. What only packages hold (manual pages, copyright, changelog) is made here.
set(MESHREEL_PACKAGE_VERSION "${PROJECT_VERSION}" CACHE STRING "Version of the packages; an older one tries an upgrade")
set(MESHREEL_PACKAGE_CONTACT "Meshreel maintainers <maintainers@meshreel.org>" CACHE STRING "Who answers for them")
find_program(HELP2MAN help2man REQUIRED)
find_program(GZIP gzip REQUIRED)

set(made "${CMAKE_BINARY_DIR}/packages")
file(MAKE_DIRECTORY "${made}")

# meshreel_manual(PROGRAM COMPONENT COMMAND ...): installs the page that COMMAND prints.
set(MESHREEL_MANUALS)
function(meshreel_manual program component)
    set(page "${made}/${program}.1.gz")
    add_custom_command(OUTPUT "${page}"
        COMMAND ${ARGN} > "${made}/${program}.1"
        COMMAND "${GZIP}" -9nf "${made}/${program}.1"
        DEPENDS ${program}
        COMMENT "Writing the manual page of ${program}"
        VERBATIM)
    install(FILES "${page}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT ${component})
    list(APPEND MESHREEL_MANUALS "${page}")
    return(PROPAGATE MESHREEL_MANUALS)
endfunction()

meshreel_manual(meshreel runner meshreel manual)
meshreel_manual(meshreel-studio studio
    "${HELP2MAN}" --no-info --version-string "${PROJECT_VERSION}" --name "studio for Wan video generation" "$<TARGET_FILE:meshreel-studio>")
meshreel_manual(meshreel-render studio
    "${HELP2MAN}" --no-info --version-string "${PROJECT_VERSION}" --name "draws charts and reports of Meshreel's runs" "$<TARGET_FILE:meshreel-render>")
meshreel_manual(meshreel-bench-ui studio
    "${HELP2MAN}" --no-info --version-string "${PROJECT_VERSION}" --name "measures Meshreel Studio without a display" "$<TARGET_FILE:meshreel-bench-ui>")

set(release 0meshreel1)  # of the packages of one version
set(version_and_release "${MESHREEL_PACKAGE_VERSION}-${release}")
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE "${made}/changelog.Debian"
     "meshreel (${version_and_release}) unstable; urgency=medium\n\n  * Version ${MESHREEL_PACKAGE_VERSION}: see changelog.gz.\n\n"
     " -- ${MESHREEL_PACKAGE_CONTACT}  ${now}\n")
execute_process(COMMAND "${GZIP}" -9nf "${made}/changelog.Debian" COMMAND_ERROR_IS_FATAL ANY)
set(changelog "${made}/changelog.gz")
add_custom_command(OUTPUT "${changelog}"
    COMMAND "${GZIP}" -9nc "${PROJECT_SOURCE_DIR}/CHANGELOG.md" > "${changelog}"
    DEPENDS "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
    VERBATIM)
add_custom_target(package_files ALL DEPENDS ${MESHREEL_MANUALS} "${changelog}")
foreach(component runner studio models)
    set(package meshreel-${component})
    if(component STREQUAL runner)
        set(package meshreel)
    endif()
    install(FILES "${PROJECT_SOURCE_DIR}/resources/copyright" "${changelog}" "${made}/changelog.Debian.gz"
            DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${package}" COMPONENT ${component})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME meshreel)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own, its first line
set(CPACK_PACKAGE_VERSION "${MESHREEL_PACKAGE_VERSION}")
set(CPACK_DEBIAN_PACKAGE_RELEASE "${release}")
set(CPACK_COMPONENTS_ALL runner studio models)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${MESHREEL_PACKAGE_CONTACT}")
set(CPACK_DEBIAN_PACKAGE_SECTION video)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(CPACK_DEBIAN_RUNNER_PACKAGE_NAME meshreel)
set(CPACK_COMPONENT_RUNNER_DESCRIPTION "Wan video generation on a mesh of devices
Runs Wan text-to-video, image-to-video and editing models from a YAML project
file: on one machine, or on a mesh of devices under MPI. It plans memory and
time, measures every step, compares runs and foresees the fastest mesh for
accelerators.")
set(CPACK_DEBIAN_RUNNER_PACKAGE_DEPENDS "meshreel-models (= ${version_and_release}), libopenblas0-pthread")
set(CPACK_DEBIAN_RUNNER_PACKAGE_RECOMMENDS "meshreel-studio")
set(CPACK_DEBIAN_RUNNER_PACKAGE_SUGGESTS "mesa-vulkan-drivers, openmpi-bin")

set(CPACK_DEBIAN_STUDIO_PACKAGE_NAME meshreel-studio)
set(CPACK_COMPONENT_STUDIO_DESCRIPTION "desktop studio for Wan video generation
Makes videos from a prompt, an image or a video, and finds the fastest way to
run Wan on a mesh of devices: edits projects, shows previews and timings while
a run goes on, compares runs and exports charts.")
set(CPACK_DEBIAN_STUDIO_PACKAGE_DEPENDS
    "meshreel (= ${version_and_release}), libqt6svg6, qt6-qpa-plugins, fonts-dejavu-core | fonts-noto-core")
set(CPACK_DEBIAN_STUDIO_PACKAGE_RECOMMENDS "qt6-translations-l10n, fonts-noto-cjk")

set(CPACK_DEBIAN_MODELS_PACKAGE_NAME meshreel-models)
set(CPACK_DEBIAN_MODELS_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_MODELS_PACKAGE_SHLIBDEPS OFF)
set(CPACK_COMPONENT_MODELS_DESCRIPTION "small models and example projects for Meshreel
Holds two small Wan models that were trained for Meshreel, so that it makes a
video without any download, with presets, hardware profiles and example
projects.")
include(CPack)
