# What is installed, and the Debian package that CPack makes of it (scripts/package). Component program: what a container
# needs; host: what a machine with systemd and a shell has besides.
include(GNUInstallDirs)
set(doc ${CMAKE_INSTALL_DATADIR}/doc/walduct)

install(TARGETS walduct COMPONENT program)
install(FILES LICENSE DESTINATION ${doc} COMPONENT program)
install(FILES ${WALDUCT_RDKAFKA_ROOT}/lib/LICENSES.txt DESTINATION ${doc} RENAME LICENSES.librdkafka OPTIONAL COMPONENT program)
# Of Debian's libraries that are linked in.
set(linked ${CMAKE_SOURCE_DIR}/docker/linked-packages)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${linked})
file(STRINGS ${linked} packages REGEX "^[^#]")
set(licenses "")
foreach(package IN LISTS packages)
  if(EXISTS /usr/share/doc/${package}/copyright)
    file(READ /usr/share/doc/${package}/copyright text)
    string(APPEND licenses "==== ${package}\n\n${text}\n")
  endif()
endforeach()
file(WRITE ${CMAKE_BINARY_DIR}/LICENSES.linked "${licenses}")
install(FILES ${CMAKE_BINARY_DIR}/LICENSES.linked DESTINATION ${doc} COMPONENT program)

install(DIRECTORY docs DESTINATION ${doc} COMPONENT host)  # beside README.md, whose links lead there
install(DIRECTORY deploy/prometheus deploy/grafana deploy/kubernetes deploy/helm DESTINATION ${doc}/deploy COMPONENT host)
# What building them has left is not theirs.
install(DIRECTORY examples DESTINATION ${doc} COMPONENT host PATTERN node_modules EXCLUDE PATTERN target EXCLUDE
  PATTERN __pycache__ EXCLUDE PATTERN .pytest_cache EXCLUDE)
install(FILES CHANGELOG.md README.md DESTINATION ${doc} COMPONENT host)
install(SCRIPT cmake/WalductPackageLinks.cmake COMPONENT host)
install(FILES deploy/debian/copyright DESTINATION ${doc} COMPONENT host)
install(FILES deploy/systemd/walduct@.service deploy/systemd/walduct-serve.service DESTINATION lib/systemd/system COMPONENT host)
install(FILES deploy/completion/walduct.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME walduct
  COMPONENT host)
install(FILES deploy/completion/_walduct DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT host)
install(FILES deploy/completion/walduct.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT host)
install(DIRECTORY DESTINATION /etc/walduct COMPONENT host)
# scripts/package writes the pages; a plain build has none.
install(DIRECTORY ${CMAKE_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL COMPONENT host)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CONTACT "walduct maintainers <maintainers@walduct.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "PostgreSQL changes to Kafka as Debezium writes them")
set(CPACK_PACKAGE_DESCRIPTION "walduct streams the changes of PostgreSQL databases into Kafka,
with the configuration, topics, bytes and offsets of the Debezium
connector, as one native process.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Loaded when something is asked for; certificates of authorities.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libcurl4, ca-certificates")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/deploy/debian/postinst ${CMAKE_SOURCE_DIR}/deploy/debian/prerm
  ${CMAKE_SOURCE_DIR}/deploy/debian/postrm)
include(CPack)
